"""A run as pages follow it: its folder is the truth, and what was read of it once is not read again."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import torch
from torch import Tensor

from pages.ui import runs, state
from transformer.checkpoint import Checkpoint
from transformer.classifier import ClassifierConfig
from transformer.gpt import GPT
from transformer.next_token import NextToken, next_token
from transformer.runs import growth
from transformer.runs.jobs import jobs
from transformer.runs.metrics import Metrics
from transformer.runs.plans import Plan
from transformer.runs.run import Run, Status

SEVERAL, OVERFITTING = 2, 0.005  # validations since the best one, and by how much the last is worse
EXAMPLE = Run(growth.FOLDER)
"""The bundled run: what is looked at before there is another one."""


class Reader:
    """Reads a curve as it grows, for all who look at it."""

    def __init__(self, folder: Path) -> None:
        self._run, self._seen, self._lock = Run(folder), Metrics(), Lock()

    def read(self) -> Metrics:
        """All there is by now. Raises ValueError if somebody has spoiled the file."""
        with self._lock:
            self._seen = self._seen.then(self._run.metrics(self._seen.cursor))
            return self._seen


@lru_cache(maxsize=128)
def reader(folder: Path) -> Reader:
    """The one that reads this folder."""
    return Reader(folder)


class Followed(NamedTuple):
    """What is known of a run at one moment.

    Attributes:
        status: how it fares.
        place: 0 while a process trains it, 1 and more its place in the queue, None if neither.
        metrics: its curve.
    """

    run: Run
    plan: Plan
    status: Status
    place: int | None
    metrics: Metrics

    @property
    def going(self) -> bool:
        """Whether something is going to happen to it without anybody's doing."""
        return self.place is not None or self.status.name == "running"

    @property
    def step(self) -> int:
        """The last step that is known of."""
        return self.metrics.steps[-1].step if self.metrics.steps else self.status.step

    @property
    def seconds(self) -> float:
        """Spent on training."""
        return self.metrics.seconds[-1] if self.metrics.seconds else self.status.seconds

    @property
    def outcomes(self) -> int:
        """What a guess of the model is among: the rows of its vocabulary, or its classes."""
        model = self.plan.model
        return model.num_classes if isinstance(model, ClassifierConfig) else model.vocab_size

    @property
    def validations(self) -> list[tuple[int, float]]:
        """(step, loss on held-out text), in order."""
        return [(step.step, step.validation_loss) for step in self.metrics.steps if step.validation_loss is not None]

    @property
    def own(self) -> bool:
        """Whether it is the learner's, and not one that the command line made."""
        return self.run.folder.parent == runs.own_folder()


def follow(run: Run) -> Followed:
    """How a run stands. Raises ValueError or OSError, with one sentence, if its folder is not what a run would write."""
    place, status = jobs().place(run), run.status()  # in this order: who has left the queue has said how it fares
    return Followed(run, run.plan, status, place, reader(run.folder).read())


def plan_of(run: Run | None) -> Plan | None:
    """What a run is; None if there is none, or if somebody has spoiled its plan."""
    try:
        return run.plan if run else None
    except (ValueError, OSError):
        return None


def is_going(run: Run) -> bool:
    """`Followed.going`, cheaply; a broken run is not."""
    try:
        return jobs().place(run) is not None or run.status().name == "running"
    except (ValueError, OSError):
        return False


def looked_at() -> Run | None:
    """The run that the link names; without one, the learner's own that is going, or else the newest there is."""
    if id := state.get("run"):
        return runs.find(id)
    own = runs.own()
    return next(filter(is_going, own), None) or next(iter(own or runs.of_the_command_line()), None)


def look_at(id: str) -> None:
    """Makes a run the one that is looked at. It is no longer walked if it cannot be."""
    if state.get("weights") == "run" and id not in runs.walkable():
        state.put("weights", "demonstration")
    state.put("run", id)


@lru_cache(maxsize=4)
def weights(folder: Path, step: int) -> Checkpoint:
    """The newest weights of a run, which were those after `step` when somebody asked."""
    return Run(folder).load()


@lru_cache(maxsize=4)
def kept_weights(folder: Path, step: int) -> Checkpoint:
    """The weights of a run that were kept after a step."""
    return Run(folder).load(step)


class Glance(NamedTuple):
    """What a model makes of a sentence.

    Attributes:
        weights: of attention, in one block and head. (T, T)
        said: what comes next. N = 1
    """

    weights: Tensor
    said: NextToken


@torch.no_grad()
def glance(model: GPT, tokens: Tensor, block: int, head: int) -> Glance:
    """One forward pass, looked at in one head and at its end. tokens: (1, T); block and head count from zero"""
    x = model.embed(tokens).embeddings
    for layer in model.blocks:
        x = layer(x, is_causal=True)
    return Glance(model.trace_block(tokens, block).attention.weights[0, head], next_token(model, x[0, -1:]))


def turned_up(validations: Sequence[tuple[int, float]]) -> tuple[int, float] | None:
    """The step and loss of the best validation, if all since then were worse, there were several, and the last is clearly so."""
    if not validations:
        return None
    best = min(range(len(validations)), key=lambda number: validations[number][1])
    later = len(validations) - 1 - best
    worse = validations[-1][1] > (1 + OVERFITTING) * validations[best][1]
    return validations[best] if later >= SEVERAL and worse else None
