"""The one door to what a person has chosen: session state, the URL, and the repair of impossible values.

Every choice is a widget bound to the URL. Choices whose visible control is translated, or that are made by clicking in a
picture, have a hidden widget that carries their code (`carry`), so that a link means the same in every language.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import streamlit as st

from transformer.config import divisors

LANGUAGES = ("en", "zh")
WEIGHTS = ("demonstration", "random")
VOCABULARIES = ("cl100k_base", "r50k_base", "compact", "characters")
CORPORA = ("persuasion", "zh_classics")
DEFAULT_SENTENCE = "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife."


@dataclass(frozen=True)
class Span:
    """A whole number that can be chosen: its limits, its step and where it starts."""

    low: int
    high: int
    default: int
    step: int = 1

    def repair(self, value: int) -> int:
        """The nearest value on the scale."""
        value = min(max(value, self.low), self.high)
        return self.low + round((value - self.low) / self.step) * self.step


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
SELECTED = {"block": 1, "head": 1, "row": 1}  # counted from one, as people do
PICKED = {
    "query": 7,
    "key": 4,
    "dim": 2,
}  # tokens and dimension picked in a picture, counted from zero as in the matrix
MOST_HEADS = 16


class Repair(NamedTuple):
    """A value that was asked for and could not be given: the choice's name, what was asked, what is shown instead."""

    name: str
    asked: str
    shown: str


def heads_for(d_model: int) -> list[int]:
    """The head counts that can be chosen at this width."""
    return [heads for heads in divisors(d_model) if heads <= MOST_HEADS]


def get(name: str) -> Any:
    """The current value of a choice, or its default before its widget was drawn."""
    return st.session_state.get(name, default(name))


def put(name: str, value: Any) -> None:
    """Changes a choice; to be called before its widget is drawn, or in a callback."""
    st.session_state[name] = value


def default(name: str) -> Any:
    """What a choice is when nothing was chosen."""
    if name in SPANS:
        return SPANS[name].default
    if name in CODES:
        return CODES[name][0]
    return {"text": DEFAULT_SENTENCE, "heads": 4, "hall": False, **SELECTED, **PICKED}[name]


def carry(names: Iterable[str]) -> None:
    """Draws the hidden widgets that keep codes and picked cells in the URL."""
    with st.container(key="carriers"):
        for name in names:
            if name in CODES:
                st.text_input(name, default(name), key=name, bind="query-params")
            else:
                st.number_input(name, 0, None, default(name), key=name, bind="query-params")


def view_of(name: str, key: str) -> Callable[[], None]:
    """Lets a visible, translated control show a carried choice; returns the callback that writes it back."""
    put(key, get(name))
    return lambda: put(name, st.session_state[key])


def component_value(key: str, name: str) -> Any:
    """What a component reported under `name`; None when it reported nothing."""
    return getattr(st.session_state.get(key), name, None)


def remember(name: str, value: Any) -> None:
    """Keeps something that is no control and no link, for this visit only."""
    st.session_state[f"_{name}"] = value


def recall(name: str, otherwise: Any = None) -> Any:
    """What `remember` kept."""
    return st.session_state.get(f"_{name}", otherwise)


def read_link() -> list[Repair]:
    """Takes over a link's values at the first run of a visit; impossible ones are repaired and reported."""
    if recall("link_read", False):
        return []
    remember("link_read", True)
    repairs = []
    for name, asked in st.query_params.to_dict().items():
        shown = _possible(name, asked)
        if shown is None:
            continue
        if str(shown) != asked:
            repairs.append(Repair(name, asked, str(shown)))
        put(name, shown)
    return repairs


def _possible(name: str, asked: str) -> int | str | bool | None:
    """The value nearest to what a link asked for; None if the name is no choice of ours or text that anything can be."""
    if name in CODES:
        return asked if asked in CODES[name] else str(default(name))
    if name == "hall":
        return asked.lower() in ("true", "1")
    if name not in {*SPANS, *SELECTED, *PICKED, "heads"}:
        return None
    number = int(asked) if asked.lstrip("-").isdecimal() and len(asked) < 9 else default(name)
    if name in SPANS:
        return SPANS[name].repair(number)
    return max(number, 0 if name in PICKED else 1)


def clamp(name: str, low: int, high: int) -> list[Repair]:
    """Keeps a choice inside limits that another choice moved."""
    asked = get(name)
    if low <= asked <= high:
        return []
    put(name, min(max(asked, low), high))
    return [Repair(name, str(asked), str(get(name)))]


def clamp_heads(d_model: int) -> list[Repair]:
    """Keeps the number of heads a divisor of d_model."""
    asked = get("heads")
    if asked in heads_for(d_model):
        return []
    put("heads", max(heads for heads in heads_for(d_model) if heads <= max(asked, 1)))
    return [Repair("heads", str(asked), str(get("heads")))]


Theme = Literal["light", "dark"]


def theme() -> Theme:
    """The theme that the browser shows now."""
    return "dark" if st.context.theme.type == "dark" else "light"
