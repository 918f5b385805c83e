"""The three uses of attention as a table: who asks, who answers, what is hidden. Pure HTML, every text escaped."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

STYLE: Final = Path(__file__).with_suffix(".css")


class Use(NamedTuple):
    """A use of attention: its name, where queries, and keys and values come from, what its mask hides, its shape."""

    name: str
    queries: str
    keys_values: str
    hidden: str
    shape: str


def three_uses(uses: Sequence[Use], arrow: str) -> str:
    """A line for each use; `arrow` joins queries with keys and values. It needs the styles in `STYLE` on the page."""
    return f'<table class="three-uses">{"".join(_use(use, arrow) for use in uses)}</table>'


def _use(use: Use, arrow: str) -> str:
    return (
        f"<tr><th>{escape(use.name)}</th>"
        f'<td><b class="query">Q</b> {escape(use.queries)}</td>'
        f'<td><i>{escape(arrow)}</i> <b class="key">K</b>, <b class="value">V</b> {escape(use.keys_values)}</td>'
        f"<td><i>{escape(use.hidden)}</i></td><td><code>{escape(use.shape)}</code></td></tr>"
    )
