"""Runs of a learner that are trained at once, and a desk where nothing is trained."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

import transformer.runs.jobs
from pages.ui import runs
from pages.ui.training import controls, costs, followed, form
from tests.pages.training.opened import LEARNER, Desk, trained
from transformer.runs.estimates import Estimate
from transformer.runs.plans import Plan
from transformer.runs.run import Run


class Clock:
    """Stands for the measuring of costs."""

    def of(self, plan: Plan, own: str) -> Future[Estimate]:
        found: Future[Estimate] = Future()
        found.set_result(Estimate(parameters=1, seconds_per_step=0.0125, seconds=3725.0, memory=118_000_000))
        return found


@pytest.fixture(autouse=True)
def desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk()
    for module in (transformer.runs.jobs, controls, followed, form, costs):
        monkeypatch.setattr(module, "jobs", lambda: desk)
    monkeypatch.setattr(costs, "estimates", Clock)
    monkeypatch.setattr(runs, "ROOT", tmp_path)
    yield desk


@pytest.fixture
def train(tmp_path: Path) -> Callable[..., Run]:
    """train(dropout=0.5) is a tiny run of the learner that has been trained."""
    return lambda **changes: trained(tmp_path / "learners" / LEARNER, **changes)
