"""The scores page: Q·Kᵀ, labelled the right way round, whatever the tokens."""

from typing import Any

import pytest
import torch

from tests.pages.conftest import Open
from tests.pages.reading import component, drawn

REPEATED = "the cat sat on the mat because the mat was the best"
UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "head": 3, "row": 2}


@pytest.mark.parametrize("choices", [UNEVEN, {"head": 2, "block": 3}], ids=["random", "trained"])
def test_what_is_drawn_is_what_the_model_computed(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("scores", **choices)
    lesson = app.session_state["_lesson"]
    place, attention = (lesson.row, lesson.head), lesson.attention
    queries, keys, scores = drawn(app, "scores")
    assert torch.equal(queries, attention.queries[place])
    assert torch.equal(keys, attention.keys[place].T)
    assert torch.equal(scores, attention.scores[place])


def test_cell_i_j_is_query_i_times_key_j_and_the_labels_say_so(open_page: Open) -> None:
    app = open_page("scores", **UNEVEN)
    lesson = app.session_state["_lesson"]
    queries, keys, scores = drawn(app, "scores")
    assert not torch.allclose(scores, scores.T)
    for i, j in ((7, 2), (2, 7)):
        torch.testing.assert_close(scores[i, j], queries[i].dot(keys[:, j]))
    left, top, result = component(app, "scores")["matrices"]
    assert (left["role"], top["role"]) == ("query", "key")
    assert left["rows"] == top["columns"] == list(lesson.labels)
    assert (result["rowAxis"], result["columnAxis"]) == ("queries", "keys")


@pytest.mark.parametrize("view", ["one", "all"])
def test_repeated_tokens_keep_every_row_and_column(open_page: Open, view: str) -> None:
    app = open_page("scores", text=REPEATED, scores_view=view)
    labels = app.session_state["_lesson"].labels
    assert len(set(labels)) < len(labels)
    scene = component(app, "scores" if view == "one" else "scores_of_heads")
    if view == "one":
        left, top, result = scene["matrices"]
        assert left["rows"] == top["columns"] == list(labels)
        assert result["shape"] == [len(labels)] * 2
    else:
        for matrix in scene["matrices"]:
            assert matrix["rows"] == matrix["columns"] == list(labels)
            assert matrix["shape"] == [len(labels)] * 2


def test_all_heads_share_one_colour_range_which_is_that_of_the_numbers(open_page: Open) -> None:
    app = open_page("scores", scores_view="all", **UNEVEN)
    lesson = app.session_state["_lesson"]
    scene = component(app, "scores_of_heads")
    assert torch.equal(torch.stack(drawn(app, "scores_of_heads")), lesson.attention.scores[lesson.row])
    assert {matrix["limit"] for matrix in scene["matrices"]} == {float(lesson.attention.scores[lesson.row].abs().max())}
    assert scene["readout"]["result"] == lesson.head
    assert [matrix["role"] for matrix in scene["matrices"]] == ["head0", "head1", "head2"]


@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "d_model": 512, "heads": 16, "context": 128, "head": 16},
    ],
    ids=["one token", "largest"],
)
def test_extremes_draw_all_heads(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("scores", weights="random", scores_view="all", **choices)
    assert len(drawn(app, "scores_of_heads")) == choices["heads"]
