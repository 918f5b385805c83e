"""Curves that grow while somebody looks: the same picture, whose zoom stays as numbers come in, and whose points can be picked.

A plotly chart would be made anew whenever its numbers change: it would flicker, and forget what was zoomed to.
"""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import plotly.graph_objects as go
import streamlit as st
from torch import Tensor

from pages.figures.learning import Scene
from pages.figures.theme import enlarged
from pages.ui import state
from pages.ui.component import component

HERE: Final = Path(__file__).parent
HTML: Final = '<div class="curves"><div class="legend"></div><svg tabindex="0" role="application"></svg><output hidden></output></div>'

_curves = component(
    "transformer_curves",
    html=HTML,
    css=(HERE / "curves.css").read_text(encoding="utf-8"),
    js=(HERE / "curves.js").read_text(encoding="utf-8"),
)


def grow(scene: Scene, *, key: str, height: str, on_pick: Callable[[int, int], None]) -> None:
    """Draws a scene as tall as a CSS length says. `on_pick` is called with the number of a line and a step before the rerun."""

    def picked() -> None:
        if point := state.component_value(key, "point"):
            on_pick(int(point["line"]), round(point["step"]))

    lines = [{**line._asdict(), "x": _encoded(line.x), "y": _encoded(line.y)} for line in scene.lines]
    ring = scene.picked._asdict() if scene.picked else None
    panels = [panel._asdict() for panel in scene.panels]
    data: dict[str, Any] = {**scene._asdict(), "lines": lines, "panels": panels, "picked": ring, "height": height}
    _curves(key=key, data=data, on_point_change=picked)


def still(figure: go.Figure, key: str) -> None:
    """Draws a plotly figure in a place that is styled by its key."""
    figure = enlarged(figure) if state.get("hall") else figure
    with st.container(key=f"{key}_curves"):
        st.plotly_chart(figure, theme=None, key=key, height="stretch", config={"displayModeBar": False})


def _encoded(values: Tensor) -> str:
    """Little-endian float32 as base64."""
    return base64.b64encode(values.float().contiguous().numpy().tobytes()).decode()
