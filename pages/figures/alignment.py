"""Which source words cross-attention looks at while it writes each word, and which it should look at."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import CHALK, INK, Theme
from pages.figures.theme import MONO, axis, color, colorscale, figure, literal

MANY = 16  # tokens of which the type must be smaller
LEFT, RIGHT = [0.0, 0.66], [0.77, 1.0]


class _Side:
    """The right panel: a share for each head of each block."""

    def __init__(self, shares: Tensor, picked: tuple[int, int], titles: Sequence[str], theme: Theme) -> None:
        self.shares, self.picked, self.titles, self.theme = shares, picked, titles, theme

    def traces(self) -> list[dict[str, Any]]:
        """The heat and, above it, points with numbers to click: block after block."""
        blocks, heads = self.shares.shape
        heat = _heat(self.shares, self.theme) | {"xaxis": "x2", "yaxis": "y2", "hoverinfo": "skip"}
        y, x = torch.meshgrid(torch.arange(blocks), torch.arange(heads), indexing="ij")
        written = [f"{share:.0%}" if heads <= 8 else "" for share in self.shares.flatten().tolist()]
        dark = [(share > 0.45) == (self.theme == "light") for share in self.shares.flatten().tolist()]
        points = {
            "type": "scatter",
            "mode": "markers+text",
            "x": x.flatten().numpy(),
            "y": y.flatten().numpy(),
            "text": written,
            "textfont": {"size": 13, "color": [CHALK if on else INK for on in dark]},
            "marker": {"size": 26, "opacity": 0},
            "xaxis": "x2",
            "yaxis": "y2",
            "customdata": self.shares.flatten().numpy(),
            "hovertemplate": "%{y} · %{x}: %{customdata:.1%}<extra></extra>",
        }
        return [heat, points]

    def axes(self) -> dict[str, Any]:
        """Blocks downwards, as on every page."""
        blocks, heads = self.shares.shape
        plain = {"showgrid": False, "zeroline": False, "fixedrange": True}
        x = {"tickvals": list(range(heads)), "ticktext": [str(head + 1) for head in range(heads)], "side": "top"}
        y = {"tickvals": list(range(blocks)), "ticktext": [str(block + 1) for block in range(blocks)], "anchor": "x2"}
        low = max(0.0, 1 - 0.14 * blocks)
        return {
            "xaxis2": axis(self.theme, self.titles[1], domain=RIGHT, anchor="y2", **plain, **x),
            "yaxis2": axis(self.theme, self.titles[0], domain=[low, 1], range=[blocks - 0.5, -0.5], **plain, **y),
        }

    def outline(self) -> dict[str, Any]:
        """The block and head that the left panel shows."""
        block, head = self.picked
        return _box(head, block, color(f"head{head}", self.theme), "2", 3)


def alignment(
    weights: Tensor,
    links: Tensor,
    sources: Sequence[str],
    targets: Sequence[str],
    shares: Tensor,
    picked: tuple[int, int],
    titles: tuple[str, str, str],
    theme: Theme,
) -> go.Figure:
    """At the left the weights of one head, at the right how well each head aligns.

    weights: (T, S) with NaN where masked; a row for each word that is written, `targets`, a column for each of `sources`.
    links: (T, S) bool, words that translate each other: they are framed. shares: (N, H), 0 … 1, NaN where nobody knows.
    picked: the block and the head at the left. titles: of the left panel, of blocks, of heads. The last trace has a point for each head.
    """
    side = _Side(shares, picked, titles[1:], theme)
    face = {"family": MONO, "size": 16 if max(weights.shape) <= MANY else 12}
    plain: dict[str, Any] = {"showgrid": False, "zeroline": False, "tickfont": face, "fixedrange": True}
    columns, rows = (_ticks(labels) for labels in (sources, targets))
    frames = [_box(x, y, color("token", theme), "", 3) for y, x in links.nonzero().tolist()]
    known = not bool(shares.isnan().all())
    layout = {
        "xaxis": axis(theme, titles[0], domain=LEFT, side="top", tickangle=-40, **columns, **plain),
        "yaxis": axis(theme, range=[len(targets) - 0.5, -0.5], **rows, **plain),
        "shapes": [*frames, *([side.outline()] if known else [])],
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
        **(side.axes() if known else {}),
    }
    hover = {"hovertemplate": "%{y} ← %{x}: %{z:.3f}<extra></extra>", "xgap": 1, "ygap": 1}
    bar = {"thickness": 10, "len": 0.45, "x": LEFT[1] + 0.01, "xanchor": "left"}  # beside what it is the scale of
    place = {"y": 0, "yanchor": "bottom", "tickvals": [0, 0.5, 1], "outlinewidth": 0}
    main = _heat(weights, theme) | hover | {"showscale": True, "colorbar": {**bar, **place}}
    return figure([main, *(side.traces() if known else [])], theme, **layout)


def _heat(values: Tensor, theme: Theme) -> dict[str, Any]:
    look = {"zmin": 0, "zmax": 1, "colorscale": colorscale("weight", theme), "showscale": False}
    return {"type": "heatmap", "z": values.float().numpy(), **look}


def _ticks(labels: Sequence[str]) -> dict[str, Any]:
    return {"tickvals": list(range(len(labels))), "ticktext": [*map(literal, labels)]}


def _box(x: int, y: int, hue: str, panel: str, width: float) -> dict[str, Any]:
    ends = {"x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5, "xref": f"x{panel}", "yref": f"y{panel}"}
    return {"type": "rect", "line": {"color": hue, "width": width}, **ends}
