"""One look for every plotly figure."""

import html
import math
from typing import Any, Literal

import plotly.graph_objects as go

from pages.figures.palette import BACKGROUNDS, DIVERGING, ROLES, SEQUENTIAL, Role, Theme

FONT = "'Source Sans', 'Segoe UI', 'DejaVu Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
MONO = "'JetBrains Mono', 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"
"""The face of tokens."""
TEMPLATE = {
    "data": {
        "bar": [{"type": "bar", "marker": {"line": {"width": 0}}}],
        "scatter": [{"type": "scatter", "marker": {"line": {"width": 0}}}],
        "heatmap": [{"type": "heatmap", "colorbar": {"outlinewidth": 0, "ticks": ""}}],
    },
    "layout": {"hoverlabel": {"align": "left"}, "hovermode": "closest"},
}
"""What plotly's own template says and the figures need; that one is five times as long as an average figure."""
GRID: dict[Theme, str] = {"light": "#e6e9ed", "dark": "#2a3139"}


def color(role: Role, theme: Theme) -> str:
    """The colour of a name, see `palette.ROLES`. Raises KeyError where there is none."""
    light, dark = ROLES[role]
    return dark if theme == "dark" else light


def colorscale(scale: Literal["signed", "weight"], theme: Theme) -> list[tuple[float, str]]:
    """A ramp as plotly wants it: (fraction, colour) pairs from 0 to 1."""
    ramp = (DIVERGING if scale == "signed" else SEQUENTIAL)[theme]
    return [(index / (len(ramp) - 1), stop) for index, stop in enumerate(ramp)]


def literal(text: str) -> str:
    """A text that plotly shows as it is; it would read a token such as <b> as a tag."""
    return html.escape(text, quote=False)


def axis(theme: Theme, title: str = "", **more: Any) -> dict[str, Any]:
    """An axis in the figure's look."""
    look = {"gridcolor": GRID[theme], "zerolinecolor": GRID[theme], "ticks": "", "automargin": True}
    return {**look, "title": {"text": title, "font": {"size": 14}}, **more}


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PLAIN = range(-3, 6)
"""Powers of ten that are written out on an axis."""


def powers(bottom: float, top: float, most: int = 10) -> dict[str, Any]:
    """The ticks of a logarithmic axis that reaches from 10^bottom to 10^top: every power of ten, or every second, fifth …

    Not plotly's own, whose raised powers are written larger than the numbers of the other axis.
    """
    apart = next(step for step in (1, 2, 5, 10, 20, 50, 100) if top - bottom <= most * step)
    exponents = range(apart * math.ceil(bottom / apart), math.floor(top) + 1, apart)
    return {"type": "log", "tickvals": [10.0**n for n in exponents], "ticktext": [*map(_power, exponents)]}


def _power(exponent: int) -> str:
    if exponent in PLAIN:
        return f"{10.0**exponent:,.{max(-exponent, 0)}f}"
    return f"10{str(exponent).translate(RAISED)}"


def figure(data: list[dict[str, Any]], theme: Theme, **layout: Any) -> go.Figure:
    """A figure from plain dictionaries, which plotly builds ten times faster than from its own objects.

    data: traces; layout: whatever plotly's layout takes, `axis(…)` for its axes. It fills the place it is given.
    """
    look = {
        "template": TEMPLATE,
        "autosize": True,
        "margin": {"l": 10, "r": 10, "t": 30, "b": 10},
        "paper_bgcolor": BACKGROUNDS[theme],
        "plot_bgcolor": BACKGROUNDS[theme],
        "font": {"family": FONT, "size": 14, "color": color("neutral", theme)},
        "hoverlabel": {"font": {"family": FONT, "size": 14}},
        "showlegend": False,
    }
    return go.Figure({"data": data, "layout": {**look, **layout}}, skip_invalid=False)


HALL = 1.3  # type in the lecture hall beside the usual; 14 px come to 18


def enlarged(figure: go.Figure) -> go.Figure:
    """The same figure with its type, marks and lines grown for the lecture hall."""
    return go.Figure(_grown(figure.to_plotly_json()), skip_invalid=False)


def _grown(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            key: value * HALL if key == "size" and isinstance(value, int | float) else _grown(value)
            for key, value in part.items()
        }
    return [_grown(item) for item in part] if isinstance(part, list | tuple) else part
