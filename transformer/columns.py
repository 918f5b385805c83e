"""Files with two columns: a sentence and its translation, or a sentence and its label, in each line."""

import csv
from collections.abc import Iterator
from typing import Literal, NamedTuple

from transformer.user_text import DataError, decode

Kind = Literal["pair", "label"]


class Line(NamedTuple):
    """A line that is not blank: its number from 1, and its two cells, white space made single."""

    number: int
    first: str
    second: str


def two_columns(raw: bytes, kind: Kind) -> Iterator[Line]:
    """The lines of a file. Columns are separated by tabs, and further ones ignored; in a file without tabs, by commas.

    Raises:
        DataError: as `user_text.decode`; `pair_columns` or `label_columns`, with the `line` and how many `columns` it has;
            `pair_blank` or `label_blank`, with the `line`.
    """
    for number, cells in _rows(decode(raw), kind):
        if len(cells) != 2:
            raise DataError(f"{kind}_columns", line=number, columns=len(cells))
        first, second = (" ".join(cell.split()) for cell in cells)
        if not first or not second:
            raise DataError(f"{kind}_blank", line=number)
        yield Line(number, first, second)


def _rows(text: str, kind: Kind) -> Iterator[tuple[int, list[str]]]:
    if "\t" in text:
        yield from ((n, line.split("\t")[:2]) for n, line in enumerate(text.split("\n"), start=1) if line.strip())
        return
    reader = csv.reader(text.split("\n"), skipinitialspace=True, strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader if any(row))
    except csv.Error as error:
        raise DataError(f"{kind}_columns", line=reader.line_num, columns=1) from error
