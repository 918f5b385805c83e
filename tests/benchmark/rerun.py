"""Server time of a page after a control changes, over Streamlit's own websocket."""

from urllib.parse import urlencode

from pages.ui import catalog
from tests.benchmark.table import milliseconds, table
from tests.serving import Visitor, serve

ROUNDS = 60
SENTENCE = "word after " * 60
SMALL = {"weights": "random", "text": SENTENCE}
MIDDLE = {**SMALL, "d_model": 384, "heads": 12, "context": 64}
LARGEST = {**SMALL, "d_model": 512, "heads": 16, "blocks": 12, "context": 128, "batch": 8}


def measure() -> str:
    """A table over the pages: warm reruns at two sizes, and the first answer at the largest."""
    rows = []
    with serve() as address:
        for entry in catalog.WALK:
            page = "" if entry is catalog.WALK[0] else entry.name
            small, middle = (warm(address, page, choices) for choices in (SMALL, MIDDLE))
            rows.append([entry.name, *milliseconds(small), *milliseconds(middle), f"{first(address, page):.2f}"])
    header = ["page", "4 × 16×16 p50", "p95", "12 × 64×64 p50", "p95", "largest sizes, first answer, s"]
    return table("Server time of a rerun after a control changes, ms", header, rows)


def warm(address: str, page: str, choices: dict[str, object]) -> list[float]:
    """Seconds of reruns in which the looked-at block changes, or the size of type; the first four are not counted."""
    with Visitor(address, page, urlencode(choices)) as visitor:
        visitor.run()
        seconds = []
        for turn in range(ROUNDS + 4):
            if "block" in visitor.controls:
                visitor.choose(block=1 + turn % 4)
            else:  # a page that has no use for the walk's model
                visitor.choose(hall=turn % 2 == 0)
            seconds.append(visitor.run())
        assert not visitor.exceptions
        return seconds[4:]


def first(address: str, page: str) -> float:
    """Seconds until a new visitor at the largest sizes has the page; every page asks for weights of its own."""
    seed = 1 + [entry.name for entry in catalog.WALK].index(page or catalog.WALK[0].name)
    with Visitor(address, page, urlencode({**LARGEST, "block": 12, "seed": seed})) as visitor:
        return visitor.run()
