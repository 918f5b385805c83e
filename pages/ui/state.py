"""The one door to what a person has chosen: session state and the link.

A choice is a plain value of the session; what a person sees and moves are views of it (`view_of`). The address is written by
the browser at the end of each run (`address`): Streamlit's own way adds an entry to the browser's history for every change,
and a widget bound to the link puts its translated label there.
"""

import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.figures.palette import Theme
from pages.ui.choices import DEFAULTS, LANGUAGES, Repair, possible
from transformer import ModelConfig


def get(name: str) -> Any:
    """The current value of a shared choice, or its default; of a widget by its key, None as long as it has none."""
    return _choices().get(name, DEFAULTS[name]) if name in DEFAULTS else st.session_state.get(name)


def chosen() -> Mapping[str, Any]:
    """All shared choices at once, for those who read many: each way into the session costs a lock and a look at the queue."""
    return DEFAULTS | _choices()


def put(name: str, value: Any) -> None:
    """Changes a choice; of a widget's own key to be called before the widget is drawn, or in a callback."""
    if name in DEFAULTS:
        _choices()[name] = value
    else:
        st.session_state[name] = value


def _choices() -> dict[str, Any]:
    """The shared choices, kept under one key: Streamlit goes through all keys for some of its widgets."""
    try:
        choices: dict[str, Any] = st.session_state["choices"]
    except KeyError:
        choices = st.session_state["choices"] = {}
    return choices


def remember(name: str, value: Any) -> None:
    """Keeps something that is no choice and no part of the link, for this visit only."""
    st.session_state[f"_{name}"] = value


def recall(name: str, otherwise: Any = None) -> Any:
    """What `remember` kept."""
    return st.session_state.get(f"_{name}", otherwise)


def settle(trained: Callable[[str, str], ModelConfig | None]) -> None:
    """Makes every choice possible before anything is drawn, and keeps what had to be repaired (`repairs`).

    At the first run of a visit, and when the browser went back or forth, the link decides; a choice it does not name has
    its default then.
    """
    context = get_script_run_ctx()
    back_or_forth = context is not None and context.is_history_navigation
    news = back_or_forth or not recall("visited")
    link: dict[str, str] = st.query_params.to_dict() if news else {}
    choices = _choices()
    shown, repaired = possible(DEFAULTS | ({} if back_or_forth else choices) | link, trained)
    choices.update(shown)
    remember("visited", True)
    remember("link", link)
    remember("link_is_news", news)
    remember("linked", {})
    remember("repairs", recall("repairs", []) + repaired)


def repairs() -> list[Repair]:
    """What was repaired since this was last asked."""
    told: list[Repair] = recall("repairs", [])
    remember("repairs", [])
    return told


def link_is_news() -> bool:
    """Whether this run's choices come from the link."""
    return bool(recall("link_is_news"))


def linked(
    page: str, name: str, default: Any, allowed: Callable[[Any], bool], fitted: Callable[[str], str] | None = None
) -> str:
    """Makes a page's own control part of the link, and returns the key to draw it with.

    The value is a str, int, float or bool, like its default; one that is not allowed becomes the default.
    fitted: makes of a text, whoever wrote it, one that the control can hold.
    """
    key, asked = f"{page}_{name}", recall("link").get(name)
    value = get(key) if asked is None else _like(default, asked)
    if fitted and isinstance(value, str):
        value = fitted(value)
    if not allowed(value):
        value = default
    if value != get(key):
        put(key, value)
    if value != default:
        recall("linked")[name] = value
    else:
        recall("linked").pop(name, None)  # a fragment runs without `settle`
    return key


def _like(default: Any, text: str) -> Any:
    """A link's text as a value of the default's kind; None if it is none."""
    if isinstance(default, bool):
        return {"true": True, "false": False}.get(text.lower())
    try:
        return type(default)(text)
    except ValueError:
        return None


def link() -> dict[str, str]:
    """What the address says of the shared choices: those that differ from their defaults."""
    return {name: str(value) for name, value in _choices().items() if value != DEFAULTS[name]}


def address(page: str) -> dict[str, str]:
    """What the browser is to make its address of, without a new entry in its history, and the cookie that knows the learner."""
    return {"page": page, "query": urlencode({**link(), **recall("linked")}), "learner": learner()}


def learner() -> str:
    """Who is looking, as a random word that the browser keeps in a cookie: all tabs of one browser are one learner."""
    known = str(recall("learner") or st.context.cookies.get("learner", ""))
    if not re.fullmatch("[0-9a-f]{12}", known):
        known = secrets.token_hex(6)
    remember("learner", known)
    return known


def language() -> str:
    """The chosen language."""
    asked = get("lang")
    return str(asked if asked in LANGUAGES else LANGUAGES[0])


def turn_to(page: st.Page) -> None:
    """Turns to another page; the choices stay in the link."""
    st.switch_page(page, query_params=link())


def view_of(name: str, key: str) -> Callable[[], None]:
    """Lets a visible control show a choice; returns the callback that writes it back.

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
