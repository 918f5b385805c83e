"""The page of residual connections and LayerNorm: every part drawn follows from the tensor before it, in either order."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pages.figures.norm_placement import mean_size, residuals
from pages.ui import lesson as lessons
from tests.pages.conftest import Open
from tests.pages.reading import chart, component, drawn
from transformer import ModelConfig

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "row": 2, "query": 6}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"block": 3, "query": 5}], ids=["random", "trained"])
SUBLAYERS = pytest.mark.parametrize("sublayer", ["attention", "feed_forward"])
ORDERS = pytest.mark.parametrize("order", ["pre", "post"])
NAME = "residual_and_layer_norm"


def asked(view: str, sublayer: str = "attention", order: str = "pre") -> dict[str, str]:
    return {f"{NAME}_view": view, f"{NAME}_sublayers": sublayer, f"{NAME}_orders": order}


def torch_block(lesson: Any, norm_first: bool) -> Tensor:
    """The pictured row after PyTorch's own block with the same weights. (T, D)"""
    block, config = lesson.model.blocks[lesson.block], lesson.config
    twin = nn.TransformerEncoderLayer(
        config.d_model, config.num_heads, config.d_ff, 0.0, config.activation, batch_first=True, norm_first=norm_first
    ).eval()
    projections = block.attention.query, block.attention.key, block.attention.value
    with torch.no_grad():
        twin.self_attn.in_proj_weight.copy_(torch.cat([part.weight for part in projections]))
        twin.self_attn.in_proj_bias.copy_(torch.cat([part.bias for part in projections]))
        pairs = {
            twin.self_attn.out_proj: block.attention.output,
            twin.linear1: block.feed_forward.hidden,
            twin.linear2: block.feed_forward.output,
            twin.norm1: block.attention_norm,
            twin.norm2: block.feed_forward_norm,
        }
        for theirs, ours in pairs.items():
            theirs.load_state_dict(ours.state_dict())
        future = torch.ones(lesson.length, lesson.length, dtype=torch.bool).triu(1)
        result: Tensor = twin(lesson.block_trace.input[lesson.row, None], src_mask=future)[0]
    return result


@SETTINGS
def test_the_sum_drawn_is_the_traces(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page(NAME, **asked("sum"), **choices)
    lesson = app.session_state["_lesson"]
    trace, row = lesson.block_trace, lesson.row
    shown = drawn(app, "residual")
    for place, tensor in enumerate((trace.input, trace.attention.output, trace.attention_residual)):
        assert torch.equal(shown[place], tensor[row])
    torch.testing.assert_close(shown[0] + shown[1], shown[2])
    scene = component(app, "residual")
    assert len({matrix["limit"] for matrix in scene["matrices"]}) == 1
    assert (scene["readout"]["kind"], scene["readout"]["operands"], scene["readout"]["result"]) == ("sum", [0, 1], 2)


@SETTINGS
def test_over_each_part_of_the_sum_stand_its_row_s_length_and_the_mean(
    open_page: Open, choices: dict[str, Any]
) -> None:
    app = open_page(NAME, **asked("sum"), **choices)
    label = app.session_state["_lesson"].labels[choices["query"]]
    for matrix, part in zip(component(app, "residual")["matrices"], drawn(app, "residual"), strict=True):
        lengths = part.norm(dim=1)
        told = f"‖{label}‖ = {float(lengths[choices['query']]):.2f}, on average {float(lengths.mean()):.2f}"
        assert matrix["told"].endswith(told)


@pytest.mark.parametrize("view", ["sum", "numbers", "norm", "placement"])
def test_the_choices_below_the_formula_are_the_same_in_every_view(open_page: Open, view: str) -> None:
    app = open_page(NAME, **asked(view))
    orders, sublayers = (app.button_group(key=f"{NAME}_{name}") for name in ("orders", "sublayers"))
    assert len(orders.options) == len(sublayers.options) == 2
    assert not orders.proto.disabled
    assert sublayers.proto.disabled == (view == "placement")  # both of them stand in that picture


@SUBLAYERS
@ORDERS
@SETTINGS
def test_numbers_written_out_are_the_chosen_tokens(
    open_page: Open, choices: dict[str, Any], order: str, sublayer: str
) -> None:
    app = open_page(NAME, **asked("numbers", sublayer, order), **choices)
    x, added, y = drawn(app, "numbers")
    assert x.numel() == app.session_state["_lesson"].config.d_model
    torch.testing.assert_close(x + added, y)


@SUBLAYERS
@ORDERS
@SETTINGS
def test_each_labelled_part_of_layer_norm_follows_from_the_one_before(
    open_page: Open, choices: dict[str, Any], order: str, sublayer: str
) -> None:
    app = open_page(NAME, **asked("norm", sublayer, order), **choices)
    lesson = app.session_state["_lesson"]
    x, normalised, gain, bias, result = (part.flatten() for part in drawn(app, "layer_norm"))
    wide = x.double()
    by_hand = (wide - wide.mean()) / (wide.var(correction=0) + 1e-5).sqrt()
    torch.testing.assert_close(normalised.double(), by_hand, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(normalised * gain + bias, result)
    norm = getattr(lesson.model.blocks[lesson.block], f"{sublayer}_norm")
    assert torch.equal(gain, norm.weight)
    assert torch.equal(bias, norm.bias)
    readout = component(app, "layer_norm")["readout"]
    assert (readout["kind"], readout["operands"], readout["epsilon"]) == ("norm", [0, 2, 3], 1e-5)
    if order == "pre":
        token = choices["query"]
        assert torch.equal(result, getattr(lesson.block_trace, f"{sublayer}_norm")[lesson.row, token])


def test_training_has_moved_gamma_and_beta_and_random_weights_have_not(open_page: Open) -> None:
    *_, gain, bias, _ = drawn(open_page(NAME, **asked("norm")), "layer_norm")
    assert (gain - 1).abs().max() > 0.1 < bias.abs().max()
    *_, gain, bias, _ = drawn(open_page(NAME, **asked("norm"), weights="random"), "layer_norm")
    assert torch.equal(gain, torch.ones_like(gain))
    assert torch.equal(bias, torch.zeros_like(bias))


@ORDERS
@SETTINGS
def test_either_order_is_what_torchs_own_block_computes(open_page: Open, choices: dict[str, Any], order: str) -> None:
    app = open_page(NAME, **asked("sum", "feed_forward", order), **choices)
    lesson = app.session_state["_lesson"]
    expected = torch_block(lesson, order == "pre")
    if order == "post":
        token = choices["query"]
        *_, drawn_row = drawn(open_page(NAME, **asked("norm", "feed_forward", order), **choices), "layer_norm")
        torch.testing.assert_close(drawn_row.flatten(), expected[token], rtol=1e-4, atol=1e-4)
    else:
        torch.testing.assert_close(drawn(app, "residual")[2], expected, rtol=1e-4, atol=1e-4)


def test_the_picture_of_both_orders_says_how_large_the_stream_is(open_page: Open) -> None:
    app = open_page(NAME, **asked("placement"), **UNEVEN)
    lesson = app.session_state["_lesson"]
    said: list[str] = chart(app, "norm_placement")["data"][-1]["text"]
    both = residuals(lesson.block_trace, lesson.row, True)
    sizes = [both["attention"].stream, both["attention"].added, both["feed_forward"].stream, both["feed_forward"].total]
    assert {f"{mean_size(tensor):.2f}" for tensor in sizes} <= set(said)
    after_post = torch_block(lesson, False).norm(dim=1).mean()
    assert f"{float(after_post):.2f}" in said
    assert said.count("LayerNorm") == 4


def test_every_line_of_both_orders_is_as_thick_as_what_it_carries_is_large(open_page: Open) -> None:
    app = open_page(NAME, **asked("placement"), **UNEVEN)
    *drawn_lines, words = chart(app, "norm_placement")["data"]
    widths = [trace["line"]["width"] for trace in drawn_lines if "lines" in trace["mode"]]
    lesson = app.session_state["_lesson"]
    both = residuals(lesson.block_trace, lesson.row, True)
    sizes = [mean_size(tensor) for residual in both.values() for tensor in (*residual[:2], residual.normed)]
    for line in (trace for trace in drawn_lines if "lines" in trace["mode"]):
        assert line["marker"]["symbol"].startswith("arrow")
        assert line["marker"]["size"][-1] > max(line["line"]["width"], *line["marker"]["size"][:-1])
    scale = widths[0] / sizes[0]
    for size in sizes:
        assert any(abs(width - scale * size) < 1e-4 for width in widths)
    written = {text for text in words["text"] if re.fullmatch(r"[0-9.]+", text)}
    assert {f"{width / scale:.2f}" for width in widths} == written


def test_the_order_that_is_not_the_models_is_marked_as_what_if(open_page: Open) -> None:
    texts = [
        [note.value for note in open_page(NAME, **asked("sum", order=order)).markdown] for order in ("pre", "post")
    ]
    assert ["**What if**" in " ".join(text) for text in texts] == [False, True]


def test_a_post_norm_model_shows_its_own_order_first(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: Callable[..., ModelConfig] = lessons.chosen_config
    monkeypatch.setattr(lessons, "chosen_config", lambda *choices: replace(chosen(*choices), norm_first=False))
    app = open_page(NAME, **{f"{NAME}_view": "norm"}, **UNEVEN)
    lesson = app.session_state["_lesson"]
    x, *_, result = drawn(app, "layer_norm")
    assert torch.equal(x.flatten(), lesson.block_trace.attention_residual[lesson.row, 6])
    assert torch.equal(result.flatten(), lesson.block_trace.attention_norm[lesson.row, 6])
    assert "**What if**" not in " ".join(note.value for note in app.markdown)


@pytest.mark.parametrize("view", ["sum", "numbers", "norm", "placement"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "d_model": 512, "heads": 16, "context": 128},
        {"text": "the cat sat on the mat 🐱 `*$<b>", "vocab": "r50k_base", "d_model": 136},
    ],
    ids=["one token", "largest", "odd tokens"],
)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page(NAME, weights="random", query=100, dim=500, **asked(view, order="post"), **choices)
    assert app.get("bidi_component") or app.get("plotly_chart")
