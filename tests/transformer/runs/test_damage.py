"""A run's file that somebody has damaged is named in one sentence; a run whose folder is deleted ends without a word."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save

from transformer.checkpoint import TOKENIZER
from transformer.config import ModelConfig, TrainingConfig
from transformer.runs import latest
from transformer.runs.execution import execute
from transformer.runs.plans import Plan, TextData
from transformer.runs.run import CONFIG, METRICS, STATE, YARDSTICKS, Run
from transformer.training import Step

OWN = "she hoped to be wise and reasonable in time; but alas! alas! " * 4
DATA = TextData(corpora=(), tokenizer="characters")
ROWS = DATA.make_tokenizer(OWN).vocab_size
MODEL = ModelConfig(vocab_size=ROWS, context_length=7, d_model=12, num_heads=3, num_blocks=2)
TRAINING = TrainingConfig(batch_size=2, learning_rate=1e-2, max_steps=6, warmup_steps=2, eval_interval=3)
PLAN = Plan(name="Anne", data=DATA, model=MODEL, training=TRAINING)
OTHER_WEIGHTS = save({"weight/nonsense": torch.zeros(1)}, {"step": "6", "tokens": "84", "seconds": "1"})


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path, PLAN, OWN)


@pytest.fixture(scope="module")
def trained_once(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = Run.create(tmp_path_factory.mktemp("once"), PLAN, OWN)
    assert execute(run).name == "finished"
    return run


@pytest.fixture
def finished(trained_once: Run, tmp_path: Path) -> Run:
    return Run(Path(shutil.copytree(trained_once.folder, tmp_path / "copies" / trained_once.id)))


READERS: dict[str, Callable[[Run], object]] = {
    "step-3.safetensors": lambda run: run.load(3),
    latest.FILE: lambda run: run.load(),
    TOKENIZER: lambda run: run.tokenizer,
    CONFIG: lambda run: run.plan,
    STATE: lambda run: run.status(),
    YARDSTICKS: lambda run: run.yardsticks(),
    METRICS: lambda run: run.metrics(),
}


@pytest.mark.parametrize(
    "content", [b"", b"\x80\x04 a pickle\n", OTHER_WEIGHTS], ids=["empty", "pickle", "other weights"]
)
@pytest.mark.parametrize("file", READERS)
def test_what_is_wrong_with_a_file_names_that_file(finished: Run, file: str, content: bytes) -> None:
    (finished.folder / file).write_bytes(content)
    if file == METRICS and not content.endswith(b"\n"):
        assert READERS[file](finished)  # nothing, or a line that is being written
        return
    with pytest.raises(ValueError, match=file.replace(".", r"\.")) as told:
        READERS[file](finished)
    assert "model.safetensors" not in str(told.value) and "\n" not in str(told.value)


def test_a_run_is_not_taken_up_from_weights_of_another_and_says_whose(run: Run) -> None:
    execute(run, steps=2)
    (run.folder / latest.FILE).write_bytes(OTHER_WEIGHTS)
    status = execute(run)
    assert (status.name, status.code) == ("failed", "unreadable") and latest.FILE in status.values["reason"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", '"low"', "[]"])
@pytest.mark.parametrize("name", ["loss", "validation_loss", "gradient_norm", "learning_rate", "seconds"])
def test_what_is_no_number_in_a_curve_is_damage(finished: Run, name: str, number: str) -> None:
    step = {**vars(Step(7, 98, 1.0, 0.01, 0.5, 1.0)), "seconds": 1.0}
    line = json.dumps(step | {name: "HERE"}).replace('"HERE"', number)
    with (finished.folder / METRICS).open("a") as curve:
        curve.write(line + "\n")
    with pytest.raises(ValueError, match=rf"{METRICS} has a line that is no step"):
        finished.metrics()


@pytest.mark.parametrize("line", ['{"step": 6, "report": {"accuracy": NaN}}', '{"step": NaN, "report": {}}'])
def test_what_is_no_number_in_a_report_is_damage(finished: Run, line: str) -> None:
    with (finished.folder / METRICS).open("a") as curve:
        curve.write(line + "\n")
    with pytest.raises(ValueError, match=METRICS):
        finished.metrics()


def test_a_yardstick_that_is_no_number_is_damage(finished: Run) -> None:
    (finished.folder / YARDSTICKS).write_text('{"uniform": NaN}')
    with pytest.raises(ValueError, match=YARDSTICKS):
        finished.yardsticks()


def test_a_validation_that_is_no_number_ends_the_run_and_is_not_written_down(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformer.training.evaluate", lambda *_: float("nan"))
    status = execute(run)
    assert (status.name, status.code, status.step) == ("failed", "not_finite", 3)
    assert [step.step for step in run.metrics().steps] == [1, 2]
    assert run.load().model(torch.zeros(1, 1, dtype=torch.int64)).isfinite().all()


@pytest.mark.parametrize("save_always", [True, False], ids=["when it saves", "when it only goes on"])
def test_a_run_whose_folder_is_deleted_ends_quietly_and_leaves_nothing(
    run: Run, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, save_always: bool
) -> None:
    if save_always:
        monkeypatch.setattr("transformer.runs.execution.LATEST_INTERVAL", 0.0)
        monkeypatch.setattr("transformer.runs.execution.LATEST_SHARE", 1e9)

    def delete(step: Step) -> Any:
        if step.step == 3:
            shutil.rmtree(run.folder)

    status = execute(run, watch=delete)
    assert status.name == "failed" and status.step >= 3
    assert not run.folder.exists()
    assert capfd.readouterr() == ("", "")


def test_a_folder_that_outlives_its_plan_is_left_alone(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transformer.runs.execution.LATEST_INTERVAL", 0.0)
    monkeypatch.setattr("transformer.runs.execution.LATEST_SHARE", 1e9)

    def delete(step: Step) -> Any:
        if step.step == 3:
            for file in (CONFIG, STATE, latest.FILE):
                (run.folder / file).unlink()

    assert execute(run, watch=delete).step < PLAN.training.max_steps
    assert not {CONFIG, STATE, latest.FILE} & {path.name for path in run.folder.iterdir()}


def test_a_run_deleted_before_it_starts_is_an_error_and_no_new_folder(tmp_path: Path) -> None:
    run = Run.create(tmp_path, replace(PLAN, name="gone"), OWN)
    shutil.rmtree(run.folder)
    with pytest.raises(FileNotFoundError):
        execute(run)
    assert not run.folder.exists()
