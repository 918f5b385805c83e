"""What dividing by √head_size does to scores and to softmax, over head_size."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
from torch import Tensor

from pages.figures.palette import BACKGROUNDS, Theme
from pages.figures.panels import domain
from pages.figures.theme import GRID, axis, color, figure
from transformer.lessons.measurements import ScalingMeasurement

TICKS = [1, 4, 16, 64, 256]
NEAR_START, NEAR_END = 2, 128  # head sizes beside which a number would leave the panel
GAP = 0.08  # between panels, as a share of the width
ABOVE = {"y": 1, "yref": "container", "yanchor": "top"}
LEGEND = {"orientation": "h", "x": 0.5, "xanchor": "center", **ABOVE, "font": {"size": 15}}


class Panel(NamedTuple):
    """One of the three: plotly's suffix of its axes, its vertical axis, and where a number stands clear of the curves."""

    suffix: str
    vertical: dict[str, Any]
    above: str
    below: str


PANELS = (
    Panel("", {"type": "log", "tickvals": TICKS}, "top left", "bottom right"),
    Panel("2", {"range": [0, 1.05]}, "top left", "bottom right"),
    Panel("3", {"range": [0, 0.4]}, "top right", "bottom left"),
)


def scaling(
    measured: ScalingMeasurement,
    head_size: int,
    titles: Sequence[str],
    names: tuple[str, str],
    axis_title: str,
    theme: Theme,
) -> go.Figure:
    """Three panels over head_size: variance of the scores, softmax's largest weight, size of softmax's gradient.

    titles: one a panel. names: the curve without scaling, the curve with it. A dotted line marks `head_size`, where the
    numbers are written out; it must be among the measured ones.
    """
    here = measured.head_sizes.tolist().index(head_size)
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for panel, without, scaled in zip(PANELS, measured.unscaled, measured.scaled, strict=True):
        sides = (panel.above, panel.below) if without[here] >= scaled[here] else (panel.below, panel.above)
        for values, name, side, role, dash in (
            (without, names[0], sides[0], "neutral", "dash"),
            (scaled, names[1], sides[1], "weight", "solid"),
        ):
            number = {"text": _number(values, here), "textposition": _inwards(side, head_size)}
            font = {"color": color(role, theme), "size": 16, "shadow": ", ".join([f"0 0 3px {BACKGROUNDS[theme]}"] * 4)}
            curve = _curve(measured.head_sizes, values, panel, name, color(role, theme), dash)
            data.append(curve | number | {"textfont": font})
        axes |= _axes(panel, axis_title, theme)
    layout = {
        "annotations": [_title(title, panel) for title, panel in zip(titles, PANELS, strict=True)],
        "shapes": [_mark(head_size, panel, theme) for panel in PANELS],
        "legend": LEGEND,
        "margin": {"l": 10, "r": 30, "t": 70, "b": 10},
    }
    return figure(data, theme, **axes, **layout, showlegend=True, hovermode="x unified")


def _curve(sizes: Tensor, values: Tensor, panel: Panel, name: str, hue: str, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers+text",
        "x": sizes.tolist(),
        "y": values.numpy(),
        "xaxis": f"x{panel.suffix}",
        "yaxis": f"y{panel.suffix}",
        "name": name,
        "legendgroup": name,
        "showlegend": panel is PANELS[0],
        "line": {"color": hue, "dash": dash, "width": 3},
        "marker": {"size": 7},
        "cliponaxis": False,
        "hovertemplate": "%{y:.3g}",
    }


def _inwards(position: str, head_size: int) -> str:
    """Where a number stands: at the ends of the axis towards its middle, away from what is beside the panel."""
    height, side = position.split()
    return f"{height} {'right' if head_size <= NEAR_START else 'left' if head_size >= NEAR_END else side}"


def _number(values: Tensor, here: int) -> list[str]:
    """The text of a curve's points: a number at one of them."""
    return [f"<b>{value:.3g}</b>" if place == here else "" for place, value in enumerate(values.tolist())]


def _axes(panel: Panel, title: str, theme: Theme) -> dict[str, Any]:
    place = list(domain(PANELS.index(panel), len(PANELS), GAP))
    horizontal = {"type": "log", "tickvals": TICKS, "range": [-0.15, 2.85], "domain": place}
    return {
        f"xaxis{panel.suffix}": axis(theme, title, anchor=f"y{panel.suffix}", **horizontal),
        f"yaxis{panel.suffix}": axis(theme, anchor=f"x{panel.suffix}", linecolor=GRID[theme], **panel.vertical),
    }


def _title(text: str, panel: Panel) -> dict[str, Any]:
    place = {"xref": f"x{panel.suffix} domain", "yref": f"y{panel.suffix} domain", "x": 0, "y": 1.03}
    return {**place, "yanchor": "bottom", "text": text, "showarrow": False, "font": {"size": 15}, "align": "left"}


def _mark(head_size: int, panel: Panel, theme: Theme) -> dict[str, Any]:
    line = {"color": color("neutral", theme), "width": 1.5, "dash": "dot"}
    ends = {"x0": head_size, "x1": head_size, "y0": 0, "y1": 1}
    return {
        "type": "line",
        "xref": f"x{panel.suffix}",
        "yref": f"y{panel.suffix} domain",
        "layer": "below",
        "line": line,
        **ends,
    }
