"""The proof line of a run: its newest loss that the saved weights can answer for, made anew beside the page while it answers."""

import math
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import torch
import torch.nn.functional as F

from pages.ui import runs
from pages.ui.parts import Page, Proof
from pages.ui.training.awaited import look_again
from pages.ui.training.followed import Followed, reader
from transformer.runs.run import Run
from transformer.runs.verification import Verified, verify
from transformer.tasks import Task

SHARE = 0.05  # of the time in which a run trains, for making its losses anew
BRIEF, PATIENCE = 0.05, 2.0  # seconds that a page waits: while the run trains, and when nothing else will happen
SPOILED = ValueError, OSError, KeyError, TypeError, RuntimeError  # what somebody wrote into a run's files

_pool = ThreadPoolExecutor(1, thread_name_prefix="proofs")


class Checker:
    """Makes the losses of one run anew, for all who look at it; what was proven last stays until something newer is."""

    def __init__(self, folder: Path) -> None:
        self._run, self._lock = Run(folder), Lock()
        self._asked: Future[None] = Future()
        self._asked.set_result(None)
        self._about: tuple[object, ...] = ()
        self._rested = 0.0
        self._found: Verified | None = None

    def newest(self, seen: Followed) -> tuple[Verified | None, Future[None]]:
        """What is proven by now, and the work on something newer."""
        about = runs.latest_step(seen.run), seen.metrics.cursor, seen.going
        with self._lock:
            free = not seen.going or (self._asked.done() and monotonic() >= self._rested)
            if about != self._about and free:
                self._about, self._asked = about, _pool.submit(self._verify, one_process=seen.own)
        wait([self._asked], BRIEF if seen.going else PATIENCE)
        return self._found, self._asked

    def _verify(self, one_process: bool) -> None:
        began = monotonic()
        try:
            curve = reader(self._run.folder).read
            found = verify(self._run, _task(self._run.folder), curve, one_process=one_process)
        except SPOILED:
            found = None
        if found and (self._found is None or found.step >= self._found.step):
            self._found = found
        self._rested = monotonic() + (monotonic() - began) / SHARE


@lru_cache(maxsize=64)
def _checker(folder: Path) -> Checker:
    return Checker(folder)


@lru_cache(maxsize=4)
def _task(folder: Path) -> Task[Any]:
    return Run(folder).task()


def of_run(page: Page, seen: Followed) -> Proof | None:
    """A loss as the training wrote it against the same from the saved weights in float64; None as long as there is none."""
    found, work = _checker(seen.run.folder).newest(seen)
    if not work.done() and not seen.going:
        look_again(work)
    if found is None:
        return None
    written, again = torch.tensor([found.written, found.again], dtype=torch.float64)
    told = page.words.proven.held_out if found.held_out else page.words.proven.batch
    return Proof(written, again, told.format(step=f"{found.step:,}"))


def blind(page: Page, rows: int) -> Proof:
    """The loss of a model that finds all outcomes equally likely: all that can be said of one that has done no step."""
    zeros, target = torch.zeros(1, rows), torch.tensor([0])
    told = page.words.proven.blind.format(rows=f"{rows:,}")
    return Proof(torch.tensor(math.log(rows)), F.cross_entropy(zeros, target), told)
