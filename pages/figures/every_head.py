"""What every head of every block looks at, in one picture."""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.theme import axis, color, colorscale, figure

MOST_CELLS = 200_000  # of more, each drawn square stands for several
MOST_NOTES = 32  # panels; more of them have no room for words


def square_of(blocks: int, heads: int, length: int) -> int:
    """How many cells along its side one drawn square stands for."""
    return math.ceil(math.sqrt(blocks * heads * length**2 / MOST_CELLS))


def pooled(weights: Tensor, side: int) -> Tensor:
    """The largest weight of each side × side square; NaN where all of it is masked. (N, H, T, T) → (N, H, t, t)"""
    largest = F.max_pool2d(weights, side, ceil_mode=True) if side > 1 else weights
    hidden = torch.ones(largest.shape[-2:], dtype=torch.bool).triu(1)
    return largest.masked_fill(hidden, math.nan)


def mosaic(panels: Tensor, gap: int) -> Tensor:
    """All panels on one sheet, `gap` blank cells after each. (N, H, t, t) → (N·(t + gap), H·(t + gap))"""
    return F.pad(panels, (0, gap, 0, gap), value=math.nan).transpose(1, 2).flatten(2, 3).flatten(0, 1)


def every_head(
    panels: Tensor,
    blocks: Sequence[str],
    heads: Sequence[str],
    notes: Sequence[str],
    explanations: Sequence[str],
    picked: tuple[int, int],
    theme: Theme,
) -> go.Figure:
    """Panels (N, H, t, t) of weights with NaN where masked, a row of them for each block; `picked` is the outlined one.

    notes: written into each panel's masked corner; explanations: shown on hover; both block after block. The last trace
    has a point for each panel, in that order; the nearest one is hovered and clicked, so that all of a panel counts.
    """
    count, width, size = panels.shape[:3]
    gap = max(round(size * 0.08), 1)
    pitch = size + gap
    across, down = torch.arange(width) * pitch, torch.arange(count) * pitch
    corners = across.repeat(count), down.repeat_interleave(width)
    data = [
        _weights(mosaic(panels, gap), theme),
        _masked(*corners, size, theme),
        _frames(*corners, size, theme),
        *([_notes(*corners, size, notes, theme)] if count * width <= MOST_NOTES else []),
        _targets(*corners, size, explanations, [color(f"head{h}", theme) for _ in blocks for h in range(width)]),
    ]
    layout = {
        "xaxis": axis(
            theme, **_ticks(across, _hued(heads, theme), size), range=[-0.5, width * pitch - gap - 0.5], side="top"
        ),
        "yaxis": axis(theme, **_ticks(down, blocks, size), range=[count * pitch - gap - 0.5, -0.5]),
        "shapes": [_outline(picked, size, pitch, theme)],
        "hovermode": "closest",
        "hoverdistance": -1,
        "margin": {"l": 10, "r": 10, "t": 10, "b": 6},
    }
    return figure(data, theme, **layout)


def _ticks(starts: Tensor, names: Sequence[str], size: int) -> dict[str, Any]:
    return {
        "tickvals": (starts + (size - 1) / 2).numpy(),
        "ticktext": list(names),
        "tickfont": {"size": 14},
        "title": None,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _hued(heads: Sequence[str], theme: Theme) -> list[str]:
    """Each head's name in its own colour."""
    return [f'<span style="color: {color(f"head{n}", theme)}"><b>{head}</b></span>' for n, head in enumerate(heads)]


def _weights(sheet: Tensor, theme: Theme) -> dict[str, Any]:
    bar = {"thickness": 9, "len": 0.36, "x": 1.005, "xanchor": "left", "y": 1, "yanchor": "top", "ypad": 0}
    return {
        "type": "heatmap",
        "z": sheet.float().numpy(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": colorscale("weight", theme),
        "colorbar": {**bar, "tickvals": [0, 1], "outlinewidth": 0},
        "hoverinfo": "skip",
    }


def _masked(left: Tensor, top: Tensor, size: int, theme: Theme) -> dict[str, Any]:
    """What is masked in each panel, hatched as in every matrix."""
    stairs = [(n + 1, n + step) for n in range(size - 1) for step in (0, 1)]
    hatching = {"shape": "/", "size": 7, "solidity": 0.14, "fgcolor": color("neutral", theme), "fgopacity": 0.3}
    look = {"line": {"width": 0}, "fill": "toself", "fillcolor": "rgba(0,0,0,0)", "fillpattern": hatching}
    return {**_outlines(left, top, [*stairs, (size, size - 1), (size, 0)] if size > 1 else []), **look}


def _frames(left: Tensor, top: Tensor, size: int, theme: Theme) -> dict[str, Any]:
    """One line around each panel."""
    corners = [(0, 0), (size, 0), (size, size), (0, size), (0, 0)]
    return {**_outlines(left, top, corners), "line": {"color": color("neutral", theme), "width": 1}, "opacity": 0.3}


def _outlines(left: Tensor, top: Tensor, corners: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """The same outline in every panel, as one line with gaps. corners: (cells to the right, cells below)."""
    nothing = torch.full_like(left, math.nan, dtype=torch.float32)
    x = torch.stack([*(left + right - 0.5 for right, _ in corners), nothing], 1).flatten()
    y = torch.stack([*(top + below - 0.5 for _, below in corners), nothing], 1).flatten()
    return {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "x": x.numpy(), "y": y.numpy()}


def _notes(left: Tensor, top: Tensor, size: int, notes: Sequence[str], theme: Theme) -> dict[str, Any]:
    place = {"x": (left + size - 1).numpy(), "y": (top - 0.5 + 0.03 * size).numpy(), "textposition": "bottom left"}
    look = {"textfont": {"size": 13, "color": color("neutral", theme)}, "hoverinfo": "skip"}
    return {"type": "scatter", "mode": "text", "text": list(notes), **place, **look}


def _targets(left: Tensor, top: Tensor, size: int, explanations: Sequence[str], hues: Sequence[str]) -> dict[str, Any]:
    """Unseen points to hover and click, whose cards wear their head's colour."""
    clear = {"marker": {"opacity": 0}}
    middle = (size - 1) / 2
    place = {"x": (left + middle).numpy(), "y": (top + middle).numpy()}
    look = {
        "mode": "markers",
        "marker": {"size": 12, "opacity": 0, "color": list(hues)},
        "selected": clear,
        "unselected": clear,
    }
    return {
        "type": "scatter",
        "hovertext": list(explanations),
        "hovertemplate": "%{hovertext}<extra></extra>",
        **place,
        **look,
    }


def _outline(picked: tuple[int, int], size: int, pitch: int, theme: Theme) -> dict[str, Any]:
    block, head = picked
    x, y = head * pitch - 0.5, block * pitch - 0.5
    look = {"type": "rect", "line": {"color": color(f"head{head}", theme), "width": 3}}
    return {**look, "x0": x, "x1": x + size, "y0": y, "y1": y + size}
