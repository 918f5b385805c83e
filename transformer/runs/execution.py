"""A run being trained: what it writes down on the way, whom it obeys, and what becomes of a failure."""

import errno
import math
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch

from transformer import parallel
from transformer.checkpoint import TOKENIZER, build, fill, fill_from, json_bytes, replace_files
from transformer.runs import latest, metrics
from transformer.runs.events import EventFiles
from transformer.runs.run import METRICS, YARDSTICKS, Fortune, Run, Status
from transformer.training import NoDevice, Step, train
from transformer.user_text import DataError

BEAT = 0.25  # seconds after which readers see what was written of the curve
LATEST_INTERVAL = 1.0  # seconds from one `latest` to the next,
LATEST_SHARE = 0.02  # or more, so that no larger share of the time goes into writing it
KEPT = 24  # checkpoints on the way
MEMORY_WORDS = ("out of memory", "not enough memory", "can't allocate memory")

OUTCOMES: dict[str, Fortune] = {"pause": "paused", "stop": "stopped"}


def execute(
    run: Run,
    *,
    steps: int | None = None,
    watch: Callable[[Step], object] = lambda step: None,
    asked: Callable[[Run], str] = Run.asked,
) -> Status:
    """Trains a run, from its start or from where it was left, and writes everything down in its folder.

    It goes on to its end, or for so many `steps`, or until it is `asked` after a step to `pause` or to `stop`; `watch`
    sees every step. What was asked before the start holds after the first step, unless the caller has thrown it away
    (`run.asked()`). A failure is a status like any other, with what was last saved as good as before.

    Raises:
        BlockingIOError: another process trains it.
    """
    with run.held():
        execution = None
        try:
            execution = Execution(run)
            status = execution.go(steps, watch, asked)
        except Exception as error:
            status = failure(error, execution)
        with suppress(OSError):  # no room even for this: without a word the run counts as interrupted
            if run.exists:
                run.note(status)
    return status


def follow(run: Run, begun: bool, *, steps: int | None = None) -> None:
    """The part of every process but the first in a training that several share: to learn along, and to write nothing."""
    plan = run.plan
    model = build(plan.data.family, plan.model, plan.training.seed)
    found = latest.read(run.folder) if begun else None
    if found:
        fill(model, found.weights)
    training = train(model, run.task(), plan.training, resume=found.state if found else None)
    for count, _ in enumerate(training, start=1):
        if parallel.agreed("") in OUTCOMES or count == steps:
            return


class Execution:
    """A run that a process has taken up."""

    def __init__(self, run: Run) -> None:
        self.run, self.plan, self.task = run, run.plan, run.task()
        if self.task.tokenizer.vocab_size > self.plan.model.vocab_size:
            raise DataError("vocabulary", rows=self.plan.model.vocab_size, tokens=self.task.tokenizer.vocab_size)
        self.model = build(self.plan.data.family, self.plan.model, self.plan.training.seed)
        begun = self._begun()
        self._fresh = begun is None
        self.training = train(self.model, self.task, self.plan.training, resume=begun.state if begun else None)
        self._seconds, self._since = begun.seconds if begun else 0.0, time.perf_counter()
        self._kept = kept_steps(self.plan.training.max_steps)
        self._next_beat = self._next_latest = 0.0

    @property
    def seconds(self) -> float:
        """Spent on training, by this process and those before it."""
        return self._seconds + time.perf_counter() - self._since

    def go(self, steps: int | None, watch: Callable[[Step], object], asked: Callable[[Run], str]) -> Status:
        """As `execute`."""
        outcome: Fortune = "paused"
        with (
            (self.run.folder / METRICS).open("ab") as self._curve,
            EventFiles(self.run.folder, self.training.step) as events,
        ):
            if self._fresh:
                self._keep(0)
                self.save()
            self.run.note(Status("running", self.training.step, self.seconds))
            for count, step in enumerate(self.training, start=1):
                self._record(step)
                events.add(step)
                watch(step)
                command = parallel.agreed(asked(self.run))
                if command in OUTCOMES or count == steps:
                    outcome = OUTCOMES.get(command, "paused")
                    break
            self.save()
        if self.training.step >= self.plan.training.max_steps:
            outcome = "finished"
        return Status(outcome, self.training.step, self.seconds)

    def save(self) -> None:
        """From here the run can be taken up; what the curve says of it is on disk first."""
        if not self.run.exists:
            raise FileNotFoundError(f"{self.run.folder} was deleted")
        self._curve.flush()
        began = time.perf_counter()
        latest.write(self.run.folder, self.model, self.training.state(), self.seconds)
        done = time.perf_counter()
        self._next_latest = done + max(LATEST_INTERVAL, (done - began) / LATEST_SHARE)

    def _begun(self) -> latest.Latest | None:
        """What an earlier process left, with nothing in the folder that came after; None at the first start."""
        folder = self.run.folder
        if self.run.latest_step() is None:
            tokenizer = json_bytes(self.task.tokenizer.to_json(), indent=None)
            yardsticks = json_bytes(self.task.yardsticks(self.plan.training))
            replace_files(folder, {TOKENIZER: tokenizer, YARDSTICKS: yardsticks, METRICS: b""})
            return None
        begun = latest.read(folder)
        fill_from(folder / latest.FILE, self.model, begun.weights)
        metrics.cut(folder / METRICS, begun.state.step)
        for step in self.run.checkpoints():
            if step > begun.state.step:
                self.run.forget(step)
        return begun

    def _record(self, step: Step) -> None:
        if step.validation_loss is not None and not math.isfinite(step.validation_loss):
            raise FloatingPointError("the weights are no longer good for anything; those last saved are")
        self._curve.write(metrics.step_line(step, self.seconds))
        if step.step in self._kept:
            self._keep(step.step)
        now = time.perf_counter()
        if now >= self._next_latest:
            self.save()
        elif now >= self._next_beat:
            self._curve.flush()
            self._next_beat = now + BEAT

    def _keep(self, step: int) -> None:
        report = self.task.report(self.model)  # first: a model that has nothing to say any more is not kept
        self.run.keep(self.model, step)
        self._curve.write(metrics.report_line(step, report))


def kept_steps(max_steps: int) -> frozenset[int]:
    """The steps whose weights are kept: the first, the last, and more at the start, where most happens."""
    return frozenset(round(max_steps ** (number / (KEPT - 1))) for number in range(KEPT))


def failure(error: Exception, execution: Execution | None) -> Status:
    """A run's last word, with the `diagnosis` of what went wrong."""
    if execution is None:
        return Status("failed", 0, 0.0, *diagnosis(error))
    step, training = execution.training.step, execution.plan.training
    if isinstance(error, FloatingPointError):
        values = {"step": step + 1, "learning_rate": training.learning_rate_at(step + 1)}
        return Status("failed", step, execution.seconds, "not_finite", values)
    return Status("failed", step, execution.seconds, *diagnosis(error, training.device))


def diagnosis(error: Exception, device: str = "cpu") -> tuple[str, dict[str, Any]]:
    """What went wrong, as a code and values that any language can make a sentence of.

    `not_finite` (step, learning_rate) · `out_of_memory` · `disk_full` · `device_lost` (device) · `unreadable` (reason) ·
    `unexpected` (reason) · the codes of `DataError`
    """
    said = f"{type(error).__name__}: {error}"
    match error:
        case FloatingPointError():
            return "not_finite", {}
        case DataError():
            return error.code, dict(error.values)
        case MemoryError() | torch.OutOfMemoryError():
            return "out_of_memory", {}
        case RuntimeError() if any(words in said.lower() for words in MEMORY_WORDS):
            return "out_of_memory", {}
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            return "disk_full", {}
        case NoDevice():
            return "device_lost", {"device": error.device}
        case RuntimeError() if device != "cpu":
            return "device_lost", {"device": device}
        case ValueError() | FileNotFoundError():
            return "unreadable", {"reason": str(error)}
    return "unexpected", {"reason": said}
