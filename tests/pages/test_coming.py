"""The generation page before anything is written: what may come next is the library's distribution, and the cut is drawn."""

from typing import Any

import pytest
import torch

from pages.figures.predictions import percent
from pages.figures.written import Coming, coming
from pages.ui.lesson import Lesson
from tests.pages.conftest import Open
from tests.pages.markup import Element, parse, picture
from transformer.sampling import Distribution, distribution

UNEVEN = {"weights": "random", "vocab": "compact", "d_model": 24, "heads": 3, "blocks": 2, "batch": 2, "context": 11}
CUTS = pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(0.8, 40, 0.95), (0.0, 40, 1.0), (1.0, 3, 1.0), (1.0, 1_000_000, 1.0)],
    ids=["some", "greedy", "three", "no cut"],
)


def cells(row: Element) -> list[str]:
    return [cell.text for cell in row.all("td")]


@torch.no_grad()
def expected(lesson: Lesson, *cut: Any) -> Distribution:
    return distribution(lesson.model(lesson.pictured)[0, -1], *cut, forbidden=lesson.tokenizer.undecodable)


@CUTS
@pytest.mark.parametrize("choices", [UNEVEN, {}], ids=["random", "trained"])
def test_what_may_come_is_the_distribution(
    open_page: Open, choices: dict[str, Any], temperature: float, top_k: int, top_p: float
) -> None:
    asked = {"generation_temperature": temperature, "generation_top_k": top_k, "generation_top_p": top_p}
    app = open_page("generation", **asked, **choices)
    lesson: Lesson = app.session_state["_lesson"]
    chosen = expected(lesson, temperature, top_k, top_p)
    own, kept = chosen.logits.softmax(-1), chosen.kept
    best = own.topk(8).indices
    table = picture(app).one("coming")
    shown = [*table.all("kept"), *table.all("cut")]
    for row, token in zip(shown, best.tolist(), strict=False):
        final = float(chosen.final[token])
        assert cells(row)[:3] == [lesson.label(token), percent(float(own[token])), percent(final) if final else "0%"]
        assert ("kept" in row.classes) == bool(kept[token])
    others = torch.ones_like(kept).index_fill(0, best, False)
    counts = [int((others & part).sum()) for part in (kept, ~kept)]
    rest = [cells(row)[0] for row in shown[8:]]
    assert rest == [f"{name}: {n:,}" for name, n in zip(("also kept", "cut"), counts, strict=True) if n]


def test_bars_are_as_long_as_their_shares_and_texts_are_escaped() -> None:
    lines = [Coming("<b>", 0.2, 0.5, ("20%", "50%"), True), Coming("cut: 7", 0.8, 0.0, ("80%", "0%"), False, one=False)]
    drawn = parse(coming("a <i> b", lines, ("token", "own", "final")))
    widths = [bar.attributes["style"] for bar in drawn.one("coming").all("i")]
    assert widths == ["width:25.0%", "width:62.5%", "width:100.0%", "width:0.0%"]
    assert drawn.one("kept").one("piece").text == "<b>"
    assert drawn.one("prose").text == "a <i> b?"
    assert not drawn.one("cut").all("piece")
