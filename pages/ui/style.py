"""What the theme in .streamlit/config.toml cannot say."""

from functools import cache
from pathlib import Path

import streamlit as st

from pages.figures.palette import ROLES

HERE = Path(__file__).parent
ICON = str(HERE / "icon.png")
HALL = "<style>html { font-size: 24px !important; }</style>"


def apply(*, hall: bool) -> None:
    """Styles the page; in the hall everything grows with the root's type size."""
    st.html(sheet())
    if hall:
        st.html(HALL)


@cache
def sheet() -> str:
    """The style sheet, and the palette as variables: `var(--query)` is the queries' colour in either theme."""
    colors = "".join(f"--{role}: light-dark({light}, {dark});" for role, (light, dark) in ROLES.items())
    return f"<style>.stApp {{{colors}}}\n{(HERE / 'style.css').read_text(encoding='utf-8')}</style>"
