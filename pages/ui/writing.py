"""How the next token is chosen, as controls on one line; and the text that a visitor has a model write."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import streamlit as st

from pages.ui import state
from pages.ui.cache import Source
from pages.ui.lesson import Lesson
from pages.ui.parts import Page
from transformer.sampling import Writing, generate

TEMPERATURES = (0.0, 0.01, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0)
TOP_KS = (1, 2, 3, 5, 10, 20, 40, 100, 1_000, 10_000, 1_000_000)
TOP_PS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99, 1.0)
MOST_SEED = 9_999
MOST = 48
"""Tokens that are written before it ends by itself."""


@dataclass(frozen=True)
class Settings:
    """What `transformer.sampling.distribution` takes."""

    temperature: float
    top_k: int
    top_p: float


class Asked(NamedTuple):
    """What a text depends on. prompt: the tokens that it begins with."""

    source: Source
    prompt: tuple[int, ...]
    settings: Settings
    seed: int


def ask(page: Page) -> Settings:
    """Draws the settings and the button that starts and stops the text; all are part of the link."""
    with st.container(key="sampling", horizontal=True):
        settings = Settings(
            _choose(page, "temperature", TEMPERATURES, 0.8),
            _choose(page, "top_k", TOP_KS, 40),
            _choose(page, "top_p", TOP_PS, 0.95),
        )
        key = page.linked("draw", 0, range(MOST_SEED + 1).__contains__)
        label = page.words.settings.seed
        seed = st.number_input(label, 0, MOST_SEED, key=key, persist_state="session", width=110)
        _start_or_stop(page, settings, int(seed))
    return settings


def _choose(page: Page, name: str, options: Sequence[float], default: float) -> Any:
    key = page.linked(name, default, options.__contains__)
    label = f"{getattr(page.words.settings, name)} · {state.get(key):,.10g}"
    return st.select_slider(label, options, key=key, format_func="{:,.10g}".format, persist_state="session")


def current() -> Writing | None:
    """The text, if one was begun."""
    writing: Writing | None = state.recall("writing")
    return writing


def picked(count: int) -> int:
    """Which of so many tokens is picked; the newest, until one is."""
    return min(int(state.recall("picked_token", MOST)), max(count - 1, 0))


def pick(place: int) -> None:
    """Picks a token of the text."""
    state.remember("picked_token", place)


def asked_of(writing: Writing) -> Asked:
    """What a text was written for."""
    assert isinstance(writing.asked, Asked)
    return writing.asked


def keep_while_walked(tokens: tuple[int, ...]) -> None:
    """Keeps the text while these tokens, with which it begins, are the sentence that every page walks."""
    if writing := current():
        state.remember("walked", asked_of(writing)._replace(prompt=tokens))


def prompt_of(lesson: Lesson) -> tuple[int, ...]:
    """The tokens that the text begins with: the pictured row's."""
    return tuple(lesson.pictured[0].tolist())


def _start_or_stop(page: Page, settings: Settings, seed: int) -> None:
    """A text that nobody stopped is written anew when something it depends on has changed."""
    asked = Asked(page.lesson.source, prompt_of(page.lesson), settings, seed)

    def begin() -> None:
        forbidden = page.lesson.tokenizer.undecodable
        steps = generate(
            page.lesson.model, asked.prompt, max_tokens=MOST, seed=seed, forbidden=forbidden, **asdict(settings)
        )
        state.remember("writing", Writing(asked, steps))
        state.remember("walked", None)
        pick(MOST)

    writing = current()
    if writing and asked not in (writing.asked, state.recall("walked")):
        state.remember("writing", None)
        if not writing.stopped:
            begin()
        writing = current()
    if writing and writing.going:
        st.button(page.words.stop, key="stop", on_click=writing.stop)
    else:
        st.button(page.words.again if writing else page.words.write, key="write", type="primary", on_click=begin)
