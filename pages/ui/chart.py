"""A plotly figure on a page."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.figures.theme import enlarged
from pages.ui import state


def chart(figure: go.Figure, key: str, on_click: Callable[[int], None] | None = None) -> None:
    """Draws it in its own colours, as tall as its place; a click on its n-th point calls on_click(n) before the rerun."""

    def clicked() -> None:
        points = state.component_value(key, "selection")["points"]
        if on_click and points:
            on_click(points[0]["point_index"])

    shown = enlarged(figure) if state.get("hall") else figure
    listening: dict[str, Any] = {"on_select": clicked, "selection_mode": "points"} if on_click else {}
    st.plotly_chart(shown, theme=None, key=key, height="stretch", config={"displayModeBar": False}, **listening)
