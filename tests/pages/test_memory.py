"""Many survivors are not looked through again and again, and nothing dead is kept for ever."""

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


@pytest.fixture
def keeper() -> Iterator[memory.Keeper]:
    """Keeps survivors during a test, and puts the collector back as it was."""
    keeper = memory.Keeper()
    gc.callbacks.append(keeper)
    yield keeper
    gc.callbacks.remove(keeper)
    gc.unfreeze()


@pytest.fixture
def many(keeper: memory.Keeper) -> list[Cycle]:
    """So many survivors that they are frozen."""
    survivors = [Cycle() for _ in range(memory.MOST_SURVIVORS)]
    gc.collect()
    return survivors


def looked_at(one: object) -> bool:
    """Whether the next collection looks at it."""
    return any(found is one for found in gc.get_objects())


def test_many_survivors_are_not_looked_at_again(many: list[Cycle]) -> None:
    assert not looked_at(many[7])


def test_what_a_run_is_about_to_leave_behind_is_looked_at_again(keeper: memory.Keeper) -> None:
    held = Cycle()
    gc.collect()
    assert looked_at(held)
    dead = weakref.ref(held)
    del held
    gc.collect()
    assert dead() is None


def test_a_cycle_that_dies_frozen_is_freed_after_a_pause(
    keeper: memory.Keeper, many: list[Cycle], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "PAUSE", 0.01)
    dead = weakref.ref(many.pop())
    gc.collect()
    assert dead() is not None, "a frozen cycle was looked at"

    async def wait() -> None:
        collecting = asyncio.create_task(keeper.collect_now_and_then())
        async with asyncio.timeout(10):
            while dead() is not None:
                await asyncio.sleep(0.01)
        collecting.cancel()

    with ThreadPoolExecutor(1) as thread:  # a browser test before this one may have left a loop running in this thread
        thread.submit(asyncio.run, wait()).result()
