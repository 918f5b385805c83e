"""The top of every page: where we are in the walk, the map, and the way back and forth."""

import html
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import catalog, state
from pages.ui.catalog import Entry
from pages.ui.choices import Repair
from pages.ui.text import Words

HERE = Path(__file__).parent
_map = st.components.v2.component(
    "transformer_map",
    html="<nav></nav>",
    css=(HERE / "map.css").read_text(encoding="utf-8"),
    js=(HERE / "map.js").read_text(encoding="utf-8"),
)


def turn(pages: dict[str, st.Page]) -> None:
    """Turns to the page that was chosen on the map, if one was."""
    if name := state.recall("turn"):
        state.remember("turn", None)
        state.turn_to(pages[name])


def draw(words: Words, pages: list[st.Page], entry: Entry) -> None:
    """Chapter, title, position, buttons (with the arrow keys) and the map."""
    here, language = catalog.WALK.index(entry), state.language()
    chapter, title = getattr(words.chapters, entry.chapter), html.escape(entry.words(language).title)
    with st.container(key="title", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f"<h1><span>{chapter}</span> {title}</h1><p>{here + 1} / {len(pages)}</p>", width="stretch")
        _step(words.back, "Left", pages[here - 1] if here else None)
        _step(words.next, "Right", pages[here + 1] if here + 1 < len(pages) else None)
    _map(
        key="map",
        data={"label": words.map, "here": entry.name, "chapters": _chapters(language)},
        on_page_change=lambda: state.remember("turn", state.component_value("map", "page")),
    )


@cache
def _chapters(language: str) -> list[dict[str, Any]]:
    """What the map draws: the chapters and their pages, with the addresses that a new tab would open."""
    frame = catalog.frame_words(language)
    return [
        {
            "name": getattr(frame.chapters, chapter),
            "pages": [
                {
                    "name": entry.name,
                    "path": "" if entry is catalog.WALK[0] else entry.name,
                    "label": entry.words(language).short,
                    "title": entry.words(language).title,
                }
                for entry in catalog.WALK
                if entry.chapter == chapter
            ],
        }
        for chapter in catalog.CHAPTERS
    ]


def _step(label: str, key: str, page: st.Page | None) -> None:
    if st.button(label, key=f"go_{key}", shortcut=key, disabled=page is None) and page is not None:
        state.turn_to(page)


def notices(words: Words, repairs: list[Repair]) -> None:
    """One sentence for each value that was asked for and could not be given."""
    if repairs:
        lines = [getattr(words.repairs, name).format(asked=asked, shown=shown) for name, asked, shown in repairs]
        st.container(key="notices").markdown("  \n".join(lines))
