"""A few curves over one axis, with their numbers written out where a dotted line marks the place that is spoken of."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from pages.figures.palette import BACKGROUNDS, Role, Theme
from pages.figures.theme import axis, color, figure

DECADES = 12.0  # a curve that falls by more leaves the picture
ROOM = 0.08  # of the height, below zero and above the highest point


class Curve(NamedTuple):
    """A named curve: its numbers, its colour's name, and plotly's name of its dash."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    role: Role
    dash: str = "solid"


class Axis(NamedTuple):
    """An axis: its title, whether it is logarithmic, the numbers it shows (None: plotly's choice), and where it ends at the
    earliest.
    """

    title: str
    log: bool = False
    ticks: Sequence[float] | None = None
    reach: float = 0.0


def curves(
    drawn: Sequence[Curve], across: Axis, up: Axis, theme: Theme, *, mark: float | None = None, format: str = ".3g"
) -> go.Figure:
    """Curves with a legend above them. mark: the x whose numbers are written out; format: how, for plotly and Python."""
    data = [_trace(curve, format, theme) for curve in drawn]
    highest = max((value for curve in drawn for value in curve.y), default=1.0)
    lowest = min((value for curve in drawn for value in curve.y if value > 0), default=highest)
    layout: dict[str, Any] = {
        "xaxis": _axis(across, theme) | _end(across, drawn),
        "yaxis": _axis(up, theme) | _limits(up, lowest, highest),
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom", "font": {"size": 15}},
        "margin": {"l": 10, "r": 40, "t": 40, "b": 10},
        "shapes": [] if mark is None else [_line(mark, theme)],
        "annotations": [] if mark is None else _numbers(drawn, mark, (across, up), format, theme),
    }
    return figure(data, theme, **layout, showlegend=True, hovermode="x unified")


def _numbers(
    drawn: Sequence[Curve], mark: float, axes: tuple[Axis, Axis], format: str, theme: Theme
) -> list[dict[str, Any]]:
    """The numbers at the mark, the larger ones above their curves and the smaller ones below, so that they stand apart.

    Each on the side where its own curve turns away from it: above a rising curve on the left, below it on the right;
    beside a curve that is a point as yet.
    """
    here = [(dict(zip(curve.x, curve.y, strict=True))[mark], curve) for curve in drawn if mark in curve.x]
    seen = [one for one in sorted(here, key=lambda one: -one[0]) if one[0] > 0 or not axes[1].log]
    look = {"showarrow": False, "bgcolor": BACKGROUNDS[theme], "opacity": 0.9}
    numbers = []
    for rank, (value, curve) in enumerate(seen):
        above, alone = rank < len(seen) / 2, len(curve.x) == 1
        left = above == _rises(curve, mark)
        numbers.append(
            {
                **look,
                "x": _on(axes[0], mark),
                "y": _on(axes[1], value),
                "xanchor": "right" if left else "left",
                "xshift": -6 if left else 6,
                "yshift": 0 if alone else 14 if above else -14,
                "text": f"<b>{value:{format}}</b>",
                "font": {"color": color(curve.role, theme), "size": 16},
            }
        )
    return numbers


def _rises(curve: Curve, mark: float) -> bool:
    """Whether a curve goes up around a place, from its last point before it to its first one behind."""
    around = dict(sorted(zip(curve.x, curve.y, strict=True)))
    before = [y for x, y in around.items() if x <= mark][-2:]
    behind = [y for x, y in around.items() if x >= mark][:2]
    return bool(before and behind) and behind[-1] > before[0]


def _on(along: Axis, value: float) -> float:
    """Where plotly has a number on an axis."""
    return math.log10(value) if along.log else value


def _trace(curve: Curve, format: str, theme: Theme) -> dict[str, Any]:
    hue = color(curve.role, theme)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(curve.x),
        "y": list(curve.y),
        "name": curve.name,
        "line": {"color": hue, "dash": curve.dash, "width": 3},
        "marker": {"size": 7},
        "hovertemplate": f"%{{y:{format}}}",
    }


def _axis(asked: Axis, theme: Theme) -> dict[str, Any]:
    ticks = {} if asked.ticks is None else {"tickvals": list(asked.ticks), "ticktext": [f"{t:g}" for t in asked.ticks]}
    powers = {"exponentformat": "power", "dtick": 1 if asked.ticks is None else None} if asked.log else {}
    return axis(theme, asked.title, type="log" if asked.log else "linear", **ticks, **powers)


def _end(asked: Axis, drawn: Sequence[Curve]) -> dict[str, Any]:
    """Room for curves that are short as yet."""
    if not asked.reach:
        return {}
    last = max(asked.reach, *(curve.x[-1] for curve in drawn))
    return {"range": [-0.03 * last, 1.03 * last]}


def _limits(asked: Axis, lowest: float, highest: float) -> dict[str, Any]:
    """Room for the numbers beside the curves; a curve that dives out of sight does not flatten the others."""
    if not asked.log:
        height = highest or 1.0
        return {"range": [-ROOM * height, (1 + ROOM) * height]}
    top = math.log10(highest) if highest > 0 else 0.0
    bottom = max(math.log10(lowest) if lowest > 0 else top - 1, top - DECADES)
    room = 0.06 * (top - bottom) + 0.05
    return {"range": [bottom - room, top + room]}


def _line(mark: float, theme: Theme) -> dict[str, Any]:
    look = {"color": color("neutral", theme), "width": 1.5, "dash": "dot"}
    ends = {"x0": mark, "x1": mark, "y0": 0, "y1": 1}
    return {"type": "line", "xref": "x", "yref": "y domain", "layer": "below", "line": look, **ends}
