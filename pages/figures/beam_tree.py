"""Beam search as a tree: what was kept after each token, from whom it came, and what won in the end."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from pages.figures.palette import Theme
from pages.figures.theme import MONO, axis, color, figure, literal
from transformer.translation.decoding import Hypothesis

LETTERS = 110  # that have room beside each other


class Node(NamedTuple):
    """A hypothesis that was kept: after how many tokens, at which rank, and the rank it had one token before.

    waits: it had ended already, and nothing was added. wins: it is the beginning of what won.
    """

    step: int
    rank: int
    before: int
    hypothesis: Hypothesis
    waits: bool
    wins: bool


def nodes(beams: Sequence[Sequence[Hypothesis]]) -> Iterator[Node]:
    """Every hypothesis of a beam search, token after token. beams: as `transformer.translation.decoding.beam_search` gives them."""
    best = beams[-1][0].ids
    for step, beam in enumerate(beams):
        kept: list[tuple[int, ...]] = [one.ids for one in beams[step - 1]] if step else [()]
        places = {ids: rank for rank, ids in enumerate(kept)}
        for rank, one in enumerate(beam):
            waits = one.ids in places
            before = places[one.ids if waits else one.ids[:-1]]
            yield Node(step, rank, before, one, waits, one.ids == best[: len(one.ids)])


def beam_tree(
    beams: Sequence[Sequence[Hypothesis]],
    piece: Callable[[int], str],
    sentence: Callable[[Sequence[int]], str],
    titles: tuple[str, str],
    theme: Theme,
) -> go.Figure:
    """A column for each token, the best hypothesis on top. titles: of the columns and of the ranks."""
    found = list(nodes(beams))
    width = max(len(beam) for beam in beams)
    lines = [_lines([n for n in found if n.wins is wins], wins, theme) for wins in (False, True)]
    room = max(2, LETTERS // len(beams))
    texts = ["·" if node.waits else _cut(piece(node.hypothesis.ids[-1]), room) for node in found]
    marks = _marks(found, texts, sentence, theme)
    layout = {
        "xaxis": axis(theme, titles[0], range=[-1.4, len(beams) - 0.4], dtick=1, tickvals=list(range(len(beams))))
        | {"ticktext": [str(step + 1) for step in range(len(beams))], "showgrid": False, "zeroline": False},
        "yaxis": axis(theme, titles[1], range=[width - 0.4, -0.6], tickvals=list(range(width)), zeroline=False)
        | {"ticktext": [str(rank + 1) for rank in range(width)]},
        "margin": {"l": 10, "r": 10, "t": 6, "b": 6},
    }
    return figure([*lines, marks], theme, **layout)


def _lines(found: Sequence[Node], wins: bool, theme: Theme) -> dict[str, Any]:
    x: list[float | None] = []
    y: list[float | None] = []
    for node in found:
        x += [node.step - 1, node.step, None]
        y += [node.before, node.rank, None]
    look = {"color": color("output" if wins else "neutral", theme), "width": 4 if wins else 1.5}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": look, "opacity": 1 if wins else 0.35} | {
        "hoverinfo": "skip"
    }


def _cut(text: str, room: int) -> str:
    """As much of a token as has room; all of it is in the sentence that is shown on hover."""
    return literal(text if len(text) <= room else f"{text[: room - 1]}…")


def _marks(
    found: Sequence[Node], texts: Sequence[str], sentence: Callable[[Sequence[int]], str], theme: Theme
) -> dict[str, Any]:
    hover = [f"{literal(sentence(node.hypothesis.ids))}<br>{node.hypothesis.log_probability:.3f}" for node in found]
    hues = [color("output" if node.wins else "neutral", theme) for node in found]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [node.step for node in found],
        "y": [node.rank for node in found],
        "text": list(texts),
        "textposition": "top center",
        "textfont": {"family": MONO, "size": 14, "color": hues},
        "marker": {"size": 8, "color": hues},
        "cliponaxis": False,
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
