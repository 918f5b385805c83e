"""The sidebar: the choices that all pages share, drawn once for every page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.ui import lesson, runs, state
from pages.ui.choices import CODES, SPANS, Span, heads_for
from pages.ui.lesson import Lesson
from pages.ui.text import Words
from transformer import ModelConfig


def current_sizes() -> ModelConfig:
    """The sizes in force: the trained run's or the sliders'. The vocabulary plays no part."""
    imposed = lesson.imposed_config(state.get("weights"), state.get("run"))
    return imposed or ModelConfig(
        vocab_size=1,
        context_length=SPANS["context"].high,
        d_model=state.get("d_model"),
        num_heads=state.get("heads"),
        num_blocks=state.get("blocks"),
    )


def sidebar(words: Words, wanted: str) -> Lesson:
    """Draws the controls that the page wants and reads the lesson that all of them ask for.

    wanted: as in `catalog.Entry.sidebar`. `state.settle` comes first.
    """
    looked_at = lesson.read()
    with st.sidebar:
        _translated("lang", words.languages, words.language)
        if wanted != "own":
            _sentence(words)
        if wanted == "walk":
            _walked(words, looked_at)
            _model(words)
        hall = "choose_hall"
        st.toggle(words.hall, key=hall, on_change=state.view_of("hall", hall), help=words.hall_help)
    return looked_at


def _walked(words: Words, looked_at: Lesson) -> None:
    """How much of the sentence the pictures show."""
    sentence = words.left_out if looked_at.left_out else words.walked
    if looked_at.length:
        total = looked_at.length + looked_at.left_out
        said = [sentence.format(length=looked_at.length, left_out=looked_at.left_out, total=total)]
        if any(label.startswith("⟨") for label in looked_at.labels):
            said.append(words.single_byte)
        st.caption(" ".join(said))


def _model(words: Words) -> None:
    """Weights, sizes, and the place that is looked at."""
    trained = state.get("weights") != "random"
    walkable = runs.walkable()
    _translated("weights", words.weights_names, words.weights, CODES["weights"][: 3 if walkable else 2])
    if state.get("weights") == "run":
        _run(words, walkable)
    if not trained:
        _vocabulary(words)
    _sizes(words, trained)
    _place(words)


def _translated(name: str, names: Words, label: str, codes: Sequence[str] = ()) -> None:
    """A choice whose options are words, shown as buttons; all its codes unless some are given."""
    key = f"choose_{name}"
    st.segmented_control(
        label,
        codes or CODES[name],
        required=True,
        format_func=names.table().__getitem__,
        key=key,
        on_change=state.view_of(name, key),
        label_visibility="collapsed" if name == "lang" else "visible",
        width="stretch",
    )


def _sentence(words: Words) -> None:
    key = "choose_text"
    keep = state.view_of("text", key)
    st.text_area(words.sentence, key=key, on_change=keep, height=100, placeholder=words.invite)
    presets: dict[str, str] = words.presets.table()

    def choose() -> None:
        if state.get("preset") is not None:
            state.put("text", presets[state.get("preset")])
            state.put("preset", None)

    st.pills(words.examples, list(presets), key="preset", on_change=choose, label_visibility="collapsed")


def _run(words: Words, names: dict[str, str]) -> None:
    """Which run's weights are walked."""
    key = "choose_run"
    if state.get("run") not in names:
        state.put("run", next(iter(names)))
    keep = state.view_of("run", key)
    st.selectbox(words.run, list(names), format_func=names.__getitem__, key=key, on_change=keep)


def _vocabulary(words: Words) -> None:
    for name, label in (("vocab", words.vocabulary), ("corpus", words.corpus)):
        key = f"choose_{name}"
        st.selectbox(
            label,
            CODES[name],
            format_func=words.codes.table().__getitem__,
            key=key,
            on_change=state.view_of(name, key),
        )


def _sizes(words: Words, trained: bool) -> None:
    """The sizes; trained weights lock theirs."""
    sizes, context = current_sizes(), SPANS["context"]
    with st.container(key="sizes", horizontal=True):
        if trained:
            locked = {"d_model": sizes.d_model, "heads": sizes.num_heads, "blocks": sizes.num_blocks}
            for name, value in locked.items():
                label = getattr(words.sizes, name).format(value)
                st.slider(label, 0, 2 * value, value, key=f"locked_{name}", disabled=True, help=words.locked)
        else:
            _slider("d_model", words, SPANS["d_model"])
            st.select_slider(options=heads_for(state.get("d_model")), **_view("heads", words))
            _slider("blocks", words, SPANS["blocks"])
        _slider("context", words, replace(context, high=min(context.high, sizes.context_length)))
        _slider("batch", words, SPANS["batch"])
        _slider("seed", words, SPANS["seed"])


def _slider(name: str, words: Words, span: Span) -> None:
    st.slider(min_value=span.low, max_value=span.high, step=span.step, **_view(name, words))


def _view(name: str, words: Words) -> dict[str, Any]:
    """What makes a slider a view of a choice, its value in its label."""
    key = f"choose_{name}"
    label = getattr(words.sizes, name).format(state.get(name))
    return {"label": label, "value": state.get(name), "key": key, "on_change": state.view_of(name, key)}


def _place(words: Words) -> None:
    """Which block, head and row of the batch the pictures show."""
    sizes = current_sizes()
    limits = {"block": sizes.num_blocks, "head": sizes.num_heads, "row": state.get("batch")}
    with st.container(key="place", horizontal=True):
        for name, most in limits.items():
            key = f"choose_{name}"
            st.selectbox(getattr(words.place, name), range(1, most + 1), key=key, on_change=state.view_of(name, key))
