"""The positions page: published numbers, waves, a similarity that only distance decides, and the kinds of tables."""

import math
import re
from dataclasses import replace

import pytest
import torch

from pages.ui.text import number
from tests.pages.conftest import Open
from tests.pages.published import published
from tests.pages.reading import array, chart, component, drawn
from transformer import GPT
from transformer.positions import sinusoidal_positions

SMALL = {"weights": "random", "vocab": "characters", "d_model": 24, "heads": 3, "context": 9, "batch": 2, "blocks": 1}
TRAINED = {"weights": "demonstration", "batch": 2}


def test_the_page_draws_the_published_table(open_page: Open) -> None:
    app = open_page("positional_encoding", weights="random", d_model=64, context=16)
    dims, numbers = published("positional_encoding")
    (table,) = drawn(app, "table")
    assert table.shape == (16, 64)
    torch.testing.assert_close(table[:, dims], numbers, rtol=0, atol=1e-6)


@pytest.mark.parametrize("choices", [SMALL, TRAINED], ids=["random", "trained"])
def test_the_table_drawn_is_the_models_own_and_as_long_as_its_context(
    open_page: Open, choices: dict[str, object]
) -> None:
    app = open_page("positional_encoding", **choices, text="I love")
    lesson = app.session_state["_lesson"]
    (table,) = drawn(app, "table")
    assert torch.equal(table, lesson.model.positions)
    assert len(table) == lesson.config.context_length
    filled = component(app, "table")["matrices"][0]["rowBands"][0]
    assert filled == ["position", lesson.length]


@pytest.mark.parametrize("dim", range(0, 24, 5))
@pytest.mark.parametrize("position", [1, 7])
def test_a_calculator_gets_each_number_of_the_worked_cell_from_those_before_it(
    open_page: Open, position: int, dim: int
) -> None:
    app = open_page("positional_encoding", **SMALL, query=position, dim=dim)
    (worked,) = [element.value.replace("−", "-") for element in app.markdown if r"\dfrac" in element.value]
    *_, above, by, angle, value = re.findall(r"-?\d[\d.e-]*", worked)
    assert f"{int(above) / float(by):.{max(4, digits(angle))}g}" == f"{float(angle):.{max(4, digits(angle))}g}"
    wave = math.cos if dim % 2 else math.sin
    assert number(wave(float(angle))).replace("−", "-") == value


def digits(text: str) -> int:
    """How many significant digits a number is written with."""
    return len(text.replace(".", "").lstrip("-0"))


@pytest.mark.parametrize("dim", [4, 5])
def test_the_picked_cell_is_worked_out_as_the_paper_writes_it(open_page: Open, dim: int) -> None:
    app = open_page("positional_encoding", **SMALL, query=3, dim=dim)
    angle = torch.tensor(3 / 10_000 ** (4 / 24))
    (worked,) = [element.value for element in app.markdown if r"\dfrac" in element.value]
    assert number(float(angle)) in worked
    assert worked.endswith(f"{number(float(angle.cos() if dim % 2 else angle.sin()))}$")


def test_the_waves_pass_through_the_numbers_of_the_table(open_page: Open) -> None:
    app = open_page("positional_encoding", **SMALL, dim=5, positional_encoding_view="waves")
    curve, dots, *_ = chart(app, "waves")["data"]
    table = sinusoidal_positions(9, 24)
    assert torch.equal(array(dots["customdata"]), table[:, 5])
    assert torch.equal(array(dots["y"]), table[:, 5])
    at_dots = [int((array(curve["x"])[:-1] - place).abs().argmin()) for place in range(9)]
    torch.testing.assert_close(array(curve["y"])[at_dots], table[:, 5], rtol=0, atol=0.02)


def test_the_slider_of_the_waves_picks_the_dimension_for_all_pages(open_page: Open) -> None:
    app = open_page("positional_encoding", **SMALL, positional_encoding_view="waves")
    app.slider(key="positional_encoding_dim").set_value(17).run()
    assert app.session_state["choices"]["dim"] == 17
    assert torch.equal(array(chart(app, "waves")["data"][1]["customdata"]), sinusoidal_positions(9, 24)[:, 17])


def test_similarity_is_a_dot_product_that_only_distance_decides(open_page: Open) -> None:
    app = open_page("positional_encoding", **SMALL, positional_encoding_view="similarity", query=7, key=2)
    left, top, similarity = drawn(app, "similarity")
    assert torch.equal(left, sinusoidal_positions(9, 24))
    assert torch.equal(top, left.T)
    torch.testing.assert_close(similarity, left @ top)
    for distance in range(-8, 9):
        diagonal = similarity.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal))
    assert (similarity.diagonal() == similarity.max(-1).values).all()
    assert any(number(float(similarity[7, 2])) in element.value for element in app.markdown)


def test_the_other_kinds_are_the_tables_that_such_a_model_would_start_with(open_page: Open) -> None:
    app = open_page("positional_encoding", **SMALL, positional_encoding_view="kinds", seed=7)
    config = app.session_state["_lesson"].config
    made = [GPT(replace(config, positions=kind), seed=7).positions for kind in ("sinusoidal", "learned", "none")]
    for shown, expected in zip(drawn(app, "kinds"), made, strict=True):
        assert torch.equal(shown, expected)


def test_positions_do_not_depend_on_the_tokens(open_page: Open) -> None:
    one, other = (
        open_page("positional_encoding", **SMALL, text=text, row=2) for text in ("I love cats", "You do, too")
    )
    assert torch.equal(*(drawn(app, "table")[0] for app in (one, other)))
