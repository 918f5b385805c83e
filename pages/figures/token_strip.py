"""Pictures made of tokens, as HTML: a text in its coloured pieces. Pure functions; every text is escaped here.

They need the styles in `STYLE` beside them on the page.
"""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

STYLE: Final = Path(__file__).with_name("tokens.css")
COLORS: Final = 5
MOST: Final = 256
"""Tokens drawn of a longer text."""
MANY: Final = 48
"""Tokens from which the strip is drawn small."""


class Chip(NamedTuple):
    """A token as the strip draws it: its text with white space visible, its row in the table, and what explains both.

    base_id: its id in the encoding that the rows were picked from; None if that is the row itself.
    facts: (name, value) pairs for its card.
    """

    piece: str
    id: int
    base_id: int | None
    facts: Sequence[tuple[str, str]]


def strip(chips: Sequence[Chip], groups: Iterable[tuple[range, str]], picked: int, walked: int) -> str:
    """A text as pieces with their ids below, and the list of ids that the model reads; pointing at a piece opens its card.

    groups: neighbouring tokens that only together hold whole characters, and their text.
    picked: whose card is open when none is pointed at. walked: how many of them the model reads; the others are pale.
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
    size = "strip many" if len(drawn) > MANY else "strip"
    ids = ", ".join(f'<span class="c{place % COLORS}">{chip.id}</span>' for place, chip in enumerate(drawn[:walked]))
    return picture(
        f'<div class="{size}">{"".join(parts)}{more}</div><div class="ids raw">[{ids}]</div>', explained=True
    )


def _token(chip: Chip, place: int, picked: int, outside: bool) -> str:
    names = ["token", "thing", *["picked"] * (place == picked), *["outside"] * outside]
    base = "" if chip.base_id is None else f"<small>{chip.base_id}</small>"
    return (
        f'<span class="{" ".join(names)}" tabindex="0">{piece(chip.piece, place)}<span class="id">{chip.id}</span>{base}'
        f"{card(chip.piece, chip.facts)}</span>"
    )


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
    return picture(f'<div class="encodings">{"".join(_encoding(row, most) for row in rows)}</div>')


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
