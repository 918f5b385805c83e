"""What a run is going to cost, measured on a few of its steps before it starts."""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import torch

from transformer.checkpoint import build
from transformer.runs.execution import KEPT, diagnosis
from transformer.runs.plans import Plan
from transformer.training import evaluate, train

WARM_UP, TIMED, PATIENCE = 2, 20, 1.0  # steps not timed, most steps timed, seconds after which fewer will do


class Estimate(NamedTuple):
    """What a run is going to cost on this machine with nothing else running.

    Attributes:
        parameters: numbers that are learned.
        seconds_per_step: of one optimizer step.
        seconds: of the whole run, with its validations, reports and what it writes.
        memory: bytes at most, without those of the program itself.
    """

    parameters: int
    seconds_per_step: float
    seconds: float
    memory: int


def estimate_here(plan: dict[str, Any], own: str) -> dict[str, Any]:
    """`Estimate` as a dictionary, or `code` and `values` of what a run would fail with; takes a second or two.

    The weights it trains are thrown away. It belongs in a process of its own, which can be ended if it takes too long.
    """
    try:
        return _measured(Plan.from_json(plan), own)._asdict()
    except Exception as error:
        code, values = diagnosis(error)
        return {"code": code, "values": values}


def _measured(plan: Plan, own: str) -> Estimate:
    task = plan.data.task(plan.model.context_length, own)
    before = _peak_memory()
    model = build(plan.data.family, plan.model, plan.training.seed)
    settings = replace(plan.training, max_steps=1000, warmup_steps=1000, eval_interval=1000)
    training = train(model, task, settings)
    for _ in range(WARM_UP):
        next(training)
    step, began = 0.0, time.perf_counter()
    for count in range(1, TIMED + 1):
        next(training)
        step = (time.perf_counter() - began) / count
        if step * count > PATIENCE:
            break
    batches = task.validation(plan.training)
    validation = len(batches) * _seconds(lambda: evaluate(model, task, batches[:1]))
    others = -(-plan.training.max_steps // plan.training.eval_interval) * validation
    reports = (KEPT + 1) * _seconds(lambda: task.report(model))
    parameters = sum(parameter.numel() for parameter in model.parameters())
    memory = max(_peak_memory() - before, 16 * parameters)  # weights, gradients and two moments at the least
    return Estimate(parameters, step, plan.training.max_steps * step + others + reports, memory)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _peak_memory() -> int:
    """Bytes that this process, and the accelerator for it, ever held."""
    held = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else 0
    if sys.platform == "win32":
        return held
    from resource import RUSAGE_SELF, getrusage  # there is none on Windows

    unit = 1 if sys.platform == "darwin" else 1024
    return held + unit * getrusage(RUSAGE_SELF).ru_maxrss
