"""The sidebar of the smallest attention there is: its words and matrices as text, and how it is to learn."""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import streamlit as st
import torch

from pages.ui import state
from pages.ui.parts import Page
from pages.ui.slider import slider
from pages.ui.stepper import stepper
from transformer.single_head import Exercise, Rows
from transformer.written import NotUnderstood, Sentence, read_matrix, read_related, read_sentence, written

WIDTH, MOST_STEPS = 3, 200
NAMES = ("Wq", "Wk", "Wv")
RATES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
SPREADS = (0.1, 0.2, 0.5, 1.0)
WORDS = "I 1 2 3\nlove 4 5 6\ncats 7 8 9"
RELATED = "apple 5 5 1\nfruit 9 1 1\n\napple\nInc. 1 9 1"
TARGET = "1 0 0\n0.5 0.5 0\n0 1 0"
SEED = 10  # from here the loss falls at every step

Read = TypeVar("Read")


class Asked(NamedTuple):
    """What the sidebar asks for.

    learned: the sentence that is learned from. related: sentences that share a word. exercise: numbers and target.
    rate: the learning rate. steps: how many are taken.
    """

    learned: Sentence
    related: Sequence[Sentence]
    exercise: Exercise
    rate: float
    steps: int


def ask(page: Page, related: bool) -> Asked:
    """Draws the fields, which are part of the link; `page.words.asked` has their labels. related: whether those of the related sentences are seen."""
    with st.container(key="written"):
        divisor, rate, steps = _learning(page)
        learned, sentences = _sentences(page, related)
        start = _matrices(page)
        target = _target(page, related, len(learned))
    return Asked(learned, sentences, Exercise(tuple(row for _, row in learned), target, start, divisor), rate, steps)


def field(page: Page, name: str, text: str, read: Callable[[str], Read], *, seen: bool = True) -> Read:
    """What a field says, seen or not. While it cannot be read, a sentence below says why, and what was read before stays in force.

    The page's words have its label, `asked.<name>`, and under `asked.faults` a sentence with {found}, {line} and {wanted} for
    every `transformer.written.Fault`.
    """
    words, key = page.words.asked, page.linked(name, text, lambda typed: isinstance(typed, str))
    typed = str(state.get(key))
    if seen:
        typed = st.text_area(words.get(name, name), key=key, persist_state="session", height="content")
    try:
        state.remember(key, read(typed))
    except NotUnderstood as fault:
        if seen:
            told: str = getattr(words.faults, fault.fault)
            st.error(told.format(found=fault.found, line=fault.line, wanted=fault.wanted))
    understood: Read | None = state.recall(key)
    return read(text) if understood is None else understood


def _learning(page: Page) -> tuple[float, float, int]:
    """What scores are divided by, the learning rate, and the number of steps with its buttons."""
    words = page.words.asked
    divided = page.linked("divided", True, lambda chosen: isinstance(chosen, bool))
    scaled = st.toggle(words.divided, key=divided, persist_state="session")
    rate = slider(page, "rate", words.rate, RATES, 0.05)
    key = page.linked("steps", 0, range(MOST_STEPS + 1).__contains__)
    buttons = [(1, words.one), (10, words.ten), (0, words.back)]
    keep = partial(state.put, key)
    stepper(words.steps, state.get(key), MOST_STEPS, buttons, key=f"{page.name}_stepper", on_change=keep)
    return math.sqrt(WIDTH) if scaled else 1.0, rate, int(state.get(key))


def _sentences(page: Page, related: bool) -> tuple[Sentence, list[Sentence]]:
    """The sentence that is learned from, and those that share a word; one of the two fields is seen."""
    learned = field(page, "words", WORDS, partial(read_sentence, width=WIDTH), seen=not related)
    return learned, field(page, "related", RELATED, partial(read_related, width=WIDTH), seen=related)


def _matrices(page: Page) -> tuple[Rows, Rows, Rows]:
    """Wq, Wk and Wv before the first step, typed or from a seed."""
    words, reader = page.words.asked, partial(read_matrix, width=WIDTH, height=WIDTH)
    wq, wk, wv = (field(page, name, text, reader) for name, text in zip(NAMES, drawn(SEED, SPREADS[0]), strict=True))

    def draw_anew() -> None:
        seed, spread = state.get(f"{page.name}_seed"), state.get(f"{page.name}_spread")
        for name, text in zip(NAMES, drawn(seed, spread), strict=True):
            state.put(f"{page.name}_{name}", text)
        state.put(f"{page.name}_steps", 0)

    with st.container(key="draw", horizontal=True):
        kept: dict[str, Any] = {"on_change": draw_anew, "persist_state": "session"}
        st.number_input(words.seed, 0, 9999, SEED, key=f"{page.name}_seed", **kept)
        st.selectbox(words.spread, SPREADS, key=f"{page.name}_spread", **kept)
    return wq, wk, wv


@cache
def drawn(seed: int, spread: float) -> list[str]:
    """Wq, Wk and Wv from a seed as they are written: numbers of two decimals, normal, with this deviation."""
    numbers = torch.randn(len(NAMES), WIDTH, WIDTH, generator=torch.Generator().manual_seed(seed)) * spread
    return [written(matrix) for matrix in numbers.double().round(decimals=2).tolist()]


def _target(page: Page, related: bool, count: int) -> Rows:
    """A row for each word: those that are too many are left out, those that are missing are zeros."""
    rows = field(page, "target", TARGET, partial(read_matrix, width=WIDTH), seen=not related)
    return rows[:count] + ((0.0,) * WIDTH,) * (count - len(rows))
