"""Rows of weights as distributions: the weights, their sums, and how spread out each row is."""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.panels import title
from pages.figures.theme import MONO, axis, color, colorscale, figure, literal
from pages.figures.token_strip import letters

MOST_LABELS = 32  # more rows than this have no room for words; the tokens then show on hover
LEFT, MIDDLE, RIGHT = [0.0, 0.5], [0.51, 0.58], [0.62, 1.0]


def distributions(
    weights: Tensor,
    entropies: Tensor,
    labels: Sequence[str],
    titles: tuple[str, str, str],
    picked: int,
    theme: Theme,
) -> go.Figure:
    """Weights (T, T) with NaN where masked, the sum of each row, and its entropy (T,) in bits as a bar.

    A tick on each bar's line is the most that row could have: log₂ of the weights it has. titles: of the three panels.
    `picked` is the outlined row.
    """
    rows = torch.arange(len(labels)).numpy()
    data = [
        _map(weights, theme),
        _hatching(weights, rows, theme),
        _sums(weights, rows, picked),
        _bars(rows, entropies, theme),
        _ceiling(weights, rows, theme),
    ]
    layout = {
        **_axes(labels, rows, theme),
        "annotations": [
            _title(text, domain, _above(labels)) for text, domain in zip(titles, (LEFT, MIDDLE, RIGHT), strict=True)
        ],
        "shapes": [_outline(picked, theme)],
        "barmode": "overlay",
        "bargap": 0.25 if len(labels) <= MOST_LABELS else 0,
        "margin": {"l": 10, "r": 10, "t": _above(labels) + 44, "b": 26},
    }
    return figure(data, theme, **layout)


def _axes(labels: Sequence[str], rows: Any, theme: Theme) -> dict[str, Any]:
    count = len(labels)
    ticks: dict[str, Any] = {
        "tickvals": rows,
        "ticktext": [*map(literal, labels)],
        "showticklabels": count <= MOST_LABELS,
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"family": MONO, "size": 13},
    }
    return {
        "yaxis": axis(theme, **ticks, range=[count - 0.5, -0.5]),
        "xaxis": axis(theme, **ticks, domain=LEFT, range=[-0.5, count - 0.5], side="top", tickangle=-45),
        "xaxis2": axis(theme, domain=MIDDLE, visible=False),
        "xaxis3": axis(theme, domain=RIGHT, range=[0, max(math.log2(count), 1) * 1.05], side="top"),
    }


def _sums(weights: Tensor, rows: Any, picked: int) -> dict[str, Any]:
    """The sum of each row as text; where there is room for one only, that of the picked row."""
    few = len(weights) <= MOST_LABELS
    totals = [f"{total:.3f}" if few or row == picked else "" for row, total in enumerate(weights.nansum(1).tolist())]
    place = {"x": [0] * len(totals), "y": rows, "xaxis": "x2", "textposition": "middle center" if few else "top center"}
    return {"type": "scatter", "mode": "text", "text": totals, "hoverinfo": "skip", **place}


def _map(weights: Tensor, theme: Theme) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": weights.float().numpy(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": colorscale("weight", theme),
        "colorbar": {
            "orientation": "h",
            "thickness": 9,
            "len": 0.16,
            "x": 0.0,
            "xanchor": "left",
            "y": -0.02,
            "yanchor": "top",
            "tickvals": [0, 1],
            "outlinewidth": 0,
        },
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": "%{y} → %{x}: %{z:.4f}<extra></extra>",
    }


def _hatching(weights: Tensor, rows: Any, theme: Theme) -> dict[str, Any]:
    """The rest of each row, where there is no number: bars with no colour but lines."""
    seen = weights.isfinite().sum(1)
    pattern = {
        "shape": "/",
        "size": 7,
        "solidity": 0.12,
        "fgcolor": color("neutral", theme),
        "fgopacity": 0.4,
    }
    look = {"color": "rgba(0,0,0,0)", "pattern": pattern, "line": {"width": 0}}
    numbers = {"base": (seen - 0.5).numpy(), "x": (len(seen) - seen).numpy(), "y": rows, "width": 1}
    return {"type": "bar", "orientation": "h", "marker": look, "hoverinfo": "skip", **numbers}


def _bars(rows: Any, entropies: Tensor, theme: Theme) -> dict[str, Any]:
    look = {"color": color("weight", theme)}
    hover = "%{y}: %{x:.3f}<extra></extra>"
    numbers = {"x": entropies.float().numpy(), "y": rows, "xaxis": "x3"}
    return {"type": "bar", "orientation": "h", "marker": look, "hovertemplate": hover, **numbers}


def _ceiling(weights: Tensor, rows: Any, theme: Theme) -> dict[str, Any]:
    most = weights.isfinite().sum(1).float().log2()
    look = {
        "symbol": "line-ns-open",
        "size": min(13, 400 / len(weights)),
        "color": color("neutral", theme),
        "line": {"width": 2.5},
    }
    numbers = {"x": most.numpy(), "y": rows, "xaxis": "x3"}
    return {"type": "scatter", "mode": "markers", "marker": look, "hovertemplate": "%{x:.3f}<extra></extra>", **numbers}


def _above(labels: Sequence[str]) -> float:
    """The room in px that slanted tokens take over the weights; without them, the numbers of the bars' axis."""
    longest = max(map(letters, labels)) if len(labels) <= MOST_LABELS else 0
    return max(24.0, 0.72 * 8 * longest + 14)


def _title(text: str, domain: Sequence[float], above: float) -> dict[str, Any]:
    """Over the panel, and over the tokens on it."""
    return title(text.replace("\n", "<br>"), domain[0], yshift=above, align="left", font={"size": 15})


def _outline(row: int, theme: Theme) -> dict[str, Any]:
    ends = {"x0": LEFT[0], "x1": RIGHT[1], "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", "xref": "paper", "yref": "y", "line": {"color": color("query", theme), "width": 2}, **ends}
