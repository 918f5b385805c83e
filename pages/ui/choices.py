"""What can be chosen on every page, and how an impossible choice is repaired. Plain values: nothing here draws."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote_plus

from transformer import ModelConfig
from transformer.config import divisors

LANGUAGES = ("en", "zh")
WEIGHTS = ("demonstration", "random", "run")
VOCABULARIES = ("cl100k_base", "r50k_base", "compact", "characters")
CORPORA = ("persuasion", "zh_classics")
MOST_HEADS = 16
DEFAULT_SENTENCE = "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife."


@dataclass(frozen=True)
class Span:
    """A whole number that can be chosen: its limits, its step and where it starts."""

    low: int
    high: int
    default: int
    step: int = 1

    def nearest(self, number: int) -> int:
        """The value on the scale that is nearest to a number."""
        inside = min(max(number, self.low), self.high)
        return self.low + (inside - self.low + self.step // 2) // self.step * self.step


SPANS = {
    "d_model": Span(8, 512, 64, 8),
    "blocks": Span(1, 12, 4),
    "context": Span(8, 128, 16),
    "batch": Span(1, 8, 4),
    "seed": Span(0, 9999, 0),
}
CODES: dict[str, Sequence[str]] = {
    "lang": LANGUAGES,
    "weights": WEIGHTS,
    "vocab": VOCABULARIES,
    "corpus": CORPORA,
}
PLACES = ("block", "head", "row")  # what is looked at, counted from one, as people do
PICKED = ("query", "key", "dim")  # the cell picked in a picture, counted from zero, as in the matrix
MOST_NUMBER = 9999
DEFAULTS: dict[str, Any] = {
    **{name: span.default for name, span in SPANS.items()},
    **{name: codes[0] for name, codes in CODES.items()},
    **dict.fromkeys(PLACES, 1),
    **dict(zip(PICKED, (7, 4, 2), strict=True)),
    "heads": 4,
    "text": DEFAULT_SENTENCE,
    "run": "",  # its id, where weights is "run"
    "hall": False,
}


MOST_LINK = 50_000  # bytes; a server refuses a request line of 65,536


class Repair(NamedTuple):
    """A choice that was asked for and could not be given: its name, what was asked, what is shown instead."""

    name: str
    asked: str
    shown: str


def heads_for(d_model: int) -> list[int]:
    """The head counts that can be chosen at this width."""
    return [heads for heads in divisors(d_model) if heads <= MOST_HEADS]


def possible(
    asked: Mapping[str, Any], trained: Callable[[str, str], ModelConfig | None]
) -> tuple[dict[str, Any], list[Repair]]:
    """Every choice made possible, and what had to be repaired for it.

    asked: all choices of DEFAULTS, as values or as a link's text. trained: the sizes that such weights of such a run impose;
    None if they impose none.
    """
    shown: dict[str, Any] = {"text": _whole(str(asked["text"])), "hall": _truth(asked["hall"])}
    for name, codes in CODES.items():
        shown[name] = asked[name] if asked[name] in codes else codes[0]
    shown["run"] = str(asked["run"])
    imposed = trained(shown["weights"], shown["run"])
    if shown["weights"] == "run" and imposed is None:
        shown["weights"], shown["run"] = WEIGHTS[0], ""
        imposed = trained(WEIGHTS[0], "")
    for name, span in SPANS.items():
        shown[name] = span.nearest(_number(asked[name], span.default))
    offered, heads = heads_for(shown["d_model"]), max(_number(asked["heads"], DEFAULTS["heads"]), 1)
    shown["heads"] = max(number for number in offered if number <= heads)
    limits = {"block": shown["blocks"], "head": shown["heads"], "row": shown["batch"]}
    if imposed is not None:
        shown["context"] = min(shown["context"], imposed.context_length)
        limits |= {"block": imposed.num_blocks, "head": imposed.num_heads}
    for name, most in limits.items():
        shown[name] = min(max(_number(asked[name], 1), 1), most)
    for name in PICKED:
        shown[name] = min(max(_number(asked[name], DEFAULTS[name]), 0), MOST_NUMBER)
    repairs = [
        Repair(name, str(asked[name]), str(value).lower() if isinstance(value, bool) else str(value))
        for name, value in shown.items()
        if _differ(asked[name], value) and not (name == "weights" and shown["run"] != str(asked["run"]))
    ]
    return shown, repairs


def _whole(text: str) -> str:
    """Text that a link can carry: without halves of characters (lone surrogates), and not longer than servers take."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    while len(quote_plus(text)) > MOST_LINK:
        text = text[: len(text) * MOST_LINK // len(quote_plus(text))]
    return text


def _number(asked: Any, otherwise: int) -> int:
    """A whole number from a value or from a link's text, which can be anything."""
    try:
        return min(max(int(str(asked)), -MOST_NUMBER), MOST_NUMBER)
    except ValueError:
        return otherwise


def _truth(asked: Any) -> bool:
    return str(asked).lower() in ("true", "1")


def _differ(asked: Any, shown: Any) -> bool:
    if isinstance(shown, bool):
        return str(asked).lower() not in ("true", "false", "1", "0")
    return str(asked) != str(shown)
