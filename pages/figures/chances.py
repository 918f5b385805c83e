"""The distribution that the next token is drawn from: the head of the list as bars, all ranks as a curve, the cut in both."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.panels import title
from pages.figures.theme import MONO, axis, color, figure, literal
from transformer.sampling import Distribution

HEAD, POINTS, FLOOR = 24, 160, 1e-9
FAINT = 0.45  # of what is cut, in both panels
LEFT, RIGHT = [0.0, 0.6], [0.68, 1.0]
LEGEND = {"x": RIGHT[1], "xanchor": "right", "y": 0.98, "yanchor": "top", "traceorder": "reversed"}


class Names(NamedTuple):
    """What the picture calls things: kept, cut, the model's own probability; the titles of its two panels; the ranks."""

    kept: str
    cut: str
    own: str
    head: str
    whole: str
    rank: str


def head(chosen: Distribution) -> Tensor:
    """The most probable tokens, the most probable first. (≤ 24,) int64"""
    return chosen.logits.topk(min(HEAD, len(chosen.logits))).indices


def chances(chosen: Distribution, labels: Sequence[str], names: Names, picked: int, theme: Theme) -> go.Figure:
    """chosen: (V,). labels: of `head`. picked: the outlined bar."""
    own = chosen.logits.softmax(-1)
    texts = [*map(literal, labels)]
    ticks: dict[str, Any] = {
        "tickvals": list(range(len(texts))),
        "ticktext": texts,
        "tickangle": -60,
        "tickfont": {"family": MONO, "size": 14},
    }
    powers: dict[str, Any] = {"type": "log", "exponentformat": "power"}
    return figure(
        [*_bars(chosen, own, names, theme), *_curves(chosen, own, names, theme)],
        theme,
        xaxis=axis(theme, domain=LEFT, showgrid=False, range=[-0.7, len(texts) - 0.3], **ticks),
        yaxis=axis(theme, tickformat=".3~%", rangemode="tozero"),
        xaxis2=axis(theme, names.rank, domain=RIGHT, anchor="y2", dtick=1, **powers),
        yaxis2=axis(theme, anchor="x2", range=_decades(own), dtick=2, **powers),
        annotations=[title(f"<b>{names.head}</b>", LEFT[0]), title(names.whole, RIGHT[0], align="left")],
        shapes=[_outline(chosen, own, picked, theme)],
        barmode="overlay",
        showlegend=True,
        legend={**LEGEND, "bgcolor": "rgba(0,0,0,0)"},
        margin={"l": 10, "r": 10, "t": 74, "b": 10},
    )


def _outline(chosen: Distribution, own: Tensor, picked: int, theme: Theme) -> dict[str, Any]:
    """A frame around the picked bar and that of the model's own probability."""
    token = head(chosen)[picked]
    top = max(float(values[token]) for values in (chosen.final, chosen.probabilities, own))
    line = {"color": color("neutral", theme), "width": 2}
    return {"type": "rect", "x0": picked - 0.48, "x1": picked + 0.48, "y0": 0, "y1": 1.02 * top, "line": line}


def _bars(chosen: Distribution, own: Tensor, names: Names, theme: Theme) -> list[dict[str, Any]]:
    """A bar for each token of the head: what it is drawn with, or what was cut; and a grey one for the model's own probability."""
    shown = head(chosen)
    lost = chosen.probabilities.masked_fill(chosen.kept, 0.0)
    looks = (
        (chosen.final, names.kept, {"color": color("weight", theme)}),
        (lost, names.cut, {"color": color("neutral", theme), "opacity": FAINT}),
    )
    every = {"x": list(range(len(shown))), "hovertemplate": "%{y:.3%}", "showlegend": False}
    bars = [
        {
            "type": "bar",
            "y": values[shown].tolist(),
            "name": name,
            "marker": look,
            "width": 0.54,
            "offset": -0.42,
            **every,
        }
        for values, name, look in looks
    ]
    grey = {"color": color("kind2", theme)}
    beside = {"type": "bar", "y": own[shown].tolist(), "name": names.own, "marker": grey, "width": 0.26, "offset": 0.16}
    return [*bars, beside | every]


def _curves(chosen: Distribution, own: Tensor, names: Names, theme: Theme) -> list[dict[str, Any]]:
    """Probability over rank, on logarithms: the model's own, and after temperature what is kept and what is cut.

    The legend has its colours from here; the bars of the other panel have the same.
    """
    last = int(chosen.kept.sum())
    ranks = torch.logspace(0, math.log10(len(own)), POINTS).round().long().clamp(1, len(own))
    ranks = torch.cat([ranks, torch.tensor([last, min(last + 1, len(own))])]).unique()
    inside, outside = ranks[ranks <= last], ranks[ranks > last]
    lines = (
        (names.own, _ranked(own), ranks, {"color": color("kind2", theme), "width": 2.5, "dash": "dot"}, 1.0),
        (names.cut, _ranked(chosen.probabilities), outside, {"color": color("neutral", theme), "width": 4}, FAINT),
        (names.kept, _ranked(chosen.final), inside, {"color": color("weight", theme), "width": 4}, 1.0),
    )
    return [
        {
            "type": "scatter",
            "mode": "lines" if len(at) > 1 else "markers",
            "x": at.tolist(),
            "y": [value if value > FLOOR else None for value in values[at - 1].tolist()],
            "line": line,
            "marker": {"color": line["color"], "size": 9},
            "opacity": opacity,
            "xaxis": "x2",
            "yaxis": "y2",
            "name": name,
            "zorder": int(name == names.own),  # the thin line, seen where it runs along another
            "hovertemplate": "%{x} · %{y:.2g}",
        }
        for name, values, at, line, opacity in lines
    ]


def _ranked(values: Tensor) -> Tensor:
    """The values, largest first. NumPy sorts a large vocabulary three times as fast."""
    ascending = values.float().numpy().copy()
    ascending.sort()
    return torch.from_numpy(ascending).flip(0)


def _decades(own: Tensor) -> list[float]:
    """From below the least probable token that can be drawn to certainty, as powers of ten."""
    least = float(own[own > 0].min())
    return [max(math.log10(max(least, FLOOR)) - 1.5, math.log10(FLOOR)), 0.3]
