"""Everything slow, done once before the first visit."""

import asyncio
import gc
import importlib
import pkgutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pandas as pd  # noqa: F401  two sessions importing pandas and plotly at once would meet half-made modules
import plotly.graph_objects as go
import torch
from streamlit.runtime import runtime

from pages.ui import cache, catalog, memory
from pages.ui.choices import LANGUAGES

SCRIPTS = "pages.ui.frame", "transformer.__main__", "transformer.runs.fork_server"  # imported, they would run
PAUSE = 0.001  # seconds; a run takes about seven times as long


def answer_at_once() -> None:
    """Lets messages wait for one another no longer than `PAUSE`.

    Streamlit collects for 5 ms what it sends to a browser, so that half of the runs that take 7 ms were seen after 11.
    """
    vars(runtime)["MESSAGE_FLUSH_INTERVAL_SECS"] = PAUSE  # which its loop reads anew in each turn


def import_everything() -> None:
    """Imports what pages will import: a module that comes later is looked through at every collection."""
    for package in ("pages.figures", "pages.matrix", "pages.ui", "transformer"):
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if found.name not in SCRIPTS:
                importlib.import_module(found.name)


@asynccontextmanager
async def warm_up(app: Any) -> AsyncIterator[None]:
    """Imports, loads the bundled run and the words, and takes all of it out of the garbage collector's sight."""
    answer_at_once()
    import_everything()
    go.Figure().to_json()
    model = cache.demonstration().model
    with torch.no_grad():
        model.trace(torch.zeros(1, model.config.context_length, dtype=torch.long))
    for language in LANGUAGES:
        for entry in catalog.WALK:
            entry.words(language)
        catalog.frame_words(language)
    keeper = memory.Keeper()
    gc.callbacks.append(keeper)
    collecting = asyncio.create_task(keeper.collect_now_and_then())
    yield
    collecting.cancel()
    gc.callbacks.remove(keeper)
