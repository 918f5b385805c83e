"""A run's folder is the truth: it survives being cut short, and what no run would have written is refused in a sentence."""

import io
import json
import os
import pickle
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.transformer.runs.small_run import OWN, ROWS, small_plan
from transformer import checkpoint
from transformer.checkpoint import CONFIG
from transformer.runs import latest
from transformer.runs.copies import continued, export
from transformer.runs.execution import execute, kept_steps
from transformer.runs.metrics import START, Metrics
from transformer.runs.run import METRICS, STATE, Run, Status, runs_in
from transformer.tokenizer import CharacterTokenizer

PLAN = small_plan(
    "Anne 安妮",
    {"d_ff": 20, "tied_output": False},
    learning_rate=1e-2,
    max_steps=9,
    warmup_steps=2,
    eval_interval=4,
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "runs", PLAN, OWN)


@pytest.fixture(scope="module")
def trained_once(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = Run.create(tmp_path_factory.mktemp("once"), PLAN, OWN)
    assert execute(run).name == "finished"
    return run


@pytest.fixture
def finished(trained_once: Run, tmp_path: Path) -> Run:
    return Run(Path(shutil.copytree(trained_once.folder, tmp_path / "copies" / trained_once.id)))


def test_a_new_run_says_what_it_is_and_that_nothing_has_happened(run: Run) -> None:
    assert replace(run.plan, created="") == PLAN and run.plan.created.endswith("+00:00")
    assert run.own == OWN and run.status() == Status("new")
    assert run.metrics() == Metrics() and run.checkpoints() == () and run.latest_step() is None
    assert run.tokenizer is None and run.yardsticks() == {}
    assert Run.open(run.folder.parent, run.id) == run
    with pytest.raises(FileNotFoundError):
        run.load()


def test_a_finished_run_has_its_curve_its_yardsticks_and_its_weights(finished: Run) -> None:
    metrics = finished.metrics()
    assert [step.step for step in metrics.steps] == list(range(1, 10))
    assert list(metrics.seconds) == sorted(metrics.seconds) and metrics.seconds[0] > 0
    assert finished.yardsticks() == finished.task().yardsticks(PLAN.training)
    assert finished.checkpoints() == (0, *range(1, 10)) and finished.latest_step() == 9
    assert [step for step, _ in metrics.reports] == list(finished.checkpoints())
    loaded = finished.load()
    assert loaded.extra == {"name": PLAN.name, "step": 9} and not loaded.model.training
    assert loaded.tokenizer.encode(OWN) == CharacterTokenizer(OWN).encode(OWN)
    assert finished.status().name == "finished" and finished.status().seconds >= metrics.seconds[-1]


def test_kept_weights_are_those_of_their_step_rounded_to_16_bits(finished: Run) -> None:
    untrained = checkpoint.build("gpt", PLAN.model, PLAN.training.seed)
    for step, exact in ((0, untrained), (9, finished.load().model)):
        kept = finished.load(step).model
        for parameter, rounded in zip(exact.parameters(), kept.parameters(), strict=True):
            assert torch.equal(parameter.half().float(), rounded)


def test_a_few_dozen_steps_are_kept_more_of_them_early() -> None:
    for max_steps in (1, 30, 5000):
        kept = sorted(kept_steps(max_steps))
        assert (kept[0], kept[-1]) == (1, max_steps) and len(kept) <= 24
    assert len([step for step in kept if step <= 500]) > 12


def test_a_reader_takes_up_where_it_left_and_sees_no_line_twice(finished: Run) -> None:
    whole = (finished.folder / METRICS).read_bytes()
    seen = Metrics()
    for length in (0, 10, 150, 160, 700, 1500, len(whole)):
        with (finished.folder / METRICS).open("r+b") as file:
            file.write(whole[:length])
            file.truncate()
        seen = seen.then(finished.metrics(seen.cursor))
    assert seen.steps == finished.metrics().steps and seen.reports == finished.metrics().reports
    assert finished.metrics(seen.cursor).steps == ()


def test_a_reader_notices_when_the_curve_was_cut(run: Run) -> None:
    execute(run, steps=5)
    seen = run.metrics()
    with (run.folder / METRICS).open("ab") as file:
        file.write(
            (run.folder / METRICS).read_bytes().splitlines(keepends=True)[-2].replace(b'"step": 5', b'"step": 6')
        )
    ahead = seen.then(run.metrics(seen.cursor))
    assert ahead.steps[-1].step == 6
    execute(run, steps=1)
    assert ahead.then(run.metrics(ahead.cursor)).steps == run.metrics().steps


def test_an_unfinished_last_line_is_no_line(finished: Run) -> None:
    path = finished.folder / METRICS
    path.write_bytes(path.read_bytes()[:-5])
    metrics = finished.metrics()
    assert [step.step for step in metrics.steps] == list(range(1, 10)) and len(metrics.reports) == 9


@pytest.mark.parametrize("junk", [b"\x80\x04 pickle\n", b"[1, 2]\n", b'{"step": 1}\n', b'{"loss": "low"\n'])
def test_a_line_that_is_no_step_is_refused(finished: Run, junk: bytes) -> None:
    (finished.folder / METRICS).write_bytes(junk)
    with pytest.raises(ValueError, match="has a line that is no step"):
        finished.metrics()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (CONFIG, b""),
        (CONFIG, b"[]"),
        (CONFIG, b'{"name": "x"}'),
        (CONFIG, b"\xff\xfe"),
        (STATE, b'{"name": "dancing"}'),
        (STATE, b'{"status": "running"}'),
        ("latest.safetensors", b""),
        ("latest.safetensors", pickle.dumps({"weight/x": 1})),
        ("tokenizer.json", b'{"name": "compact"}'),
        ("step-4.safetensors", pickle.dumps({"x": 1})),
        ("step-4.safetensors", b"\x00" * 50),
    ],
)
def test_what_no_run_would_have_written_is_refused_with_a_value_error(finished: Run, file: str, content: bytes) -> None:
    (finished.folder / file).write_bytes(content)
    with pytest.raises(ValueError):
        _ = finished.plan, finished.status(), finished.latest_step(), finished.load(), finished.load(4)
    assert runs_in(finished.folder.parent) == [finished]


@pytest.mark.parametrize("change", [{"d_model": 24}, {"d_model": "12"}, {"n_embd": 12}, {"vocab_size": ROWS + 1}])
def test_weights_of_another_configuration_are_refused(finished: Run, change: dict[str, Any]) -> None:
    config = json.loads((finished.folder / CONFIG).read_bytes())
    config["model"] |= change
    (finished.folder / CONFIG).write_text(json.dumps(config))
    with pytest.raises(ValueError):
        finished.load()
    assert execute(finished).code == "unreadable"


@pytest.mark.parametrize("id", ["", ".", "..", "../runs", "a/b", "/etc", "none", "\x00"])
def test_no_link_leads_out_of_the_folder_of_runs(run: Run, id: str) -> None:
    with pytest.raises(ValueError, match="there is no run"):
        Run.open(run.folder.parent, id)


def test_runs_are_listed_the_newest_first_and_other_folders_left_out(tmp_path: Path) -> None:
    assert runs_in(tmp_path / "nowhere") == []
    runs = [Run.create(tmp_path, PLAN, OWN, id=id) for id in ("b", "a")]
    for run, created in zip(runs, ("2025-01-02", "2025-01-01"), strict=True):
        config = json.loads((run.folder / CONFIG).read_bytes())
        (run.folder / CONFIG).write_text(json.dumps(config | {"created": created}))
    (tmp_path / "holiday").mkdir()
    assert runs_in(tmp_path) == runs
    with pytest.raises(FileExistsError):
        Run.create(tmp_path, PLAN, id="a")


def test_a_run_keeps_its_id_under_another_name_and_is_gone_when_deleted(finished: Run) -> None:
    finished.rename("Emma")
    assert finished.plan.name == "Emma" and finished.load().extra["name"] == "Emma"
    with finished.held(), pytest.raises(BlockingIOError):
        finished.delete()
    finished.delete()
    assert os.listdir(finished.folder.parent) == []


def test_who_says_it_runs_and_is_not_run_was_interrupted(run: Run) -> None:
    run.note(Status("running", 4))
    assert run.status() == Status("interrupted", 4)
    with run.held():
        assert run.status() == Status("running", 4)


def test_a_command_is_heard_once(run: Run) -> None:
    assert run.asked() == ""
    run.ask("pause")
    run.ask("stop")
    assert [run.asked(), run.asked()] == ["stop", ""]


def test_an_exported_run_is_a_checkpoint_with_its_curve(finished: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(export(finished))) as archive:
        archive.extractall(tmp_path / "home")
    loaded = checkpoint.load(tmp_path / "home" / finished.id)
    exact = latest.read(finished.folder).weights
    assert all(torch.equal(exact[name], weight) for name, weight in loaded.model.named_parameters())
    assert loaded.extra["training"]["max_steps"] == 9 and loaded.extra["yardsticks"] == finished.yardsticks()
    assert (tmp_path / "home" / finished.id / METRICS).read_bytes() == (finished.folder / METRICS).read_bytes()


def test_a_run_continued_has_done_what_its_parent_did_and_leaves_the_parent_alone(finished: Run) -> None:
    before = {path.name: path.read_bytes() for path in finished.folder.iterdir() if path.is_file()}
    longer = continued(finished, 6, "longer")
    assert longer.plan.parent == finished.id and longer.plan.training.max_steps == 15 and longer.plan.name == "longer"
    assert longer.metrics().steps == finished.metrics().steps and longer.status().name == "paused"
    assert execute(longer).name == "finished"
    steps = longer.metrics().steps
    assert [step.step for step in steps] == list(range(1, 16))
    assert steps[9].learning_rate == longer.plan.training.learning_rate_at(10)
    assert {path.name: path.read_bytes() for path in finished.folder.iterdir() if path.is_file()} == before


def test_continuing_is_the_same_as_having_planned_so_long_where_the_schedule_does_not_look_ahead(
    tmp_path: Path,
) -> None:
    plan = replace(PLAN, training=replace(PLAN.training, schedule="inverse_sqrt", eval_interval=100))
    short, whole = (
        Run.create(tmp_path, replace(plan, training=replace(plan.training, max_steps=n)), OWN) for n in (5, 8)
    )
    execute(short)
    execute(whole)
    longer = continued(short, 3)
    execute(longer)
    losses = [[step.loss for step in run.metrics().steps] for run in (longer, whole)]
    assert losses[0] == losses[1]
    assert longer.metrics(START).steps[5:] == whole.metrics(START).steps[5:]
