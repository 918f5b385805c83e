"""The page of the feed-forward layer: units, activations and what they add are the trace's, and fit together."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from pages.figures.sentence import percent
from pages.figures.strongest_units import strongest
from pages.ui import lesson as lessons
from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, decode, drawn, proof
from transformer import ModelConfig

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "row": 2, "query": 6}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"block": 3, "query": 5}], ids=["random", "trained"])


@SETTINGS
def test_every_hidden_unit_is_drawn_with_each_tokens_share_of_silent_ones(
    open_page: Open, choices: dict[str, Any]
) -> None:
    app = open_page("feed_forward", **choices)
    lesson = app.session_state["_lesson"]
    trace = lesson.block_trace.feed_forward
    activated, silent = drawn(app, "units")
    assert torch.equal(activated, trace.activated[lesson.row])
    assert activated.shape == (lesson.length, 4 * lesson.config.d_model)
    torch.testing.assert_close(silent[:, 0] / 100, (activated == 0).float().mean(1))
    assert f"{percent(float(silent.mean()) / 100)} of the units" in app.markdown[0].value


@pytest.mark.parametrize(("view", "place"), [("units", 0), ("unit", 2), ("output", 0)])
def test_after_relu_the_colour_scale_has_one_side_and_all_views_have_the_same(
    open_page: Open, view: str, place: int
) -> None:
    app = open_page("feed_forward", feed_forward_view=view)
    hidden = component(app, view)["matrices"][place]
    activated = app.session_state["_lesson"].block_trace.feed_forward.activated[0]
    assert hidden["scale"] == "weight" and hidden["limit"] == float(activated.max())
    assert hidden["name"] == "hidden units"


@SETTINGS
def test_one_unit_is_its_dot_product_its_bias_and_relu(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("feed_forward", feed_forward_view="unit", feed_forward_unit=50, **choices)
    lesson = app.session_state["_lesson"]
    trace, layer = lesson.block_trace.feed_forward, lesson.model.blocks[lesson.block].feed_forward.hidden
    x, weights, activated = drawn(app, "unit")
    scene = component(app, "unit")
    bias = decode(scene["bias"], [16])
    assert torch.equal(x, trace.input[lesson.row])
    assert torch.equal(weights, layer.weight[48:64].T)
    assert torch.equal(bias, layer.bias[48:64])
    assert torch.equal(activated, trace.activated[lesson.row, :, 48:64])
    torch.testing.assert_close((x @ weights + bias).clamp_min(0), activated)
    assert scene["selected"] == [choices["query"], 2]
    assert scene["readout"]["kind"] == "unit"


def test_at_first_the_unit_is_the_one_that_the_chosen_token_excites_most(open_page: Open) -> None:
    app = open_page("feed_forward", **UNEVEN)
    lesson = app.session_state["_lesson"]
    strongest_unit = int(lesson.block_trace.feed_forward.activated[lesson.row, 6].argmax())
    assert app.number_input(key="feed_forward_unit").value == strongest_unit
    assert component(app, "units")["selected"] == [6, strongest_unit]


@SETTINGS
def test_what_the_strongest_units_add_sums_to_the_output(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("feed_forward", feed_forward_view="token", **choices)
    lesson = app.session_state["_lesson"]
    trace, token = lesson.block_trace.feed_forward, choices["query"]
    bars, terms, sums = chart(app, "strongest_units")["data"]
    numbers = torch.cat([array(rows["z"]).reshape(-1, lesson.config.d_model) for rows in (terms, sums)])
    assert len(numbers) == 15
    for rows, drawn_numbers in ((terms, numbers[:12]), (sums, numbers[12:])):
        assert rows["zmax"] == pytest.approx(float(drawn_numbers.abs().max()))
    torch.testing.assert_close(numbers[:-1].sum(0), trace.output[lesson.row, token], rtol=1e-4, atol=1e-6)
    assert torch.equal(numbers[-1], trace.output[lesson.row, token])
    assert torch.equal(array(bars["x"]), trace.activated[lesson.row, token].topk(12).values)
    second = lesson.model.blocks[lesson.block].feed_forward.output
    unit = int(trace.activated[lesson.row, token].argmax())
    assert torch.equal(numbers[0], trace.activated[lesson.row, token, unit] * second.weight[:, unit])
    assert torch.equal(numbers[-2], second.bias)
    assert [rows["colorbar"]["title"]["text"] for rows in (terms, sums)] == ["single units", "sums"]


def test_units_of_either_sign_are_ranked_by_size() -> None:
    activated, weights, bias = torch.tensor([0.5, -2.0, 0.0, 1.0]), torch.arange(12.0).reshape(3, 4), torch.ones(3)
    found = strongest(activated, weights, bias, 2)
    assert found.units.tolist() == [1, 3]
    torch.testing.assert_close(found.added.sum(0), F.linear(activated, weights, bias))
    assert len(strongest(activated, weights, bias, 9).units) == 4


@SETTINGS
def test_one_number_of_the_output_is_a_dot_product_with_w2(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("feed_forward", feed_forward_view="output", dim=21, **choices)
    lesson = app.session_state["_lesson"]
    activated, weights, output = drawn(app, "output")
    bias = decode(component(app, "output")["bias"], [output.size(1)])
    assert torch.equal(output, lesson.block_trace.feed_forward.output[lesson.row, :, 16:32])
    torch.testing.assert_close(activated @ weights + bias, output, rtol=1e-4, atol=1e-5)
    assert component(app, "output")["selected"] == [choices["query"], 5]


def test_a_unit_that_a_narrower_model_lacks_becomes_its_last(open_page: Open) -> None:
    app = open_page("feed_forward", feed_forward_unit=200, **UNEVEN)
    assert app.number_input(key="feed_forward_unit").value == 95


def test_gelu_is_drawn_with_both_signs_and_proved(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: Callable[..., ModelConfig] = lessons.chosen_config
    monkeypatch.setattr(lessons, "chosen_config", lambda *choices: replace(chosen(*choices), activation="gelu"))
    app = open_page("feed_forward", **UNEVEN)
    lesson = app.session_state["_lesson"]
    assert drawn(app, "units")[0].min() < 0
    assert component(app, "units")["matrices"][0]["scale"] == "signed"
    torch.testing.assert_close(
        drawn(app, "units")[0], F.gelu(lesson.block_trace.feed_forward.hidden[lesson.row]), rtol=1e-5, atol=1e-6
    )
    assert "`F.linear, F.gelu in float64`" in proof(app) and "✓" in proof(app)


@pytest.mark.parametrize("view", ["units", "unit", "token", "output"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "d_model": 512, "heads": 16, "context": 128},
        {"text": "the cat sat on the mat 🐱 `*$<b>", "vocab": "r50k_base"},
    ],
    ids=["one token", "largest", "odd tokens"],
)
def test_extremes_draw_within_two_megabytes(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("feed_forward", weights="random", feed_forward_view=view, query=100, dim=500, **choices)
    sent = [element.proto.bytes.decode() for element in app.get("bidi_component")]
    assert sent or app.get("plotly_chart")
    assert sum(map(len, sent)) < 2 << 20
