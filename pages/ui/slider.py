"""A slider of a page's own: part of the link, its value in its label."""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from pages.ui import state
from pages.ui.parts import Page

Number = TypeVar("Number", int, float)


def slider(page: Page, name: str, label: str, options: Sequence[Number], otherwise: Number) -> Number:
    """Draws the slider over `options`, which begins at `otherwise`, and returns what is chosen."""
    key = page.linked(name, otherwise, options.__contains__)
    chosen: Number = st.select_slider(f"{label} · {state.get(key):g}", options, key=key, persist_state="session")
    return chosen
