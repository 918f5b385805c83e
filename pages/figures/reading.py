"""A sentence read twice, as HTML that moves: by a recurrent network, token after token, and by attention, all at once.

Every text is escaped here. The picture needs the styles in `STYLE` beside it on the page, and stands still where the system
asks for less motion.
"""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from torch import Tensor

from pages.figures.token_strip import letters

STYLE: Final = Path(__file__).with_name("reading.css")
MOST: Final = 24
"""Tokens drawn of a longer sentence."""
FEW: Final = 8
"""Up to so many tokens are written across, more of them downwards."""
LETTER, BESIDE = 0.52, 0.7  # rem: how wide a letter is, and what a token needs beside its letters
WIDTHS = 48, 55, 66, 78  # rem, of the picture: the styles know these
FAINT: Final = 0.02  # a weight below this draws no arc


class Captions(NamedTuple):
    """A heading and a line beside it for each of the two ways to read."""

    recurrent: str
    recurrent_note: str
    attention: str
    attention_note: str


def reading(labels: Sequence[str], hidden: Tensor, weights: Tensor, captions: Captions, times: int) -> str:
    """The sentence with its hidden states (T, R), each in −1 … 1, and below with its attention weights (T, T).

    times: how often it was started; another number makes the browser begin anew.
    """
    shown = min(len(labels), MOST)
    more = "…" if shown < len(labels) else ""
    columns = "".join(_recurrent(labels[t], hidden[t], t, t + 1 < shown) for t in range(shown))
    tokens = "".join(f"<div>{_token(label, 0)}</div>" for label in labels[:shown])
    longest = max(map(letters, labels[:shown]))
    names = f"reading many{_upright(shown, longest)}" if shown > FEW else "reading"
    return (
        f'<div class="reads"><div class="{names}" id="reading-{times}" style="--count: {shown}; --letters: {longest}">'
        f"{_heading(captions.recurrent, captions.recurrent_note + more)}"
        f'<div class="line">{columns}</div>'
        f"{_heading(captions.attention, captions.attention_note + more)}"
        f'<div class="line">{tokens}</div>{_arcs(weights[:shown, :shown])}</div></div>'
    )


def _upright(count: int, longest: int) -> str:
    """The class of a sentence whose tokens stand upright where there is so much room that the longest fits its column."""
    wide = count * (LETTER * longest + BESIDE)
    return next((f" upright-{width}" for width in WIDTHS if wide <= width), "")


def _heading(title: str, note: str) -> str:
    return f"<h4>{escape(title)}<small>{escape(note)}</small></h4>"


def _token(label: str, step: int) -> str:
    return f'<span class="token lit" style="--step: {step}">{escape(label)}</span>'


def _recurrent(label: str, state: Tensor, step: int, passes_on: bool) -> str:
    cells = "".join(_cell(value) for value in state.tolist())
    arrow = f'<span class="pass shown" style="--step: {step + 0.5}">→</span>' if passes_on else ""
    return (
        f'<div>{_token(label, step)}<span class="state shown" style="--step: {step}">{cells}</span>{arrow}'
        f'<span class="when shown" style="--step: {step}">{step + 1}</span></div>'
    )


def _cell(value: float) -> str:
    tint = "var(--plus)" if value > 0 else "var(--minus)"
    return f'<i title="{value:+.3f}" style="--tint: {tint}; --much: {min(abs(value), 1):.0%}"></i>'


def _arcs(weights: Tensor) -> str:
    """An arc from each token to each that it looks at, as strong as its weight."""
    count = len(weights)
    arcs = [
        f'<i style="left: {100 * (asked + 0.5) / count:.2f}%; width: {100 * (asking - asked) / count:.2f}%; '
        f'height: {100 * math.sqrt((asking - asked) / count):.1f}%; opacity: {weight:.2f}; border-width: {1 + 4 * weight:.1f}px"></i>'
        for asking, row in enumerate(weights.tolist())
        for asked, weight in enumerate(row[:asking])
        if weight > FAINT
    ]
    return f'<div class="arcs shown" style="--step: 0">{"".join(arcs)}</div>'
