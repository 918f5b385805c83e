"""What surrounds every page. Streamlit runs this script for each visit and each change."""

import streamlit as st

from pages.ui import catalog, controls, header, lesson, state, style, text
from pages.ui.parts import FRAME

repairs = state.settle(lesson.demonstration_config())
words = text.words(FRAME, state.get("lang"))
st.set_page_config(page_title=words.app, page_icon=style.ICON, layout="wide", initial_sidebar_state="expanded")
style.apply(hall=state.get("hall"))
pages = catalog.open_walk(state.get("lang"))
current = st.navigation(list(pages.values()), position="hidden")
state.begin_again_if_mended()
looked_at = controls.sidebar(words)
header.draw(words, list(pages.values()), current)
header.notices(words, repairs)
if looked_at.length:
    current.run()
else:
    st.info(words.invite)
