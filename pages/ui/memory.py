"""Garbage collection that does not hold a class up.

Streamlit collects the whole memory after every run. With torch, pandas and plotly in it a full collection takes over 100 ms and
holds all sessions; the lessons' own data, cached while people walk, still take 30. So survivors are frozen once there are many:
the next collection looks only at what is new. Cycles that die frozen, such as the session of somebody who left, are found by a
full collection now and then.
"""

import asyncio
import gc
from typing import Any

MOST_SURVIVORS = 2500  # objects, which take about 1.5 ms to look through; what a run leaves behind is fewer
PAUSE = 60.0  # seconds between two looks whether anything was frozen


class Keeper:
    """Freezes what survives. `gc.callbacks` calls it at the start and the end of every collection."""

    def __init__(self) -> None:
        self._has_frozen = False
        self.collect_all()

    def __call__(self, phase: str, collection: dict[str, Any]) -> None:
        """After a full collection: freezes the survivors if they are many.

        Not always: a run still holds what it is about to leave behind, and that would be kept until `collect_all`.
        """
        if phase == "stop" and collection["generation"] == 2 and len(gc.get_objects(generation=2)) > MOST_SURVIVORS:
            gc.freeze()
            self._has_frozen = True

    def collect_all(self) -> None:
        """Collects garbage everywhere, in the frozen memory too."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._has_frozen = False

    async def collect_now_and_then(self) -> None:
        """Collects everywhere after each pause in which anything was frozen, for as long as the server runs."""
        while True:
            await asyncio.sleep(PAUSE)
            if self._has_frozen:
                self.collect_all()
