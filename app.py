"""The Transformer, number by number: `streamlit run app.py`."""

import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).parent))  # so that it starts from any working directory

from pages.ui.failure import explain
from pages.ui.warm_up import warm_up

app = st.App(Path(__file__).parent / "pages/ui/frame.py", lifespan=warm_up, on_script_error=explain)
