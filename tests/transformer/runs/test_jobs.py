"""Real processes: they start and leave when told, survive kill -9 as folders, and never outnumber the slots."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from tests.transformer.runs.small_run import OWN, small_plan
from transformer import GPT
from transformer.runs.jobs import Jobs
from transformer.runs.run import Run
from transformer.runs.workers import Workers, estimate
from transformer.training import Step, train
from transformer.user_text import DataError

PLAN = small_plan(learning_rate=1e-3, max_steps=100_000, eval_interval=50)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    workers = Workers()
    yield workers
    workers.close()


@pytest.fixture
def jobs(workers: Workers) -> Iterator[Jobs]:
    jobs = Jobs(workers, slots=1)
    yield jobs
    jobs.close()
    until(lambda: not jobs.trained())


@pytest.fixture
def create(tmp_path: Path) -> Callable[[], Run]:
    return lambda: Run.create(tmp_path, PLAN, OWN)


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def first_steps(count: int) -> list[Step]:
    return list(islice(train(GPT(PLAN.model, 3), PLAN.data.task(7, OWN), PLAN.training), count))


def test_a_run_starts_pauses_steps_and_stops(jobs: Jobs, create: Callable[[], Run]) -> None:
    run = create()
    jobs.start(run)
    assert jobs.place(run) == 0
    until(lambda: run.metrics().steps)
    assert run.status().name == "running"
    jobs.start(run)  # a second time is no second job
    jobs.ask(run, "pause")
    until(lambda: run.status().name == "paused")
    until(lambda: jobs.place(run) is None)
    before = run.status().step
    jobs.start(run, steps=1)
    until(lambda: run.status().step == before + 1)
    until(lambda: jobs.place(run) is None)
    jobs.start(run)
    jobs.ask(run, "stop")
    until(lambda: run.status().name == "stopped")
    assert list(run.metrics().steps) == first_steps(run.status().step)


def test_a_trainer_that_is_killed_loses_nothing_but_the_steps_since_its_checkpoint(
    jobs: Jobs, create: Callable[[], Run]
) -> None:
    run = create()
    jobs.start(run, steps=20)
    until(lambda: run.latest_step() == 20 and jobs.place(run) is None)
    jobs.start(run)
    until(lambda: len(run.metrics().steps) > 25)
    os.kill(jobs.trained()[run.folder.resolve()].pid.result(), signal.SIGKILL)
    until(lambda: jobs.place(run) is None)
    assert run.status().name == "interrupted"
    kept = run.latest_step() or 0
    assert kept >= 20
    jobs.start(run, steps=5)
    until(lambda: run.status().name == "paused")
    assert run.status().step == kept + 5
    assert list(run.metrics().steps) == first_steps(kept + 5)


def test_a_queue_is_served_in_order_and_everybody_knows_their_place(jobs: Jobs, create: Callable[[], Run]) -> None:
    runs = [create() for _ in range(4)]
    for run in runs:
        jobs.start(run)
    assert [jobs.place(run) for run in runs] == [0, 1, 2, 3]
    jobs.ask(runs[1], "stop")
    assert [jobs.place(run) for run in runs] == [0, None, 1, 2]
    assert not (runs[1].folder / "command").exists()
    until(lambda: runs[0].metrics().steps)
    jobs.ask(runs[0], "pause")
    until(lambda: jobs.place(runs[2]) == 0)
    until(lambda: runs[2].status().name == "running")
    assert [run.status().name for run in runs] == ["paused", "new", "running", "new"]
    assert jobs.place(runs[3]) == 1


def test_who_is_asked_to_leave_and_started_again_comes_back(jobs: Jobs, create: Callable[[], Run]) -> None:
    run = create()
    jobs.start(run)
    until(lambda: run.metrics().steps)
    jobs.ask(run, "pause")
    jobs.start(run)
    left = len(run.metrics().steps)
    until(lambda: run.status().name == "running" and len(run.metrics().steps) > left + 1)
    steps = [step.step for step in run.metrics().steps]
    assert steps == list(range(1, len(steps) + 1))  # nothing twice, nothing left out


def test_a_run_that_another_process_trains_is_left_to_it(jobs: Jobs, create: Callable[[], Run]) -> None:
    run = create()
    with run.held():
        jobs.start(run)
        until(lambda: jobs.place(run) is None)
        jobs.ask(run, "pause")
        assert run.status().name == "new" and run.asked() == "pause"


def test_when_the_server_is_killed_its_trainer_saves_and_leaves(create: Callable[[], Run]) -> None:
    run = create()
    program = (
        "import sys, time; from pathlib import Path; from transformer.runs.jobs import Jobs; from transformer.runs.run import Run;"
        "from transformer.runs.workers import Workers; Jobs(Workers()).start(Run(Path(sys.argv[1]))); time.sleep(600)"
    )
    server = subprocess.Popen([sys.executable, "-c", program, str(run.folder)])
    until(lambda: run.metrics().steps)
    server.kill()
    server.wait()
    until(lambda: run.status().name == "paused" and not run.is_held())
    assert run.latest_step() == run.status().step


def test_an_estimate_is_measured_and_has_a_name_for_what_would_go_wrong(workers: Workers) -> None:
    short = replace(PLAN, training=replace(PLAN.training, max_steps=50, warmup_steps=5))
    found = estimate(workers, short, OWN)
    assert found.parameters == sum(parameter.numel() for parameter in GPT(PLAN.model).parameters())
    assert found.seconds > 50 * found.seconds_per_step > 0
    assert found.memory >= 16 * found.parameters
    with pytest.raises(DataError, match="empty"):
        estimate(workers, PLAN)
    huge = replace(PLAN, model=replace(PLAN.model, vocab_size=2**31, d_model=2**20, num_heads=1))
    with pytest.raises(DataError, match="out of memory"):
        estimate(workers, huge, OWN)
