"""Rows of an embedding table as points on a map: the two directions in which they differ most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import BACKGROUNDS, Theme
from pages.figures.panels import domain, suffix, title
from pages.figures.theme import MONO, axis, color, figure, literal
from pages.figures.token_strip import letters

LETTER, LINE, SPACE = 8.6, 18, 8  # px of a label's letter, of its line, and between two labels
ABOVE, DOT = 6, 4  # px from a point to the label over it, and from a strong point's middle to its rim
ROOM, HALL_ROOM = (900, 440), (560, 290)  # px of the smallest figure that labels must fit, at the usual type size
AXES = (56, 84)  # px of it that titles, names and gaps take: beside each panel, and above and below
MOST_LABELS = 32
HALO = {theme: ", ".join([f"0 0 3px {paper}"] * 6) for theme, paper in BACKGROUNDS.items()}
"""Keeps a label legible over faint points."""
GAP = 0.12


class Axes(NamedTuple):
    """Two directions in space. mean: (D,), directions: (2, D), explained: (2,), their shares of the variance."""

    mean: Tensor
    directions: Tensor
    explained: Tensor

    def place(self, rows: Tensor) -> Tensor:
        """Where rows stand on the map. (…, D) → (…, 2)"""
        return (rows - self.mean) @ self.directions.T


def principal_axes(rows: Tensor) -> Axes:
    """The two directions in which rows differ most: principal component analysis (Pearson 1901).

    The sign is chosen so that the largest coordinate is positive. rows: (N, D), N ≥ 2 and D ≥ 2.
    """
    mean = rows.double().mean(0)
    left, singular, right = torch.linalg.svd(rows.double() - mean, full_matrices=False)
    largest = left[:, :2].gather(0, left[:, :2].abs().argmax(0, keepdim=True))
    directions = right[:2] * largest.sign().T
    explained = singular[:2].square() / singular.square().sum().clamp_min(1e-12)
    return Axes(mean.float(), directions.float(), explained.float())


class Projection(NamedTuple):
    """Rows as points, and the axes they stand on. points: (N, 2), the first two principal components."""

    points: Tensor
    axes: Axes


class Panel(NamedTuple):
    """One map: its title and its points."""

    title: str
    projection: Projection


def project(rows: Tensor) -> Projection:
    """Rows on their own principal axes. rows: (N, D), N ≥ 2 and D ≥ 2."""
    axes = principal_axes(rows)
    return Projection(axes.place(rows), axes)


def with_frequent(rows: Tensor, text: Tensor, count: int, most: int) -> Tensor:
    """These rows of a table, then the most frequent others of a text, `most` looked at. All int64, `count` rows in all."""
    frequent = torch.bincount(text, minlength=count).topk(min(most, count)).indices
    return torch.cat([rows, frequent[~torch.isin(frequent, rows)]])


class Label(NamedTuple):
    """A label that has room: its point, where it stands at its point, and its left edge, width and height in px."""

    point: int
    stands: str
    left: float
    width: float
    y: float

    def touches(self, other: Label) -> bool:
        """Whether two labels come too near each other."""
        apart = max(self.left - other.left - other.width, other.left - self.left - self.width)
        return apart < SPACE and abs(self.y - other.y) < LINE

    def covers(self, x: float, y: float) -> bool:
        """Whether the label lies over a strong point there."""
        inside = -DOT < x - self.left < self.width + DOT
        return inside and ABOVE - DOT < y - self.y < ABOVE + LINE + DOT


def frame(points: Tensor) -> tuple[Tensor, Tensor]:
    """The lower and upper ends of a map's axes: its points with a margin, wider above, where labels stand. (2,), (2,)"""
    low, high = points.min(0).values, points.max(0).values
    span = (high - low).clamp_min(1e-12)
    return low - span * torch.tensor([0.04, 0.04]), high + span * torch.tensor([0.04, 0.09])


def legible(
    points: Tensor,
    labels: Sequence[str],
    size: tuple[float, float],
    first: int = 0,
    most: int = MOST_LABELS,
    strong: int = 0,
) -> list[Label]:
    """The labels that can stand on a map of this size in px without touching another, leaving it, or covering one of
    the first `strong` points.

    In order of importance, the one of `first` before all others. A label stands over its point, at the edges beside; of
    the strong points, where there is no room above, below or beside.
    """
    low, high = frame(points)
    places = ((points - low) / (high - low) * torch.tensor(size)).tolist()
    kept: list[Label] = []
    for index in [first, *(other for other in range(len(labels)) if other != first)]:
        x, y = places[index]
        width = LETTER * letters(labels[index])
        centred = x - width / 2
        side = "center" if 0 <= centred <= size[0] - width else "right" if centred < 0 else "left"
        left = {"right": x, "left": x - width}.get(side, centred)
        above = Label(index, f"top {side}", left, width, y)
        below = Label(index, f"bottom {side}", left, width, y - LINE - 2 * ABOVE)
        beside = [
            Label(index, f"middle {way}", start, width, y - ABOVE - LINE / 2)
            for way, start in (("right", x + DOT + 3), ("left", x - DOT - 3 - width))
            if start >= 0 and start + width <= size[0]
        ]
        lower = [below] if below.y > -ABOVE else []
        for label in [above, *lower, *beside] if index < strong else [above]:
            hidden = any(label.covers(*place) for number, place in enumerate(places[:strong]) if number != index)
            if index == first or not (hidden or any(label.touches(other) for other in kept)):
                kept.append(label)
                break
        if len(kept) == most:
            break
    return kept


def maps(
    panels: Sequence[Panel],
    labels: Sequence[str],
    own: int,
    picked: int,
    component: str,
    theme: Theme,
    room: tuple[int, int] = ROOM,
) -> go.Figure:
    """A map for each table, the same tokens on each: the first `own` are the sentence's and drawn strongly.

    labels: one a point, the most important first. picked: the point that is ringed.
    component: an axis' title, with {number} and {share}. room: the least px that the figure will have.
    """
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": []}
    for place, (name, (points, principal)) in enumerate(panels):
        number, (left, right) = suffix(place), domain(place, len(panels), GAP)
        size = room[0] * (right - left) - AXES[0], float(room[1] - AXES[1])
        shown = legible(points, labels, size, picked, strong=own)
        axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        traces += [trace | axes for trace in _traces(points, labels, own, picked, shown, theme)]
        for way, letter in enumerate("xy"):
            share = component.format(number=way + 1, share=f"{float(principal.explained[way]):.0%}")
            ends = [float(end[way]) for end in frame(points)]
            layout[f"{letter}axis{number}"] = axis(theme, share, showticklabels=False, range=ends)
        layout[f"xaxis{number}"]["domain"] = [left, right]
        layout[f"yaxis{number}"]["anchor"] = f"x{number}"
        layout["annotations"].append(title(f"<b>{name}</b>", left))
    return figure(traces, theme, **layout)


def _traces(
    points: Tensor, labels: Sequence[str], own: int, picked: int, shown: Sequence[Label], theme: Theme
) -> list[dict[str, Any]]:
    """Points, the sentence's points, the ring, and the labels that have room."""
    strong, weak = color("token", theme), color("neutral", theme)
    coordinates = points.numpy()
    names = [*map(literal, labels)]

    def dots(part: slice, **marker: Any) -> dict[str, Any]:
        hover = {"text": names[part], "hovertemplate": "%{text}<extra></extra>"}
        places = {"x": coordinates[part, 0], "y": coordinates[part, 1]}
        return {"type": "scatter", "mode": "markers", "marker": marker} | places | hover

    ring = dots(slice(picked, picked + 1), size=15, color="rgba(0,0,0,0)", line={"color": strong, "width": 2.5})
    at = [label.point for label in shown]
    written = {
        "type": "scatter",
        "mode": "markers+text",
        "marker": {"size": [14 if index < own else 8 for index in at], "opacity": 0},  # text keeps off a point
        "x": coordinates[at, 0],
        "y": coordinates[at, 1],
        "text": [names[index] for index in at],
        "textposition": [label.stands for label in shown],
        "textfont": {"family": MONO, "color": [strong if index < own else weak for index in at], "shadow": HALO[theme]},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
    return [
        dots(slice(own, None), size=5, color=weak, opacity=0.35),
        dots(slice(own), size=9, color=strong),
        ring,
        written,
    ]
