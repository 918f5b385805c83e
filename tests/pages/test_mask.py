"""The mask page: the future is blank, and what would leak without the mask is measured."""

from typing import Any

import pytest
import torch

from tests.pages.conftest import Open
from tests.pages.reading import component, drawn
from transformer import GPT, ModelConfig

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "head": 3, "row": 2}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"head": 2, "block": 3}], ids=["random", "trained"])


@SETTINGS
def test_the_future_is_minus_infinity_and_nothing_else_changes(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("mask", **choices)
    lesson = app.session_state["_lesson"]
    scaled, masked = drawn(app, "mask")
    assert torch.equal(masked, lesson.attention.masked[lesson.row, lesson.head])
    future = torch.ones_like(masked, dtype=torch.bool).triu(1)
    assert torch.equal(masked.isneginf(), future)
    assert torch.equal(masked[~future], scaled[~future])


def test_both_pictures_share_a_colour_range_of_finite_numbers(open_page: Open) -> None:
    app = open_page("mask", **UNEVEN)
    before, after = component(app, "mask")["matrices"]
    assert before["limit"] == after["limit"] == float(drawn(app, "mask")[0].abs().max())


@SETTINGS
def test_what_leaks_is_what_the_layer_computes_without_its_mask(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("mask", mask_view="what_if", query=3, key=9, **choices)
    lesson = app.session_state["_lesson"]
    with torch.no_grad():
        layer = lesson.model.blocks[lesson.block].attention
        unmasked = layer.trace(lesson.attention.input).weights[lesson.row, lesson.head]
    with_mask, without_mask, future = drawn(app, "leak")
    hidden = torch.ones_like(unmasked, dtype=torch.bool).triu(1)
    assert torch.equal(with_mask.isnan(), hidden)
    torch.testing.assert_close(without_mask, unmasked)
    torch.testing.assert_close(future[:, 0], (unmasked * hidden).sum(1))
    told = next(element.value for element in app.markdown if "**What if" in element.value)
    assert f"**{float(future[3]):.1%}**" in told
    assert f"**{float(future.mean()):.1%}**" in told


@pytest.mark.parametrize("length", [1, 5, 11])
def test_the_prediction_counts_the_hidden_cells(open_page: Open, length: int) -> None:
    text = "a" * length
    app = open_page("mask", weights="random", vocab="characters", text=text, context=16, details_mask="predict")
    options = next(group for group in app.get("button_group") if "T(T−1)/2" in str(group.proto.options))
    assert f"T(T−1)/2 = {int(drawn(app, 'mask')[1].isneginf().sum())}" in str(options.proto.options)


@pytest.mark.parametrize("view", ["mask", "what_if"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "d_model": 512, "heads": 16, "context": 128, "head": 16},
    ],
    ids=["one token", "largest"],
)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("mask", weights="random", mask_view=view, query=1, key=100, **choices)
    assert drawn(app, "leak" if view == "what_if" else "mask")


def test_with_the_mask_the_last_token_changes_no_earlier_output() -> None:
    model = GPT(ModelConfig(vocab_size=17, d_model=12, num_heads=3, num_blocks=2, context_length=5))
    layer = model.blocks[0].attention
    x = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(0))
    changed = x.clone()
    changed[:, -1] += 1.0
    with torch.no_grad():
        outputs, after = (layer.trace(one, is_causal=True).output for one in (x, changed))
        leaked = layer.trace(changed).output - layer.trace(x).output
    assert torch.equal(outputs[:, :-1], after[:, :-1])
    assert not torch.equal(outputs[:, -1], after[:, -1])
    assert (leaked.abs().amax(-1) > 0).all()
