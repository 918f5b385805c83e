"""Everything slow, done once before the first visit."""

import gc
import socket
from asyncio import base_events
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pandas as pd  # noqa: F401  two sessions importing pandas and plotly at once would meet half-made modules
import plotly.graph_objects as go
import torch

from pages.ui import cache, catalog, text
from pages.ui.choices import LANGUAGES


def send_at_once() -> None:
    """Switches Nagle's algorithm off for every connection.

    asyncio does so for sockets that name their protocol; those that Streamlit listens on do not, and the last small messages
    of a run then wait up to 40 ms for an acknowledgement (measured: p95 of a rerun 80 ms with it, 34 ms without).
    """

    def no_delay(connection: socket.socket) -> None:
        if connection.family in (socket.AF_INET, socket.AF_INET6) and connection.type == socket.SOCK_STREAM:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    base_events._set_nodelay = no_delay  # type: ignore[attr-defined]


@asynccontextmanager
async def warm_up(app: Any) -> AsyncIterator[None]:
    """Imports, loads the bundled run and the words, then takes all of it out of the garbage collector's sight.

    Streamlit collects garbage after every run; with torch, pandas and plotly in memory a full collection takes over 100 ms
    and holds all sessions. What is frozen is not looked at again.
    """
    send_at_once()
    go.Figure().to_json()
    model = cache.demonstration().model
    with torch.no_grad():
        model.trace(torch.zeros(1, model.config.context_length, dtype=torch.long))
    for language in LANGUAGES:
        for entry in catalog.WALK:
            entry.words(language)
            text.words(catalog.PAGES / "ui" / "frame.toml", language)
    gc.collect()
    gc.freeze()
    yield
