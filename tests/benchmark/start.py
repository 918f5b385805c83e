"""From `streamlit run` to the first page."""

import time

from tests.benchmark.table import table
from tests.serving import Visitor, serve


def measure() -> str:
    """A table of three starts."""
    rows = []
    for _ in range(3):
        begin = time.perf_counter()
        with serve() as address:
            healthy = time.perf_counter() - begin
            with Visitor(address) as visitor:
                visitor.run()
            rows.append([f"{healthy:.1f}", f"{time.perf_counter() - begin:.1f}"])
    return table("From `streamlit run` to usable, s", ["server answers", "first page drawn by the server"], rows)
