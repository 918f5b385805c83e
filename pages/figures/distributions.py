"""Rows of weights as distributions: the weights, their sums, and how spread out each row is."""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import BACKGROUNDS, Theme
from pages.figures.panels import title
from pages.figures.theme import MONO, axis, color, colorscale, figure, literal
from pages.figures.token_strip import letters

MOST_LABELS = 32  # more rows than this have no room for words; the tokens then show on hover
APART = {"ticks": "outside", "ticklen": 6, "tickcolor": "rgba(0,0,0,0)"}  # px from a token to the weights
QUIET = {"showlegend": False}
LEGEND = {
    "orientation": "h",
    "x": 0.18,
    "xanchor": "left",
    "y": -0.015,
    "yanchor": "top",
    "itemclick": False,
    "itemdoubleclick": False,
}
CENTRED = {"x": 0.545, "xanchor": "center"}  # over the sums, as they are
LEFT, MIDDLE, RIGHT = [0.0, 0.5], [0.51, 0.58], [0.62, 1.0]


def distributions(
    weights: Tensor,
    entropies: Tensor,
    labels: Sequence[str],
    titles: tuple[str, str, str],
    hatched: str,
    picked: int,
    theme: Theme,
) -> go.Figure:
    """Weights (T, T) with NaN where masked, the sum of each row, and its entropy (T,) in bits as a bar.

    A tick on each bar's line is the most that row could have: log₂ of the weights it has. titles: of the three panels. hatched: what a cell without a number is.
    `picked` is the outlined row, whose entropy is written on its bar.
    """
    rows = torch.arange(len(labels)).numpy()
    data = [
        _map(weights, theme),
        _hatching(weights, rows, hatched, theme),
        _sums(weights, rows, picked),
        _bars(rows, entropies, picked, float(_most(weights)[picked]), theme),
        _ceiling(weights, rows, theme),
    ]
    layout = {
        **_axes(labels, rows, picked, theme),
        "annotations": [
            _title(f"<b>{titles[0]}</b>", LEFT, _above(labels), color("weight", theme)),
            _title(f"<b>{titles[1]}</b>", MIDDLE, _above(labels), color("neutral", theme)) | CENTRED,
            _title(titles[2], RIGHT, _above(labels), color("neutral", theme)),
        ],
        "shapes": [_outline(picked, theme)],
        "barmode": "overlay",
        "showlegend": True,
        "legend": LEGEND,
        "bargap": 0.25 if len(labels) <= MOST_LABELS else 0,
        "margin": {"l": 10, "r": 10, "t": _above(labels) + 44, "b": 26},
    }
    return figure(data, theme, **layout)


def _axes(labels: Sequence[str], rows: Any, picked: int, theme: Theme) -> dict[str, Any]:
    count = len(labels)
    names = [*map(literal, labels)]
    asking = f'<span style="color: {color("query", theme)}"><b>{names[picked]}</b></span>'
    ticks: dict[str, Any] = {
        "tickvals": rows,
        "showticklabels": count <= MOST_LABELS,
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"family": MONO, "size": 13, "color": _soft(theme)},
    } | APART
    across: dict[str, Any] = {"domain": LEFT, "range": [-0.5, count - 0.5], "side": "top", "tickangle": -45}
    return {
        "yaxis": axis(
            theme, **ticks, ticktext=[*names[:picked], asking, *names[picked + 1 :]], range=[count - 0.5, -0.5]
        ),
        "xaxis": axis(theme, **ticks, ticktext=names, **across),
        "xaxis2": axis(theme, domain=MIDDLE, visible=False),
        "xaxis3": axis(theme, domain=RIGHT, range=[0, max(math.log2(count), 1) * 1.05], side="top"),
    }


def _sums(weights: Tensor, rows: Any, picked: int) -> dict[str, Any]:
    """The sum of each row as text; where there is room for one only, that of the picked row."""
    few = len(weights) <= MOST_LABELS
    totals = [f"{total:.3f}" if few or row == picked else "" for row, total in enumerate(weights.nansum(1).tolist())]
    place = {"x": [0] * len(totals), "y": rows, "xaxis": "x2", "textposition": "middle center" if few else "top center"}
    return {"type": "scatter", "mode": "text", "text": totals, "hoverinfo": "skip", **QUIET, **place}


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


def _hatching(weights: Tensor, rows: Any, name: str, theme: Theme) -> dict[str, Any]:
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
    said = {"name": name, "showlegend": True}
    numbers = {"base": (seen - 0.5).numpy(), "x": (len(seen) - seen).numpy(), "y": rows, "width": 1}
    return {"type": "bar", "orientation": "h", "marker": look, "hoverinfo": "skip", **numbers, **said}


def _bars(rows: Any, entropies: Tensor, picked: int, most: float, theme: Theme) -> dict[str, Any]:
    look = {"color": color("weight", theme)}
    hover = "%{y}: %{x:.3f}<extra></extra>"
    numbers = {"x": entropies.float().numpy(), "y": rows, "xaxis": "x3"}
    bits = float(entropies[picked]) + 0.0  # not −0
    few = len(entropies) <= MOST_LABELS
    beside = most - bits > 0.2 * math.log2(len(entropies))  # there is room between the bar and its tick
    written = {
        "text": [f"<b>{bits:.2f}</b>" if few and row == picked else "" for row in range(len(entropies))],
        "textposition": "outside" if beside else "auto",
        "textangle": 0,
        "insidetextfont": {"color": BACKGROUNDS[theme]},
        "constraintext": "none",  # or plotly writes as small as a thin bar is
    }
    return {"type": "bar", "orientation": "h", "marker": look, "hovertemplate": hover, **QUIET, **numbers, **written}


def _most(weights: Tensor) -> Tensor:
    """The entropy of each row if all its weights were equal, in bits. (T, T) → (T,)"""
    return weights.isfinite().sum(1).float().log2()


def _ceiling(weights: Tensor, rows: Any, theme: Theme) -> dict[str, Any]:
    look = {
        "symbol": "line-ns-open",
        "size": min(13, 400 / len(weights)),
        "color": color("neutral", theme),
        "line": {"width": 2.5},
    }
    numbers = {"x": _most(weights).numpy(), "y": rows, "xaxis": "x3"}
    hover = "%{x:.3f}<extra></extra>"
    return {"type": "scatter", "mode": "markers", "marker": look, "hovertemplate": hover, **QUIET, **numbers}


def _above(labels: Sequence[str]) -> float:
    """The room in px that slanted tokens take over the weights; without them, the numbers of the bars' axis."""
    longest = max(map(letters, labels)) if len(labels) <= MOST_LABELS else 0
    return max(24.0, 0.72 * 8 * longest + 14)


def _title(text: str, domain: Sequence[float], above: float, hue: str) -> dict[str, Any]:
    """Over the panel, and over the tokens on it."""
    font = {"size": 15, "color": hue}
    return title(text.replace("\n", "<br>"), domain[0], yshift=above, align="left", font=font)


def _soft(theme: Theme) -> str:
    """The colour of tokens along an axis, as beside every matrix: two parts of ink and one of paper."""
    ink, paper = (bytes.fromhex(shade[1:]) for shade in (color("neutral", theme), BACKGROUNDS[theme]))
    return f"#{bytes(round(0.68 * one + 0.32 * other) for one, other in zip(ink, paper, strict=True)).hex()}"


def _outline(row: int, theme: Theme) -> dict[str, Any]:
    ends = {"x0": LEFT[0], "x1": RIGHT[1], "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", "xref": "paper", "yref": "y", "line": {"color": color("query", theme), "width": 2}, **ends}
