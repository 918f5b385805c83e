"""What the theme in .streamlit/config.toml cannot say."""

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
ICON = str(HERE / "icon.png")
HALL = "<style>html { font-size: 24px !important; }</style>"


def apply(*, hall: bool) -> None:
    """Styles the page; in the hall everything grows with the root's type size."""
    st.html(HERE / "style.css")
    if hall:
        st.html(HALL)
