"""Whatever interrupts a run, it goes on as if nothing had happened; whatever goes wrong has a name and spoils nothing."""

import errno
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.transformer.runs.small_run import OWN, small_plan
from transformer import GPT, ModelConfig, checkpoint
from transformer.config import TrainingConfig
from transformer.data import Windows
from transformer.runs import latest
from transformer.runs.execution import Execution, diagnosis, execute
from transformer.runs.plans import TextData
from transformer.runs.run import METRICS, Run, Status
from transformer.tasks import LanguageModelling
from transformer.training import NoDevice, Step
from transformer.user_text import DataError

PLAN = small_plan(learning_rate=1e-2, max_steps=7, warmup_steps=2, eval_interval=3)


@pytest.fixture
def create(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    monkeypatch.setattr(LanguageModelling, "report", lambda self, model: {})  # its words are tested elsewhere
    monkeypatch.setattr(os, "fsync", lambda file: None)
    return lambda **training: Run.create(tmp_path, replace(PLAN, training=replace(PLAN.training, **training)), OWN)


@pytest.fixture(scope="module")
def curve() -> list[Step]:
    from transformer.training import train

    model = GPT(PLAN.model, PLAN.training.seed)
    return list(train(model, PLAN.data.task(7, OWN), PLAN.training))


def curve_of(run: Run) -> list[Step]:
    return list(run.metrics().steps)


@pytest.mark.parametrize("parts", [(7,), (1, 6), (3, 1, 1, 99), (6, 1)])
def test_a_run_taken_up_again_has_the_curve_of_one_never_left(
    create: Callable[..., Run], curve: list[Step], parts: tuple[int, ...]
) -> None:
    run = create()
    Execution(run)  # a process that dies before its first step
    outcomes = [execute(run, steps=part).name for part in parts]
    assert outcomes == ["paused"] * (len(parts) - 1) + ["finished"]
    assert curve_of(run) == curve
    assert [step for step, _ in run.metrics().reports] == list(range(8))


@pytest.mark.parametrize(("command", "outcome"), [("pause", "paused"), ("stop", "stopped")])
def test_a_command_is_obeyed_after_the_step_in_hand(create: Callable[..., Run], command: Any, outcome: str) -> None:
    run = create()
    status = execute(run, watch=lambda step: run.ask(command) if step.step == 3 else None)
    assert (status.name, status.step) == (outcome, 3) and replace(run.status(), seconds=0) == replace(status, seconds=0)
    assert run.latest_step() == 3 and len(curve_of(run)) == 3


def test_what_came_after_the_last_checkpoint_is_trained_again_and_counted_once(
    create: Callable[..., Run], curve: list[Step]
) -> None:
    run = create()
    execute(run, steps=2)
    old = (run.folder / latest.FILE).read_bytes()
    execute(run, steps=3)
    (run.folder / latest.FILE).write_bytes(old)
    with (run.folder / METRICS).open("ab") as file:
        file.write(b'{"step": 6, "tok')
    assert execute(run).name == "finished"
    assert curve_of(run) == curve
    assert run.checkpoints() == tuple(range(8))


def test_only_one_process_trains_a_run(create: Callable[..., Run]) -> None:
    run = create()
    with run.held(), pytest.raises(BlockingIOError):
        execute(run)
    assert run.status().name == "new"


def test_a_finished_run_stays_finished(create: Callable[..., Run], curve: list[Step]) -> None:
    run = create()
    execute(run)
    assert execute(run).name == "finished" and curve_of(run) == curve


def test_latest_is_never_older_than_a_second(create: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    run = create()
    clock = iter(range(0, 100_000))
    monkeypatch.setattr("transformer.runs.execution.time.perf_counter", lambda: float(next(clock)))
    seen: list[int | None] = []
    monkeypatch.setattr("transformer.runs.execution.LATEST_SHARE", 1.0)
    execute(run, watch=lambda step: seen.append(run.latest_step()))
    assert seen == list(range(1, 8))


def test_a_loss_that_is_no_number_ends_the_run_with_its_reason_and_its_last_good_weights(
    create: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = create(learning_rate=2.0)
    losses = LanguageModelling.losses

    def burst(self: LanguageModelling, model: GPT, batch: Windows, label_smoothing: float = 0.0) -> torch.Tensor:
        drawn = losses(self, model, batch, label_smoothing)
        return drawn * float("nan") if (run.folder / "burst").exists() else drawn

    monkeypatch.setattr(LanguageModelling, "losses", burst)
    status = execute(run, watch=lambda step: (run.folder / "burst").touch() if step.step == 4 else None)
    values = {"step": 5, "learning_rate": run.plan.training.learning_rate_at(5)}
    assert replace(status, seconds=0.0) == Status("failed", 4, 0.0, "not_finite", values)
    assert run.status() == status and len(curve_of(run)) == 4
    assert all(parameter.isfinite().all() for parameter in run.load().model.parameters())
    (run.folder / "burst").unlink()
    assert execute(run).name == "finished"


@pytest.mark.parametrize("full_from", [1, 4, 9])
def test_a_full_disk_ends_the_run_with_its_reason_and_every_file_whole(
    create: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, curve: list[Step], full_from: int
) -> None:
    run, written = create(), []

    def fsync(file: int) -> None:
        written.append(file)
        if len(written) >= full_from:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    assert execute(run).code == "disk_full"
    assert not list(run.folder.glob(".*"))
    monkeypatch.setattr(os, "fsync", lambda file: None)
    assert execute(run).name == "finished" and curve_of(run) == curve


@pytest.mark.parametrize(
    ("error", "device", "code"),
    [
        (MemoryError(), "cpu", "out_of_memory"),
        (torch.OutOfMemoryError("CUDA out of memory"), "cuda", "out_of_memory"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"), "cpu", "out_of_memory"),
        (RuntimeError("CUDA error: device lost"), "cuda", "device_lost"),
        (NoDevice("mps"), "mps", "device_lost"),
        (OSError(errno.ENOSPC, ""), "cpu", "disk_full"),
        (DataError("too_short", tokens=3), "cpu", "too_short"),
        (ValueError("x"), "cpu", "unreadable"),
        (RuntimeError("x"), "cpu", "unexpected"),
        (ZeroDivisionError(), "cpu", "unexpected"),
    ],
)
def test_each_failure_has_a_name(error: Exception, device: str, code: str) -> None:
    assert diagnosis(error, device)[0] == code


def test_a_model_too_large_for_the_memory_fails_by_name(create: Callable[..., Run]) -> None:
    run = create()
    config = json.loads((run.folder / checkpoint.CONFIG).read_bytes())
    config["model"] = asdict(ModelConfig(vocab_size=2**31, d_model=2**20, num_heads=1, num_blocks=1))
    (run.folder / checkpoint.CONFIG).write_text(json.dumps(config))
    assert execute(run).code == "out_of_memory"


def test_a_text_that_was_taken_away_or_has_outgrown_its_vocabulary_fails_by_name(create: Callable[..., Run]) -> None:
    run = create()
    (run.folder / "text.txt").write_text("安妮" * 40 + OWN)
    assert execute(run) == Status(
        "failed", 0, 0.0, "vocabulary", {"rows": PLAN.model.vocab_size, "tokens": PLAN.model.vocab_size + 2}
    )
    (run.folder / "text.txt").unlink()
    assert execute(run).code == "empty"


def test_a_run_of_a_device_that_is_gone_fails_by_name(create: Callable[..., Run]) -> None:
    assert execute(create(device="xpu")).code == "device_lost"


def test_seconds_add_up_over_interruptions(create: Callable[..., Run]) -> None:
    run = create()
    execute(run, steps=2)
    assert Execution(run).seconds >= latest.read(run.folder).seconds > 0


def test_no_word_of_a_task_is_needed_but_those_of_the_protocol(
    create: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Plain:
        def __init__(self, task: LanguageModelling) -> None:
            self.family, self.tokenizer = "gpt", task.tokenizer
            self.validation, self.losses, self.yardsticks = task.validation, task.losses, task.yardsticks
            self._task = task

        def batches(self, training: TrainingConfig, drawn: int = 0) -> Iterator[Windows]:
            return self._task.batches(training, drawn)

        def report(self, model: Any) -> dict[str, Any]:
            return {"said": "安妮"}

    task = PLAN.data.task(7, OWN)
    assert isinstance(task, LanguageModelling)
    monkeypatch.setattr(TextData, "task", lambda *_: Plain(task))
    run = create()
    assert execute(run).name == "finished" and run.metrics().reports[0] == (0, {"said": "安妮"})
