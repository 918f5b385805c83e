"""Garbage collection that does not hold a class up.

Streamlit collects the whole memory after every run. With torch, pandas and plotly in it a full collection takes over 100 ms and
holds all sessions; the lessons' own data, cached while people walk, still take 30. So what survived a collection is frozen:
the next one looks only at what is new. Cycles that die frozen, such as the session of somebody who left, are found by a full
collection now and then.
"""

import asyncio
import gc
from typing import Any

PAUSE = 300.0  # seconds between two full collections while people walk


def keep_survivors() -> None:
    """From now on every full collection freezes what it left alive."""
    collect_all()
    if _freeze not in gc.callbacks:
        gc.callbacks.append(_freeze)


def collect_all() -> None:
    """Collects garbage everywhere, in the frozen memory too."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


async def collect_now_and_then() -> None:
    """Collects everywhere after each pause in which something ran, for as long as the server does."""
    collections = _full_collections()
    while True:
        await asyncio.sleep(PAUSE)
        if _full_collections() > collections:
            collect_all()
            collections = _full_collections()


def _full_collections() -> int:
    return int(gc.get_stats()[2]["collections"])


def _freeze(phase: str, collection: dict[str, Any]) -> None:
    if phase == "stop" and collection["generation"] == 2:
        gc.freeze()
