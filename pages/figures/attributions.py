"""How far each token moved a decision, measured in several ways, side by side."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from torch import Tensor

from pages.figures.distributions import TOKENS
from pages.figures.palette import DIVERGING, Theme
from pages.figures.theme import axis, color, figure

GAP = 0.06
MOST_NUMBERS = 20  # more bars than this leave no room for numbers beside them


def attributions(effects: Mapping[str, Tensor], labels: Sequence[str], axis_title: str, theme: Theme) -> go.Figure:
    """A bar for each token and measure; the measures share their tokens, and each has a scale of its own.

    effects: (T,) numbers by the measure's title, above 0 where a token spoke for the decision.
    """
    places = list(range(len(labels)))
    width = (1 - GAP * (len(effects) - 1)) / len(effects)
    layout: dict[str, Any] = {
        "yaxis": axis(
            theme,
            tickvals=places,
            ticktext=[html.escape(label, quote=False) for label in labels],
            tickfont={"family": TOKENS, "size": 15 if len(labels) <= MOST_NUMBERS else 12},
            range=[len(labels) - 0.4, -0.6],
            showgrid=False,
            zeroline=False,
        )
    }
    data = []
    for number, (title, values) in enumerate(effects.items()):
        name, left = "x" if number == 0 else f"x{number + 1}", number * (width + GAP)
        reach = (float(values.abs().max()) or 1.0) * 1.3
        layout[name.replace("x", "xaxis")] = axis(
            theme, axis_title, domain=[left, left + width], range=[-reach, reach], zerolinecolor=color("neutral", theme)
        )
        layout.setdefault("annotations", []).append(_title(title, left + width / 2))
        data.append(_bars(values, places, name, theme))
    return figure(data, theme, **layout, bargap=0.25)


def _bars(effects: Tensor, places: list[int], name: str, theme: Theme) -> dict[str, Any]:
    against, supports = DIVERGING[theme][2], DIVERGING[theme][-3]
    values = effects.float().tolist()
    numbers = [f"{value:+.2f}".replace("-", "−") for value in values]
    return {
        "type": "bar",
        "orientation": "h",
        "x": effects.float().numpy(),
        "y": places,
        "xaxis": name,
        "marker": {"color": [supports if value > 0 else against for value in values]},
        "text": numbers if len(values) <= MOST_NUMBERS else None,
        "textposition": "outside",
        "textfont": {"size": 14},
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x:.4f}<extra></extra>",
    }


def _title(text: str, middle: float) -> dict[str, Any]:
    place = {"xref": "paper", "yref": "paper", "x": middle, "y": 1, "xanchor": "center", "yanchor": "bottom"}
    return {**place, "text": f"<b>{text}</b>", "showarrow": False, "font": {"size": 15}}
