"""Examples to learn from, or to be judged by, as a table: HTML, every text escaped."""

from collections.abc import Collection, Sequence
from html import escape


def examples_table(heads: Sequence[str], rows: Sequence[Sequence[str]], wrong: Collection[int] = ()) -> str:
    """heads: over the cells of the rows. wrong: the places of the rows whose last cell is not what it should be."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(_line(row, place in wrong) for place, row in enumerate(rows))
    return f'<table class="examples"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _line(row: Sequence[str], wrong: bool) -> str:
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
    return f'<tr class="wrong">{cells}</tr>' if wrong else f"<tr>{cells}</tr>"
