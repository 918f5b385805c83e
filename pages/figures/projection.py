"""Rows of an embedding table as points on a map: the two directions in which they differ most."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.neighbours import MONO, domain, title
from pages.figures.palette import Theme
from pages.figures.theme import axis, color, figure

LETTER, LINE = 8.5, 18  # px of a label's letter and of its line
WIDTH, HEIGHT = 900, 440  # px of the smallest figure that labels must fit
MOST_LABELS = 60


class Projection(NamedTuple):
    """points: (N, 2), the first two principal components. explained: (2,), their shares of the variance."""

    points: Tensor
    explained: Tensor


class Panel(NamedTuple):
    """One map: its title and its points."""

    title: str
    projection: Projection


def project(rows: Tensor) -> Projection:
    """Principal component analysis (Pearson 1901). The sign is chosen so that the largest coordinate is positive.

    rows: (N, D), N ≥ 2 and D ≥ 2.
    """
    centred = rows.double() - rows.double().mean(0)
    left, singular, _ = torch.linalg.svd(centred, full_matrices=False)
    points = left[:, :2] * singular[:2]
    largest = points.gather(0, points.abs().argmax(0, keepdim=True))
    explained = singular[:2].square() / singular.square().sum().clamp_min(1e-12)
    return Projection((points * largest.sign()).float(), explained.float())


def with_frequent(rows: Tensor, text: Tensor, count: int, most: int) -> Tensor:
    """These rows of a table, then the most frequent others of a text, `most` looked at. All int64, `count` rows in all."""
    frequent = torch.bincount(text, minlength=count).topk(min(most, count)).indices
    return torch.cat([rows, frequent[~torch.isin(frequent, rows)]])


def legible(points: Tensor, labels: Sequence[str], size: tuple[float, float], most: int = MOST_LABELS) -> list[int]:
    """The labels that can stand on a map of this size in px without touching an earlier one, in order of importance."""
    low, high = points.min(0).values, points.max(0).values
    scaled = (points - low) / (high - low).clamp_min(1e-12) * torch.tensor(size)
    kept: list[tuple[int, float, float, float]] = []
    for index, (x, y) in enumerate(scaled.tolist()):
        half = LETTER * len(labels[index]) / 2
        if all(
            abs(x - other_x) > half + other_half or abs(y - other_y) > LINE for _, other_x, other_y, other_half in kept
        ):
            kept.append((index, x, y, half))
        if len(kept) == most:
            break
    return [index for index, *_ in kept]


def maps(
    panels: Sequence[Panel], labels: Sequence[str], own: int, picked: int, component: str, theme: Theme
) -> go.Figure:
    """A map for each table, the same tokens on each: the first `own` are the sentence's and drawn strongly.

    labels: one a point, the most important first. picked: the point that is ringed.
    component: an axis' title, with {number} and {share}.
    """
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    titles = []
    for place, (name, (points, explained)) in enumerate(panels):
        number = "" if place == 0 else str(place + 1)
        left, right = domain(place, len(panels))
        shown = legible(points, labels, (WIDTH * (right - left), HEIGHT - 90.0))
        axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        traces += [trace | axes for trace in _traces(points, labels, own, picked, shown, theme)]
        for way, letter in enumerate("xy"):
            share = component.format(number=way + 1, share=f"{float(explained[way]):.0%}")
            layout[f"{letter}axis{number}"] = axis(theme, share, showticklabels=False)
        layout[f"xaxis{number}"]["domain"] = [left, right]
        layout[f"yaxis{number}"]["anchor"] = f"x{number}"
        titles.append(title(f"<b>{name}</b>", left))
    return figure(traces, theme, annotations=titles, **layout)


def _traces(
    points: Tensor, labels: Sequence[str], own: int, picked: int, shown: Sequence[int], theme: Theme
) -> list[dict[str, Any]]:
    """Points, the sentence's points, the ring, and the labels that have room."""
    strong, weak = color("token", theme), color("neutral", theme)
    coordinates = points.numpy()
    names = [escape(label, quote=False) for label in labels]  # plotly would read "<b>" as a tag

    def dots(part: slice, **marker: Any) -> dict[str, Any]:
        hover = {"text": names[part], "hovertemplate": "%{text}<extra></extra>"}
        places = {"x": coordinates[part, 0], "y": coordinates[part, 1]}
        return {"type": "scatter", "mode": "markers", "marker": marker} | places | hover

    ring = dots(slice(picked, picked + 1), size=15, color="rgba(0,0,0,0)", line={"color": strong, "width": 2.5})
    written = {
        "type": "scatter",
        "mode": "text",
        "x": coordinates[shown, 0],
        "y": coordinates[shown, 1],
        "text": [names[index] for index in shown],
        "textposition": "top center",
        "textfont": {"family": MONO, "color": [strong if index < own else weak for index in shown]},
        "hoverinfo": "skip",
    }
    return [
        dots(slice(own, None), size=5, color=weak, opacity=0.35),
        dots(slice(own), size=9, color=strong),
        ring,
        written,
    ]
