"""The hypotheses that beam search ends with, and how each came by its score: HTML, every text escaped."""

import re
from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

POWER: Final = re.compile(r"\^(\w)")


class Candidate(NamedTuple):
    """A translation; its length, its log-probability, what that is divided by, and the quotient, as they are written."""

    text: str
    length: str
    total: str
    penalty: str
    score: str


def beam_table(candidates: Sequence[Candidate], heads: Sequence[str]) -> str:
    """heads: over rank, translation, length, log-probability, penalty, score; x^y is a power. Styles: `decoding_step.STYLE`."""
    names = [POWER.sub(r"<sup>\1</sup>", escape(name)) for name in heads]
    head = "".join(f"<th>{name}</th>" for name in names)
    lines = "".join(_line(rank, one) for rank, one in enumerate(candidates, 1))
    return f'<table class="beam"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'


def _line(rank: int, one: Candidate) -> str:
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in (str(rank), *one))
    return f'<tr class="{"best" if rank == 1 else "other"}">{cells}</tr>'
