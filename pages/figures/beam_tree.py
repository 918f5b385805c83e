"""Beam search as a tree: what was kept after each token, from whom it came, and what won in the end."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import plotly.graph_objects as go

from pages.figures.palette import BACKGROUNDS, INK, Theme
from pages.figures.theme import GRID, MONO, axis, color, figure, literal
from pages.figures.token_strip import letters
from transformer.encoder_decoder import BEGIN
from transformer.translation.decoding import Hypothesis

LETTERS = 84  # that have room beside each other where the type is largest
GAP = 1.4  # letters, from a card to the next


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


class Columns(NamedTuple):
    """One for what is read first and one for each token: their middles in letters from the left, where the last one ends, and
    how many letters have room in each.
    """

    middles: Sequence[float]
    end: float
    room: int


def columns(widths: Sequence[int]) -> Columns:
    """Each as wide as its longest token, if there is room for all; else the longest are cut. widths: of the longest, in letters."""
    room = max(widths)
    while room > 2 and sum(min(width, room) + GAP for width in widths) > LETTERS:
        room -= 1
    ends = [*accumulate(min(width, room) + GAP for width in widths)]
    return Columns(
        [end - (min(width, room) + GAP) / 2 for end, width in zip(ends, widths, strict=True)], ends[-1], room
    )


def beam_tree(
    beams: Sequence[Sequence[Hypothesis]],
    piece: Callable[[int], str],
    sentence: Callable[[Sequence[int]], str],
    titles: tuple[str, str],
    theme: Theme,
) -> go.Figure:
    """A column for each token, the best hypothesis on top. titles: of the columns and of the ranks.

    A token is the node itself: its card lies on the lines, so that none of them crosses a word. A path ends where its sentence
    ends.
    """
    found, begin = [node for node in nodes(beams) if not node.waits], piece(BEGIN)
    texts = [piece(node.hypothesis.ids[-1]) for node in found]
    widths = [letters(begin), *[0] * len(beams)]
    for node, text in zip(found, texts, strict=True):
        widths[node.step + 1] = max(widths[node.step + 1], letters(text))
    middles, end, room = columns(widths)
    cards = [(begin, 0, 0, True), *((t, n.step + 1, n.rank, n.wins) for t, n in zip(texts, found, strict=True))]
    across, down = _numbered(middles[1:]), _numbered(range(max(len(beam) for beam in beams)))
    layout = {
        "xaxis": axis(theme, titles[0], range=[0, end], **across),
        "yaxis": axis(theme, titles[1], range=[len(down["tickvals"]) - 0.4, -0.6], **down),
        "margin": {"l": 10, "r": 10, "t": 6, "b": 6},
        "annotations": [_card(_cut(text, room), middles[at], rank, wins, theme) for text, at, rank, wins in cards],
    }
    lines = [_lines([n for n in found if n.wins is wins], middles, wins, theme) for wins in (False, True)]
    return figure([*lines, _marks(found, middles, sentence)], theme, **layout)


def _numbered(places: Sequence[float]) -> dict[str, Any]:
    """An axis whose marks are counted."""
    names = [str(number) for number, _ in enumerate(places, 1)]
    return {"tickvals": list(places), "ticktext": names, "showgrid": False, "zeroline": False}


def _lines(found: Sequence[Node], middles: Sequence[float], wins: bool, theme: Theme) -> dict[str, Any]:
    x: list[float | None] = []
    y: list[float | None] = []
    for node in found:
        x += [middles[node.step], middles[node.step + 1], None]
        y += [node.before, node.rank, None]
    look = {"color": color("output" if wins else "neutral", theme), "width": 4 if wins else 1.5}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": look, "opacity": 1 if wins else 0.35} | {
        "hoverinfo": "skip"
    }


def _cut(text: str, room: int) -> str:
    """As much of a token as has room; all of it is in the sentence that is shown on hover."""
    shown = text
    while letters(shown) > room:
        shown = f"{shown.removesuffix('…')[:-1]}…"
    return literal(shown)


def _card(text: str, x: float, rank: int, wins: bool, theme: Theme) -> dict[str, Any]:
    """A token on its place; what wins in the end is lit."""
    lit = color("output", theme)
    return {
        "x": x,
        "y": rank,
        "text": text,
        "showarrow": False,
        "font": {"family": MONO, "size": 14, "color": INK if wins else color("neutral", theme)},
        "bgcolor": lit if wins else BACKGROUNDS[theme],
        "bordercolor": lit if wins else GRID[theme],
        "borderwidth": 1.5,
        "borderpad": 2,
    }


def _marks(found: Sequence[Node], middles: Sequence[float], sentence: Callable[[Sequence[int]], str]) -> dict[str, Any]:
    """What is shown on hover: an unseen point under each card."""
    hover = [f"{literal(sentence(node.hypothesis.ids))}<br>{node.hypothesis.log_probability:.3f}" for node in found]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [middles[node.step + 1] for node in found],
        "y": [node.rank for node in found],
        "marker": {"size": 24, "opacity": 0},
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
