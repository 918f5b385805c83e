"""Which rows of an embedding table point the same way, and how that is drawn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import BACKGROUNDS, INK, Role, Theme
from pages.figures.panels import domain, suffix, title
from pages.figures.theme import MONO, axis, color, figure, literal

GAP = 0.12


class Neighbours(NamedTuple):
    """Rows of a table and their cosine similarity to a chosen row, nearest first. rows: (N,) int64, cosines: (N,)"""

    rows: Tensor
    cosines: Tensor


class Panel(NamedTuple):
    """The neighbours in one table, with what is written over and beside them, and their colour."""

    title: str
    neighbours: Neighbours
    labels: Sequence[str]
    role: Role


def nearest(table: Tensor, row: int, count: int) -> Neighbours:
    """The rows most similar to one by cosine, e·e′ / (‖e‖·‖e′‖), itself left out. table: (V, D)"""
    chosen = table[row]
    cosines = (table @ chosen) / (torch.linalg.vector_norm(table, dim=1) * chosen.norm()).clamp_min(1e-12)
    cosines[row] = -torch.inf
    best = cosines.topk(min(count, len(table) - 1))
    return Neighbours(best.indices, best.values)


def cosine_parts(table: Tensor, row: int, other: int) -> tuple[float, float, float, float]:
    """What the cosine of two rows is made of: e·e′, ‖e‖, ‖e′‖, and the cosine. table: (V, D)"""
    one, two = table[row], table[other]
    product, lengths = float(one @ two), (float(one.norm()), float(two.norm()))
    return product, *lengths, product / max(lengths[0] * lengths[1], 1e-12)


def bars(panels: Sequence[Panel], cosine: str, theme: Theme) -> go.Figure:
    """A panel for each table, a bar for each neighbour on one scale. cosine: what the horizontal axis is called."""
    layout: dict[str, Any] = {"annotations": [], "bargap": 0.15}
    lowest = min(0.0, *(float(panel.neighbours.cosines.min()) for panel in panels))
    for place, panel in enumerate(panels):
        left, right = domain(place, len(panels), GAP)
        layout[f"xaxis{suffix(place)}"] = axis(theme, cosine, domain=[left, right], range=[lowest, 1.0])
        layout[f"yaxis{suffix(place)}"] = _labels(panel, f"x{suffix(place)}", theme)
        layout["annotations"].append(title(f"<b>{literal(panel.title)}</b>", left))
    return figure([_bars(panel, suffix(place), theme) for place, panel in enumerate(panels)], theme, **layout)


def _bars(panel: Panel, number: str, theme: Theme) -> dict[str, Any]:
    values = panel.neighbours.cosines
    return {
        "type": "bar",
        "orientation": "h",
        "x": values.numpy(),
        "y": list(range(len(values))),
        "text": [f"{value:.3f}".replace("-", "−") for value in values.tolist()],
        "insidetextfont": {"color": INK if panel.role == "output" else BACKGROUNDS[theme]},  # the palest of roles
        "constraintext": "none",  # or plotly writes as small as a thin bar is
        "hoverinfo": "skip",
        "marker": {"color": color(panel.role, theme), "opacity": 0.6 if panel.role == "neutral" else 1},
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
    }


def _legible(label: str) -> str:
    """A token whose ends of lines are as high as letters: monospaced faces draw that sign at half their size."""
    return literal(label).replace("⏎", '<span style="font-size: 1.5em">⏎</span>')


def _labels(panel: Panel, across: str, theme: Theme) -> dict[str, Any]:
    ticks: dict[str, Any] = {"tickvals": list(range(len(panel.labels))), "ticktext": [*map(_legible, panel.labels)]}
    look: dict[str, Any] = {"tickfont": {"family": MONO}, "showgrid": False, "zeroline": False, "autorange": "reversed"}
    return axis(theme, anchor=across, **ticks, **look)
