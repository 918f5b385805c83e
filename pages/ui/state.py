"""The one door to what a person has chosen: session state and the link.

Every choice is carried by a widget that is bound to the link and hidden (`carry`): it means the same in every language,
takes any number, and always stands in the same place, or Streamlit would lose the binding. What a person sees and moves
are views of it (`view_of`). Only the sentence and the hall, which need no view, are bound themselves.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.figures.palette import Theme
from pages.ui.choices import CODES, DEFAULTS, MOST_NUMBER, NUMBERS, Repair, possible
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

    At the first run of a visit, and when the browser went back or forth, the link decides. The widgets then take their
    values from it, so if it is impossible, the run must begin again without it (`begin_again_if_mended`).
    """
    mended: tuple[dict[str, Any], list[Repair]] | None = recall("mended")
    remember("mended", None)
    first = not recall("link_read")
    remember("link_read", True)
    if first or _moved_in_history():
        link = st.query_params.to_dict()
        asked = {name: link.get(name, get(name) if first else DEFAULTS[name]) for name in DEFAULTS}
    else:
        link, asked = {}, mended[0] if mended else {name: get(name) for name in DEFAULTS}
    shown, repairs = possible(asked, trained)
    for name, value in shown.items():
        if get(name) != value:
            put(name, value)
    if not link or not repairs:
        return repairs + (mended[1] if mended else [])
    remember("mended", (shown, repairs))
    if first:
        for repair in repairs:
            st.query_params[repair.name] = repair.shown
    return []


def _moved_in_history() -> bool:
    """Whether this run is for the browser's back or forward button."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def begin_again_if_mended() -> None:
    """Starts the run anew after `settle` has mended a link; to be called when the page is known."""
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
        for name in NUMBERS:
            st.slider(name, 0, MOST_NUMBER, DEFAULTS[name], key=name, bind="query-params")


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
