"""The hidden units that a token excites most, and what each of them adds to the output."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.panels import title
from pages.figures.theme import axis, color, colorscale, figure

BARS, MAP = [0.0, 0.2], [0.235, 1.0]


class Strongest(NamedTuple):
    """units: (K,) int64, the largest activation first. activations: (K,).

    added: (K + 2, D), what each of them adds to the output, then all the others together, then the bias. Its rows sum to
    the output.
    """

    units: Tensor
    activations: Tensor
    added: Tensor


def strongest(activated: Tensor, weights: Tensor, bias: Tensor, most: int) -> Strongest:
    """The `most` units of largest magnitude. activated: (F,); weights: (D, F); bias: (D,)"""
    units = activated.abs().topk(min(most, len(activated))).indices
    added = activated[units, None] * weights.T[units]
    others = weights @ activated.index_fill(0, units, 0.0)
    return Strongest(units, activated[units], torch.cat([added, others[None], bias[None]]))


def strongest_units(
    found: Strongest,
    output: Tensor,
    labels: Sequence[str],
    titles: tuple[str, str],
    names: tuple[str, str],
    scales: tuple[str, str],
    theme: Theme,
) -> go.Figure:
    """Bars of the units' activations, and beside each what it adds; below a line the output (D,), the sum of all rows.

    A unit's row is small beside the sums of many, so these have a scale of their own.
    labels: one for each unit, then for the others, the bias and the output. titles: over the bars and over the rows.
    names: of the axes, for the units and for the dimensions. scales: what each colour scale is of, single units or sums.
    """
    sums, count, units = torch.cat([found.added[-2:], output[None]]), len(labels), len(found.units)
    places = torch.arange(count).numpy()
    ticks: dict[str, Any] = {"tickvals": places, "ticktext": list(labels), "tickfont": {"size": 15}}
    top = max(float(found.activations.max()), 0.0) * 1.35 or 1.0
    layout = {
        "yaxis": axis(theme, names[0], **ticks, range=[count - 0.45, -0.5], showgrid=False, zeroline=False),
        "xaxis": axis(theme, domain=BARS, range=[min(float(found.activations.min()), 0.0), top], visible=False),
        "xaxis2": axis(
            theme, names[1], domain=MAP, range=[-0.5, len(output) - 0.5], showgrid=False, zeroline=False, nticks=9
        ),
        "annotations": [title(text, x, font={"size": 15}) for text, (x, _) in zip(titles, (BARS, MAP), strict=True)],
        "shapes": [_line(units - 0.5, theme, "dot"), _line(count - 1.5, theme)],
        "margin": {"l": 10, "r": 10, "t": 34, "b": 10},
        "bargap": 0.3,
    }
    terms = _map(found.added[:-2], places[:units], 1 - 0.5 * units / count, scales[0], theme)
    return figure(
        [_bars(found, places, theme), terms, _map(sums, places[units:], 1.5 / count, scales[1], theme)], theme, **layout
    )


def _bars(found: Strongest, places: Any, theme: Theme) -> dict[str, Any]:
    numbers = {"x": found.activations.float().numpy(), "y": places[: len(found.units)]}
    text = {"texttemplate": "%{x:.2f}", "textposition": "outside", "textfont": {"size": 14}, "cliponaxis": False}
    whole = {"constraintext": "none"}  # plotly would shrink the numbers with the bars
    look = {"marker": {"color": color("neutral", theme), "opacity": 0.7}, "hoverinfo": "skip"}
    return {"type": "bar", "orientation": "h", **numbers, **text, **whole, **look}


def _map(rows: Tensor, places: Any, middle: float, name: str, theme: Theme) -> dict[str, Any]:
    """Rows on a scale of their own, which is printed beside them with its name; middle: how high it stands in the figure."""
    limit = float(rows.abs().max()) or 1.0
    place = {"y": middle, "yanchor": "middle", "ypad": 0, "len": max(0.4 * len(rows) / 12, 0.2)}
    bar = {"thickness": 10, "outlinewidth": 0, "tickvals": [-limit, limit], "tickformat": "+.2f", **place}
    bar["title"] = {"text": name, "side": "right"}
    scale = {"zmin": -limit, "zmax": limit, "zmid": 0, "colorscale": colorscale("signed", theme), "colorbar": bar}
    gaps = {"xgap": 1 if rows.size(1) <= 128 else 0, "ygap": 3, "hovertemplate": "%{y} · %{x}: %{z:.4f}<extra></extra>"}
    return {"type": "heatmap", "z": rows.float().numpy(), "y": places, "xaxis": "x2", **scale, **gaps}


def _line(y: float, theme: Theme, dash: str = "solid") -> dict[str, Any]:
    ends = {"x0": 0, "x1": 1, "y0": y, "y1": y}
    return {
        "type": "line",
        "xref": "paper",
        "yref": "y",
        "line": {"color": color("neutral", theme), "width": 2, "dash": dash},
        **ends,
    }
