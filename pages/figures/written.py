"""A text as a model wrote it: each token in the colour of its probability, its alternatives on its card.

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
    """A token that was chosen, or one that is still to come.

    piece: its text with white space visible. share: the probability it was drawn with, None as long as it is not drawn.
    told: the same in words. facts, lit, note: its card.
    """

    piece: str
    share: float | None
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


def _token(token: Written, place: int, picked: bool) -> str:
    names = ["token", "thing", *["picked"] * picked, *["awaited"] * (token.share is None)]
    share = f' style="--share:{100 * (token.share or 0):.1f}%"'
    return (
        f'<span class="{" ".join(names)}" tabindex="0" role="button" data-place="{place}"{share}>{piece(token.piece)}'
        f"<small>{escape(token.told)}</small>{card(token.piece, token.facts, token.lit, token.note)}</span>"
    )
