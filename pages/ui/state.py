"""The one door to what a person has chosen: session state and the link.

Every choice is a widget bound to the link. A hidden widget carries it (`carry`) where the visible control is translated,
changes its limits with other choices, or is a click in a picture: so a link means the same in every language, and the
widget that is bound to it stays one and the same.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.figures.palette import Theme
from pages.ui.choices import CARRIED, CODES, DEFAULTS, MOST_CARRIED, Repair, possible
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
    link is itself mended; the run must then begin again (`begin_again_if_mended`).
    """
    if recall("link_read"):
        shown, repairs = possible({name: get(name) for name in DEFAULTS}, trained)
        for repair in repairs:
            put(repair.name, shown[repair.name])
        told: list[Repair] = recall("mended", [])
        remember("mended", [])
        return told + repairs
    link = st.query_params.to_dict()
    shown, repairs = possible({name: link.get(name, get(name)) for name in DEFAULTS}, trained)
    remember("link_read", True)
    for name in DEFAULTS.keys() & link.keys():
        put(name, shown[name])
    remember("mended", repairs)
    for repair in repairs:
        st.query_params[repair.name] = repair.shown
    return []


def begin_again_if_mended() -> None:
    """Starts the run anew from a link that `settle` has just mended; to be called when the page is known."""
    if recall("mended"):
        st.rerun()


def turn_to(page: st.Page) -> None:
    """Turns to another page. The choices stay in the link: told to clear it, Streamlit would refuse, for they are bound."""
    st.switch_page(page, query_params={})


def carry() -> None:
    """Draws the hidden widgets that keep choices in the link."""
    with st.container(key="carriers"):
        for name in CODES:
            st.text_input(name, DEFAULTS[name], key=name, bind="query-params")
        for name in CARRIED:
            st.slider(name, 0, MOST_CARRIED, DEFAULTS[name], key=name, bind="query-params")


def view_of(name: str, key: str) -> Callable[[], None]:
    """Lets a visible control show a carried choice; returns the callback that writes it back."""
    put(key, get(name))
    return lambda: put(name, st.session_state[key])


def component_value(key: str, name: str) -> Any:
    """What a component reported under `name`; None when it reported nothing."""
    return getattr(st.session_state.get(key), name, None)


def theme() -> Theme:
    """The theme that the browser shows now."""
    return "dark" if st.context.theme.type == "dark" else "light"
