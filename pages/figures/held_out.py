"""How well classes of held-out sentences are told: who takes which for which, and how often several models are right."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from pages.figures.palette import CHALK, INK, Theme
from pages.figures.theme import axis, color, colorscale, figure, literal

LEFT, RIGHT = [0.0, 0.46], [0.66, 1.0]


def held_out(
    accuracies: Mapping[str, float],
    confusion: Sequence[Sequence[int]],
    labels: Sequence[str],
    titles: tuple[str, str, str],
    theme: Theme,
) -> go.Figure:
    """Accuracies by name as bars, the last one lit; and the confusion table, [true class][decided class].

    titles: of the bars, of the table's columns and of its rows.
    """
    names, places = list(accuracies), list(range(len(labels)))
    shown = [*map(literal, labels)]
    layout: dict[str, Any] = {
        "xaxis": axis(theme, titles[0], domain=LEFT, range=[0, 1.12], tickformat=".0%", tickvals=[0, 0.5, 1]),
        "yaxis": _classes("", names, list(range(len(names))), theme) | {"range": [len(names) - 0.4, -0.6]},
        "xaxis2": _classes(titles[1], shown, places, theme) | {"domain": RIGHT, "side": "top"},
        "yaxis2": _classes(titles[2], shown, places, theme) | {"anchor": "x2", "range": [len(labels) - 0.5, -0.5]},
        "margin": {"l": 10, "r": 10, "t": 40, "b": 20},
        "bargap": 0.35,
    }
    return figure([_bars(accuracies, theme), *_table(confusion, places, theme)], theme, **layout)


def _bars(accuracies: Mapping[str, float], theme: Theme) -> dict[str, Any]:
    values = list(accuracies.values())
    plain, lit = color("neutral", theme), color("kind0", theme)
    return {
        "type": "bar",
        "orientation": "h",
        "x": values,
        "y": list(range(len(values))),
        "marker": {
            "color": [plain] * (len(values) - 1) + [lit],
            "opacity": [0.4] * (len(values) - 1) + [1.0],
        },
        "text": [f"{value:.1%}" for value in values],
        "textposition": "outside",
        "textfont": {"size": 16},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _table(confusion: Sequence[Sequence[int]], places: list[int], theme: Theme) -> list[dict[str, Any]]:
    rows = [list(row) for row in confusion]
    share = [[count / max(1, sum(row)) for count in row] for row in rows]
    cells = [(x, y) for y in places for x in places]
    numbers = {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _ in cells],
        "y": [y for _, y in cells],
        "text": [f"<b>{rows[y][x]}</b>" for x, y in cells],
        "textfont": {
            "size": 26 if len(places) < 4 else 16,
            "color": [CHALK if (share[y][x] > 0.5) == (theme == "light") else INK for x, y in cells],
        },
        "xaxis": "x2",
        "yaxis": "y2",
        "hoverinfo": "skip",
    }
    heat = {
        "type": "heatmap",
        "z": share,
        "zmin": 0,
        "zmax": 1,
        "colorscale": colorscale("weight", theme),
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "xaxis": "x2",
        "yaxis": "y2",
        "hovertemplate": "%{y} → %{x}: %{z:.1%}<extra></extra>",
    }
    return [heat, numbers]


def _classes(title: str, labels: list[str], places: list[int], theme: Theme) -> dict[str, Any]:
    ticks: dict[str, Any] = {"tickvals": places, "ticktext": labels, "tickfont": {"size": 15}}
    return axis(theme, title, **ticks, showgrid=False, zeroline=False)
