"""How runs learn, as curves over their steps: one run with all that is known of each step, or several over each other."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Role, Theme
from pages.figures.theme import axis, color, figure, literal
from transformer.training import Step

STYLE: Final = Path(__file__).with_name("learning.css")
MOST_POINTS: Final = 800
MOST_MARKED: Final = 24
"""Validations that are marked each; more of them would be a string of beads."""
FAINT: Final = {"opacity": 0.5}
WHOLE: Final = {"separatethousands": True, "exponentformat": "none"}
"""An axis of steps: "2,000", as the page writes them everywhere."""


class Curve(NamedTuple):
    """A run's curve, thin enough to be drawn.

    Attributes:
        bin: how many steps each point is the mean of.
        steps: the last step of each point.
        losses, rates, norms: their means.
        validations: (step, loss on held-out text).
    """

    bin: int
    steps: Sequence[int]
    losses: Tensor
    rates: Tensor
    norms: Tensor
    validations: Sequence[tuple[int, float]]


def thinned(steps: Sequence[Step], most: int = MOST_POINTS) -> Curve:
    """At most so many points; what is left over at the end is a point of its own."""
    size = -(-len(steps) // most) or 1
    told = torch.tensor([(step.loss, step.learning_rate, step.gradient_norm) for step in steps]).reshape(-1, 3)
    means = [part.mean(0) for part in told.split(size)] if size > 1 and len(steps) else list(told)
    columns = torch.stack(means).T if means else told.T
    last = [part[-1].step for part in (steps[start : start + size] for start in range(0, len(steps), size))]
    found = [(step.step, step.validation_loss) for step in steps if step.validation_loss is not None]
    return Curve(size, last, columns[0], columns[1], columns[2], found)


class Point(NamedTuple):
    """A point of a run's curves: whether it is of the held-out one, its step, its loss."""

    held_out: bool
    step: int
    loss: float


class Names(NamedTuple):
    """What the panels and the lines are called."""

    step: str
    loss: str
    train: str
    validation: str
    rate: str
    norm: str


class Line(NamedTuple):
    """A line of a scene: its panel, its name, its colour's name, its width, and "", "dot" or "dash". x, y: (N,)"""

    panel: int
    name: str
    role: Role
    width: float
    dash: str
    x: Tensor
    y: Tensor


class Panel(NamedTuple):
    """What a panel is called, and from where to where it goes upwards."""

    title: str
    y: Sequence[float]


class Scene(NamedTuple):
    """Curves over the same steps, for `pages.ui.training.curves`.

    Attributes:
        label: what the picture is, for those who do not see it.
        across: what stands below; x: from where to where it goes.
        panels: the first above, the others below it.
        lines: of the first panel, those without dashes can be picked.
        picked: the point that is ringed.
        revision: as long as it stays, so does what somebody has zoomed to.
    """

    label: str
    across: str
    x: Sequence[float]
    panels: Sequence[Panel]
    lines: Sequence[Line]
    picked: Point | None
    revision: str


def watched(
    curve: Curve, yardsticks: Mapping[str, float], names: Names, max_steps: int, picked: Point | None, revision: str
) -> Scene:
    """Losses of batches and of held-out text, in this order, with level yardsticks; learning rate and gradient norm."""
    steps = _numbers(curve.steps)
    ends = torch.tensor([0.0, max_steps])
    lines = [
        Line(0, names.train, "kind2", 1.5, "", steps, curve.losses),
        Line(0, names.validation, "kind0", 3, "", *_tested(curve)),
        *(
            Line(0, name, "neutral", 1.5, dash, ends, torch.full((2,), loss))
            for (name, loss), dash in zip(yardsticks.items(), ("dot", "dash") * len(yardsticks), strict=False)
        ),
        Line(1, names.rate, "neutral", 2, "", steps, curve.rates),
        Line(2, names.norm, "neutral", 1.5, "", steps, curve.norms),
    ]
    panels = [
        Panel(names.loss, _reach(curve, yardsticks)),
        Panel(names.rate, _from_zero(curve.rates)),
        Panel(names.norm, _from_zero(curve.norms)),
    ]
    return Scene(names.loss, names.step, [0, max_steps], panels, lines, picked, revision)


class Compared(NamedTuple):
    """A run beside others: what it is called, its curve, its colour's name."""

    name: str
    curve: Curve
    role: Role


def compared(drawn: Sequence[Compared], names: Names, revision: str, theme: Theme) -> go.Figure:
    """Each run's loss on held-out text as a thick line, on its batches as a thin one.

    Of a single run the legend names both lines, of several the runs.
    """
    data: list[dict[str, Any]] = []
    alone = len(drawn) == 1
    for each in drawn:
        hue, tested = color(each.role, theme), _tested(each.curve)
        faint = _line(_numbers(each.curve.steps), each.curve.losses, names.train, hue, 1)
        name = names.validation if alone else literal(each.name)
        data.append(faint | FAINT | {"showlegend": alone, "hoverinfo": "skip"})
        data.append(_line(*tested, name, hue, 3, marker=7 if len(tested[0]) <= MOST_MARKED else 0))
    return figure(
        data,
        theme,
        xaxis=axis(theme, names.step, rangemode="tozero", **WHOLE),
        yaxis=axis(theme, names.loss),
        uirevision=revision,
        **_legend(),
    )


def _tested(curve: Curve) -> tuple[Tensor, Tensor]:
    """Steps and losses of the validations."""
    return _numbers([step for step, _ in curve.validations]), _numbers([loss for _, loss in curve.validations])


def schedule(steps: Sequence[int], rates: Sequence[float], names: Names, theme: Theme) -> go.Figure:
    """The learning rate that is planned, over the steps."""
    line = _line(_numbers(steps), _numbers(rates), names.rate, color("neutral", theme), 3)
    up = axis(theme, names.rate, rangemode="tozero", nticks=4, exponentformat="power")
    return figure(
        [line], theme, xaxis=axis(theme, names.step, **WHOLE), yaxis=up, margin={"l": 10, "r": 14, "t": 10, "b": 10}
    )


def _numbers(values: Sequence[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float32)


def _line(x: Tensor, y: Tensor, name: str, hue: str, width: float, marker: float = 0) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers" if marker else "lines",
        "x": x.numpy(),
        "y": y.numpy(),
        "name": name,
        "line": {"color": hue, "width": width},
        "marker": {"color": hue, "size": marker},
        "hovertemplate": "%{x:,.0f}: %{y:.4g}",
    }


def _reach(curve: Curve, yardsticks: Mapping[str, float]) -> list[float]:
    """From below the lowest loss to above the highest, and never a range of nothing."""
    losses = [*curve.losses.tolist(), *(loss for _, loss in curve.validations), *yardsticks.values()] or [0.0, 1.0]
    room = 0.05 * (max(losses) - min(losses)) or 1.0
    return [max(0.0, min(losses) - room), max(losses) + room]


def _from_zero(values: Tensor) -> list[float]:
    """From zero to above the highest."""
    return [0.0, 1.1 * float(values.max())] if len(values) and values.max() > 0 else [0.0, 1.0]


def _legend() -> dict[str, Any]:
    place = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom", "font": {"size": 13}}
    return {"showlegend": True, "legend": place, "margin": {"l": 10, "r": 14, "t": 30, "b": 10}}
