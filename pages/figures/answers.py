"""What right code and wrong code say of one sentence while something changes that should change nothing."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.panels import domain, suffix, title
from pages.figures.theme import axis, color, figure

GAP = 0.1


class Panel(NamedTuple):
    """A comparison: what the wrong code is called, what changes along the axis, and (2, N) answers, right and wrong."""

    wrong: str
    across: str
    answers: Tensor


def answers(panels: Sequence[Panel], right: str, up: str, theme: Theme) -> go.Figure:
    """Probabilities side by side, each panel with its two curves named above it. right: what right code is called."""
    layout: dict[str, Any] = {
        "yaxis": axis(theme, up, range=[-0.04, 1.08], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%"),
        "margin": {"l": 10, "r": 20, "t": 36, "b": 10},
        "annotations": [],
    }
    data: list[dict[str, Any]] = []
    for place, panel in enumerate(panels):
        left, right_end = domain(place, len(panels), GAP)
        layout["annotations"].append(_title(right, panel.wrong, (left + right_end) / 2, theme))
        layout[f"xaxis{suffix(place)}"] = _across(panel, theme) | {"domain": [left, right_end]}
        data += _curves(panel.answers, f"x{suffix(place)}", theme)
    return figure(data, theme, **layout)


def _across(panel: Panel, theme: Theme) -> dict[str, Any]:
    last = panel.answers.size(1) - 1
    ends = [-0.4, max(1, last) + 0.4]
    return axis(theme, panel.across, range=ends, dtick=1 if last < 12 else 5, showgrid=False)


def _curves(pair: Tensor, name: str, theme: Theme) -> list[dict[str, Any]]:
    looks = (("kind0", "solid", "circle"), ("kind1", "dash", "x"))
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": list(range(len(curve))),
            "y": curve,
            "xaxis": name,
            "line": {"color": color(role, theme), "dash": dash, "width": 3},
            "marker": {"size": 10, "symbol": symbol},
            "hovertemplate": "%{x}: %{y:.2%}<extra></extra>",
        }
        for curve, (role, dash, symbol) in zip(pair.tolist(), looks, strict=True)
    ]


def _title(right: str, wrong: str, middle: float, theme: Theme) -> dict[str, Any]:
    """The names of the two curves in their colours, above their panel."""
    named = [
        f"<span style='color:{color(role, theme)}'>{mark} <b>{text}</b></span>"
        for role, mark, text in (("kind0", "●", right), ("kind1", "✕", wrong))
    ]
    return title("   ".join(named), middle, xanchor="center", font={"size": 15})
