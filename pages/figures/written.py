"""A text as a model wrote it: each token in the colour of its probability, its alternatives on its card; or what may come.

Pure HTML, every text escaped. It needs this file's `STYLE` and that of `token_strip` on the page.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from pages.figures.token_strip import card, picture, piece

STYLE: Final = Path(__file__).with_suffix(".css")
MOST: Final = 8
"""Tokens of the prompt that are shown, its last ones."""


class Written(NamedTuple):
    """A token that was chosen.

    piece: its text with white space visible. share: the probability it was drawn with. told: the same in words.
    facts, lit, note: its card.
    """

    piece: str
    share: float
    told: str
    facts: Sequence[tuple[str, str]]
    lit: int | None
    note: str


def written(
    prompt: Sequence[str], tokens: Sequence[Written], picked: int, prose: tuple[str, str], *, going: bool
) -> str:
    """The text as people read it, and below it in tokens; those that were chosen carry their place for a click.

    prose: the prompt and what follows it, as text. picked: whose card is open when none is pointed at.
    """
    before, after = prose
    caret = '<span class="caret"></span>' if going else ""
    read = f'<div class="prose"><p><span>{escape(before)}</span>{escape(after)}{caret}</p></div>'
    shown = "".join(f'<span class="asked">{piece(label)}</span>' for label in prompt[-MOST:])
    more = '<span class="asked">…</span>' if len(prompt) > MOST else ""
    chosen = "".join(_token(token, place, place == picked) for place, token in enumerate(tokens))
    return picture(f'{read}<div class="chosen scrolls"><div>{more}{shown}{chosen}</div></div>', explained=True)


class Coming(NamedTuple):
    """What may come next: a token, or all others of a kind together.

    name: its text with white space visible, or what the others are. own, final: the model's probability and the one it is
    drawn with; told: both in words. kept: whether it can be drawn at all.
    """

    name: str
    own: float
    final: float
    told: tuple[str, str]
    kept: bool
    one: bool = True


def coming(prompt: str, lines: Sequence[Coming], heads: tuple[str, str, str]) -> str:
    """A text that waits for its next token, and below it what that may be, two bars each; the cut is a line.

    heads: over the names, the model's probabilities, and those it is drawn with.
    """
    read = f'<div class="prose"><p><span>{escape(prompt)}</span><b class="gap">?</b></p></div>'
    most = max(max(line.own, line.final) for line in lines) or 1.0
    head = "".join(f"<th>{escape(text)}</th>" for text in (*heads, ""))
    rows = "".join(_coming(line, most) for line in lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return picture(f'{read}<div class="coming" style="--rows:{len(lines) + 1}">{table}</div>')


def _coming(line: Coming, most: float) -> str:
    name = piece(line.name) if line.one else escape(line.name)
    told = "".join(f"<td>{escape(text)}</td>" for text in line.told)
    bars = "".join(f'<i style="width:{100 * share / most:.1f}%"></i>' for share in (line.own, line.final))
    return f'<tr class="{"kept" if line.kept else "cut"}"><td>{name}</td>{told}<td>{bars}</td></tr>'


def _token(token: Written, place: int, picked: bool) -> str:
    names = ["token", "thing", *["picked"] * picked]
    share = f' style="--share:{100 * token.share:.1f}%"'
    return (
        f'<span class="{" ".join(names)}" tabindex="0" role="button" data-place="{place}"{share}>{piece(token.piece)}'
        f"<small>{escape(token.told)}</small>{card(token.piece, token.facts, token.lit, token.note)}</span>"
    )
