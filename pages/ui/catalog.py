"""The pages in the order of the walk. A new page is a line here, a script and its words."""

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from pages.ui import state, text
from pages.ui.choices import LANGUAGES

PAGES = Path(__file__).parents[1]
CHAPTERS = {
    "start": ["home"],
    "input": ["tokenization", "batch", "token_embedding", "positional_encoding", "input_embedding"],
    "attention": [
        "queries_keys_values",
        "heads",
        "scores",
        "scaling",
        "mask",
        "softmax",
        "weighted_values",
        "concatenation",
    ],
    "block": ["residual_and_layer_norm", "feed_forward", "stack"],
    "output": ["logits", "generation"],
    "training": ["train", "before_and_after"],
    "paper": ["why_attention", "three_words", "encoder_decoder", "cross_attention", "decoding", "classification"],
}


class Entry(NamedTuple):
    """A page of the catalogue: its chapter, its name (also its link) and its script."""

    chapter: str
    name: str

    @property
    def script(self) -> Path:
        """The page's script."""
        return PAGES / self.chapter / f"{self.name}.py"

    def words(self, language: str) -> text.Words:
        """The page's words."""
        return text.words(self.script.with_suffix(".toml"), language)

    @property
    def sidebar(self) -> str:
        """Which shared choices the page has a use for: "walk" all of them, "sentence" that alone, "own" none."""
        return str(self.words(LANGUAGES[0]).get("sidebar", "walk"))

    @property
    def needs_sentence(self) -> bool:
        """Whether the page has nothing to show as long as the sentence is empty."""
        return self.sidebar != "own" and not self.words(LANGUAGES[0]).get("without_sentence", False)


class Stop(st.Page):
    """A page of the walk for Streamlit, which asks for the hash of every page's address three times a run."""

    @cached_property
    def _script_hash(self) -> str:
        return super()._script_hash


WALK = [Entry(chapter, name) for chapter, names in CHAPTERS.items() for name in names]


def frame_words(language: str) -> text.Words:
    """The words that surround every page."""
    return text.words(PAGES / "ui" / "frame.toml", language)


def open_walk(language: str) -> dict[str, st.Page]:
    """The walk as Streamlit's pages by name, made once for a visit and language; the first answers at "/"."""
    kept: tuple[str, dict[str, st.Page]] = state.recall("pages", ("", {}))
    if kept[0] == language:
        return kept[1]
    pages: dict[str, st.Page] = {
        entry.name: Stop(entry.script, title=entry.words(language).title, url_path=entry.name, default=entry is WALK[0])
        for entry in WALK
    }
    state.remember("pages", (language, pages))
    return pages


def links() -> dict[str, st.Page]:
    """The pages of this run by name, to link to."""
    return open_walk(state.language())


def entry(name: str) -> Entry:
    """The page with this name."""
    return next(entry for entry in WALK if entry.name == name)
