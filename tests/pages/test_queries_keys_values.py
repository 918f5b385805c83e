"""The projections page: Q, K and V are X times the weights that are drawn, plus the bias."""

import pytest
import torch
import torch.nn.functional as F

from tests.pages.conftest import Open
from tests.pages.reading import component, decode, drawn
from transformer.attention import split_heads

SMALL = {"weights": "random", "vocab": "characters", "d_model": 24, "heads": 3, "context": 9, "batch": 2, "blocks": 2}
TRAINED = {"weights": "demonstration", "batch": 2}
BOTH = pytest.mark.parametrize("choices", [SMALL, TRAINED], ids=["random", "trained"])
PARTS = {"query": "queries", "key": "keys", "value": "values"}


@BOTH
@pytest.mark.parametrize("part", PARTS)
def test_the_product_drawn_is_the_traces(open_page: Open, choices: dict[str, object], part: str) -> None:
    app = open_page("queries_keys_values", **choices, row=2, block=2, queries_keys_values_view=part)
    lesson = app.session_state["_lesson"]
    rows, weights, made = drawn(app, "projection")
    layer = getattr(lesson.model.blocks[1].attention, part)
    assert torch.equal(rows, lesson.attention.input[1])
    assert torch.equal(weights, layer.weight.T)
    assert torch.equal(split_heads(made[None], lesson.config.num_heads)[0], getattr(lesson.attention, PARTS[part])[1])
    bias = decode(component(app, "projection")["bias"], [lesson.config.d_model])
    assert torch.equal(bias, layer.bias)
    torch.testing.assert_close(rows @ weights + bias, made)


@BOTH
def test_x_is_the_normalised_stream(open_page: Open, choices: dict[str, object]) -> None:
    app = open_page("queries_keys_values", **choices)
    lesson = app.session_state["_lesson"]
    norm = lesson.model.blocks[0].attention_norm
    expected = F.layer_norm(lesson.embedding.embeddings[0], (lesson.config.d_model,), norm.weight, norm.bias)
    torch.testing.assert_close(drawn(app, "projection")[0], expected)


def test_bands_give_each_head_its_columns(open_page: Open) -> None:
    _, weights, made = component(open_page("queries_keys_values", **SMALL), "projection")["matrices"]
    assert weights["bands"] == made["bands"] == [["head0", 8], ["head1", 8], ["head2", 8]]


def test_heads_do_not_change_what_is_projected(open_page: Open) -> None:
    """What the page invites to try: the number of heads moves the bands, not the numbers of the first block."""
    three, six = (open_page("queries_keys_values", **{**SMALL, "heads": heads}) for heads in (3, 6))
    for one, other in zip(drawn(three, "projection"), drawn(six, "projection"), strict=True):
        assert torch.equal(one, other)
