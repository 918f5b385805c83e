"""The hypotheses that beam search ends with, and how each came by its score: HTML, every text escaped."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class Candidate(NamedTuple):
    """A translation; its length, its log-probability, what that is divided by, and the quotient, as they are written."""

    text: str
    length: str
    total: str
    penalty: str
    score: str


def beam_table(candidates: Sequence[Candidate], heads: Sequence[str]) -> str:
    """heads: over rank, translation, length, log-probability, penalty, score. Styles: `decoding_step.STYLE`."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    lines = "".join(_line(rank, one) for rank, one in enumerate(candidates, 1))
    return f'<table class="beam"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'


def _line(rank: int, one: Candidate) -> str:
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in (str(rank), *one))
    return f'<tr class="{"best" if rank == 1 else "other"}">{cells}</tr>'
