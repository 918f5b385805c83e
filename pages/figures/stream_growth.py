"""How long the residual stream's vectors are, and how far they have turned, from sublayer to sublayer."""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.panels import domain, suffix, title
from pages.figures.theme import axis, color, figure, literal

GAP = 0.08  # between panels, as a share of the width


def stream_growth(
    panels: Sequence[Tensor],
    stages: Sequence[str],
    tokens: Sequence[str],
    picked: int,
    titles: Sequence[str],
    names: tuple[str, str, str],
    theme: Theme,
) -> go.Figure:
    """Panels (N, T) side by side: a thin line for each token, the picked one's in colour, and the mean of all.

    stages: what each of the N is called on hover; every second of them, a block's end, is a tick. names: of the mean, of
    the thin lines, and of the horizontal axis. Circles follow attention, squares a feed-forward layer.
    """
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    places = torch.arange(len(stages)) / 2
    for panel, values in enumerate(panels):
        axes = _axes(values, panel, len(panels), names[2], theme)
        across, up = (name.replace("axis", "") for name in axes)
        lines = (
            _everyone(values, places, theme),
            _line(values.mean(1), places, stages, names[0], _dashed(theme)),
            _line(values[:, picked], places, stages, tokens[picked], _marked(len(stages), theme)),
        )
        data += [{**line, "xaxis": across, "yaxis": up} for line in lines]
        layout |= axes
    layout["annotations"] = [
        _title(shown, tokens[picked], names[:2], domain(panel, len(panels), GAP)[0], theme)
        for panel, shown in enumerate(titles)
    ]
    layout["margin"] = {"l": 10, "r": 10, "t": 50, "b": 10}
    return figure(data, theme, **layout, hovermode="closest")


def _everyone(values: Tensor, places: Tensor, theme: Theme) -> dict[str, Any]:
    """All tokens as one line, broken between them."""
    gap = torch.full((1, values.size(1)), math.nan)
    y = torch.cat([values, gap]).T.flatten()
    x = torch.cat([places, torch.zeros(1)]).repeat(values.size(1))
    look = {"type": "scatter", "mode": "lines", "line": {"color": color("neutral", theme), "width": 1}}
    return {**look, "opacity": 0.5, "hoverinfo": "skip", "x": x.numpy(), "y": y.numpy()}


def _dashed(theme: Theme) -> dict[str, Any]:
    return {"mode": "lines", "line": {"color": color("neutral", theme), "width": 2.5, "dash": "dash"}}


def _marked(count: int, theme: Theme) -> dict[str, Any]:
    hue = color("token", theme)
    symbols = ["diamond", *(["circle", "square"] * (count // 2))]
    marks = {"size": 9, "symbol": symbols, "color": hue}
    return {"mode": "lines+markers", "line": {"color": hue, "width": 3}, "marker": marks}


def _line(values: Tensor, places: Tensor, stages: Sequence[str], name: str, look: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": places.numpy(),
        "y": values.numpy(),
        "hovertext": list(stages),
        "hovertemplate": f"{literal(name)} · %{{hovertext}}: %{{y:.4g}}<extra></extra>",
        **look,
    }


def _axes(values: Tensor, panel: int, panels: int, horizontal: str, theme: Theme) -> dict[str, Any]:
    """The two axes of a panel: blocks across; upwards from zero, or from the least below it."""
    number, blocks, (start, end) = suffix(panel), len(values) // 2, domain(panel, panels, GAP)
    least, most = min(0.0, 1.08 * float(values.min())), 1.12 * float(values.max())
    across: dict[str, Any] = {"domain": [start, end], "anchor": f"y{number}", "dtick": 1, "range": [-0.1, blocks + 0.1]}
    up: dict[str, Any] = {"anchor": f"x{number}", "range": [least, most or 1.0], "zeroline": True}
    return {
        f"xaxis{number}": axis(theme, horizontal, zeroline=False, **across),
        f"yaxis{number}": axis(theme, **up),
    }


def _title(text: str, token: str, names: Sequence[str], start: float, theme: Theme) -> dict[str, Any]:
    """What a panel shows, and whose its lines are, in their colours."""
    whose = f'<span style="color: {color("token", theme)}"><b>━ {literal(token)}</b></span>'
    mean, others = names
    return title(f"{text}<br>{whose}   <b>┅</b> {mean}   {others}", start, font={"size": 15}, align="left")
