"""The controls of the sidebar as one element: `desk` for any, `linked` and `page_desk` for those of a page's own.

Streamlit spends about half a millisecond of every run on each widget of its own, and the browser as much again. These
controls stand on every page, so they are one component, made of the browser's own inputs.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import streamlit as st

from pages.ui import state, text
from pages.ui.component import component

HERE = Path(__file__).parent
Kind = Literal["text", "numbers", "phrases", "buttons", "select", "slider", "number", "switch", "note", "alert"]
WRITTEN = ("text", "numbers")
MOST_CHARACTERS = 2000  # in a text of a page's own

_desk = component(
    "transformer_desk",
    html='<div class="desk"></div>',
    css=(HERE / "desk.css").read_text(encoding="utf-8"),
    js=(HERE / "desk.js").read_text(encoding="utf-8"),
)


class Control(NamedTuple):
    """One control.

    Attributes:
        kind: how it looks. "numbers" are a text in columns, as tall as what is written; "phrases" are buttons that put
            something in; a "note" is words alone, its value, and an "alert" is words that are not to be missed.
        name: the choice that it shows and changes.
        label: what stands at it; "{}" is the place of its value.
        value: what it shows.
        options: the values that can be chosen, each with its name; of a number its range.
        hint: what is shown while nothing is typed, or while the pointer rests on it.
        locked: whether it can only be looked at.
    """

    kind: Kind
    name: str
    label: str = ""
    value: Any = None
    options: Sequence[tuple[Any, str]] | range = ()
    hint: str = ""
    locked: bool = False


Line = Sequence[Control]


def desk(lines: Sequence[Line], *, key: str, on_change: Callable[[str, Any], None]) -> None:
    """Draws controls in lines. `on_change` is called with name and value of each that was changed, before the rerun.

    A value comes as the browser sent it, which can be anything.
    """

    def changed() -> None:
        for name, value in state.component_value(key, "asked")["choices"].items():
            on_change(name, value)

    asked = state.component_value(key, "asked")
    data = {
        "lines": [[_plain(control) for control in line] for line in lines],
        "answered": (asked or {}).get("number", 0),
    }
    _desk(key=key, data=data, on_asked_change=changed)


def _plain(control: Control) -> dict[str, Any]:
    """A control as JSON."""
    options = control.options
    if isinstance(options, range):
        return {**control._asdict(), "options": {"low": options[0], "high": options[-1], "step": options.step}}
    return control._asdict()


def linked(
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
    if kind in WRITTEN:
        _fit(page, name)
    values = options if isinstance(options, range) else tuple(options)
    key = state.linked(page, name, default, _allowed(kind, values if possible is None else possible))
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

    full = text.words(HERE / "desk.toml", state.language()).full.format(most=MOST_CHARACTERS)
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


def _fit(page: str, name: str) -> None:
    """Makes what a link and the session say of a text fit the field."""
    link, key = state.recall("link"), f"{page}_{name}"
    if name in link:
        link[name] = _fitted(link[name])
    if isinstance(state.get(key), str):
        state.put(key, _fitted(state.get(key)))


def _fitted(written: str) -> str:
    """As many characters as a field holds, none of them half (a lone surrogate): a link could not carry it."""
    return written[:MOST_CHARACTERS].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
