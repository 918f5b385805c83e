"""What a visitor sees when something breaks: one sentence. The log has the rest."""

import logging

import streamlit as st

from pages.ui import state, text
from pages.ui.parts import FRAME


def explain(error: Exception) -> bool:
    """Shows the sentence instead of a traceback. Returns True: the error has been dealt with."""
    logging.getLogger(__name__).error("a page failed", exc_info=error)
    st.error(text.words(FRAME, state.language()).failure)
    return True
