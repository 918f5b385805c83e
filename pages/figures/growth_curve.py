"""A run's losses on a scale on which its first step is as wide as its last thousand, with two moments marked."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import plotly.graph_objects as go
import torch

from pages.figures.palette import Role, Theme
from pages.figures.theme import axis, color, figure, literal
from transformer.training import Step

MOST_POINTS = 600
STYLE = Path(__file__).with_name("growth.css")
DASHES = ("dot", "dash", "dashdot", "longdash")


class Mark(NamedTuple):
    """A moment that is pointed at: its step, what is written there, its colour's name."""

    step: int
    name: str
    role: Role


class Names(NamedTuple):
    """What the axes and the lines are called."""

    step: str
    loss: str
    train: str
    validation: str


def place(step: float) -> float:
    """Where a step stands: tenfold is one to the right, and 0, the moment before the first step, is at 0."""
    return math.log10(1 + step)


def spread(steps: Sequence[Step], most: int = MOST_POINTS) -> list[Step]:
    """At most so many of the steps, evenly spread over the picture."""
    if len(steps) <= most:
        return list(steps)
    chosen = torch.logspace(0, math.log10(len(steps)), most, dtype=torch.float64).round().long().unique() - 1
    return [steps[index] for index in chosen.clamp(max=len(steps) - 1).tolist()]


def growth_curve(
    steps: Sequence[Step],
    yardsticks: Mapping[str, float],
    kept: Sequence[int],
    marks: Sequence[Mark],
    names: Names,
    theme: Theme,
) -> go.Figure:
    """Losses of batches and of held-out text, level lines for simpler models by name, and a tick for each kept moment."""
    shown = spread(steps)
    tested = [(step.step, step.validation_loss) for step in steps if step.validation_loss is not None]
    last = max([*kept, *(step.step for step in shown[-1:]), 1])
    trained = [(step.step, step.loss) for step in shown]
    data = [
        _line(trained, names.train, "kind2", theme, 1.5),
        _line(tested, names.validation, "kind0", theme, 3),
        *_levels(yardsticks, last, theme),
    ]
    ticks = [0, *(10**power for power in range(len(str(last))))]
    heights = [value for _, value in [*trained, *tested]] + list(yardsticks.values()) or [0.0, 1.0]
    room = 0.06 * (max(heights) - min(heights)) or 1.0
    low, high = max(0.0, min(heights) - room), max(heights) + room
    across = {"tickvals": [place(step) for step in ticks], "ticktext": [f"{step:,}" for step in ticks]}
    return figure(
        [*data, _moments(kept, low + 0.25 * room, theme)],
        theme,
        xaxis=axis(theme, names.step, range=[-0.08, place(last) + 0.08], zeroline=False, **across),
        yaxis=axis(theme, names.loss, range=[low, high]),
        shapes=[_upright(mark, theme) for mark in marks],
        annotations=[_named(mark, theme) for mark in marks],
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top", "font": {"size": 13}},
        margin={"l": 10, "r": 14, "t": 84, "b": 10},  # above, two lines of names and the marked steps
    )


def _line(points: Sequence[tuple[int, float]], name: str, role: Role, theme: Theme, width: float) -> dict[str, Any]:
    steps = [step for step, _ in points]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": torch.tensor([place(step) for step in steps]).numpy(),
        "y": torch.tensor([value for _, value in points]).numpy(),
        "customdata": steps,
        "name": name,
        "line": {"color": color(role, theme), "width": width},
        "hovertemplate": "%{customdata:,}: %{y:.3f}",
    }


def _levels(yardsticks: Mapping[str, float], last: int, theme: Theme) -> list[dict[str, Any]]:
    look = {"type": "scatter", "mode": "lines", "opacity": 0.7, "hoverinfo": "skip"}
    hue = color("neutral", theme)
    return [
        {
            **look,
            "x": [0, place(last)],
            "y": [loss, loss],
            "name": name,
            "line": {"color": hue, "width": 1.5, "dash": dash},
        }
        for (name, loss), dash in zip(yardsticks.items(), DASHES, strict=False)
    ]


def _moments(kept: Sequence[int], low: float, theme: Theme) -> dict[str, Any]:
    """Small marks on the axis: what the scrubber can show."""
    look = {"symbol": "line-ns-open", "size": 9, "line": {"width": 2}, "color": color("neutral", theme)}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [place(step) for step in kept],
        "y": [low] * len(kept),
        "marker": look,
        "cliponaxis": False,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _upright(mark: Mark, theme: Theme) -> dict[str, Any]:
    x, line = place(mark.step), {"color": color(mark.role, theme), "width": 2.5}
    return {"type": "line", "xref": "x", "yref": "y domain", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}


def _named(mark: Mark, theme: Theme) -> dict[str, Any]:
    place_at = {"x": place(mark.step), "xref": "x", "y": 1, "yref": "y domain", "yanchor": "bottom", "showarrow": False}
    font = {"size": 14, "color": color(mark.role, theme)}
    return {**place_at, "text": f"<b>{literal(mark.name)}</b>", "font": font}
