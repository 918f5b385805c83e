"""Panels side by side fill the width, all as wide as each other, with the same gap between any two."""

from itertools import pairwise

import pytest

from pages.figures.panels import domain, suffix, title


@pytest.mark.parametrize(("count", "gap"), [(1, 0.3), (2, 0.12), (3, 0.08), (5, 0.05)])
def test_panels_fill_the_width_with_equal_gaps(count: int, gap: float) -> None:
    places = [domain(place, count, gap) for place in range(count)]
    assert places[0][0] == 0
    assert places[-1][1] == pytest.approx(1)
    widths = [right - left for left, right in places]
    assert widths == pytest.approx([widths[0]] * count)
    gaps = [after[0] - before[1] for before, after in pairwise(places)]
    assert gaps == pytest.approx([gap] * (count - 1))


def test_the_first_panels_axes_have_no_number() -> None:
    assert [f"xaxis{suffix(place)}" for place in range(3)] == ["xaxis", "xaxis2", "xaxis3"]


def test_a_title_stands_over_its_panel_unless_it_is_told_otherwise() -> None:
    assert title("a", 0.25) | {"y": -0.02} == title("a", 0.25, y=-0.02)
    assert (title("a", 0.25)["x"], title("a", 0.25)["y"], title("a", 0.25)["yanchor"]) == (0.25, 1, "bottom")
