"""Calculations as they are written: whoever takes the printed numbers to a calculator gets the printed result."""

from collections.abc import Callable, Sequence

from pages.figures.calculator import MOST, digits_for
from pages.ui.text import number


def worked(rule: Callable[..., float], parts: Sequence[float], result: float, digits: int = 4) -> list[str]:
    """The parts, with no more digits than it takes that `rule` of them as printed is the result; and the result."""
    more = digits_for(parts, result, rule, digits)
    return [*(number(part, more) for part in parts), number(result, digits)]


def decimals_for(rule: Callable[..., float], rows: Sequence[Sequence[float]], places: int) -> int:
    """As few decimals for the numbers of a table as give `rule` of every row, as it is written, with so many places."""

    def right(row: Sequence[float], decimals: int) -> bool:
        return f"{rule(*(round(part, decimals) for part in row)):.{places}f}" == f"{rule(*row):.{places}f}"

    return next((d for d in range(places, MOST) if all(right(row, d) for row in rows)), MOST)


def significant(shown: str) -> int:
    """The digits of a number as `number` writes it, without leading and lost zeros."""
    return max(len(shown.split("e")[0].replace(".", "").lstrip("−0")), 1)
