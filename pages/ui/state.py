"""The one door to what a person has chosen: session state and the link.

Every choice is a widget bound to the link. Choices whose visible control is translated, or that are made by clicking in
a picture, have a hidden widget that carries their code (`carry`), so that a link means the same in every language.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.figures.palette import Theme
from pages.ui.choices import CODES, DEFAULTS, PICKED, Repair, possible
from transformer import ModelConfig


def get(name: str) -> Any:
    """The current value of a choice, or its default before its widget was drawn."""
    return st.session_state.get(name, DEFAULTS.get(name))


def put(name: str, value: Any) -> None:
    """Changes a choice; to be called before its widget is drawn, or in a callback."""
    st.session_state[name] = value


def remember(name: str, value: Any) -> None:
    """Keeps something that is no control and no part of the link, for this visit only."""
    st.session_state[f"_{name}"] = value


def recall(name: str, otherwise: Any = None) -> Any:
    """What `remember` kept."""
    return st.session_state.get(f"_{name}", otherwise)


def settle(trained: ModelConfig) -> list[Repair]:
    """Makes every choice possible before the widgets are drawn; tells what was repaired.

    The first run of a visit takes its choices from the link. Widgets would take them from there, too, so an impossible
    link is itself mended, and the run begins again.
    """
    if recall("link_read"):
        shown, repairs = possible({name: get(name) for name in DEFAULTS}, trained)
        for repair in repairs:
            put(repair.name, shown[repair.name])
        mended: list[Repair] = recall("mended", [])
        remember("mended", [])
        return mended + repairs
    link = st.query_params.to_dict()
    shown, repairs = possible({name: link.get(name, get(name)) for name in DEFAULTS}, trained)
    remember("link_read", True)
    for name in DEFAULTS.keys() & link.keys():
        put(name, shown[name])
    if not repairs:
        return []
    remember("mended", repairs)
    for repair in repairs:
        st.query_params[repair.name] = repair.shown
    st.rerun()


def carry() -> None:
    """Draws the hidden widgets that keep codes and the picked cell in the link."""
    with st.container(key="carriers"):
        for name in CODES:
            st.text_input(name, DEFAULTS[name], key=name, bind="query-params")
        for name in PICKED:
            st.number_input(name, 0, None, DEFAULTS[name], key=name, bind="query-params")


def view_of(name: str, key: str) -> Callable[[], None]:
    """Lets a visible, translated control show a carried choice; returns the callback that writes it back."""
    put(key, get(name))
    return lambda: put(name, st.session_state[key])


def component_value(key: str, name: str) -> Any:
    """What a component reported under `name`; None when it reported nothing."""
    return getattr(st.session_state.get(key), name, None)


def theme() -> Theme:
    """The theme that the browser shows now."""
    return "dark" if st.context.theme.type == "dark" else "light"
