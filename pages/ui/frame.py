"""What surrounds every page. Streamlit runs this script for each visit and each change."""

import streamlit as st

from pages.ui import catalog, header, lesson, sidebar, state, style, text
from pages.ui.parts import FRAME

state.settle(lesson.imposed_config)
words = text.words(FRAME, state.language())
if state.recall("titled") != words.app or state.link_is_news():  # the browser keeps it from run to run
    st.set_page_config(page_title=words.app, page_icon=style.ICON, layout="wide", initial_sidebar_state="expanded")
    state.remember("titled", words.app)
pages = catalog.open_walk(state.language())
current = st.navigation(list(pages.values()), position="hidden")
header.turn(pages)
entry = catalog.WALK[list(pages.values()).index(current)]
looked_at = lesson.read()
header.draw(words, entry)
repairs = state.repairs()
if looked_at.length and state.link_is_news():
    repairs += lesson.out_of_reach(looked_at)
header.notices(words, repairs)
place = st.sidebar.container()
sidebar.want(entry.sidebar)
try:
    if looked_at.length or not entry.needs_sentence:
        current.run()
    else:
        st.info(words.invite)
finally:
    with place:
        sidebar.draw(words, looked_at, state.address(current.url_path))
