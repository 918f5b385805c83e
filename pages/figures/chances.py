"""The distribution that the next token is drawn from: the head of the list as bars, all ranks as a curve, the cut in both."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.palette import Theme
from pages.figures.panels import title
from pages.figures.theme import MONO, axis, color, figure, literal, powers
from transformer.sampling import Distribution

HEAD, POINTS, FLOOR = 24, 160, 1e-9
MOST_POWERS = 6  # beside the low panel
LEFT, RIGHT = [0.0, 0.6], [0.68, 1.0]
KEPT, CUT, OWN = "weight", "kind1", "kind2"  # the colours' names, in both panels
LEGEND = {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"}  # of both panels


class Names(NamedTuple):
    """What the picture calls things: kept, cut, the model's own probability; the titles of its two panels and of its axes."""

    kept: str
    cut: str
    own: str
    head: str
    whole: str
    rank: str
    probability: str
    probability_log: str


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
    decades, last = _decades(own), math.log10(len(own))
    across = {"domain": RIGHT, "anchor": "y2", "range": [-0.03 * last, 1.03 * last], **powers(0, last)}
    up = {"anchor": "x2", "range": decades, **powers(*decades, MOST_POWERS)}
    return figure(
        [*_bars(chosen, own, names, theme), *_curves(chosen, own, names, theme)],
        theme,
        xaxis=axis(theme, domain=LEFT, showgrid=False, range=[-0.7, len(texts) - 0.3], **ticks),
        yaxis=axis(theme, names.probability, tickformat=".3~%", rangemode="tozero"),
        xaxis2=axis(theme, names.rank, **across),
        yaxis2=axis(theme, names.probability_log, **up),
        annotations=[title(f"<b>{names.head}</b>", LEFT[0]), title(names.whole, RIGHT[0], align="left")],
        shapes=[_outline(chosen, own, picked, theme)],
        barmode="overlay",
        showlegend=True,
        legend=LEGEND,
        margin={"l": 10, "r": 10, "t": 74, "b": 10},
    )


def _outline(chosen: Distribution, own: Tensor, picked: int, theme: Theme) -> dict[str, Any]:
    """A frame around the picked bar and that of the model's own probability."""
    token = head(chosen)[picked]
    top = max(float(values[token]) for values in (chosen.final, chosen.probabilities, own))
    line = {"color": color("neutral", theme), "width": 2}
    return {"type": "rect", "x0": picked - 0.48, "x1": picked + 0.48, "y0": 0, "y1": 1.02 * top, "line": line}


def _bars(chosen: Distribution, own: Tensor, names: Names, theme: Theme) -> list[dict[str, Any]]:
    """A bar for each token of the head: what it is drawn with, or what was cut; beside it one for the model's own probability."""
    shown = head(chosen)
    lost = chosen.probabilities.masked_fill(chosen.kept, 0.0)
    wide, narrow = {"width": 0.54, "offset": -0.42}, {"width": 0.26, "offset": 0.16}
    looks = (
        (chosen.final, names.kept, KEPT, wide),
        (lost, names.cut, CUT, wide),
        (own, names.own, OWN, narrow),
    )
    return [
        {
            "type": "bar",
            "x": list(range(len(shown))),
            "y": values[shown].tolist(),
            "name": name,
            "marker": {"color": color(role, theme)},
            "showlegend": bool(values.any()),  # somewhere, and be it on a curve
            "hovertemplate": "%{y:.3%}",
            **place,
        }
        for values, name, role, place in looks
    ]


def _curves(chosen: Distribution, own: Tensor, names: Names, theme: Theme) -> list[dict[str, Any]]:
    """Probability over rank, on logarithms: the model's own, and after temperature what is kept and what is cut.

    Names and colours are those of the bars in the other panel.
    """
    last = int(chosen.kept.sum())
    ranks = torch.logspace(0, math.log10(len(own)), POINTS).round().long().clamp(1, len(own))
    ranks = torch.cat([ranks, torch.tensor([last, min(last + 1, len(own))])]).unique()
    inside, outside = ranks[ranks <= last], ranks[ranks > last]
    lines = (
        (names.own, _ranked(own), ranks, OWN, 2.5),
        (names.cut, _ranked(chosen.probabilities), outside, CUT, 4),
        (names.kept, _ranked(chosen.final), inside, KEPT, 4),
    )
    return [
        {
            "type": "scatter",
            "mode": "lines" if len(at) > 1 else "markers",
            "x": at.tolist(),
            "y": [value if value > FLOOR else None for value in values[at - 1].tolist()],
            "line": {"color": color(role, theme), "width": width},
            "marker": {"color": color(role, theme), "size": 9},
            "xaxis": "x2",
            "yaxis": "y2",
            "name": name,
            "showlegend": False,  # the bars of the same name and colour have it
            "zorder": int(name == names.own),  # the thin line, seen where it runs along another
            "hovertemplate": "%{x:,} · %{y:.2g}",
        }
        for name, values, at, role, width in lines
    ]


def _ranked(values: Tensor) -> Tensor:
    """The values, largest first. NumPy sorts a large vocabulary three times as fast."""
    ascending = values.float().numpy().copy()
    ascending.sort()
    return torch.from_numpy(ascending).flip(0)


def _decades(own: Tensor) -> tuple[float, float]:
    """From below the least probable token that can be drawn to certainty, as powers of ten."""
    least = float(own[own > 0].min())
    return max(math.log10(max(least, FLOOR)) - 1.5, math.log10(FLOOR)), 0.3
