"""Runs in processes of their own: at most so many at once on one server, the others in a queue and told their place."""

import os
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from threading import RLock

from transformer.runs.run import Command, Run
from transformer.runs.workers import Worker, Workers

SLOTS = max(1, (os.cpu_count() or 1) - 1)


class Jobs:
    """Starts, pauses and stops runs, for all sessions of a server. Safe to be used from any thread.

    Nothing is remembered here that the folders do not know, except who waits: a server that dies has no queue, and what
    it trained saves itself and waits in its folder as `paused`.
    """

    def __init__(self, workers: Workers, slots: int = SLOTS) -> None:
        self.workers = workers
        self.slots = slots
        self._lock = RLock()
        self._waiting: dict[Path, int | None] = {}
        self._training: dict[Path, Worker] = {}
        self._leaving: set[Path] = set()

    def start(self, run: Run, steps: int | None = None) -> None:
        """Has a run trained to its end, or for so many steps, from where it was left.

        Does nothing if it is being trained or waits already; if it was just asked to leave, it comes back.
        """
        folder = run.folder.resolve()
        with self._lock:
            if folder not in self._training:
                run.asked()  # what was asked of an earlier process is of no interest now
            if folder not in self._training or folder in self._leaving:
                self._waiting.setdefault(folder, steps)
            self._next()

    def ask(self, run: Run, command: Command) -> None:
        """Has a run paused or stopped after the step it is at, whoever trains it; one that waits no longer does."""
        folder = run.folder.resolve()
        with self._lock:
            self._waiting.pop(folder, None)
            if folder in self._training:
                self._leaving.add(folder)
            if folder in self._training or run.is_held():
                with suppress(FileNotFoundError):  # its folder was deleted, and its process leaves by itself
                    run.ask(command)

    def place(self, run: Run) -> int | None:
        """0 while a process trains it, or is about to; 1 and more: its place in the queue; None if it is not here."""
        folder = run.folder.resolve()
        with self._lock:
            if folder in self._training:
                return 0
            return next((place for place, waiting in enumerate(self._waiting, 1) if waiting == folder), None)

    def trained(self) -> dict[Path, Worker]:
        """The folders whose runs are being trained, and the processes that do it."""
        with self._lock:
            return dict(self._training)

    def close(self) -> None:
        """Has everything paused and nobody wait any longer."""
        with self._lock:
            self._waiting.clear()
            for folder in self._training:
                self.ask(Run(folder), "pause")

    def _next(self) -> None:
        """Fills the free slots with those who have waited longest."""
        for folder in [folder for folder in self._waiting if folder not in self._training]:
            if len(self._training) >= self.slots:
                return
            worker = self.workers.order("train", str(folder), self._waiting.pop(folder))
            self._training[folder] = worker
            worker.result.add_done_callback(partial(self._done, folder))

    def _done(self, folder: Path, _: Future[object]) -> None:
        with self._lock:
            del self._training[folder]
            self._leaving.discard(folder)
            self._next()


@cache
def jobs() -> Jobs:
    """Those of this process, the same for everybody in it."""
    return Jobs(Workers())
