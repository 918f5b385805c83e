"""Positions as waves."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from plotly.graph_objects import Figure
from torch import Tensor

from pages.figures import theme
from pages.figures.palette import Theme
from pages.figures.panels import title
from transformer.positions import wavelength_divisors

SPACING = 2.6  # between the middles of two waves; each swings from −1 to 1
POINTS = 640


class Stroke(NamedTuple):
    """How waves are drawn; width and size of the dots in px."""

    color: str
    opacity: float
    width: float
    size: int


def waves(table: Tensor, dims: Sequence[int], names: Sequence[str], position: int, axis: str, look: Theme) -> Figure:
    """Dimensions of the sinusoidal table, one below the other, as the waves they are samples of; the first stands out.

    table: (T, D), its numbers are the dots; dims: columns of the table; names: one for each of them; position: the row
    that is marked, with its number; axis: the title of the positions' axis.
    """
    middles = [-place * SPACING for place in range(len(dims))]
    leading = Stroke(theme.color("position", look), opacity=1, width=2.5, size=7)
    others = Stroke(theme.color("neutral", look), opacity=0.5, width=1, size=4)
    data = _waves(table, dims[:1], middles[:1], leading) + _waves(table, dims[1:], middles[1:], others)
    across = theme.axis(look, axis, zeroline=False, showgrid=False)
    swing = [middles[-1] - 1.3, 1.3]
    down = theme.axis(look, zeroline=False, range=swing, tickvals=middles, ticktext=list(names))
    line = {"color": leading.color, "width": 1, "dash": "dot"}
    mark = {"type": "line", "x0": position, "x1": position, "yref": "paper", "y0": 0, "y1": 1, "line": line}
    named = title(f"{axis} {position}", position, xref="x", xanchor="center", font={"size": 14, "color": leading.color})
    margin = {"l": 10, "r": 10, "t": 22, "b": 46}
    marked: dict[str, Any] = {"shapes": [mark], "annotations": [named]}
    return theme.figure(data, look, xaxis=across, yaxis=down, margin=margin, **marked)


def _waves(table: Tensor, dims: Sequence[int], middles: Sequence[float], stroke: Stroke) -> list[dict[str, Any]]:
    """Waves around their middles: one trace of curves, with gaps between them, and one of the table's dots."""
    length, d_model = table.shape
    columns, heights = torch.tensor(dims), torch.tensor(middles)[:, None]
    fine = torch.linspace(0, max(length - 1, 1), POINTS, dtype=torch.float64)
    quarter = columns[:, None] % 2 * math.pi / 2  # a cosine is a sine a quarter turn ahead
    angles = fine / wavelength_divisors(d_model)[columns, None] + quarter
    gap = torch.full((len(dims), 1), math.nan)
    numbers = table[:, columns].T
    curves = {
        "mode": "lines",
        "x": torch.cat((fine.float().expand(len(dims), -1), gap), 1).flatten().numpy(),
        "y": torch.cat((angles.sin().float() + heights, gap), 1).flatten().numpy(),
        "line": {"color": stroke.color, "width": stroke.width},
        "hoverinfo": "skip",
    }
    dots = {
        "mode": "markers",
        "x": torch.arange(length).repeat(len(dims)).numpy(),
        "y": (numbers + heights).flatten().numpy(),
        "marker": {"color": stroke.color, "size": stroke.size},
        "customdata": numbers.flatten().numpy(),
        "hovertemplate": "%{x} → %{customdata:.4f}<extra></extra>",
    }
    return [{"type": "scatter", "opacity": stroke.opacity, **trace} for trace in (curves, dots)]
