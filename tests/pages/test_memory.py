"""What survives is not looked through again, and nothing dead is kept for ever."""

import asyncio
import gc
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.ui import memory


class Cycle:
    """Something that only the garbage collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Keeps survivors during a test, and puts the collector back as it was."""
    memory.keep_survivors()
    yield
    gc.callbacks.remove(memory._freeze)
    gc.unfreeze()


def test_a_survivor_is_not_looked_at_by_the_next_collection() -> None:
    survivor = Cycle()
    assert any(found is survivor for found in gc.get_objects())
    gc.collect()
    assert not any(found is survivor for found in gc.get_objects())


def test_a_cycle_that_dies_young_is_freed_by_the_next_collection() -> None:
    dead = weakref.ref(Cycle())
    gc.collect()
    assert dead() is None


def test_a_cycle_that_dies_frozen_is_freed_by_the_full_collection_after_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "PAUSE", 0.01)
    survivor = Cycle()
    gc.collect()
    dead = weakref.ref(survivor)
    del survivor
    gc.collect()
    assert dead() is not None, "a frozen cycle was looked at"

    async def wait() -> None:
        collecting = asyncio.create_task(memory.collect_now_and_then())
        await asyncio.sleep(0)
        gc.collect()
        async with asyncio.timeout(10):
            while dead() is not None:
                await asyncio.sleep(0.01)
        collecting.cancel()

    with ThreadPoolExecutor(1) as thread:  # a browser test before this one may have left a loop running in this thread
        thread.submit(asyncio.run, wait()).result()


def test_keeping_survivors_twice_is_keeping_them_once() -> None:
    memory.keep_survivors()
    assert gc.callbacks.count(memory._freeze) == 1
