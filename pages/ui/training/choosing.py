"""The settings of a run as people see them: what is to be learned, presets, and a control for each setting."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.ui import state
from pages.ui.parts import Page
from pages.ui.training.settings import (
    EVERY_PRESET,
    LEARNS,
    NEXT_TOKEN,
    Draft,
    chosen_preset,
    groups,
    names_of,
    offered,
    value_in,
)
from transformer.runs.presets import PRESETS


def choose_preset(page: Page, draft: Draft) -> None:
    """What is to be learned, and buttons for the presets where there are several; one that is chosen sets everything."""

    def adopt() -> None:
        preset = chosen_preset(page)
        for name in names_of(preset):
            state.put(f"{page.name}_{name}", value_in(EVERY_PRESET[preset], name))

    common: dict[str, Any] = {"on_change": adopt, "persist_state": "session", "label_visibility": "collapsed"}
    tasks, presets = page.words.learns.table(), page.words.presets.table()
    st.selectbox(page.words.task, LEARNS, format_func=tasks.__getitem__, key=f"{page.name}_learns", width=225, **common)
    if draft.learns == NEXT_TOKEN:
        key = f"{page.name}_preset"
        st.segmented_control(
            page.words.preset, list(PRESETS), format_func=presets.__getitem__, required=True, key=key, **common
        )
    st.caption(page.words.about.table()[draft.preset])


def draw(page: Page, group: str, draft: Draft) -> None:
    """The controls of a group."""
    with st.container(key=f"settings_{group}", horizontal=True):
        for name in groups(draft)[group]:
            options = offered(name, draft.values)
            if len(options) > 1:
                _control(page, name, options)


def _control(page: Page, name: str, options: Sequence[Any]) -> None:
    part, field = name.split(".")
    label, help = getattr(page.words, part).table()[field]
    common: dict[str, Any] = {"key": f"{page.name}_{name}", "help": help or None, "persist_state": "session"}
    if isinstance(options, range):
        st.number_input(label, options[0], options[-1], **common)
    elif isinstance(options[0], bool):
        st.toggle(label, **common)
    elif isinstance(options[0], str):
        st.selectbox(label, options, format_func=page.words.options.table().__getitem__, **common)
    else:
        st.select_slider(label, options, format_func="{:,g}".format, **common)
