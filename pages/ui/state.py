"""The one door to what a person has chosen: session state and the link.

Every choice is carried by a widget that is bound to the link and hidden (`carry`): it means the same in every language,
takes any number, and always stands in the same place, or Streamlit would lose the binding. What a person sees and moves
are views of it (`view_of`).
"""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.figures.palette import Theme
from pages.ui.choices import CODES, DEFAULTS, LANGUAGES, MOST_NUMBER, NUMBERS, Repair, possible
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


def settle(trained: ModelConfig) -> None:
    """Makes every choice possible before the widgets are drawn, and keeps what had to be repaired (`repairs`).

    At the first run of a visit, and when the browser went back or forth, the widgets will take their values from the link,
    whatever is put here. What the link should have said is kept for `begin_again_if_impossible`.
    """
    context = get_script_run_ctx()
    back_or_forth = context is not None and context.is_history_navigation
    first = not recall("visited")
    if back_or_forth or first:
        link = st.query_params.to_dict()
        asked = {name: link.get(name, DEFAULTS[name] if back_or_forth else get(name)) for name in DEFAULTS}
        remember("link_is_news", True)
    else:
        asked = recall("mended") or {name: get(name) for name in DEFAULTS}
    remember("visited", True)
    shown, repaired = possible(asked, trained)
    remember("mended", shown)
    remember("repairs", recall("repairs", []) + repaired)
    for name, value in shown.items():
        if get(name) != value:
            put(name, value)
    if first:  # later the names are bound, and the widgets mend the address themselves
        for repair in repaired:
            st.query_params[repair.name] = repair.shown


def begin_again_if_impossible() -> None:
    """Starts the run anew with what `settle` found if a link made the widgets show anything else; for after `carry`."""
    mended: dict[str, Any] = recall("mended")
    if any(get(name) != value for name, value in mended.items()):
        st.rerun()
    remember("mended", None)


def repairs() -> list[Repair]:
    """What was repaired since this was last asked."""
    told: list[Repair] = recall("repairs", [])
    remember("repairs", [])
    return told


def language() -> str:
    """The chosen language; the first while a link asks for one that is not here."""
    asked = get("lang")
    return str(asked if asked in LANGUAGES else LANGUAGES[0])


def link_is_news() -> bool:
    """Whether a link has been taken over since this was last asked."""
    news = bool(recall("link_is_news"))
    remember("link_is_news", False)
    return news


def turn_to(page: st.Page) -> None:
    """Turns to another page. The choices stay in the link: told to clear it, Streamlit would refuse, for they are bound."""
    st.switch_page(page, query_params={})


def carry() -> None:
    """Draws the hidden widgets that keep the choices in the link."""
    with st.container(key="carriers"):
        for name in CODES:
            st.text_input(name, DEFAULTS[name], key=name, bind="query-params")
        for name in NUMBERS:
            st.slider(name, 0, MOST_NUMBER, DEFAULTS[name], key=name, bind="query-params")
        st.text_area("text", DEFAULTS["text"], key="text", bind="query-params")
        st.checkbox("hall", DEFAULTS["hall"], key="hall", bind="query-params")


def view_of(name: str, key: str) -> Callable[[], None]:
    """Lets a visible control show a carried choice; returns the callback that writes it back.

    A control that shows it already is left alone: put anew, it would undo what a quick hand has done since.
    """
    if st.session_state.get(key) != get(name):
        put(key, get(name))
    return lambda: put(name, st.session_state[key])


def component_value(key: str, name: str) -> Any:
    """What a component reported under `name`; None when it reported nothing."""
    return getattr(st.session_state.get(key), name, None)


def theme() -> Theme:
    """The theme that the browser shows now."""
    return "dark" if st.context.theme.type == "dark" else "light"
