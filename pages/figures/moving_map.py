"""Rows of an embedding table on a map whose axes stay where they are, so that only the points move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.projection import AXES, frame, legible
from pages.figures.theme import MONO, axis, color, figure, literal

TICKS = 30, 20
"""Px that the axes' numbers take at the left and below."""
OTHERS = 3
"""Names of tokens that the sentence does not have: a few say what the grey points are, more would hide its own."""


class Picture(NamedTuple):
    """What is drawn.

    Attributes:
        paths: (S, N, 2), where each point was at the moments from the first one compared to the one looked at.
        corners: (2, 2), the lowest and the highest coordinates at any moment: they hold the axes still.
        labels: one a point, the most important first.
        own: how many of the points are the sentence's; their ways are drawn.
        picked: the point that is ringed.
    """

    paths: Tensor
    corners: Tensor
    labels: Sequence[str]
    own: int
    picked: int


def moving_map(drawn: Picture, components: tuple[str, str], room: tuple[int, int], theme: Theme) -> go.Figure:
    """The points where they are now, and the ways that the sentence's have come. room: the least px the figure will have."""
    low, high = frame(drawn.corners)
    ends = {"xaxis": [float(low[0]), float(high[0])], "yaxis": [float(low[1]), float(high[1])]}
    layout = {
        name: axis(theme, title, range=ends[name], nticks=8) for name, title in zip(ends, components, strict=True)
    }
    return figure([*_ways(drawn, theme), *_points(drawn, theme), _words(drawn, room, theme)], theme, **layout)


def _ways(drawn: Picture, theme: Theme) -> list[dict[str, Any]]:
    """A faint line for each point of the sentence, a small ring where it begins, and the picked one's in strong."""
    ways = drawn.paths[:, : drawn.own]
    broken = torch.cat([ways, ways.new_full((1, drawn.own, 2), math.nan)]).transpose(0, 1).flatten(0, 1)
    hue, look = color("token", theme), {"type": "scatter", "hoverinfo": "skip"}
    start = {"size": 7, "color": "rgba(0,0,0,0)", "line": {"color": hue, "width": 1.5}}
    return [
        {**look, "mode": "lines", "line": {"color": hue, "width": 1}, "opacity": 0.3, **_at(broken)},
        {**look, "mode": "markers", "marker": start, "opacity": 0.4, **_at(ways[0])},
        {**look, "mode": "lines", "line": {"color": hue, "width": 3}, **_at(ways[:, drawn.picked])},
    ]


def _points(drawn: Picture, theme: Theme) -> list[dict[str, Any]]:
    """All others, the sentence's, and the ring around the picked one."""
    now, strong, weak = drawn.paths[-1], color("token", theme), color("neutral", theme)
    names = [*map(literal, drawn.labels)]

    def dots(part: slice, **marker: Any) -> dict[str, Any]:
        hover = {"text": names[part], "hovertemplate": "%{text}<extra></extra>"}
        return {"type": "scatter", "mode": "markers", "marker": marker} | _at(now[part]) | hover

    ring = {"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": strong, "width": 2.5}}
    return [
        dots(slice(drawn.own, None), size=5, color=weak, opacity=0.35),
        dots(slice(drawn.own), size=9, color=strong),
        dots(slice(drawn.picked, drawn.picked + 1), **ring),
    ]


def _words(drawn: Picture, room: tuple[int, int], theme: Theme) -> dict[str, Any]:
    """The labels that have room."""
    now, count = drawn.paths[-1], len(drawn.labels)
    size = room[0] - AXES[0] - TICKS[0], float(room[1] - AXES[1] - TICKS[1])
    points, labels = torch.cat([now, drawn.corners]), [*drawn.labels, "", ""]
    found = legible(points, labels, size, drawn.picked, strong=drawn.own)
    named = [label for label in found if label.point < drawn.own]
    shown = named + [label for label in found if drawn.own <= label.point < count][:OTHERS]
    at = [label.point for label in shown]
    names = [literal(drawn.labels[index]) for index in at]
    hues = [color("token" if index < drawn.own else "neutral", theme) for index in at]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "marker": {"size": [14 if index < drawn.own else 8 for index in at], "opacity": 0},  # text keeps off a point
        **_at(now[at]),
        "text": [f"<b>{name}</b>" if index == drawn.picked else name for index, name in zip(at, names, strict=True)],
        "textposition": [label.stands for label in shown],
        "textfont": {"family": MONO, "color": hues},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def _at(points: Tensor) -> dict[str, Any]:
    return {"x": points[:, 0].numpy(), "y": points[:, 1].numpy()}
