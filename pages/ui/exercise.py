"""The sidebar of the smallest attention there is: its words and matrices as text, and how it is to learn."""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple, TypeVar

import streamlit as st
import torch

from pages.ui import state
from pages.ui.desk import Control, Line
from pages.ui.page_desk import linked_control, page_desk
from pages.ui.parts import Page
from pages.ui.stepper import stepper
from transformer.lessons.single_head import Exercise, Rows
from transformer.lessons.written import NotUnderstood, Sentence, read_matrix, read_related, read_sentence, written

WIDTH, MOST_STEPS, MOST_SEED = 3, 200, 9999
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
    words = page.words.asked
    steps = _steps(page)
    scaled = linked_control(page.name, "switch", "divided", words.divided, True)
    rate = linked_control(page.name, "slider", "rate", words.rate, 0.05, RATES)
    learned, learned_lines = field(page, "words", WORDS, partial(read_sentence, width=WIDTH))
    sentences, related_lines = field(page, "related", RELATED, partial(read_related, width=WIDTH))
    start, start_lines = _matrices(page)
    target, target_lines = _target(page, len(learned))
    seen = [*related_lines, *start_lines] if related else [*learned_lines, *start_lines, *target_lines]
    page_desk([[scaled], [rate], *seen], changed=partial(_draw_anew, page))
    divisor = math.sqrt(WIDTH) if scaled.value else 1.0
    exercise = Exercise(tuple(row for _, row in learned), target, start, divisor)
    return Asked(learned, sentences, exercise, rate.value, steps)


def field(page: Page, name: str, text: str, read: Callable[[str], Read]) -> tuple[Read, list[Line]]:
    """What a field says, and the field. While it cannot be read, a sentence below says why, and what was read before stays in force.

    The page's words have its label, `asked.<name>`, and under `asked.faults` a sentence with {found}, {line} and {wanted} for
    every `transformer.lessons.written.Fault`.
    """
    words, told = page.words.asked, ""
    typed = linked_control(page.name, "numbers", name, words.get(name, name), text)
    try:
        state.remember(typed.name, read(typed.value))
    except NotUnderstood as fault:
        told = getattr(words.faults, fault.fault).format(found=fault.found, line=fault.line, wanted=fault.wanted)
    understood: Read | None = state.recall(typed.name)
    lines: list[Line] = [[typed], [Control("alert", f"{name}_fault", value=told)]]
    return read(text) if understood is None else understood, lines


def _steps(page: Page) -> int:
    """The number of steps, with its buttons."""
    words, key = page.words.asked, page.linked("steps", 0, range(MOST_STEPS + 1).__contains__)
    buttons = [(1, words.one), (10, words.ten), (0, words.back)]
    with st.sidebar:
        keep = partial(state.put, key)
        stepper(words.steps, state.get(key), MOST_STEPS, buttons, key=f"{page.name}_stepper", on_change=keep)
    return int(state.get(key))


def _matrices(page: Page) -> tuple[tuple[Rows, Rows, Rows], list[Line]]:
    """Wq, Wk and Wv before the first step, typed or from a seed."""
    words, reader = page.words.asked, partial(read_matrix, width=WIDTH, height=WIDTH)
    texts = drawn(SEED, SPREADS[0])
    wq, wk, wv = (field(page, name, text, reader) for name, text in zip(NAMES, texts, strict=True))
    seed, spread = _source(page)
    draws = [
        Control("number", f"{page.name}_seed", words.seed, seed, range(MOST_SEED + 1)),
        Control("select", f"{page.name}_spread", words.spread, spread, [(number, f"{number:g}") for number in SPREADS]),
    ]
    return (wq[0], wk[0], wv[0]), [*wq[1], *wk[1], *wv[1], draws]


def _source(page: Page) -> tuple[int, float]:
    """The seed, and the size of the numbers that are drawn from it."""
    seed, spread = state.get(f"{page.name}_seed"), state.get(f"{page.name}_spread")
    return SEED if seed is None else seed, SPREADS[0] if spread is None else spread


def _draw_anew(page: Page, changed: str) -> None:
    """Writes numbers from a seed that was changed into the fields, and goes back to the start."""
    if changed not in (f"{page.name}_seed", f"{page.name}_spread"):
        return
    for name, text in zip(NAMES, drawn(*_source(page)), strict=True):
        state.put(f"{page.name}_{name}", text)
    state.put(f"{page.name}_steps", 0)


@cache
def drawn(seed: int, spread: float) -> list[str]:
    """Wq, Wk and Wv from a seed as they are written: numbers of two decimals, normal, with this deviation."""
    numbers = torch.randn(len(NAMES), WIDTH, WIDTH, generator=torch.Generator().manual_seed(seed)) * spread
    return [written(matrix) for matrix in numbers.double().round(decimals=2).tolist()]


def _target(page: Page, count: int) -> tuple[Rows, list[Line]]:
    """A row for each word: those that are too many are left out, those that are missing are zeros."""
    rows, lines = field(page, "target", TARGET, partial(read_matrix, width=WIDTH))
    return rows[:count] + ((0.0,) * WIDTH,) * (count - len(rows)), lines
