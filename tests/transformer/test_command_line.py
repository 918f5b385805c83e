"""The command line; where several processes matter, as a person types it."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from transformer import demonstration
from transformer.__main__ import explanations, main, use_threads
from transformer.checkpoint import load
from transformer.config import ModelConfig, TrainingConfig
from transformer.runs.execution import execute
from transformer.runs.plans import Plan, TextData
from transformer.runs.presets import PRESETS
from transformer.runs.run import Run

ROOT = Path(__file__).parents[2]
TEXT = "the cat sat on the mat because the mat was the best. " * 40
TINY = (
    *("--preset", "article", "--d-model", "12", "--num-heads", "3", "--num-blocks", "2", "--context-length", "7"),
    *("--batch-size", "4", "--dropout", "0", "--eval-interval", "3", "--eval-batches", "2", "--learning-rate", "0.02"),
)


def run(
    *arguments: object, start: tuple[str, ...] = (sys.executable,), folder: Path
) -> subprocess.CompletedProcess[str]:
    """`python -m transformer …` in a folder; `start` is what comes before -m."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [*start, "-m", "transformer", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def losses(folder: Path) -> list[float]:
    return [step.loss for step in Run(folder).metrics().steps]


def test_a_run_is_trained_taken_up_and_written_on_from(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, halves = tmp_path / "runs/whole", tmp_path / "runs/halves"
    done = run("train", "--corpus", corpus, "--out", whole, "--max-steps", 8, *TINY, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "step 6" in done.stdout
    plan = Run(whole).plan
    assert (plan.model.d_model, plan.model.num_heads, plan.model.d_ff, plan.training.max_steps) == (12, 3, 48, 8)
    assert Run(whole).own == TEXT

    Run.create(halves.parent, plan, TEXT, halves.name)
    assert execute(Run(halves), steps=3).name == "paused"
    assert main(["train", "--out", str(halves)]) == 0
    assert losses(halves) == losses(whole)

    capsys.readouterr()
    written = []
    for _ in range(2):
        assert main(["generate", "--run", str(whole), "--prompt", "the cat", "--max-tokens", "5"]) == 0
        written.append(capsys.readouterr().out)
    assert written[0].startswith("the cat")
    assert written[0] == written[1]

    events = EventAccumulator(str(whole / "tensorboard")).Reload()
    assert [event.step for event in events.Scalars("loss/train")] == list(range(1, 9))
    assert [event.value for event in events.Scalars("loss/train")] == pytest.approx(losses(whole))
    assert [event.step for event in events.Scalars("loss/validation")] == [3, 6, 8]


def test_two_processes_learn_what_one_learns(corpus: Path, tmp_path: Path) -> None:
    alone, together = tmp_path / "runs/alone", tmp_path / "runs/together"
    options = ("train", "--corpus", str(corpus), "--max-steps", "8", *TINY)
    torchrun = (str(Path(sys.executable).with_name("torchrun")), "--standalone", "--nproc-per-node", "2")
    assert main([*options, "--out", str(alone)]) == 0
    done = run(*options, "--out", together, start=torchrun, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    one, two = (Run(folder).metrics().steps for folder in (alone, together))
    assert len(one) == len(two) == 8
    for mine, theirs in zip(one, two, strict=True):
        assert mine.tokens == theirs.tokens
        assert mine.loss == pytest.approx(theirs.loss, abs=1e-4)
        assert mine.gradient_norm == pytest.approx(theirs.gradient_norm, rel=1e-3)
    ours, others = (Run(folder).load().model.state_dict() for folder in (alone, together))
    for name, weight in ours.items():
        assert torch.allclose(weight, others[name], atol=1e-4), name


def test_a_batch_that_cannot_be_shared_out_is_refused(corpus: Path, tmp_path: Path) -> None:
    torchrun = (str(Path(sys.executable).with_name("torchrun")), "--standalone", "--nproc-per-node", "2")
    options = (*TINY, "--batch-size", 3, "--max-steps", 2, "--corpus", corpus, "--out", tmp_path / "runs/odd")
    done = run("train", *options, start=torchrun, folder=tmp_path)
    assert done.returncode != 0
    assert "3 cannot be shared out evenly among 2 processes" in done.stdout + done.stderr


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
def test_a_trace_is_written_whole_with_its_axes(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"cats{ending}"
    assert main(["trace", "--text", "I love cats", "--out", str(path)]) == 0
    model, tokenizer, _ = load(demonstration.FOLDER)
    with torch.no_grad():
        trace = model.trace(torch.tensor([tokenizer.encode("I love cats").ids]))
    if ending == ".npz":
        file = np.load(path)
        axes, scores, tokens = json.loads(str(file["axes"])), file["blocks.2.attention.scores"], file["tokens"]
    else:
        with safe_open(path, "numpy") as opened:
            axes, scores = opened.metadata(), opened.get_tensor("blocks.2.attention.scores")
            tokens = opened.get_tensor("tokens")
    assert axes["blocks.2.attention.scores"] == "B H T S"
    assert np.allclose(scores, trace.blocks[2].attention.scores.numpy(), atol=1e-5)
    assert tokens.dtype == np.int64
    assert (tokens == trace.tokens.numpy()).all()


@pytest.mark.parametrize("preset", ["english_to_chinese", "sentiment_en"])
def test_every_family_is_trained_and_traced(preset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "run", tmp_path / "trace.npz"
    sizes = ("--d-model", "8", "--num-heads", "2", "--num-blocks", "1", "--max-steps", "2", "--eval-batches", "1")
    assert main(["train", "--preset", preset, "--out", str(folder), *sizes]) == 0
    assert main(["trace", "--run", str(folder), "--text", "I love cats", "--out", str(out)]) == 0
    axes = json.loads(str(np.load(out)["axes"]))
    assert any(path.endswith("attention.weights") for path in axes)
    wrote = main(["generate", "--run", str(folder), "--prompt", "I love cats"])
    said = capsys.readouterr()
    assert wrote == 0 if preset.startswith("english") else "classifier" in said.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("train", "--corpus", "nowhere.txt", "--out", "runs/x"), "nowhere.txt"),
        (("train", "--corpus", "persuasion", "--d-model", "64", "--num-heads", "5", "--out", "runs/x"), "5 heads"),
        (("train", "--corpus", "persuasion", "--learning-rate", "-1", "--out", "runs/x"), "learning_rate"),
        (("train", "--corpus", "persuasion", "--device", "abacus", "--out", "runs/x"), "no device 'abacus' here"),
        (("train", "--corpus", "persuasion", "--device", "cpu:", "--out", "runs/x"), "no device 'cpu:' here"),
        (("train", "--corpus", ".", "--out", "runs/x"), ".: Is a directory"),
        (("trace", "--text", "a", "--out", "a.txt"), ".safetensors"),
        (("trace", "--text", "", "--out", "a.npz"), "empty"),
        (("generate", "--run", "nowhere"), "nowhere"),
        (("generate", "--temperature", "-1"), "temperature"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(
    arguments: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("kind", [TextData, ModelConfig, TrainingConfig])
def test_every_option_is_explained_by_the_field_it_sets(kind: type, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(("train", "--help"))
    told = " ".join(capsys.readouterr().out.split())
    for field in fields(kind):
        if (option := f"--{field.name.replace('_', '-')}") in told:
            explained = explanations(kind)[field.name]
            assert " ".join(explained.split()[:3]) in told.partition(f"{kind.__name__}:")[2].partition(option)[2], (
                option
            )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "the text is empty; bring one"),
        (b"word", "a single word; bring"),
        (b"\x00\x01\x02", "no text (it holds bytes"),
        (b"a few words are too few", "are needed for this context; bring more text"),
    ],
)
def test_a_text_that_nothing_can_be_learned_from_is_refused_in_one_sentence(
    text: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.txt").write_bytes(text)
    assert main(("train", "--corpus", str(tmp_path / "text.txt"), "--out", str(tmp_path / "run"))) == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("rate", ["1e4", "1e6", "1e30"])
def test_a_run_that_fails_says_why_and_keeps_its_last_good_weights(
    rate: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("train", "--corpus", str(corpus), "--out", str(tmp_path / "run"), "--max-steps", "400", *TINY)
    assert main((*asked, "--learning-rate", rate, "--gradient-clip", "1e30")) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("failed after step")
    assert "--learning-rate" in said
    run = Run(tmp_path / "run")
    for step in (None, *run.checkpoints()):
        assert all(weight.isfinite().all() for weight in run.load(step).model.parameters())


@pytest.mark.parametrize(
    ("preset", "chosen", "threads"),
    [("article", {}, 1), ("overnight", {}, 2), ("article", {"OMP_NUM_THREADS": "2"}, 2)],
)
def test_small_steps_are_computed_by_one_thread_unless_somebody_chose(
    preset: str, chosen: dict[str, str], threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    usual = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        data, model, training = PRESETS[preset]
        use_threads(Plan(name=preset, data=data, model=model, training=training))
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(usual)
