"""A loss that a run has written down, made anew from its saved weights: in float64, by PyTorch's own cross-entropy."""

from bisect import bisect_left
from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import torch
from torch import nn

from transformer.checkpoint import build, fill_from
from transformer.config import TrainingConfig
from transformer.data import seed_of
from transformer.runs import latest
from transformer.runs.metrics import Metrics
from transformer.runs.plans import Plan
from transformer.runs.run import Run
from transformer.tasks import Task
from transformer.training import Step, evaluate

MOST_ARITHMETIC = 3e10  # floating-point operations that a loss made anew may take: a few seconds
TRIES, ALIKE = 3, 1e-5


class Verified(NamedTuple):
    """A loss, twice.

    Attributes:
        step: whose loss it is: of its batch before the step, or after it if `held_out`.
        written: by the training.
        again: from the weights of that moment.
    """

    step: int
    held_out: bool
    written: float
    again: float


def verify(run: Run, task: Task[Any], curve: Callable[[], Metrics], *, one_process: bool) -> Verified | None:
    """The newest loss that the saved weights can answer for; None where there is none yet, or it would take long.

    It is that of the validation after the step they were saved at, or of the batch after it, or else of the very first
    batch, whose weights follow from the seed. `curve` is read after the weights. `one_process` says that no other shared
    the training: then its dropout can be repeated.

    Raises:
        ValueError, OSError: what is in the folder is not what a run would write.
    """
    if run.latest_step() is None:
        return None
    plan, saved = run.plan, latest.read(run.folder, weights_only=True)
    steps, step = curve().steps, saved.state.step
    model = build(plan.data.family, plan.model, plan.training.seed)
    now = _at(steps, step)
    if now and now.validation_loss is not None and _affordable(plan, plan.training.eval_batches):
        fill_from(run.folder / latest.FILE, model, saved.weights)
        again = evaluate(model.double(), task, task.validation(plan.training))
        return Verified(step, True, now.validation_loss, again)
    if not _repeatable(plan, one_process) or not _affordable(plan, 1):
        return None
    after = _at(steps, step + 1)
    if after:
        fill_from(run.folder / latest.FILE, model, saved.weights)
    found = after or _at(steps, 1)
    return _of_batch(model, task, plan.training, found) if found else None


def _at(steps: tuple[Step, ...], number: int) -> Step | None:
    """The step of this number, if it was written down."""
    place = bisect_left(steps, number, key=attrgetter("step"))
    return steps[place] if place < len(steps) and steps[place].step == number else None


def _affordable(plan: Plan, batches: int) -> bool:
    """Whether so many batches can be read again in a few seconds."""
    model, training = plan.model, plan.training
    targets = batches * training.batch_size * model.context_length
    of_a_target = model.d_model * (model.num_blocks * (4 * model.d_model + 2 * model.d_ff) + model.vocab_size)
    return 2 * targets * of_a_target <= MOST_ARITHMETIC


def _repeatable(plan: Plan, one_process: bool) -> bool:
    """Whether a batch's loss can be repeated here: full precision, and dropout as this processor draws it, or none."""
    same_dropout = not plan.model.dropout or (plan.training.device == "cpu" and one_process)
    return plan.training.precision == "float32" and same_dropout


@torch.no_grad()
def _of_batch(model: nn.Module, task: Task[Any], training: TrainingConfig, step: Step) -> Verified:
    """The loss of a step's batch, with its dropout. The model is that before the step, and is used up."""
    batch = next(iter(task.batches(training, drawn=step.step - 1)))
    model.double().train()
    again = 0.0
    for _ in range(TRIES):  # dropout draws from a generator that another thread may use meanwhile
        with torch.random.fork_rng([]):
            torch.manual_seed(seed_of(training.seed, "dropout", step.step))
            again = float(task.losses(model, batch, training.label_smoothing).mean(dtype=torch.float64))
        if abs(again - step.loss) <= ALIKE * max(1.0, step.loss):
            break
    return Verified(step.step, False, step.loss, again)
