"""The proof line is about the run: it names a step, and makes that step's loss anew from what the run has saved."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from pages.ui.training import proofs
from tests.pages.conftest import Open
from tests.pages.reading import proof
from tests.pages.training.opened import Desk, opened, trained, watching, words
from transformer.runs import latest
from transformer.runs.plans import TextData
from transformer.runs.run import METRICS, Run


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("view", ["watch", "runs"])
def test_a_finished_run_is_proven_by_its_last_validation(
    open_page: Open, train: Callable[..., Run], view: str, language: str
) -> None:
    app = opened(open_page, train_view=view, run=train(dropout=0.5).id, lang=language)
    assert proof(app).startswith("✓") and words(language).proven.held_out.format(step="12") in proof(app)


def test_a_paused_run_is_proven_from_its_seed(open_page: Open, train: Callable[..., Run]) -> None:
    line = proof(watching(open_page, train(steps=5, dropout=0.5)))
    assert line.startswith("✓") and words().proven.batch.format(step="1") in line


def test_a_run_under_way_is_proven_at_the_step_after_its_saved_weights(
    open_page: Open, desk: Desk, tmp_path: Any, train: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs, "BRIEF", proofs.PATIENCE)  # a page looks again in a second, this test does not
    run = train(steps=5, dropout=0.5)
    ahead = trained(tmp_path / "another", steps=7, dropout=0.5)
    (run.folder / METRICS).write_bytes((ahead.folder / METRICS).read_bytes())
    desk.places[run.id] = 0
    line = proof(watching(open_page, run))
    assert line.startswith("✓") and words().proven.batch.format(step="6") in line


def test_a_loss_that_somebody_wrote_in_does_not_hold(open_page: Open, train: Callable[..., Run]) -> None:
    run = train()
    lines = [json.loads(line) for line in (run.folder / METRICS).read_text().splitlines()]
    lines[-1 if "loss" in lines[-1] else -2]["validation_loss"] = 2.5
    (run.folder / METRICS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert proof(watching(open_page, run)).startswith("✗")


def test_what_was_proven_stays_until_something_newer_is(open_page: Open, train: Callable[..., Run]) -> None:
    run = train()
    before = proof(watching(open_page, run))
    (run.folder / latest.FILE).write_bytes(b"spoiled")
    assert proof(watching(open_page, run)) == before


def test_before_there_is_a_loss_the_proof_says_that_it_is_a_blind_guess(open_page: Open, tmp_path: Any) -> None:
    choices = {"train_data.corpora": "own", "train_data.tokenizer": "characters"}
    own = "she hoped to be wise and reasonable in time; but alas! alas! " * 12
    rows = TextData(corpora=(), tokenizer="characters").make_tokenizer(own).vocab_size
    line = proof(opened(open_page, _own_text=own, **choices))
    assert words().proven.blind.format(rows=rows) in line
