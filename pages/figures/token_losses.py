"""How surprising each true next token was, against what simpler models would have said; and how shares add up."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.theme import MONO, axis, color, figure, literal

MOST_LABELS = 40  # more tokens than this have no room for words; they then show on hover


def token_losses(
    losses: Tensor,
    yardstick: Tensor,
    uniform: float,
    labels: Sequence[str],
    names: tuple[str, str, str],
    axes: tuple[str, str],
    picked: int | None,
    theme: Theme,
) -> go.Figure:
    """A bar for each true next token (N,), a tick for what the yardstick (N,) lost on it, and a line for the uniform loss.

    labels: the true next tokens. names: of bars, ticks and line. axes: what stands across and upwards. `picked` is the bar
    that stands out.
    """
    places, shown = list(range(len(labels))), [*map(literal, labels)]
    highest = 1.12 * max([uniform, *losses.tolist(), *yardstick.tolist()])
    layout = {
        "xaxis": _across(shown, axes[0], theme),
        "yaxis": axis(theme, axes[1], range=[0, highest]),
        "shapes": [_level(uniform, theme)],
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": {"size": 14}},
        "bargap": 0.25,
    }
    bars = {**_bars(losses, places, names[0], picked, theme), "hovertext": shown}
    return figure([bars, _ticks(yardstick, places, names[1], theme), _key(names[2], theme)], theme, **layout)


def _across(tokens: list[str], name: str, theme: Theme) -> dict[str, Any]:
    look = axis(
        theme,
        name,
        tickvals=list(range(len(tokens))),
        ticktext=tokens,
        tickfont={"family": MONO, "size": 13},
        tickangle=-45,
        showticklabels=len(tokens) <= MOST_LABELS,
        showgrid=False,
        zeroline=False,
        range=[-0.6, len(tokens) - 0.4],
    )
    look["title"]["standoff"] = 8  # below slanted tokens, not among them
    return look


def _bars(losses: Tensor, places: list[int], name: str, picked: int | None, theme: Theme) -> dict[str, Any]:
    line = {"width": [3 if place == picked else 0 for place in places], "color": color("token", theme)}
    same = {"marker": {"opacity": 1}}  # a click chooses a bar and leaves the others as they are
    look = {"marker": {"color": color("output", theme), "line": line}, "selected": same, "unselected": same}
    return {
        "type": "bar",
        "x": places,
        "y": losses.float().numpy(),
        "name": name,
        "hovertemplate": "%{hovertext}: %{y:.4g}<extra></extra>",
        **look,
    }


def _ticks(yardstick: Tensor, places: list[int], name: str, theme: Theme) -> dict[str, Any]:
    line = {"width": 3, "color": color("neutral", theme)}
    mark = {"symbol": "line-ew-open", "size": min(26, 700 / max(len(places), 1)), "line": line}
    look = {"type": "scatter", "mode": "markers", "marker": {**mark, "color": color("neutral", theme)}, "name": name}
    return {**look, "x": places, "y": yardstick.float().numpy(), "hovertemplate": "%{y:.4g}<extra></extra>"}


def _level(height: float, theme: Theme) -> dict[str, Any]:
    line = {"color": color("neutral", theme), "width": 2, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": height, "y1": height, "line": line}


def _key(name: str, theme: Theme) -> dict[str, Any]:
    """The dotted line's entry in the legend."""
    line = {"color": color("neutral", theme), "width": 2, "dash": "dot"}
    return {"type": "scatter", "mode": "lines", "x": [None], "y": [None], "line": line, "name": name}


def held(ranks: Tensor, shares: Tensor, title: str, axis_title: str, theme: Theme) -> go.Figure:
    """How much of a distribution its n likeliest outcomes hold together: shares (R,) over ranks (R,), which grow tenfold."""
    hue = color("weight", theme)
    curve = {
        "type": "scatter",
        "mode": "lines",
        "x": ranks.numpy(),
        "y": shares.float().numpy(),
        "line": {"color": hue, "width": 3},
        "fill": "tozeroy",
        "hovertemplate": "%{x:,}: %{y:.2%}<extra></extra>",
    }
    return figure(
        [curve],
        theme,
        title={"text": title, "font": {"size": 15}, "x": 0, "xref": "paper"},
        xaxis=axis(theme, axis_title, type="log", tickformat=",", dtick=1),
        yaxis=axis(theme, range=[0, 1.02], tickformat=".0%"),
        margin={"l": 10, "r": 20, "t": 36, "b": 10},
    )
