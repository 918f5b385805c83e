"""The input embedding page: token plus position, as published and as drawn."""

import pytest
import torch

from tests.pages.conftest import Open
from tests.pages.published import published
from tests.pages.reading import component, drawn
from transformer.positions import sinusoidal_positions

SMALL = {"weights": "random", "vocab": "characters", "d_model": 24, "heads": 3, "context": 9, "batch": 2, "blocks": 1}
TRAINED = {"weights": "demonstration", "batch": 2}
BOTH = pytest.mark.parametrize("choices", [SMALL, TRAINED], ids=["random", "trained"])


def test_published_embeddings_plus_positions_give_the_published_sum() -> None:
    dims, token = published("input_embedding")
    _, total = published("positioned_embedding")
    torch.testing.assert_close(token + sinusoidal_positions(16, 64)[:, dims], total, rtol=0, atol=1e-6)


@BOTH
@pytest.mark.parametrize("row", [1, 2])
def test_three_matrices_are_token_position_and_their_sum(open_page: Open, choices: dict[str, object], row: int) -> None:
    app = open_page("input_embedding", **choices, text="the mat, the cat", row=row)
    lesson = app.session_state["_lesson"]
    token, position, total = drawn(app, "sum")
    assert torch.equal(token, lesson.model.token_embedding.weight[lesson.tokens[row - 1]])
    assert torch.equal(position, sinusoidal_positions(lesson.length, lesson.config.d_model))
    assert torch.equal(total, token + position)


def test_one_scale_is_shared_and_own_scales_end_at_the_largest_number(open_page: Open) -> None:
    shared = component(open_page("input_embedding", **SMALL), "sum")["matrices"]
    assert len({matrix["limit"] for matrix in shared}) == 1
    app = open_page("input_embedding", **SMALL, input_embedding_view="own")
    for matrix, values in zip(component(app, "sum")["matrices"], drawn(app, "sum"), strict=True):
        assert matrix["limit"] == float(values.abs().max())


@BOTH
def test_one_row_is_the_picked_tokens_row_folded(open_page: Open, choices: dict[str, object]) -> None:
    app = open_page("input_embedding", **choices, text="the mat, the cat", query=3, dim=22, input_embedding_view="row")
    lesson = app.session_state["_lesson"]
    token, position, total = (values.flatten() for values in drawn(app, "numbers"))
    width = min(64, lesson.config.d_model)
    assert torch.equal(token, lesson.embedding.token_embeddings[0, 3, :width])
    assert torch.equal(position, lesson.embedding.positions[3, :width])
    assert torch.equal(total, token + position)
    i, j = component(app, "numbers")["selected"]
    assert 4 * i + j == 22


def test_a_wide_row_shows_the_numbers_around_the_picked_dimension(open_page: Open) -> None:
    app = open_page(
        "input_embedding", weights="random", vocab="characters", d_model=136, dim=130, input_embedding_view="row"
    )
    (token, *_), scene = drawn(app, "numbers"), component(app, "numbers")["matrices"][0]
    assert torch.equal(token.flatten(), app.session_state["_lesson"].embedding.token_embeddings[0, 7, 128:])
    assert scene["offset"] == [32, 0]
    assert scene["rows"] == ["128", "132"]


def test_equal_tokens_have_equal_rows_before_positions_and_different_rows_after(open_page: Open) -> None:
    app = open_page("input_embedding", text="the cat sat on the mat because the mat was the best")
    first, second = [place for place, label in enumerate(app.session_state["_lesson"].labels) if label == "·the"][:2]
    token, _, total = drawn(app, "sum")
    assert torch.equal(token[first], token[second])
    assert not torch.equal(total[first], total[second])
