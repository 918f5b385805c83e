"""How many digits a reader with a pocket calculator needs."""

from collections.abc import Callable, Sequence

MOST = 9  # significant digits


def digits_for(parts: Sequence[float], result: float, compute: Callable[..., float], digits: int = 4) -> int:
    """The fewest significant digits, from `digits` on, from whose rounded parts one computes the result's own `digits`."""
    for count in range(digits, MOST):
        if f"{compute(*(float(f'{part:.{count}g}') for part in parts)):.{digits}g}" == f"{result:.{digits}g}":
            return count
    return MOST
