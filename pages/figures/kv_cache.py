"""Which tokens pass through the model to write the next one, step by step: without a cache of keys and values and with it."""

import math
from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.panels import domain, suffix, title
from pages.figures.theme import MONO, axis, color, figure, literal

ABSENT, REMEMBERED, COMPUTED = 0, 1, 2
SLIDES: Final = 3
"""Steps shown after the context is full."""
MOST_LABELS: Final = 32
MOST_APART: Final = 64
"""Steps whose cells have room for a gap between them."""
MOST_NAMED: Final = 12
"""Columns and rows of which each has its name: of more, names would touch in the lecture hall."""
GAP: Final = 0.05


def passes(length: int, context: int, *, cache: bool) -> Tensor:
    """What happens to each token at each step; the n-th step reads n tokens, at most the last `context` of them.

    (steps, steps): ABSENT, REMEMBERED or COMPUTED. If the context is full at `length`, some steps more show it slide.
    """
    steps = length + SLIDES * (length == context)
    step, token = torch.arange(1, steps + 1)[:, None], torch.arange(steps)
    read = (token < step) & (token >= step - context)
    if not cache:
        return torch.where(read, COMPUTED, ABSENT)
    fresh = (token == step - 1) | (step > context)  # a window that slides gives every token another position
    return torch.where(read, torch.where(fresh, COMPUTED, REMEMBERED), ABSENT)


def kv_cache(
    panels: Sequence[tuple[str, Tensor]], labels: Sequence[str], axes: tuple[str, str], theme: Theme
) -> go.Figure:
    """The panels side by side, each with its title. labels: of the tokens on the columns. axes: of columns and rows."""
    margin = {"l": 10, "r": 10, "t": 78, "b": 10}  # above, three lines of a title, also in the lecture hall
    layout: dict[str, Any] = {"margin": margin, "annotations": []}
    for place, (name, cells) in enumerate(panels):
        left, right = domain(place, len(panels), GAP)
        layout["annotations"].append(title(name, left, align="left"))
        layout[f"xaxis{suffix(place)}"] = _columns(labels, len(cells), axes[0], theme) | {"domain": [left, right]}
        layout[f"yaxis{suffix(place)}"] = _rows(len(cells), axes[1] if place == 0 else "", f"x{suffix(place)}", theme)
    return figure([_cells(cells, suffix(place), theme) for place, (_, cells) in enumerate(panels)], theme, **layout)


def _cells(cells: Tensor, panel: str, theme: Theme) -> dict[str, Any]:
    """A cell for each token (columns) at each step (rows)."""
    gap = 1 if len(cells) <= MOST_APART else 0
    return {
        "type": "heatmap",
        "z": cells.numpy().astype("int8"),
        "zmin": ABSENT,
        "zmax": COMPUTED,
        "colorscale": _colors(theme),
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
        "hoverinfo": "skip",
        "xaxis": f"x{panel}",
        "yaxis": f"y{panel}",
    }


def _columns(labels: Sequence[str], steps: int, name: str, theme: Theme) -> dict[str, Any]:
    """Each column's token, "…" for those that nobody has written yet; where they have no room, what they are."""
    plain: dict[str, Any] = {"showgrid": False, "zeroline": False, "tickangle": -90}
    if steps > MOST_LABELS:
        return axis(theme, name, **plain)
    tokens = [*map(literal, labels), *["…"] * (steps - len(labels))]
    shown = _named(steps)
    names: dict[str, Any] = {"tickvals": list(shown), "ticktext": [tokens[step] for step in shown]}
    return axis(theme, **plain, **names, tickfont={"family": MONO, "size": 12})


def _rows(steps: int, name: str, columns: str, theme: Theme) -> dict[str, Any]:
    """The steps, counted from one, the first on top."""
    shown = _named(steps)
    ticks = {"tickvals": list(shown), "ticktext": [step + 1 for step in shown]}
    return axis(theme, name, anchor=columns, autorange="reversed", showgrid=False, zeroline=False, **ticks)


def _named(steps: int) -> range:
    """The steps that are named: all, or every second, third … up to the last."""
    apart = math.ceil(steps / MOST_NAMED)
    return range((steps - 1) % apart, steps, apart)


def _colors(theme: Theme) -> list[tuple[float, str]]:
    """Nothing, a tint, and the full colour, with no shades between."""
    absent, full = "rgba(0,0,0,0)", color("weight", theme)
    tint = {"light": "#cfe3e2", "dark": "#1f3f41"}[theme]
    return [(0.0, absent), (0.25, absent), (0.25, tint), (0.75, tint), (0.75, full), (1.0, full)]
