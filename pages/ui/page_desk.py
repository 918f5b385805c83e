"""A page's own controls in the sidebar, below the shared ones: `linked_control` makes one, `page_desk` draws them all."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import state, text
from pages.ui.desk import Control, Kind, Line, desk

WORDS = Path(__file__).with_name("desk.toml")
WRITTEN = ("text", "numbers")
MOST_CHARACTERS = 2000  # in a text of a page's own


def linked_control(
    page: str,
    kind: Kind,
    name: str,
    label: str,
    default: Any,
    options: Mapping[Any, str] | Sequence[float] = (),
    *,
    possible: Sequence[Any] | None = None,
    hint: str = "",
) -> Control:
    """A control of a page's own, whose value is part of the link (`state.linked`). It is named by the key of its choice.

    options: the values that can be chosen, with their names if they are no numbers. possible: those that can be chosen now;
    all if it is not given.
    """
    values = options if isinstance(options, range) else tuple(options)
    allowed = _allowed(kind, values if possible is None else possible)
    key = state.linked(page, name, default, allowed, _fitted if kind in WRITTEN else None)
    return Control(kind, key, label, state.get(key), _named(kind, options), hint)


def _named(kind: Kind, options: Mapping[Any, str] | Sequence[float]) -> Sequence[tuple[Any, str]] | range:
    if isinstance(options, Mapping):
        return list(options.items())
    if isinstance(options, range) and kind in ("slider", "number"):
        return options
    return [(number, f"{number:g}") for number in options]


def _allowed(kind: Kind, values: Sequence[Any]) -> Callable[[Any], bool]:
    if kind in WRITTEN:
        return lambda value: isinstance(value, str)
    if kind == "switch":
        return lambda value: isinstance(value, bool)
    return values.__contains__  # which, unlike a dict's, takes any value


def page_desk(lines: Sequence[Line], *, changed: Callable[[str], None] = lambda name: None) -> None:
    """Draws a page's own controls below the shared ones, all of them at once: a page has one such desk.

    Each is named by the key of its choice, and what is put in is kept there if the control can have it. `changed` is called
    with the name of each that is something else now. A text with as many characters as it may have is told to be full.
    """
    drawn: dict[str, Control] = {control.name: control for line in reversed(lines) for control in reversed(line)}

    def keep(name: str, value: Any) -> None:
        taken = _taken(drawn[name], value) if name in drawn else None
        if taken not in (None, state.get(name)):
            state.put(name, taken)
            changed(name)

    full = text.words(WORDS, state.language()).full.format(most=MOST_CHARACTERS)
    with st.sidebar:
        desk([part for line in lines for part in (line, *_told(line, full))], key="own", on_change=keep)


def _told(line: Line, full: str) -> list[Line]:
    """A place below each text in which `full` is told if it is. It is always there: no line comes while one types."""
    return [
        [Control("alert", f"{control.name}_full", value=full if len(control.value) >= MOST_CHARACTERS else "")]
        for control in line
        if control.kind in WRITTEN
    ]


def _taken(control: Control, value: Any) -> Any:
    """What a browser sent, which can be anything, as a value that the control can have; None if it can have no such value."""
    if control.locked:
        return None
    if control.kind in WRITTEN:
        return _fitted(value) if isinstance(value, str) else None
    if control.kind == "switch":
        return value if isinstance(value, bool) else None
    options = control.options if isinstance(control.options, range) else [option for option, _ in control.options]
    return options[options.index(value)] if value in options else None


def _fitted(written: str) -> str:
    """As many characters as a field holds, none of them half (a lone surrogate): a link could not carry it."""
    return written[:MOST_CHARACTERS].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
