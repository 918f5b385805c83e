"""The decoding page: what is written, how probable it was, and what the search kept."""

import re
from itertools import pairwise
from typing import Any

import pytest
import torch

from pages.figures.beam_tree import GAP, LETTERS, columns, nodes
from tests.pages.conftest import Open
from tests.pages.markup import Element, parse
from tests.pages.reading import array, chart, proof
from tests.pages.test_encoder_decoder import EXTREMES, SENTENCE, SETTINGS, reading, shared
from transformer.encoder_decoder import BEGIN, END, padded
from transformer.translation.decoding import beam_search, greedy_ids
from transformer.translation.task import translate

VIEWS = ["teacher", "greedy", "beam", "recipe"]


def html(app: Any, name: str) -> Element:
    """The picture with this class."""
    (body,) = (e.proto.body for e in app.get("html") if f'class="{name}' in e.proto.body)
    return parse(body)


@SETTINGS
def test_greedy_writes_what_the_library_translates(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any]
) -> None:
    seen = reading(monkeypatch)
    app = open_page("decoding", decoding_view="greedy", **shared(**choices))
    (ids,) = greedy_ids(seen[-1].model, padded([seen[-1].read.ids]))
    pieces = [chip.text for chip in html(app, "decoding").all("piece")]
    written = seen[-1].words([*ids, END])[:32]
    assert pieces == [*seen[-1].words(seen[-1].read.ids, seen[-1].read.pieces), "<s>", *written]
    sentence = translate(seen[-1].model, seen[-1].tokenizer, SENTENCE)
    assert any(sentence[:60] in element.value for element in app.markdown)


@pytest.mark.parametrize("pair", ["fr", "zh"])
def test_the_trained_model_writes_the_reference_and_says_so(open_page: Open, pair: str) -> None:
    app = open_page("decoding", decoding_view="greedy", **shared(pair=pair))
    assert any("✓ word for word" in element.value for element in app.markdown)


@torch.no_grad()
@SETTINGS
def test_a_step_shows_the_distribution_and_what_is_looked_at(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any]
) -> None:
    seen = reading(monkeypatch)
    app = open_page("decoding", decoding_view="teacher", decoding_step=3, **shared(**choices))
    own, model = seen[-1].own, seen[-1].model
    inputs = torch.tensor([[BEGIN, *own.target[:3]]])
    trace = model.trace(torch.tensor([own.source]), inputs)
    logits = trace.decoder.logits[0, -1]
    table = html(app, "predictions").all("tbody")[0]
    tokens = [cell.text for cell in table.all("piece")]
    assert tokens[:5] == seen[-1].words(logits.topk(5).indices.tolist())
    weights = trace.decoder.blocks[seen[-1].block].cross_attention.weights[0, seen[-1].head, -1]
    shown = [chip.attributes["style"] for chip in html(app, "decoding").all("looked")]
    assert shown == [f"--share: {100 * weight:.0f}%" for weight in weights.tolist()]
    (true,) = [cell.text for cell in table.all("piece") if "true" in cell.classes]
    assert true == seen[-1].words([own.target[3]])[0]
    share = float(logits.softmax(-1)[own.target[3]])
    told = next(element.value for element in app.markdown if "exp(" in element.value)
    assert float(re.search(r"≈ ([\d.e−-]+)\*\*", told)[1].replace("−", "-")) == pytest.approx(share, rel=2e-3)  # type: ignore[index]


def test_the_teacher_counts_how_often_the_favourite_is_right(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = reading(monkeypatch)
    app = open_page("decoding", decoding_view="teacher", **shared(model="random", width=24, cut=3))
    forced = seen[-1].forced(seen[-1].own)
    right = int((forced.log_probabilities.argmax(-1) == forced.targets).sum())
    told = next(element.value for element in app.markdown if "favourite" in element.value)
    assert f"**{right} of {len(seen[-1].own.target) + 1}**" in told
    others = html(app, "decoding").all("other")
    assert len(others) == len(seen[-1].own.target) + 1 - right


@pytest.mark.parametrize(("width", "alpha"), [(1, 0.0), (3, 0.6), (8, 2.0)])
@SETTINGS
def test_the_beam_is_that_of_the_library(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any], width: int, alpha: float
) -> None:
    seen = reading(monkeypatch)
    app = open_page("decoding", decoding_view="beam", decoding_width=width, decoding_alpha=alpha, **shared(**choices))
    beams = list(beam_search(seen[-1].model, padded([seen[-1].read.ids]), width, alpha))
    marks = chart(app, "beam_tree")["data"][-1]
    kept = [(node.step, node.rank) for node in nodes(beams) if not node.waits]
    columns = sorted(set(array(marks["x"]).tolist()))
    assert [columns.index(x) for x in array(marks["x"]).tolist()] == [step for step, _ in kept]
    assert array(marks["y"]).tolist() == [rank for _, rank in kept]
    lines = html(app, "beam").all("tbody")[0].all("tr")[0:] or html(app, "beam").all("tbody")[0].children
    texts = [line.children[1].text for line in lines]
    assert texts == [seen[-1].sentence_of(one.ids) for one in beams[-1][:4]]


@pytest.mark.parametrize("widths", [[3], [3, 1, 12, 4], [3, *[9, 2] * 8], [3, *[7] * 32]])
def test_no_card_of_the_tree_reaches_into_the_next(widths: list[int]) -> None:
    middles, end, room = columns(widths)
    shown = [min(width, room) for width in widths]
    edges = [(middle - width / 2, middle + width / 2) for middle, width in zip(middles, shown, strict=True)]
    assert all(right < left for (_, right), (left, _) in pairwise(edges))
    assert edges[0][0] > 0 and edges[-1][1] < end
    assert room >= 2 and (end <= LETTERS or room == 2)
    assert room == max(widths) or sum(min(width, room + 1) for width in widths) + GAP * len(widths) > LETTERS


def test_each_node_comes_from_the_hypothesis_that_it_continues(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = reading(monkeypatch)
    open_page("decoding", decoding_view="beam", **shared(model="random", width=24, cut=3))
    beams = seen[-1].beams(4, 0.6)
    for node in nodes(beams):
        before = beams[node.step - 1][node.before].ids if node.step else ()
        ids = node.hypothesis.ids
        assert ids == before if node.waits else ids[:-1] == before
    assert sum(node.wins for node in nodes(beams)) == len(beams)


def test_without_a_reference_nobody_pretends_to_have_one(open_page: Open) -> None:
    for view, told in (("teacher", "Nobody has given"), ("greedy", "no reference")):
        app = open_page("decoding", decoding_view=view, **shared(english="The cat reads a red dog."))
        assert any(told in element.value for element in app.markdown)


def test_the_recipe_draws_the_papers_formulas(open_page: Open) -> None:
    app = open_page("decoding", decoding_view="recipe", decoding_warm_up=1000, **shared())
    ours, paper = chart(app, "decoding_schedule")["data"]
    for line, width, rise in ((ours, 128, 1000), (paper, 512, 4000)):
        steps = array(line["x"]).double()
        expected = width**-0.5 * torch.minimum(steps**-0.5, steps * rise**-1.5)
        torch.testing.assert_close(array(line["y"]).double(), expected, rtol=1e-5, atol=1e-9)
    plain, smoothed = chart(app, "decoding_smoothing")["data"]
    torch.testing.assert_close(array(plain["y"]), -array(plain["x"]).log(), rtol=1e-4, atol=1e-5)
    assert array(smoothed["x"])[array(smoothed["y"]).argmin()] == pytest.approx(0.9, abs=0.002)


@pytest.mark.parametrize("choices", EXTREMES, ids=["one word", "unknown words", "largest", "smallest"])
@pytest.mark.parametrize("view", VIEWS)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("decoding", decoding_view=view, decoding_step=500, **shared(**choices))
    assert proof(app).startswith("✓ Rec")
    assert not any("<b>plugh" in element.proto.body for element in app.get("html"))


@pytest.mark.parametrize(("view", "origin"), [("teacher", "from the answer"), ("greedy", "from the model")])
def test_it_is_told_where_the_tokens_that_are_read_come_from(open_page: Open, view: str, origin: str) -> None:
    app = open_page("decoding", decoding_view=view, **shared())
    assert [told.text for told in html(app, "decoding").all("origin")] == [origin]


def test_a_finished_path_ends_where_its_sentence_ends(open_page: Open) -> None:
    app = open_page("decoding", decoding_view="beam", decoding_width=8, decoding_alpha=0.0, **shared())
    tree = chart(app, "beam_tree")
    shown = [(card["text"], card["x"], card["y"]) for card in tree["layout"]["annotations"]]
    assert not any(text == "·" for text, _, _ in shown)
    left = {(x, y) for line in tree["data"][:2] for x, y in list(zip(line["x"], line["y"], strict=True))[::3]}
    ended = {(x, y) for text, x, y in shown if text == "&lt;/s&gt;" or text == "</s>"}
    assert ended and not ended & left


def test_the_points_of_a_column_stand_below_each_other(open_page: Open) -> None:
    app = open_page("decoding", decoding_view="greedy", **shared())
    rows = html(app, "predictions").all("tbody")[0].all("tr") or html(app, "predictions").all("tbody")[0].children
    for column in (2, 3):
        assert len({len(row.children[column].text.partition(".")[2]) for row in rows}) == 1


@pytest.mark.parametrize("alpha", [0.3, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("pair", ["fr", "zh"])
def test_a_score_is_the_quotient_of_the_numbers_printed_beside_it(open_page: Open, pair: str, alpha: float) -> None:
    for width in (1, 4, 8):
        choices = {"decoding_width": width, "decoding_alpha": alpha, **shared(pair=pair)}
        app = open_page("decoding", decoding_view="beam", **choices)
        rows = html(app, "beam").all("tbody")[0].all("tr") or html(app, "beam").all("tbody")[0].children
        for row in rows:
            total, divisor, score = (float(cell.text.replace("−", "-")) for cell in row.children[3:6])
            assert f"{total / divisor:.3f}" == f"{score:.3f}"
