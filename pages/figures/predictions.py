"""What a model would say next, as tables of tokens: pure HTML, every text escaped. They need `STYLE` on the page."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

STYLE: Final = Path(__file__).with_name("predictions.css")
LEAST_WRITTEN: Final = 0.001
ROOMY: Final = 6
"""So few lines of a lens can be twice as high."""
FITS: Final = 0.4
"""Of the longest bar: a name has room beside a bar that is no longer, and needs a place of its own beside others."""


class Layer(NamedTuple):
    """What the model would say if it stopped here.

    guesses: (token, probability, whether it is the true next one), likeliest first. next: the true next token's
    probability and how its rank is written; None where nobody knows it.
    """

    name: str
    guesses: Sequence[tuple[str, float, bool]]
    next: tuple[float, str] | None


class Candidate(NamedTuple):
    """A possible next token: its rank as written, its text, its logit, exp(logit − maximum), its probability."""

    rank: str
    token: str
    logit: str
    exponential: str
    probability: float
    true: bool


def percent(share: float) -> str:
    """A share with one decimal: "42.3%", "0.2%", "<0.1%"."""
    return "<0.1%" if share < LEAST_WRITTEN else f"{100 * share:.1f}%"


def lens(layers: Sequence[Layer], heads: tuple[str, str, str], tokens: tuple[str, str] = ("", "")) -> str:
    """A line for each layer: its likeliest guesses, each filled as far as its probability, and the true next token.

    heads: over the layers, over the guesses, over the true next token; {token} in the last two stands for one of `tokens`.
    """
    most = len(layers[0].guesses)
    asked, true = (escape(name).format(token=_chip(token)) for name, token in zip(heads[1:], tokens, strict=True))
    head = f'<th>{escape(heads[0])}</th><th colspan="{most}">{asked}</th>'
    if layers[0].next:
        head += f'<th class="next"><i></i>{true}</th>'
    kind = "lens roomy" if len(layers) <= ROOMY else "lens"
    return _table(kind, head, map(_layer, layers), len(layers))


def _chip(token: str) -> str:
    """A token among words."""
    return f"<code>{escape(token)}</code>"


def _layer(layer: Layer) -> str:
    guesses = "".join(
        f'<td class="guess"><span class="{"true" if true else "other"}" style="--share: {100 * share:.1f}%">'
        f'<span class="piece">{escape(token)}</span><small>{escape(percent(share))}</small></span></td>'
        for token, share, true in layer.guesses
    )
    if not layer.next:
        return f"<th>{escape(layer.name)}</th>{guesses}"
    share, rank = layer.next
    told = f"{escape(percent(share))} <small>{escape(rank)}</small>"
    return f'<th>{escape(layer.name)}</th>{guesses}<td class="next">{told}</td>'


def ranking(candidates: Sequence[Candidate], heads: Sequence[str], true: str = "") -> str:
    """The head of the list, a bar for each probability; heads: over its five columns. The true next token is lit.

    true: what is written beside its bar.
    """
    head = "".join(
        f'<th class="{kind}">{escape(text)}</th>'
        for kind, text in zip(("rank", "token", "number", "number", "number"), heads, strict=True)
    )
    most = max(candidate.probability for candidate in candidates)
    lines = [_candidate(candidate, most, true) for candidate in candidates]
    long = any(candidate.true and candidate.probability > FITS * most for candidate in candidates)
    return _table(
        "ranking named" if true and long else "ranking", head + '<th class="bar"></th>', lines, len(candidates)
    )


def _candidate(candidate: Candidate, most: float, true: str) -> str:
    lit = " true" if candidate.true else ""
    name = f"<small>{escape(true)}</small>" if candidate.true else ""
    numbers = (candidate.logit, candidate.exponential, percent(candidate.probability))
    return (
        f'<td class="rank">{escape(candidate.rank)}</td><td class="piece{lit}">{escape(candidate.token)}</td>'
        + "".join(f'<td class="number">{escape(number)}</td>' for number in numbers)
        + f'<td class="bar{lit}"><i style="width: {100 * candidate.probability / most:.1f}%"></i>{name}</td>'
    )


def _table(kind: str, head: str, lines: Iterable[str], count: int) -> str:
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    high = f"clamp(1.55rem, calc((100vh - 20.5rem) / {count + 1}), var(--most, 7.4rem))"
    return f'<table class="predictions {kind}" style="--row: {high}"><thead>{head}</thead><tbody>{rows}</tbody></table>'
