"""Small controls on the formula's line, shared by pages that need them."""

from collections.abc import Callable

import plotly.graph_objects as go

from pages.ui import state
from pages.ui.parts import Page


def token(page: Page, label: str) -> int:
    """A list of the pictured row's tokens; the chosen one stays chosen on all pages. Returns its place."""
    lesson, key = page.lesson, f"{page.name}_token"
    place = lesson.picked("query", lesson.length)
    keep = state.view_of("query", key)
    state.put(key, place)
    names = [f"{number}: {piece}" for number, piece in enumerate(lesson.labels)]
    page.controls.selectbox(
        label,
        range(lesson.length),
        format_func=names.__getitem__,
        key=key,
        on_change=keep,
        label_visibility="collapsed",
        width=170,
    )
    return place


def clickable(page: Page, figure: go.Figure, key: str, on_click: Callable[[int], None]) -> bool:
    """A `Page.plot` beside words that can be clicked. Returns whether this run is that of a click."""
    mark = f"{key}_clicked"  # the figure's own selection is lost when the click changes what it shows

    def clicked(point: int) -> None:
        on_click(point)
        state.remember(mark, True)

    page.plot(figure, key, beside_words=True, on_click=clicked)
    was_clicked = bool(state.recall(mark))
    state.remember(mark, False)
    return was_clicked
