"""The top of every page, as one component: where we are in the walk, the way back and forth, the map, and the style of all."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import catalog, state, style
from pages.ui.catalog import Entry
from pages.ui.choices import Repair
from pages.ui.component import component
from pages.ui.text import Words

HERE = Path(__file__).parent
_header = component(
    "transformer_header",
    html="""<div class="walk"><div class="top"><h1><span></span><b></b></h1><p></p>
<button class="back"></button><button class="next"></button></div><nav></nav></div>""",
    css=style.sheet() + (HERE / "header.css").read_text(encoding="utf-8"),
    js=(HERE / "header.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def turn(pages: dict[str, st.Page]) -> None:
    """Turns to the page that was chosen here, if one was."""
    if name := state.recall("turn"):
        state.remember("turn", None)
        if name in pages:
            state.turn_to(pages[name])


def draw(words: Words, entry: Entry) -> None:
    """Chapter, title, position, steps (also with the arrow keys) and the map."""
    here, language = catalog.WALK.index(entry), state.language()
    steps = {"back": catalog.WALK[here - 1] if here else None, "next": (*catalog.WALK, None)[here + 1]}
    data = {
        "chapter": getattr(words.chapters, entry.chapter),
        "title": entry.words(language).title,
        "position": f"{here + 1} / {len(catalog.WALK)}",
        "here": entry.name,
        "map": words.map,
        "chapters": _chapters(language),
        "hall": bool(state.get("hall")),
        **{step: {"label": getattr(words, step), "page": to and {"name": to.name}} for step, to in steps.items()},
    }
    _header(
        key="header",
        data=data,
        on_page_change=lambda: state.remember("turn", state.component_value("header", "page")),
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


def notices(words: Words, repairs: list[Repair]) -> None:
    """One sentence for each value that was asked for and could not be given."""
    if repairs:
        lines = [getattr(words.repairs, name).format(asked=asked, shown=shown) for name, asked, shown in repairs]
        st.container(key="notices").markdown("  \n".join(lines))
