"""The run that comes with the library is what its config.json says it is."""

from dataclasses import replace

import pytest

from transformer import GPT, checkpoint
from transformer.demonstration import FOLDER, SEED, TRAINING, WHOLE, model_config, task
from transformer.training import TrainingConfig, evaluate

SOME = replace(TRAINING, eval_batches=4)


@pytest.fixture(scope="module")
def shipped() -> checkpoint.Checkpoint:
    return checkpoint.load(FOLDER)


def test_it_beats_the_bigram_model_by_the_stated_margin(shipped: checkpoint.Checkpoint) -> None:
    novels = task(shipped.tokenizer)
    stated = shipped.extra["bigram_loss"] - shipped.extra["loss"]
    measured = novels.yardsticks(SOME)["bigram"] - evaluate(shipped.model, novels, novels.validation(SOME))
    assert stated > 0.3
    assert measured == pytest.approx(stated, abs=0.1)


def test_it_was_judged_by_all_of_the_held_out_text(shipped: checkpoint.Checkpoint) -> None:
    novels = task(shipped.tokenizer)
    assert novels.yardsticks(WHOLE)["bigram"] == pytest.approx(shipped.extra["bigram_loss"])
    assert len(novels.text.train) == shipped.extra["train_tokens"]


def test_the_shipped_files_were_made_by_the_settings_in_the_code(shipped: checkpoint.Checkpoint) -> None:
    assert shipped.model.config == model_config(shipped.tokenizer.vocab_size)
    assert TrainingConfig(**shipped.extra["training"]) == TRAINING
    assert shipped.extra["seed"] == SEED


def test_its_untrained_start_follows_from_the_seed(shipped: checkpoint.Checkpoint) -> None:
    novels = task(shipped.tokenizer)
    untrained = GPT(shipped.model.config, shipped.extra["seed"])
    loss = evaluate(untrained, novels, novels.validation(replace(SOME, eval_batches=1)))
    assert loss == pytest.approx(shipped.extra["untrained_loss"], abs=0.02)
