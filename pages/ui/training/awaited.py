"""What the page is drawn anew for: work that is ready, and a choice made in a part that is drawn alone."""

from concurrent.futures import Future
from typing import Any

import streamlit as st

from pages.ui import state

TICK = 0.5  # seconds between looks


def look_again(*awaited: Future[Any]) -> None:
    """Draws the page anew as soon as something is ready."""

    def look() -> None:
        if all(future.done() for future in awaited):
            st.rerun()

    st.fragment(look, run_every=TICK)()


def chosen() -> None:
    """Says in a callback that the link has changed; a part that is drawn alone cannot write the address."""
    state.remember("chosen_alone", True)


def written() -> None:
    """The whole page is being drawn, and the address with it."""
    state.remember("chosen_alone", False)


def write_anew() -> None:
    """In a part that is drawn alone: draws the whole page if something was chosen there."""
    if state.recall("chosen_alone"):
        st.rerun()
