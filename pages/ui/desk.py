"""Controls as one element: those of the sidebar, and what opens below a picture.

Streamlit spends about half a millisecond of every run on each widget of its own, and the browser as much again. These
controls stand on every page, so they are one component, made of the browser's own inputs; and since a component costs as
much as all of them, it writes the address (`state.address`), too.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pages.ui import state
from pages.ui.component import component

HERE = Path(__file__).parent
Kind = Literal[
    "text",
    "numbers",
    "phrases",
    "buttons",
    "tabs",
    "select",
    "slider",
    "number",
    "switch",
    "note",
    "alert",
    "proven",
    "refuted",
]

_desk = component(
    "transformer_desk",
    html='<div class="desk"></div>',
    css=(HERE / "desk.css").read_text(encoding="utf-8"),
    js="".join((HERE / name).read_text(encoding="utf-8") for name in ("desk.js", "address.js")),
)


class Control(NamedTuple):
    """One control.

    Attributes:
        kind: how it looks. "numbers" are a text in columns, as tall as what is written; "phrases" are buttons that put
            something in; of "tabs" one may be open, or none. The rest are words alone, their value: a "note", an "alert"
            that is not to be missed, and what was "proven" or "refuted", in which `code` is marked.
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


def desk(
    lines: Sequence[Line],
    *,
    key: str,
    on_change: Callable[[str, Any], None],
    address: Mapping[str, str] | None = None,
) -> None:
    """Draws controls in lines. `on_change` is called with name and value of each that was changed, before the rerun.

    A value comes as the browser sent it, which can be anything. address: what the address bar is to say, if anything.
    """

    def changed() -> None:
        for name, value in state.component_value(key, "asked")["choices"].items():
            on_change(name, value)

    asked = state.component_value(key, "asked")
    data = {
        "lines": [[_plain(control) for control in line] for line in lines],
        "answered": (asked or {}).get("number", 0),
        "address": address,
    }
    _desk(key=key, data=data, on_asked_change=changed)


def _plain(control: Control) -> dict[str, Any]:
    """A control as JSON."""
    options = control.options
    if isinstance(options, range):
        return {**control._asdict(), "options": {"low": options[0], "high": options[-1], "step": options.step}}
    return control._asdict()
