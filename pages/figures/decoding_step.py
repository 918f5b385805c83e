"""One step of a decoder: what it looks at in the source, what has been written, what is written now. HTML, escaped.

It needs `STYLE` on the page; tokens carry their place for `pages.matrix.clicks`.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from pages.figures.sentence import percent
from pages.figures.token_strip import letters

STYLE: Final = Path(__file__).with_suffix(".css")
LINE: Final = 80
"""Letters that have room beside each other in a small window."""
STRONG = 0.65  # a weight above it makes a chip on which the letters of the paper stand out more than ink


class Captions(NamedTuple):
    """What the two lines are called: looking at the source, and the translation; what is said of a token not preferred; where
    what is read comes from, in words and as "answer" or "model".
    """

    looks: str
    writes: str
    would: str
    told: str
    origin: str


class Step(NamedTuple):
    """A token of the translation: its text, its probability, and what the model would have preferred, if something else."""

    piece: str
    share: float
    preferred: str = ""


def decoding_step(
    source: Sequence[str],
    weights: Sequence[float],
    begin: str,
    steps: Sequence[Step],
    at: int,
    captions: Captions,
) -> str:
    """The source in the colours of its weights, and the translation: what was read, what is written now, what comes later.

    begin: what the decoder reads first. at: the step that is looked at.
    """
    looked = "".join(_looked(piece, weight) for piece, weight in zip(source, weights, strict=True))
    written = "".join(_written(step, place, at, captions.would) for place, step in enumerate(steps))
    first = f'<span class="chip read"><span class="piece">{escape(begin)}</span><small>&nbsp;</small></span>'
    long = " long" * (max(map(_room, (source, [begin, *(step.piece for step in steps)]))) > LINE)
    return (
        f'<div class="decoding {captions.origin}{long}"><b>{escape(captions.looks)}</b><div class="chips">{looked}</div>'
        f'<b>{escape(captions.writes)}<small class="origin">{escape(captions.told)}</small></b>'
        f'<div class="chips">{first}{written}</div></div>'
    )


def _room(pieces: Sequence[str]) -> int:
    """Letters that a line of chips takes; each is at least as wide as its percentage."""
    return sum(max(letters(piece), 3) + 2 for piece in pieces)


def _looked(piece: str, weight: float) -> str:
    strong = " strong" * (weight > STRONG)
    return (
        f'<span class="chip looked{strong}" style="--share: {100 * weight:.0f}%"><span class="piece">{escape(piece)}</span>'
        f"<small>{escape(percent(weight))}</small></span>"
    )


def _written(step: Step, place: int, at: int, would: str) -> str:
    when = "read" if place < at else "now" if place == at else "later"
    told = percent(step.share)
    other = f'<small class="other">{escape(would.format(step.preferred))}</small>' if step.preferred else ""
    return (
        f'<span class="chip given {when}" tabindex="0" role="button" data-place="{place}">'
        f'<span class="piece">{escape(step.piece)}</span><small>{escape(told)}</small>{other}</span>'
    )
