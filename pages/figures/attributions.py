"""How far each token moved a decision, measured in several ways, side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from torch import Tensor

from pages.figures.palette import DIVERGING, Theme
from pages.figures.panels import domain, suffix, title
from pages.figures.theme import MONO, axis, color, figure, literal

GAP = 0.06
MOST_NUMBERS = 20  # more bars than this leave no room for numbers beside them
PLACES = 2  # decimals beside a bar


def attributions(effects: Mapping[str, Tensor], labels: Sequence[str], axis_title: str, theme: Theme) -> go.Figure:
    """A bar for each token and measure; the measures share their tokens, and each has a scale of its own.

    effects: (T,) numbers by the measure's title, above 0 where a token spoke for the decision.
    """
    places = list(range(len(labels)))
    layout: dict[str, Any] = {
        "yaxis": axis(
            theme,
            tickvals=places,
            ticktext=[*map(literal, labels)],
            tickfont={"family": MONO, "size": 15 if len(labels) <= MOST_NUMBERS else 12},
            range=[len(labels) - 0.4, -0.6],
            showgrid=False,
            zeroline=False,
        ),
        "annotations": [],
    }
    data = []
    for number, (measure, values) in enumerate(effects.items()):
        left, right = domain(number, len(effects), GAP)
        reach = (float(values.abs().max()) or 1.0) * 1.3
        layout[f"xaxis{suffix(number)}"] = axis(
            theme, axis_title, domain=[left, right], range=[-reach, reach], zerolinecolor=color("neutral", theme)
        )
        middle = (left + right) / 2
        layout["annotations"].append(title(f"<b>{measure}</b>", middle, xanchor="center", font={"size": 15}))
        data.append(_bars(values, places, f"x{suffix(number)}", theme))
    return figure(data, theme, **layout, bargap=0.25)


def _bars(effects: Tensor, places: list[int], name: str, theme: Theme) -> dict[str, Any]:
    against, supports = DIVERGING[theme][2], DIVERGING[theme][-3]
    values = effects.float().tolist()
    rounded = [round(value, PLACES) for value in values]
    numbers = [f"{value:+.{PLACES}f}".replace("-", "−") if value else f"{0:.{PLACES}f}" for value in rounded]
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
