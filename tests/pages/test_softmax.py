"""The softmax page: rows become distributions, each part recomputed from the tensor above it."""

import math
import re
from typing import Any

import pytest
import torch

from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, drawn
from transformer import GPT, ModelConfig
from transformer.attention import softmax_steps
from transformer.lessons.measurements import entropy

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "head": 3, "row": 2}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"head": 2, "block": 3}], ids=["random", "trained"])


@SETTINGS
def test_the_weights_drawn_are_the_models_and_their_rows_sum_to_one(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("softmax", **choices)
    lesson = app.session_state["_lesson"]
    place = lesson.row, lesson.head
    masked, weights, sums = drawn(app, "softmax")
    assert torch.equal(masked, lesson.attention.masked[place])
    assert torch.equal(weights.nan_to_num(0.0), lesson.attention.weights[place])
    torch.testing.assert_close(sums, torch.ones_like(sums))
    torch.testing.assert_close(sums[:, 0], weights.nansum(1))


def test_weights_are_coloured_from_zero_to_one_and_masked_cells_not_at_all(open_page: Open) -> None:
    app = open_page("softmax", **UNEVEN)
    before, after, sums = component(app, "softmax")["matrices"]
    masked, weights, _ = drawn(app, "softmax")
    assert before["limit"] == float(masked.nan_to_num(0.0, neginf=0.0).abs().max())
    assert (after["scale"], after["limit"], sums["scale"]) == ("weight", 1.0, "plain")
    assert torch.equal(weights.isnan(), masked.isneginf())


@SETTINGS
def test_each_named_part_of_softmax_follows_from_the_scores_above_it(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("softmax", **choices)
    masked, weights, _ = drawn(app, "softmax")
    steps = softmax_steps(masked)
    for i, row in enumerate(masked):
        seen = row[: i + 1]
        assert steps.maximum[i] == max(seen.tolist())
        torch.testing.assert_close(steps.exponentials[i, : i + 1], (seen - max(seen.tolist())).exp())
        assert (steps.exponentials[i, i + 1 :] == 0).all()
        torch.testing.assert_close(steps.total[i, 0], steps.exponentials[i].sum())
    torch.testing.assert_close(steps.exponentials / steps.total, weights.nan_to_num(0.0))


@pytest.mark.parametrize(
    "language, maximum, total", [("en", "largest score", "sum of the exponentials"), ("zh", "最大值", "指数之和")]
)
def test_the_card_names_maximum_and_sum_for_what_they_are(
    open_page: Open, language: str, maximum: str, total: str
) -> None:
    readout = component(open_page("softmax", lang=language), "softmax")["readout"]
    assert maximum in readout["words"]["maximum"]
    assert total in readout["words"]["sum"]
    assert (readout["kind"], readout["operands"], readout["result"]) == ("softmax", [0], 1)


@SETTINGS
def test_sums_and_entropies_stand_beside_the_weights_they_belong_to(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("softmax", softmax_view="entropy", query=4, **choices)
    lesson = app.session_state["_lesson"]
    weights = lesson.attention.weights[lesson.row, lesson.head]
    figure = chart(app, "softmax_entropy")
    heatmap, _, sums, bars, ceiling = figure["data"]
    seen = torch.ones_like(weights, dtype=torch.bool).tril()
    assert torch.equal(array(heatmap["z"]).isnan(), ~seen)
    assert torch.equal(array(heatmap["z"])[seen], weights[seen])
    assert (heatmap["zmin"], heatmap["zmax"]) == (0, 1)
    assert sums["text"] == ["1.000"] * lesson.length
    torch.testing.assert_close(array(bars["x"]), entropy(weights))
    torch.testing.assert_close(array(ceiling["x"]), torch.arange(1, lesson.length + 1).float().log2())
    assert (array(bars["x"]) <= array(ceiling["x"]) + 1e-5).all()
    ticks = figure["layout"]["yaxis"]["ticktext"]
    assert [re.sub("</?(span|b)[^>]*>", "", tick) for tick in ticks] == list(lesson.labels)
    assert [at for at, tick in enumerate(ticks) if tick.startswith("<span")] == [4], "the asking token stands out"
    assert [at for at, number in enumerate(bars["text"]) if number] == [4]
    assert bars["text"][4] == f"<b>{float(entropy(weights)[4]):.2f}</b>"


@pytest.mark.parametrize(
    "choices", [{**UNEVEN, "query": query} for query in (0, 1, 5)] + [{}, {"head": 3}, {"lang": "zh"}]
)
def test_an_entropy_is_the_sum_of_the_printed_terms_to_its_last_digit(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("softmax", softmax_view="entropy", **choices)
    told = next(
        element.value for element in app.markdown if r"\log_2 0" in element.value or r"\log_2 1" in element.value
    )
    weights = [float(number) for number in re.findall(r"- ([\d.]+) \\log_2 \1", told)]
    rest = re.search(r"\$ \+ ([\d.]+)", told)
    bits, seen = re.search(r"\*\*([\d.]+)\*\*", told), re.search(r"log₂ (\d+) [=≈] (\d[\d.]*\d|\d)", told)
    assert bits and seen and weights
    total = (float(rest[1]) if rest else 0) - sum(weight * math.log2(weight) for weight in weights)
    assert f"{total:.3g}" == f"{float(bits[1]):.3g}"
    assert f"{math.log2(int(seen[1])):.4g}" == f"{float(seen[2]):.4g}"


def test_entropy_is_one_number_a_row(open_page: Open) -> None:
    app = open_page("softmax", softmax_view="entropy", **UNEVEN)
    assert any("`(2, 3, 11, 11)` → `(2, 3, 11)` batch × heads × tokens" in element.value for element in app.markdown)


def test_repeated_tokens_keep_every_row_and_tick(open_page: Open) -> None:
    app = open_page("softmax", softmax_view="entropy", text="the cat sat on the mat because the mat was the best")
    labels = list(app.session_state["_lesson"].labels)
    layout = chart(app, "softmax_entropy")["layout"]
    for axis in (layout["xaxis"], layout["yaxis"]):
        assert [re.sub("</?(span|b)[^>]*>", "", tick) for tick in axis["ticktext"]] == labels
        assert array(axis["tickvals"]).tolist() == list(range(len(labels)))


def test_all_heads_are_drawn_from_zero_to_one(open_page: Open) -> None:
    app = open_page("softmax", softmax_view="heads", **UNEVEN)
    lesson = app.session_state["_lesson"]
    shown = torch.stack(drawn(app, "weights_of_heads")).nan_to_num(0.0)
    assert torch.equal(shown, lesson.attention.weights[lesson.row])
    assert {matrix["limit"] for matrix in component(app, "weights_of_heads")["matrices"]} == {1.0}


def test_a_model_that_was_just_training_with_dropout_gives_whole_and_equal_rows() -> None:
    model = GPT(
        ModelConfig(vocab_size=17, d_model=12, num_heads=3, num_blocks=2, context_length=5, dropout=0.5)
    ).train()
    tokens = torch.randint(17, (2, 5), generator=torch.Generator().manual_seed(0))
    model(tokens).square().mean().backward()
    assert model.training
    with torch.no_grad():
        first, second = model.trace(tokens), model.trace(tokens)
    for one, other in zip(first.blocks, second.blocks, strict=True):
        torch.testing.assert_close(one.attention.weights.sum(-1), torch.ones(2, 3, 5))
        assert torch.equal(one.attention.weights, other.attention.weights)


@pytest.mark.parametrize("view", ["row", "entropy", "heads"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "d_model": 512, "heads": 16, "context": 128, "head": 16},
    ],
    ids=["one token", "largest"],
)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("softmax", weights="random", softmax_view=view, query=1, key=100, **choices)
    assert app.get("plotly_chart" if view == "entropy" else "bidi_component")
