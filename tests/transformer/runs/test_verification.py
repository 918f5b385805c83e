"""What a run wrote down follows from the weights it saved, whenever one looks and whatever it learns; a forgery is found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from transformer.classification.task import SentenceData
from transformer.classifier import ClassifierConfig
from transformer.config import ModelConfig, TrainingConfig
from transformer.runs import latest
from transformer.runs.execution import Execution, execute
from transformer.runs.plans import Plan, TextData
from transformer.runs.run import METRICS, Run
from transformer.runs.verification import Verified, verify
from transformer.translation.task import PairData

TEXT = "she hoped to be wise and reasonable in time; but alas! alas! " * 6
NUMBERS, ANIMALS = ("two", "three", "four"), ("cat", "dog", "bird", "fish", "horse")
PAIRS = "\n".join(f"{number} {one}\t{one} {number}" for one in ANIMALS for number in NUMBERS)
LABELLED = "\n".join(f"{number}\t{number} {one} runs" for one in ANIMALS for number in NUMBERS)
DATA: dict[str, tuple[Any, str]] = {
    "gpt": (TextData(corpora=(), tokenizer="characters"), TEXT),
    "encoder_decoder": (PairData(target="own"), PAIRS),
    "classifier": (SentenceData(language="own"), LABELLED),
}


@pytest.fixture
def begin(tmp_path: Path) -> Callable[..., Run]:
    def begin(family: str = "gpt", dropout: float = 0.3, **training: Any) -> Run:
        data, own = DATA[family]
        sizes: dict[str, Any] = {"context_length": 7, "d_model": 12, "num_heads": 3, "num_blocks": 2}
        sizes |= {"dropout": dropout, "vocab_size": data.task(7, own).tokenizer.vocab_size}
        model = ClassifierConfig(num_classes=3, **sizes) if family == "classifier" else ModelConfig(**sizes)
        asked: dict[str, Any] = {"batch_size": 2, "learning_rate": 1e-2, "max_steps": 6, "warmup_steps": 2}
        asked |= {"eval_interval": 4, "label_smoothing": 0.1}
        plan = Plan(name="Anne", data=data, model=model, training=TrainingConfig(**asked | training))
        return Run.create(tmp_path, plan, own)

    return begin


def verified(run: Run, **how: Any) -> Verified | None:
    return verify(run, run.task(), run.metrics, **{"one_process": True} | how)


@pytest.mark.parametrize("family", DATA)
def test_after_every_step_a_loss_of_the_run_can_be_made_anew(begin: Callable[..., Run], family: str) -> None:
    run, proven = begin(family), []
    while execute(run, steps=1).name != "finished":
        proven.append(verified(run))
    proven.append(verified(run))
    assert [(each.step, each.held_out) for each in proven if each] == [
        *[(1, False)] * 3,
        (4, True),
        (1, False),
        (6, True),
    ]
    assert all(each and each.again == pytest.approx(each.written, abs=1e-5) for each in proven)


def test_while_it_trains_the_batch_after_the_saved_weights_answers(begin: Callable[..., Run]) -> None:
    run = begin()
    execute(run, steps=2)
    saved = (run.folder / latest.FILE).read_bytes()
    execute(run, steps=1)
    (run.folder / latest.FILE).write_bytes(saved)
    found = verified(run)
    assert found == (3, False, run.metrics().steps[2].loss, pytest.approx(run.metrics().steps[2].loss, abs=1e-5))


def test_the_random_numbers_of_others_are_left_alone(begin: Callable[..., Run]) -> None:
    run = begin()
    execute(run, steps=2)
    before = torch.get_rng_state()
    verified(run)
    assert torch.equal(before, torch.get_rng_state())


def test_before_the_first_step_there_is_nothing_to_prove(begin: Callable[..., Run]) -> None:
    run = begin()
    assert verified(run) is None
    Execution(run)
    assert verified(run) is None


@pytest.mark.parametrize(
    ("changes", "how"),
    [({"precision": "bfloat16"}, {}), ({"device": "cuda"}, {}), ({}, {"one_process": False})],
    ids=["rounded", "another device's dropout", "several processes"],
)
def test_a_batch_that_cannot_be_repeated_is_not_compared(
    begin: Callable[..., Run], changes: dict[str, Any], how: dict[str, Any]
) -> None:
    run = begin()
    execute(run, steps=2)
    config = json.loads((run.folder / "config.json").read_text())
    config["training"] |= changes
    (run.folder / "config.json").write_text(json.dumps(config))
    assert verified(run, **how) is None


def test_a_model_too_large_is_not_made_anew(begin: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    run = begin()
    execute(run)
    monkeypatch.setattr("transformer.runs.verification.MOST_ARITHMETIC", 0)
    assert verified(run) is None


@pytest.mark.parametrize("steps", [2, None], ids=["a batch's loss", "a held-out loss"])
def test_a_loss_that_somebody_wrote_in_is_found_out(begin: Callable[..., Run], steps: int | None) -> None:
    run = begin()
    execute(run, steps=steps)
    lines = [json.loads(line) for line in (run.folder / METRICS).read_text().splitlines()]
    for line in lines:
        line |= {name: line[name] - 0.01 for name in ("loss", "validation_loss") if line.get(name) is not None}
    (run.folder / METRICS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = verified(run)
    assert found and found.again - found.written == pytest.approx(0.01, abs=1e-4)
