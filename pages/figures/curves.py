"""A few curves over one axis; the legend has their numbers at a dotted line, which marks the place that is spoken of."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from pages.figures.palette import Role, Theme
from pages.figures.theme import PLAIN, RAISED, axis, color, figure, powers

ROOM = 0.08  # of the height, below zero and above the highest point
DOT, MARKED_DOT = 7, 13


def spelled(value: float, format: str = ".3g") -> str:
    """A number as on the axes, where far from one it has a power of ten: 4.77·10⁻¹¹, 1,230."""
    rounded = f"{value:{format}}"
    if "e" in rounded and 1000 <= abs(float(rounded)) < 10.0 ** PLAIN[-1]:
        return f"{float(rounded):,.0f}".replace("-", "−")
    mantissa, _, power = rounded.partition("e")
    return mantissa.replace("-", "−") + (f"·10{str(int(power)).translate(RAISED)}" if power else "")


class Curve(NamedTuple):
    """A named curve: its numbers, its colour's name, plotly's name of its dash, and whether the legend has its number."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    role: Role
    dash: str = "solid"
    told: bool = True


class Axis(NamedTuple):
    """An axis: its title, whether it is logarithmic, the numbers it shows (None: plotly's choice), where it ends at the
    earliest, and what a number on it is called for short, if not by the title.
    """

    title: str
    log: bool = False
    ticks: Sequence[float] | None = None
    reach: float = 0.0
    symbol: str = ""


def curves(
    drawn: Sequence[Curve], across: Axis, up: Axis, theme: Theme, *, mark: float | None = None, format: str = ".3g"
) -> go.Figure:
    """Curves with a legend above them. mark: the x whose numbers the legend has; format: how, for plotly and Python.

    The numbers stand in the legend because beside a curve they would cover another one sooner or later.
    """
    data = [_trace(curve, mark, format, theme) for curve in drawn]
    highest = max((value for curve in drawn for value in curve.y), default=1.0)
    lowest = min((value for curve in drawn for value in curve.y if value > 0), default=highest)
    legend: dict[str, Any] = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}
    layout: dict[str, Any] = {
        "xaxis": _axis(across, theme) | _end(across, drawn),
        "yaxis": _axis(up, theme) | _limits(up, lowest, highest),
        "legend": legend | {"font": {"size": 15}, "itemsizing": "constant", "itemwidth": 40},
        "margin": {"l": 10, "r": 40, "t": 40, "b": 10},
        "shapes": [],
    }
    if mark is not None:
        layout["shapes"] = [_line(mark, theme)]
        told = f"{across.symbol or across.title} = {mark:.4g}\u2002"
        layout["legend"]["title"] = {"text": told, "side": "left", "font": {"size": 15}}
    return figure(data, theme, **layout, showlegend=True, hovermode="x unified")


def _trace(curve: Curve, mark: float | None, format: str, theme: Theme) -> dict[str, Any]:
    hue = color(curve.role, theme)
    name = curve.name
    if mark is not None and mark in curve.x and curve.told:
        name += f" <b>{spelled(curve.y[list(curve.x).index(mark)], format)}</b>"
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(curve.x),
        "y": list(curve.y),
        "name": name,
        "line": {"color": hue, "dash": curve.dash, "width": 3},
        "marker": {"size": [MARKED_DOT if x == mark and curve.told else DOT for x in curve.x], "opacity": 1},
        "hovertemplate": f"%{{y:{format}}}",
    }


def _axis(asked: Axis, theme: Theme) -> dict[str, Any]:
    ticks = {} if asked.ticks is None else {"tickvals": list(asked.ticks), "ticktext": [f"{t:,}" for t in asked.ticks]}
    plain = {"separatethousands": True, "exponentformat": "none"}
    return axis(theme, asked.title, type="log" if asked.log else "linear", **ticks, **plain)


def _end(asked: Axis, drawn: Sequence[Curve]) -> dict[str, Any]:
    """Room for curves that are short as yet."""
    if not asked.reach:
        return {}
    last = max(asked.reach, *(curve.x[-1] for curve in drawn))
    return {"range": [-0.03 * last, 1.03 * last]}


def _limits(asked: Axis, lowest: float, highest: float) -> dict[str, Any]:
    """Room for all points, and on a logarithmic axis every power of ten, or every second, fifth, tenth …"""
    if not asked.log:
        height = highest or 1.0
        return {"range": [-ROOM * height, (1 + ROOM) * height]}
    top = math.log10(highest) if highest > 0 else 0.0
    bottom = math.log10(lowest) if lowest > 0 else top - 1
    room = 0.06 * (top - bottom) + 0.05
    ticks = powers(bottom - room, top + room) if asked.ticks is None else {}
    return {"range": [bottom - room, top + room], **ticks}


def _line(mark: float, theme: Theme) -> dict[str, Any]:
    look = {"color": color("neutral", theme), "width": 1.5, "dash": "dot"}
    ends = {"x0": mark, "x1": mark, "y0": 0, "y1": 1}
    return {"type": "line", "xref": "x", "yref": "y domain", "layer": "below", "line": look, **ends}
