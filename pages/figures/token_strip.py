"""Pictures made of tokens, as HTML: a text in its coloured pieces. Pure functions; every text is escaped here.

They need the styles in `STYLE` beside them on the page. Their type grows with the window: each picture says how many
times its own type size it is wide (`--across`) and tall (`--down`), or how long the side of the square is that it fills
(`--side`), and the styles choose the size that fits.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

STYLE: Final = Path(__file__).with_name("tokens.css")
COLORS: Final = 5
MOST: Final = 256
"""Tokens drawn of a longer text."""
LETTER: Final = 0.6
"""Width of a monospaced letter beside its height."""


class Chip(NamedTuple):
    """A token as the strip draws it: its text with white space visible, its row in the table, and what explains both.

    base_id: its id in the encoding that the rows were picked from; None if that is the row itself.
    facts: (name, value) pairs for its card.
    """

    piece: str
    id: int
    base_id: int | None
    facts: Sequence[tuple[str, str]]


class Legend(NamedTuple):
    """What the numbers of a strip are called: the id under a piece, the smaller one below it, and the list of ids."""

    row: str
    base: str
    listed: str


def strip(chips: Sequence[Chip], groups: Iterable[tuple[range, str]], picked: int, walked: int, legend: Legend) -> str:
    """A text as pieces with their ids below, and the list of ids that the model reads; pointing at a piece opens its card.

    groups: neighbouring tokens that only together hold whole characters, and their text.
    picked: whose card is open when none is pointed at. walked: how many of them the model reads; the others are pale.
    Pieces that it reads carry their place for `pages.matrix.clicks`.
    """
    drawn = chips[:MOST]
    spans = [_token(chip, place, picked, place >= walked) for place, chip in enumerate(drawn)]
    parts = []
    for group, text in groups:
        inside = "".join(spans[group.start : group.stop])
        together = len(group) > 1 and group.start < MOST
        parts.append(
            f'<span class="whole"><span class="parts">{inside}</span>{piece(text)}</span>' if together else inside
        )
    more = "…" if len(chips) > MOST else ""
    ids = ", ".join(f'<span class="c{place % COLORS}">{chip.id}</span>' for place, chip in enumerate(drawn[:walked]))
    return picture(
        f'<div class="sheet scrolls" style="--side:{_side(drawn, walked):.1f}"><div class="strip">{"".join(parts)}{more}</div>'
        f'{_key(drawn[picked], legend)}<div class="ids"><span class="said">{escape(legend.listed)}</span> '
        f'<span class="raw">[{ids}]</span></div></div>',
        explained=True,
    )


def _token(chip: Chip, place: int, picked: int, outside: bool) -> str:
    names = ["token", "thing", *["picked"] * (place == picked), *["outside"] * outside]
    base = "" if chip.base_id is None else f"<small>{chip.base_id}</small>"
    click = "" if outside else f' role="button" data-place="{place}"'
    return (
        f'<span class="{" ".join(names)}" tabindex="0"{click}>{piece(chip.piece, place)}<span class="id">{chip.id}</span>'
        f"{base}{card(chip.piece, chip.facts)}</span>"
    )


def _key(chip: Chip, legend: Legend) -> str:
    """What the two numbers under a piece are, said of the picked one; nothing where there is one only."""
    if chip.base_id is None:
        return ""
    numbers = (("large", chip.id, legend.row), ("less", chip.base_id, legend.base))
    said = (f'<span><span class="{size}">{number}</span> {escape(name)}</span>' for size, number, name in numbers)
    return f'<div class="key">{"".join(said)}</div>'


def _side(chips: Sequence[Chip], walked: int) -> float:
    """The side of a square that holds a strip and its list of ids, in type sizes; lines never fill quite."""
    height = 4.1 if all(chip.base_id is None for chip in chips) else 5.1
    pieces = sum(max(1.2 * letters(chip.piece), 0.9 * len(str(chip.id))) * LETTER + 1.2 for chip in chips) * height
    ids = sum(len(str(chip.id)) * LETTER + 1.4 for chip in chips[:walked]) * 1.7
    return 1.15 * sqrt(pieces + ids)


def letters(text: str) -> int:
    """How many letters of a monospaced face a text is wide; a Chinese character takes two."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def picture(body: str, *, explained: bool = False) -> str:
    """The frame that gives a picture its styles; with room for cards at the right if its things are explained there."""
    return f'<div class="tokens"><div class="picture{" explained" * explained}">{body}</div></div>'


def piece(text: str, color: int | None = None, *names: str) -> str:
    """A token's text on one of the soft colours that take turns, or on none."""
    classes = " ".join(["piece", *([] if color is None else [f"c{color % COLORS}"]), *names])
    return f'<span class="{classes}">{escape(text)}</span>'


def card(head: str, facts: Iterable[tuple[str, str]], lit: int | None = None, note: str = "") -> str:
    """The card that explains a thing: a heading in the face of tokens, facts as (name, value), one of them lit."""
    lines = []
    for place, (name, value) in enumerate(facts):
        names = ' class="lit"' if place == lit else ""
        lines.append(f"<dt{names}>{escape(name)}</dt><dd{names}>{escape(value)}</dd>")
    below = f"<p>{escape(note)}</p>" if note else ""
    return f'<div class="card">{piece(head, None, "head")}<dl>{"".join(lines)}</dl>{below}</div>'


class Encoded(NamedTuple):
    """A text in one encoding: the encoding's name and a line about it, the pieces and a line about their number.

    own: whether this is the encoding that the lesson uses.
    """

    name: str
    about: str
    pieces: Sequence[str]
    per_token: str
    own: bool


def encodings(rows: Sequence[Encoded]) -> str:
    """The same text in several encodings, one under the other, with bars for the number of tokens."""
    most = max(len(row.pieces) for row in rows)
    drawn = sum(letters(shown) for row in rows for shown in row.pieces[:MOST])
    side = 1.05 * sqrt(drawn * LETTER * 1.75 + 30 * len(rows))
    lines = "".join(_encoding(row, most) for row in rows)
    return picture(f'<div class="encodings" style="--side:{side:.1f};--rows:{len(rows)}">{lines}</div>')


def _encoding(row: Encoded, most: int) -> str:
    text = "".join(f"{piece(shown, place)}<wbr>" for place, shown in enumerate(row.pieces[:MOST]))
    more = "…" if len(row.pieces) > MOST else ""
    count = len(row.pieces)
    return (
        f'<div class="{"own" if row.own else "other"}">'
        f"<div><h4>{escape(row.name)}</h4><small>{escape(row.about)}</small></div>"
        f'<div class="text">{text}{more}</div>'
        f'<div><span class="count">{count}</span><div class="bar" style="width:{100 * count / most:.1f}%"></div>'
        f"<small>{escape(row.per_token)}</small></div></div>"
    )
