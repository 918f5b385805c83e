"""The paper's table 1 with numbers in it, as HTML: three costs of each kind of layer, with bars on a logarithmic scale."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

STYLE: Final = Path(__file__).with_name("table_1.css")


class Cost(NamedTuple):
    """A number and the arithmetic that made it, such as "n²·d = 16²·64"."""

    arithmetic: str
    number: int


class Row(NamedTuple):
    """A kind of layer: the role of its colour, its name, and its costs, one a column."""

    role: str
    name: str
    costs: Sequence[Cost]


def table_1(headings: Sequence[str], rows: Sequence[Row]) -> str:
    """headings: of the costs. It needs the styles in `STYLE` beside it on the page."""
    most = [max(row.costs[column].number for row in rows) for column in range(len(headings))]
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(_row(row, most) for row in rows)
    return f'<table class="table-1"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'


def _row(row: Row, most: Sequence[int]) -> str:
    cells = "".join(_cell(cost, largest) for cost, largest in zip(row.costs, most, strict=True))
    return f'<tr style="--hue: var(--{row.role})"><th>{escape(row.name)}</th>{cells}</tr>'


def _cell(cost: Cost, largest: int) -> str:
    share = math.log(cost.number + 1) / math.log(largest + 1)
    return (
        f"<td><span>{escape(cost.arithmetic)}</span><b>{cost.number:,}</b>"
        f'<i style="width: {100 * share:.1f}%"></i></td>'
    )
