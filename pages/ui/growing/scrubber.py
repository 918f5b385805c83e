"""Choosing a run, two of its moments and a token, and drawing pictures of the two moments beside each other."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.figures.sentence import code
from pages.ui import state, text
from pages.ui.desk import Control
from pages.ui.growing.grown import BUNDLED, Grown, Moment, offered
from pages.ui.page_desk import linked_control, page_desk
from pages.ui.parts import Page, Proof


class Explained(NamedTuple):
    """What a view ends with: the function that made its numbers, its trace and fields of it, and the proof."""

    source: Callable[..., Any]
    trace: Any
    fields: list[str]
    proof: Proof


class Shown(NamedTuple):
    """A model at two moments.

    Attributes:
        labels: the sentence's tokens as they are written.
        place: the token that is asked about, counted from zero.
        line: where a view's own controls stand, beside the scrubber.
        space: what a lone space is called.
    """

    grown: Grown
    before: Moment
    after: Moment
    labels: list[str]
    place: int
    line: DeltaGenerator
    space: str

    @property
    def token(self) -> int:
        """The id of that token."""
        return int(self.after.tokens[0, self.place])

    def label(self, token: int) -> str:
        """A token id as it is written."""
        return text.token(self.grown.tokenizer.piece(token), self.space)


def choose_run(page: Page) -> Grown:
    """The run that is looked at; if a link names one that is not there, that is said, and the bundled one shown."""
    found = offered()
    otherwise = state.get("run") if state.get("run") in found else BUNDLED
    asked = state.recall("link").get("grown", otherwise)
    names = {id: name or page.words.bundled for id, (_, name) in found.items()}
    chosen = linked_control(page.name, "select", "grown", page.words.run, otherwise, names)
    if asked not in found:
        st.warning(page.words.gone.format(id=code(asked)))
    told = ""
    try:
        grown = Grown.of(found[chosen.value][0])
        told = _counted(page, grown)
    finally:  # another run can be chosen even if this one cannot be read
        page_desk([[chosen], [Control("note", "counted", value=told)]])
    return grown


def _counted(page: Page, grown: Grown) -> str:
    """How much of the sentence is read."""
    tokens, total = grown.read(state.get("text"))
    length = tokens.size(1)
    told: str = page.frame.walked if length == total else page.frame.left_out
    return told.format(length=length, total=total, left_out=total - length)


def scrub(page: Page, grown: Grown, asks: bool) -> Shown:
    """Two moments of a run, and the token that is asked about: the last, unless the view `asks`."""
    tokens, _ = grown.read(state.get("text"))
    labels = [text.token(grown.tokenizer.piece(token), page.words.space) for token in tokens[0].tolist()]
    line = st.container(key="scrubber", horizontal=True)
    with line:
        after, before = _step(page, grown), _other_step(page, grown)
        place = _token(page, labels) if asks else len(labels) - 1
    return Shown(
        grown, Moment(grown, before, tokens), Moment(grown, after, tokens), labels, place, line, page.words.space
    )


def _step(page: Page, grown: Grown) -> int:
    """The scrubber."""
    steps, words = grown.steps, page.words
    key = page.linked("step", steps[-1], steps.__contains__)
    if len(steps) == 1:
        st.markdown(words.only.format(step=named(steps[0])))
        return steps[0]
    told = words.step.format(step=named(state.get(key)), last=named(grown.plan.training.max_steps))
    chosen = st.select_slider(told, steps, format_func=named, key=key, persist_state="session")
    return int(chosen)


def _other_step(page: Page, grown: Grown) -> int:
    """The moment that stands beside it."""
    steps = grown.steps
    key = page.linked("beside", steps[0], steps.__contains__)
    chosen = st.selectbox(
        page.words.beside,
        steps,
        format_func=lambda step: page.words.against.format(step=named(step)),
        key=key,
        persist_state="session",
        label_visibility="collapsed",
        width=165,
    )
    return int(chosen)


def _token(page: Page, labels: list[str]) -> int:
    """A token, remembered as counted from the last: the last one stays so when the sentence changes.

    As long as none is chosen, it is the one that the walk looks at.
    """
    last = len(labels) - 1
    usual = last - _walked(page, labels)
    key = f"{page.name}_back"
    if state.get(key) == state.recall("usual_back", usual):
        state.put(key, usual)
    state.remember("usual_back", usual)
    page.linked("back", usual, range(len(labels)).__contains__)
    back = st.selectbox(
        page.words.token,
        range(last, -1, -1),
        format_func=lambda back: f"{last - back}: {labels[last - back]}",
        key=key,
        persist_state="session",
        label_visibility="collapsed",
        width=170,
    )
    return last - int(back)


def _walked(page: Page, labels: list[str]) -> int:
    """The place of the token that the walk looks at; the last but one, whose next is known, where this run has none alike."""
    piece, place = page.lesson.tokenizer.piece, state.get("query")
    ids = page.lesson.sentence.ids[: place + 1]
    own = [text.token(piece(id), page.words.space) for id in ids]
    alike = [at for at, label in enumerate(labels) if label == own[-1]]
    nth = own.count(own[-1]) - 1
    return alike[nth] if len(ids) > place and nth < len(alike) else max(0, len(labels) - 2)


def named(step: int) -> str:
    """A step as it is written."""
    return f"{step:,}"


def side_by_side(page: Page, shown: Shown, draw: Callable[[Moment, str], None], more: str = "") -> None:
    """The same picture of both moments, each under its step; `draw` is told which one, and a key for it.

    more: what stands after each step, in Markdown.
    """
    with st.container(key="pictures"):
        for column, moment, key in zip(st.columns(2), (shown.before, shown.after), ("before", "after"), strict=True):
            with column:
                st.markdown(f"###### {at(page, moment)}{more}")
                with st.container(key=f"picture_{key}"):
                    draw(moment, key)


def tell(page: Page, sentence: str) -> None:
    """The line in which one number is worked out."""
    with st.container(key="told"):
        st.markdown(text.with_terms(sentence, page.language), unsafe_allow_html=True)


def at(page: Page, moment: Moment) -> str:
    """The heading of a moment's picture."""
    return str(page.words.at.format(step=named(moment.step)))


def between(page: Page, shown: Shown) -> str:
    """The two steps as words."""
    return str(page.words.between.format(before=named(shown.before.step), after=named(shown.after.step)))
