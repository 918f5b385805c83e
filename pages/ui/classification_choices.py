"""The sidebar of the classification page: sentence, weights, and the language that was learned."""

import re
from collections.abc import Callable, Sequence
from typing import Any, get_args

import streamlit as st

from pages.figures.sentence import code
from pages.ui import cache, runs, state
from pages.ui.classified import FAMILY, Classified, Weights
from pages.ui.parts import Page
from transformer.labelled import Language

MOST_CHARACTERS = 2000
EXAMPLES, SHORT = 4, 24
TRAINED, UNTRAINED, RUN = "trained", "untrained", "run"


def ask(page: Page) -> Classified:
    """Draws the page's controls in the sidebar; their values are part of the link."""
    with st.sidebar, st.container(key="classification"):
        places = st.container(), st.container()
        weights = _weights(page)
        if not weights.of_a_run:
            with places[0]:
                language = _choice(page, "learned", f"learned_{page.language}", get_args(Language), page.language)
            weights = Weights(language, weights.run)
        with places[1]:
            typed = _sentence(page, weights)
            seen = Classified(weights, weights.tokenizer.encode(typed))
            _told(page, seen)
    return seen


def _weights(page: Page) -> Weights:
    """Bundled weights in the page's language, or those of a run in its own."""
    known, name, of_run = runs.walkable(FAMILY), f"{page.name}_model", f"{page.name}_of_run"
    link = state.recall("link")
    asked, id = link.get("model", state.get(name)), link.get("of_run", state.get(of_run) or next(iter(known), ""))
    found = _found(str(id)) if asked == RUN else None
    offered = TRAINED, UNTRAINED, *([RUN] if known else [])
    chosen = _choice(page, "weights", "model", offered, TRAINED, allowed=offered if found else offered[:2])
    if asked == RUN and not found:
        st.caption(page.words.gone)
        state.put(of_run, "")
    if chosen != RUN or found is None:
        return Weights(page.language, cache.DEMONSTRATION if chosen == TRAINED else "")
    state.put(of_run, id)
    key = page.linked("of_run", "", known.__contains__)  # no default, so that a link always names the run
    names = known.__getitem__
    st.selectbox(page.words.run, list(known), format_func=names, key=key, persist_state="session")
    return found


def _found(id: str) -> Weights | None:
    """The newest weights of the run with this id, which may come from a link; None if it has none to look at."""
    run = runs.find(id)
    try:
        if run is None or run.plan.data.family != FAMILY or (step := run.latest_step()) is None:
            return None
        weights = Weights(str(run.plan.data.language), str(run.folder), step)  # type: ignore[attr-defined]
        return weights if weights.model and weights.task else None
    except (OSError, ValueError):
        return None  # a folder that somebody has edited


def _choice(
    page: Page, label: str, name: str, codes: Sequence[str], default: str, allowed: Sequence[str] | None = None
) -> Any:
    table = getattr(page.words, f"{label}_names").table()
    return st.segmented_control(
        getattr(page.words, label),
        codes,
        format_func=table.__getitem__,
        required=True,
        key=page.linked(name, default, (allowed or codes).__contains__),
        persist_state="session",
        width="stretch",
    )


def _sentence(page: Page, weights: Weights) -> str:
    """The sentence, and examples; a learner's own sentences are their own examples."""
    words, language = page.words, weights.language
    if language in get_args(Language):
        presets: dict[str, str] = words.presets.table()[language]
    else:
        presets = {_short(s.example.text): s.example.text for s in weights.task.held_out[:EXAMPLES]}
    example = f"{page.name}_example_{language}"
    key = page.linked(f"text_{language}", next(iter(presets.values()))[:MOST_CHARACTERS], _is_text)
    typed = st.text_area(
        words.sentence,
        key=key,
        height=100,
        placeholder=words.invite,
        max_chars=MOST_CHARACTERS,
        persist_state="session",
    )
    choose = _taker(key, example, presets)
    st.pills(words.examples, list(presets), key=example, on_change=choose, label_visibility="collapsed")
    return str(typed)


def _told(page: Page, seen: Classified) -> None:
    """Which words are unknown, and how much of the sentence does not fit."""
    length, total = len(seen.read), len(seen.sentence)
    if seen.unknown:
        st.caption(page.words.unknown.format(words=" ".join(map(code, seen.unknown))))
    if length < total:
        st.caption(page.words.left_out.format(length=length, total=total, left_out=total - length))


def _short(sentence: str) -> str:
    """A sentence as the label of a button: its beginning."""
    return sentence if len(sentence) <= SHORT else f"{sentence[: SHORT - 1].rstrip()}…"


def _is_text(value: Any) -> bool:
    """Whether the field can show it, and a link carry it: whole characters, and not too many."""
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS and not re.search(r"[\ud800-\udfff]", value)


def _taker(key: str, example: str, presets: dict[str, str]) -> Callable[[], None]:
    """What a chosen example does: its sentence takes the place of the typed one."""

    def take() -> None:
        if state.get(example) is not None:
            state.put(key, presets[state.get(example)][:MOST_CHARACTERS])
            state.put(example, None)

    return take
