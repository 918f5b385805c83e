"""The heads page: every head holds its own columns of the whole, and nothing else."""

import pytest
import torch

from tests.pages.conftest import Open
from tests.pages.reading import component, drawn

SMALL = {"weights": "random", "vocab": "characters", "d_model": 24, "heads": 3, "context": 9, "batch": 2, "blocks": 2}
TRAINED = {"weights": "demonstration", "batch": 2}
BOTH = pytest.mark.parametrize("choices", [SMALL, TRAINED], ids=["random", "trained"])
PARTS = {"query": "queries", "key": "keys", "value": "values"}


@BOTH
@pytest.mark.parametrize("part", PARTS)
def test_the_heads_are_the_traces_and_together_the_whole(
    open_page: Open, choices: dict[str, object], part: str
) -> None:
    app = open_page("heads", **choices, row=2, heads_view=part)
    lesson = app.session_state["_lesson"]
    whole, *heads = drawn(app, "pieces")
    assert torch.equal(torch.stack(heads), getattr(lesson.attention, PARTS[part])[1])
    assert torch.equal(torch.cat(heads, -1), whole)
    width = lesson.config.head_size
    for place, head in enumerate(whole.unfold(1, width, width).transpose(0, 1)):
        assert torch.equal(head, heads[place])


def test_a_cell_has_one_address_in_the_whole_and_in_its_head(open_page: Open) -> None:
    scene = component(open_page("heads", **SMALL), "pieces")
    assert [matrix["offset"] for matrix in scene["matrices"]] == [[0, 0], [0, 0], [0, 8], [0, 16]]
    assert [matrix["role"] for matrix in scene["matrices"]] == ["query", "head0", "head1", "head2"]
    assert scene["matrices"][0]["bands"] == [["head0", 8], ["head1", 8], ["head2", 8]]
    assert len({matrix["limit"] for matrix in scene["matrices"]}) == 1


def test_the_chosen_cell_lies_in_the_chosen_head(open_page: Open) -> None:
    scene = component(open_page("heads", **SMALL, head=3, query=4, dim=10), "pieces")
    assert scene["selected"] == [4, 2 * 8 + 10 % 8]


def test_many_heads_stand_in_two_lines(open_page: Open) -> None:
    app = open_page("heads", weights="random", vocab="characters", d_model=48, heads=16, context=9)
    assert component(app, "pieces")["lines"] == [[0], [*range(1, 9)], [*range(9, 17)]]


def test_the_shapes_tell_the_cut_and_the_turn(open_page: Open) -> None:
    app = open_page("heads", **SMALL, text="I love")
    shapes = "`(2, 6, 24)` → `(2, 6, 3, 8)` → `(2, 3, 6, 8)` batch × heads × tokens × head_size"
    assert any(element.value.endswith(shapes) for element in app.markdown)


@pytest.mark.parametrize("part, letter", [("query", "Q"), ("key", "K"), ("value", "V")])
def test_the_formula_names_the_matrix_that_is_shown(open_page: Open, part: str, letter: str) -> None:
    app = open_page("heads", **SMALL, heads_view=part)
    assert any(element.value.startswith(f"${letter} = [\\,{letter}_1 ") for element in app.markdown)
