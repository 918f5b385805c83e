"""A sentence whose tokens wear their weights: labels and a style sheet for a row of buttons, one for each token."""

import re
from collections import Counter
from collections.abc import Sequence

from torch import Tensor

from pages.figures.palette import CHALK, INK, SEQUENTIAL, Theme

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
BRIGHT = 0.22  # relative luminance above which dark ink stands out more


def literal(token: str) -> str:
    """Markdown that shows a token as it is."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", token)


def code(token: str) -> str:
    """Markdown that shows a token as code, back quotes and all."""
    fence = "`" * (max(map(len, re.findall("`+", token)), default=0) + 1)
    pad = " " if "`" in token else ""
    return f"{fence}{pad}{token}{pad}{fence}"


def distinct(labels: Sequence[str]) -> list[str]:
    """Labels of which no two are alike: a repeated one is followed by its place, as in a matrix's card.

    A browser reports a clicked button by its label alone.
    """
    counts = Counter(labels)
    return [label + str(n).translate(SUBSCRIPTS) if counts[label] > 1 else label for n, label in enumerate(labels)]


CSS_LESS = r"\3C "  # a "<" as such would end a style sheet inside a page


def percent(weight: float) -> str:
    """A weight as people say it: "42%", "<1%"."""
    return "<1%" if 0 < weight < 0.005 else f"{100 * weight:.0f}%"


def shades(place: str, weights: Tensor, hidden: Tensor, theme: Theme) -> str:
    """CSS that gives the n-th button inside `place` the n-th weight: its colour, its letters' colour, its percentage.

    weights: (T,), 0 … 1. hidden: (T,) bool, True for tokens that may not be looked at; they stay blank.
    """
    looks = (
        "--shade: transparent; --letters: var(--muted); --share: '–'" if blank else _look(weight, theme)
        for weight, blank in zip(weights.tolist(), hidden.tolist(), strict=True)
    )
    return "".join(f"{place} button:nth-of-type({n}) {{{look}}}" for n, look in enumerate(looks, 1))


def _look(weight: float, theme: Theme) -> str:
    shade = _shade(weight, theme)
    letters = INK if _luminance(shade) > BRIGHT else CHALK
    share = percent(weight).replace("<", CSS_LESS)
    return f"--shade: #{bytes(shade).hex()}; --letters: {letters}; --share: '{share}'"


def _shade(weight: float, theme: Theme) -> tuple[int, ...]:
    """A weight's place on the ramp, as red, green and blue."""
    ramp = [bytes.fromhex(stop[1:]) for stop in SEQUENTIAL[theme]]
    place = min(max(weight, 0.0), 1.0) * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    return tuple(round(a + (place - low) * (b - a)) for a, b in zip(ramp[low], ramp[low + 1], strict=True))


def _luminance(color: tuple[int, ...]) -> float:
    """Relative luminance (WCAG 2): 0 is black, 1 is white."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (c / 255 for c in color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
