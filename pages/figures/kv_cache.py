"""Which tokens pass through the model to write the next one, step by step: without a cache of keys and values and with it."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.theme import axis, color, figure

MONO = "'JetBrains Mono', 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"
ABSENT, REMEMBERED, COMPUTED = 0, 1, 2
SLIDES: Final = 3
"""Steps shown after the context is full."""
MOST_LABELS: Final = 32


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
    gap, count = 0.05, len(panels)
    width = (1 - gap * (count - 1)) / count
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": []}
    for place, (title, cells) in enumerate(panels):
        number = "" if place == 0 else str(place + 1)
        left = place * (width + gap)
        steps = len(cells)
        data.append(
            {
                "type": "heatmap",
                "z": cells.numpy().astype("int8"),
                "zmin": ABSENT,
                "zmax": COMPUTED,
                "colorscale": _colors(theme),
                "showscale": False,
                "xgap": 1 if steps <= 64 else 0,
                "ygap": 1 if steps <= 64 else 0,
                "hoverinfo": "skip",
                "xaxis": f"x{number}",
                "yaxis": f"y{number}",
            }
        )
        few = steps <= MOST_LABELS
        names = [escape(label, quote=False) for label in labels] + ["…"] * (steps - len(labels))
        ticks = (
            {"tickvals": list(range(steps)), "ticktext": names, "tickfont": {"family": MONO, "size": 12}} if few else {}
        )
        rows = {
            "tickvals": list(range(0, steps, 1 + steps // 17)),
            "ticktext": list(range(1, steps + 1, 1 + steps // 17)),
        }
        layout[f"xaxis{number}"] = axis(
            theme,
            "" if few else axes[0],
            domain=[left, left + width],
            showgrid=False,
            zeroline=False,
            tickangle=-60,
            **ticks,
        )
        layout[f"yaxis{number}"] = axis(
            theme,
            axes[1] if place == 0 else "",
            anchor=f"x{number}",
            autorange="reversed",
            showgrid=False,
            zeroline=False,
            **rows,
        )
        layout["annotations"].append(
            {
                "text": title,
                "x": left,
                "y": 1.0,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "align": "left",
            }
        )
    return figure(data, theme, **layout, margin={"l": 10, "r": 10, "t": 54, "b": 10})


def _colors(theme: Theme) -> list[tuple[float, str]]:
    """Nothing, a tint, and the full colour, with no shades between."""
    absent, full = "rgba(0,0,0,0)", color("weight", theme)
    tint = {"light": "#cfe3e2", "dark": "#1f3f41"}[theme]
    return [(0.0, absent), (0.25, absent), (0.25, tint), (0.75, tint), (0.75, full), (1.0, full)]
