"""Pictures drawn as HTML whose parts can be clicked: the server hears which."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import streamlit as st

from pages.ui import state
from pages.ui.component import component

SCRIPT: Final = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

_listener = component("transformer_clicks", js=SCRIPT)


def clickable(picture: str, *, key: str, on_pick: Callable[[dict[str, int]], None]) -> None:
    """Draw HTML in which a click, or Enter on what has the focus, chooses the innermost part that has a ``data-place``.

    ``on_pick`` is called before the rerun that this causes, with the part's data attributes as numbers:
    ``data-row="1" data-place="4"`` gives {"row": 1, "place": 4}.
    """

    def picked() -> None:
        if chosen := state.component_value(f"{key}_clicks", "part"):
            on_pick({name: int(number) for name, number in chosen.items()})

    with st.container(key=key):
        st.html(picture)
        with st.container(key=f"{key}_unseen"):
            _listener(key=f"{key}_clicks", data={"within": f".st-key-{key}"}, on_part_change=picked)
