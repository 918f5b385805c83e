"""The logits page: real dot products, one softmax over the whole vocabulary, and the loss of every true next token."""

import math
import re
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from streamlit.testing.v1 import AppTest

from pages.ui import cache
from pages.ui.lesson import UNKNOWN
from tests.pages.conftest import Open
from tests.pages.markup import parse
from tests.pages.reading import array, chart, component, drawn

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "blocks": 2, "batch": 2, "context": 11, "row": 2}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"query": 3}], ids=["random", "trained"])


@torch.no_grad()
def logits_of(lesson: Any) -> torch.Tensor:
    """All logits of the pictured row, by the model's own forward pass. (T, V)"""
    logits: torch.Tensor = lesson.model(lesson.tokens)[lesson.row]
    return logits


@SETTINGS
def test_the_scores_drawn_are_the_models_logits(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("logits", **choices)
    lesson = app.session_state["_lesson"]
    place = int(app.session_state["choices"]["query"])
    left, top, scores = drawn(app, "logits")
    logits = logits_of(lesson)
    best = logits[place].topk(12).indices.tolist()
    target = int(lesson.targets[lesson.row, place])
    tokens = best + [target] * (target not in best)
    torch.testing.assert_close(scores, logits[:, tokens])
    torch.testing.assert_close(left @ top, scores)
    assert torch.equal(top, lesson.model.output.weight[tokens].T)
    matrices = component(app, "logits")["matrices"]
    assert matrices[1]["columns"] == [lesson.label(token) for token in tokens]
    assert component(app, "logits")["selected"] == [place, 0]


@SETTINGS
def test_the_list_is_ordered_and_its_shares_are_of_the_whole_vocabulary(
    open_page: Open, choices: dict[str, Any]
) -> None:
    app = open_page("logits", logits_view="softmax", **choices)
    lesson = app.session_state["_lesson"]
    logits = logits_of(lesson)[int(app.session_state["choices"]["query"])]
    table = next(parse(e.proto.body) for e in app.get("html") if "predictions ranking" in e.proto.body)
    lines = table.all("tbody")[0].all("tr")
    best = logits.topk(11).indices.tolist()
    assert [line.one("piece").text for line in lines][:11] == [lesson.label(token) for token in best]
    for line, token in zip(lines, best, strict=False):
        z, power, share = (number.text for number in line.all("number"))
        assert float(z.replace("−", "-")) == pytest.approx(float(logits[token]), abs=6e-4)
        assert float(power) == pytest.approx(float((logits[token] - logits.max()).exp()), abs=6e-5)
        if "<" not in share:
            assert float(share.removesuffix("%")) == pytest.approx(100 * float(logits.softmax(0)[token]), abs=0.06)


@SETTINGS
def test_the_curve_ends_with_the_whole_vocabulary_holding_everything(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("logits", logits_view="softmax", **choices)
    lesson = app.session_state["_lesson"]
    shares = logits_of(lesson)[int(app.session_state["choices"]["query"])].softmax(0).sort(descending=True).values
    (curve,) = chart(app, "held")["data"]
    ranks, held = array(curve["x"]).long(), array(curve["y"])
    assert (int(ranks[0]), int(ranks[-1])) == (1, lesson.config.vocab_size)
    torch.testing.assert_close(held, shares.cumsum(0)[ranks - 1])
    assert float(held[-1]) == pytest.approx(1.0, abs=1e-4)


@SETTINGS
def test_each_bar_is_the_cross_entropy_of_the_true_next_token(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("logits", logits_view="loss", **choices)
    lesson = app.session_state["_lesson"]
    targets = lesson.targets[lesson.row]
    bars, ticks, _ = chart(app, "losses")["data"]
    wanted = F.cross_entropy(logits_of(lesson), targets, reduction="none")
    torch.testing.assert_close(array(bars["y"]), wanted)
    pairs = cache.bigrams(lesson.vocabulary, lesson.corpus).probabilities(lesson.tokens[lesson.row], targets)
    torch.testing.assert_close(array(ticks["y"]), -pairs.log().float())
    (level,) = chart(app, "losses")["layout"]["shapes"]
    assert level["y0"] == pytest.approx(math.log(lesson.config.vocab_size))
    mean = float(wanted.mean())
    assert any(f"{mean:.2f} " in m.value and f"{math.exp(mean):,.0f}" in m.value for m in app.markdown)


@pytest.mark.parametrize("language, words", [("en", "is left out"), ("zh", "不算")])
def test_the_unknown_last_target_is_left_out_and_said_so(open_page: Open, language: str, words: str) -> None:
    app = open_page("logits", logits_view="loss", lang=language, text="I love cats")
    lesson = app.session_state["_lesson"]
    assert lesson.targets[0, -1] == UNKNOWN
    assert len(array(chart(app, "losses")["data"][0]["y"])) == lesson.length - 1
    assert any(words in m.value for m in app.markdown)
    with_next = open_page("logits", logits_view="loss", lang=language)
    assert not any(words in m.value for m in with_next.markdown)


def test_the_pairs_of_the_trained_run_were_counted_in_its_own_training_text() -> None:
    pairs = cache.bigrams("demonstration", "persuasion")
    assert len(pairs.fallback) == cache.demonstration().model.config.vocab_size
    assert pairs is cache.bigrams("demonstration", "persuasion")


def printed(app: AppTest, near: str, pattern: str) -> list[float]:
    """The numbers of a printed calculation, in the paragraph that holds `near`."""
    told = next(m.value for m in app.markdown if near in m.value).replace("−", "-").replace("\u00a0", " ")
    found = re.search(pattern, told)
    assert found
    return [float(number) for number in found.groups()]


@pytest.mark.parametrize("place", range(6))
def test_the_printed_numbers_give_the_printed_probability(open_page: Open, place: int) -> None:
    app = open_page("logits", logits_view="softmax", query=place)
    pattern = r"exp\((\S+) - (\S+)\) ÷ (\S+) = (\S+) ÷ (\S+) = \*\*(\S+)\*\*"
    logit, maximum, total, power, again, share = printed(app, "÷ sum", pattern)
    assert total == again
    assert f"{power / total:.4g}" == f"{share:.4g}"
    assert math.exp(logit - maximum) == pytest.approx(power, rel=1e-4)


@pytest.mark.parametrize("place", range(6))
def test_the_printed_loss_of_the_picked_token_follows_from_its_printed_probability(open_page: Open, place: int) -> None:
    app = open_page("logits", logits_view="loss", query=place)
    share, loss = printed(app, "perplexity", r"-ln (\S+) = \*\*(\S+) nats\*\*")
    assert f"{-math.log(share):.4g}" == f"{loss:.4g}"
    assert loss == pytest.approx(float(array(chart(app, "losses")["data"][0]["y"])[place]), rel=1e-3)


def test_after_a_last_token_that_nothing_follows_no_loss_is_written(open_page: Open) -> None:
    app = open_page("logits", logits_view="loss", text="I love cats", query=99)
    assert not any("-ln " in m.value.replace("−", "-") for m in app.markdown if "perplexity" in m.value)


@pytest.mark.parametrize("choices", [UNEVEN, {}], ids=["random", "trained"])
def test_a_perplexity_is_that_of_its_printed_loss_or_is_marked_as_rounded(
    open_page: Open, choices: dict[str, Any]
) -> None:
    app = open_page("logits", logits_view="loss", **choices)
    told = next(m.value for m in app.markdown if "perplexity" in m.value)
    told = re.sub("<[^>]*>", "", told).replace("\u00a0", " ")
    pairs = re.findall(r"([\d.]+)(?: nats)?, perplexity (≈ )?([\d,]+)", told)
    assert len(pairs) == 3
    for loss, rounded, perplexity in pairs[:2]:
        assert (f"{math.exp(float(loss)):,.0f}" == perplexity) is not bool(rounded)
    rows = app.session_state["_lesson"].config.vocab_size
    assert f"ln {rows:,} = {math.log(rows):.2f}, perplexity {rows:,}" in told


@pytest.mark.parametrize(("language", "name"), [("en", "true next token"), ("zh", "真正的下一个")])
def test_the_bar_of_the_true_next_token_is_named(open_page: Open, language: str, name: str) -> None:
    app = open_page("logits", logits_view="softmax", lang=language)
    table = next(parse(e.proto.body) for e in app.get("html") if "predictions ranking" in e.proto.body)
    named = [row for row in table.all("tr") if name in row.text]
    assert len(named) == 1 and named[0].all("true")


def test_no_rerun_copies_the_table(open_page: Open) -> None:
    app = open_page("logits", weights="random")
    shown = sum(len(matrix["values"]) for matrix in component(app, "logits")["matrices"])
    assert shown < 20_000


@pytest.mark.parametrize("view", ["product", "softmax", "loss"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1, "blocks": 1},
        {"text": "the <b>cat</b> 🐱 猫", "query": 99},
        {"d_model": 512, "heads": 16, "blocks": 12, "context": 128, "batch": 8, "text": "word after " * 100},
    ],
    ids=["one token", "markup", "largest"],
)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("logits", logits_view=view, **{"weights": "random", **choices})
    assert not [m.value for m in app.markdown if m.value.startswith("✗")]
    assert not any(re.search("<b>cat", e.proto.body) for e in app.get("html"))
