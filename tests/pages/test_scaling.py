"""The scaling page: the division, and its reason measured."""

import math
from typing import Any

import pytest
import torch

from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, drawn
from transformer.lessons.measurements import measure_scaling

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "head": 3, "row": 2}


@pytest.mark.parametrize("choices", [UNEVEN, {"head": 2, "block": 3}], ids=["random", "trained"])
def test_every_score_is_divided_by_the_root_of_head_size(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("scaling", **choices)
    lesson = app.session_state["_lesson"]
    scores, scaled = drawn(app, "scaling")
    assert torch.equal(scores, lesson.attention.scores[lesson.row, lesson.head])
    assert torch.equal(scaled, lesson.attention.scaled[lesson.row, lesson.head])
    torch.testing.assert_close(scaled * math.sqrt(lesson.config.head_size), scores)
    assert component(app, "scaling")["readout"]["divisor"] == math.sqrt(lesson.config.head_size)


def test_both_pictures_share_the_colour_range_of_the_undivided_scores(open_page: Open) -> None:
    app = open_page("scaling", **UNEVEN)
    before, after = component(app, "scaling")["matrices"]
    assert before["limit"] == after["limit"] == float(drawn(app, "scaling")[0].abs().max())


@pytest.mark.parametrize("heads, root", [(4, "√4 = 2"), (2, "√8 ≈ 2.828")])
def test_the_root_is_written_with_the_sign_it_deserves(open_page: Open, heads: int, root: str) -> None:
    app = open_page("scaling", weights="random", d_model=16, heads=heads)
    assert any(root in element.value for element in app.markdown)


@pytest.mark.parametrize("choices", [UNEVEN, {}, {"weights": "random", "d_model": 8, "heads": 8}, {"seed": 7}])
def test_the_curves_are_the_measurement_and_this_model_is_marked(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("scaling", scaling_view="why", **choices)
    lesson = app.session_state["_lesson"]
    head_size = lesson.config.head_size
    sizes = tuple(sorted({2**power for power in range(10)} | {head_size}))
    measured = measure_scaling(sizes, lesson.seed)
    figure = chart(app, "scaling_reason")
    pairs = zip(measured.unscaled, measured.scaled, strict=True)
    for trace, values in zip(figure["data"], [values for pair in pairs for values in pair], strict=True):
        assert array(trace["x"]).tolist() == list(sizes)
        assert torch.equal(array(trace["y"]), values)
        here = sizes.index(head_size)
        assert [place for place, text in enumerate(trace["text"]) if text] == [here]
        assert trace["text"][here] == f"<b>{float(values[here]):.3g}</b>"
    assert {shape["x0"] for shape in figure["layout"]["shapes"]} == {head_size}


@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "d_model": 512, "heads": 1, "context": 128},
    ],
    ids=["one token", "largest head"],
)
def test_extremes_measure(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("scaling", weights="random", scaling_view="why", **choices)
    assert len(chart(app, "scaling_reason")["data"]) == 6
