"""The top of every page: where we are in the walk, the map, and the way back and forth."""

import streamlit as st

from pages.ui import catalog, state
from pages.ui.catalog import Entry
from pages.ui.choices import Repair
from pages.ui.text import Words


def draw(words: Words, pages: list[st.Page], entry: Entry) -> None:
    """Chapter, title, position, buttons (with the arrow keys) and the map."""
    here, language = catalog.WALK.index(entry), state.language()
    with st.container(key="title", horizontal=True, vertical_alignment="center", gap="small"):
        chapter = getattr(words.chapters, entry.chapter)
        st.html(f"<h1><span>{chapter}</span> {entry.words(language).title}</h1>", width="stretch")
        st.html(f"<p>{here + 1} / {len(pages)}</p>", width="content")
        _step(words.back, "Left", pages[here - 1] if here else None)
        _step(words.next, "Right", pages[here + 1] if here + 1 < len(pages) else None)
    _map(pages, entry, language)


def _step(label: str, key: str, page: st.Page | None) -> None:
    if st.button(label, key=f"go_{key}", shortcut=key, disabled=page is None) and page is not None:
        state.turn_to(page)


def _map(pages: list[st.Page], here: Entry, language: str) -> None:
    """All stages of the walk as links, this one lit."""
    with st.container(key="map", horizontal=True, gap=None, wrap=False):
        for entry, page in zip(catalog.WALK, pages, strict=True):
            label = entry.words(language).short
            if entry == here:
                st.container(key="map_here").page_link(page, label=label)
            else:
                st.page_link(page, label=label)


def notices(words: Words, repairs: list[Repair]) -> None:
    """One sentence for each value that was asked for and could not be given."""
    if repairs:
        lines = [getattr(words.repairs, name).format(asked=asked, shown=shown) for name, asked, shown in repairs]
        st.container(key="notices").markdown("  \n".join(lines))
