"""A batch as HTML: inputs over targets, so that the eye sees the shift by one; and what a single row teaches."""

from collections.abc import Sequence
from html import escape
from itertools import accumulate, pairwise
from math import inf
from typing import Final

from pages.figures.token_strip import COLORS, LETTER, letters, picture, piece

UNKNOWN = ""
"""The piece that stands for no token at all."""
LONGEST: Final = 24
"""Letters that a place has room for; a longer piece breaks."""
DIGIT: Final = 1.0
"""Width of a digit below a piece, beside a letter of it."""
MORE: Final = '<div class="more">…</div>'
RIM: Final = 1.0
"""Letters of a place that are left free beside its token, besides the pixels of its frame."""


def batch(
    windows: Sequence[Sequence[str]],
    ids: Sequence[Sequence[int]],
    *,
    parts: tuple[str, str],
    row: int,
    position: int,
    room: float = inf,
) -> str:
    """All rows, each as inputs with the targets below; pointing at a place shows what is read there and what is to come.

    windows, ids: (B, T + 1) tokens, a row's last one only a target; `UNKNOWN` where there is none.
    Rows are numbered from one. parts: what inputs and targets are called. row, position: what is lit when nothing is pointed at.
    room: letters that a row may be wide; what has none is left out at the ends, never the lit place.
    Cells carry their row and place, counted from zero, for `pages.matrix.clicks`.
    """
    widths = [_widths(pieces, numbers) for pieces, numbers in zip(windows, ids, strict=True)]
    shown = _shown(widths, position, room)
    lines = [
        _line(pieces, numbers, wide, shown, at, parts, position if at == row else None)
        for at, (pieces, numbers, wide) in enumerate(zip(windows, ids, widths, strict=True))
    ]
    widest = max(sum(wide[shown.start : shown.stop]) for wide in widths)
    size = f"--columns:{len(shown)};--rows:{len(ids)};--letters:{widest:.1f}"
    return picture(f'<div class="batch scrolls" style="{size}">{"".join(lines)}</div>')


def _shown(widths: Sequence[Sequence[float]], position: int, room: float) -> range:
    """The places, the first ones if that takes in the lit one, for which every row has room."""
    ends = [list(accumulate(wide, initial=0.0)) for wide in widths]
    count = len(widths[0])

    def fits(start: int, stop: int) -> bool:
        return all(end[stop] - end[start] <= room for end in ends)

    start = next((start for start in range(position) if fits(start, position + 1)), position)
    stop = next((stop for stop in range(position + 1, count) if not fits(start, stop + 1)), count)
    return range(start, stop)


def _line(
    pieces: Sequence[str],
    ids: Sequence[int],
    widths: Sequence[float],
    shown: range,
    row: int,
    parts: tuple[str, str],
    position: int | None,
) -> str:
    cells = []
    for place in shown:
        state = "" if position is None or place > position else " seen here" if place == position else " seen"
        cells.append(
            f'<div class="cell{state}" data-row="{row}" data-place="{place}">{_token(pieces[place], ids[place], place, "input")}'
            f"{_token(pieces[place + 1], ids[place + 1], place + 1, 'target')}</div>"
        )
    label = f'<div class="name"><b>{row + 1}</b><span>{escape(parts[0])}</span><span>{escape(parts[1])}</span></div>'
    looked = "" if position is None else " looked"
    places = [
        f"minmax(calc({width:.2f} * var(--letter) + 2px),{width:.2f}fr)" for width in widths[shown.start : shown.stop]
    ]
    for left_out, end in ((shown.start > 0, 0), (shown.stop < len(widths), len(cells) + 1)):
        if left_out:
            cells.insert(end, MORE)
            places.insert(end, "1em")
    return f'<div class="line{looked}" style="--places:{" ".join(places)}">{label}{"".join(cells)}</div>'


def _widths(pieces: Sequence[str], ids: Sequence[int]) -> list[float]:
    """How many letters each place of a row has room for, so that neither its input nor its target breaks."""
    wide = [max(min(letters(shown), LONGEST), DIGIT * len(str(id))) for shown, id in zip(pieces, ids, strict=True)]
    return [max(pair) + RIM for pair in pairwise(wide)]


def _token(shown: str, id: int, place: int, part: str) -> str:
    if shown == UNKNOWN:
        return f'<span class="{part} unknown"></span>'
    return f'<span class="{part} c{place % COLORS}" title="{escape(shown)}">{piece(shown)}<small>{id}</small></span>'


def lessons(pieces: Sequence[str], ids: Sequence[int], position: int, nothing: str) -> str:
    """What one row teaches: for each position the tokens so far, and the one to be foretold. nothing: where it is unknown.

    Lines carry their place for `pages.matrix.clicks`.
    """
    lines = []
    for place in range(len(pieces) - 1):
        so_far = "".join(piece(shown, at) for at, shown in enumerate(pieces[: place + 1]))
        aim = f'<span class="next">{piece(pieces[place + 1], place + 1)}</span><small>{ids[place + 1]}</small>'
        if pieces[place + 1] == UNKNOWN:
            aim = f'<small class="nothing">{escape(nothing)}</small>'
        here = "here" if place == position else "there"
        lines.append(
            f'<div class="{here}" data-place="{place}"><small>{place}</small><span class="so_far">{so_far}</span><span>→</span>{aim}</div>'
        )
    widths = [letters(shown) * LETTER + 0.24 for shown in pieces]
    across = sum(widths[:-1]) + max(widths[1:], default=0) + 11
    return picture(
        f'<div class="lessons scrolls" style="--across:{across:.1f};--down:{len(lines)}">{"".join(lines)}</div>'
    )
