"""Streamlit's components, with their data as one piece of JSON: a dict it would search for data frames at every run."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

UNPACK = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


class Mount(Protocol):
    """Draws a component; `on_NAME_change` is called before the rerun that a value called NAME causes."""

    def __call__(self, *, key: str, data: Mapping[str, Any], **on_change: Callable[[], None]) -> None:
        """Draws it with these data."""


def component(name: str, *, js: str, html: str = "", css: str = "", isolate_styles: bool = True) -> Mount:
    """Registers a component, once and at import. js: a module that declares `draw`, to be called at every run."""
    registered = st.components.v2.component(name, html=html, css=css, js=js + UNPACK, isolate_styles=isolate_styles)

    def mount(*, key: str, data: Mapping[str, Any], **on_change: Callable[[], None]) -> None:
        registered(key=key, data=json.dumps(data).encode(), **on_change)  # type: ignore[arg-type]

    return mount
