"""What the theme in .streamlit/config.toml cannot say."""

import base64
from functools import cache
from pathlib import Path

from pages.figures.palette import ROLES

HERE = Path(__file__).parent
ICON = "data:image/png;base64," + base64.b64encode((HERE / "icon.png").read_bytes()).decode()


@cache
def sheet() -> str:
    """The style sheet, and the palette as variables: `var(--query)` is the queries' colour in either theme."""
    colors = "".join(f"--{role}: light-dark({light}, {dark});" for role, (light, dark) in ROLES.items())
    return f".stApp {{{colors}}}\n{(HERE / 'style.css').read_text(encoding='utf-8')}"
