"""The run that comes with the library is what its config.json says it is."""

import pytest

from transformer import GPT, checkpoint
from transformer.data import evaluation_windows
from transformer.demonstration import FOLDER, SEED, TRAINING, model_config, novels
from transformer.ngrams import BigramModel
from transformer.training import evaluate


@pytest.fixture(scope="module")
def shipped() -> checkpoint.Checkpoint:
    return checkpoint.load(FOLDER)


def test_it_beats_the_bigram_model_by_the_stated_margin(shipped: checkpoint.Checkpoint) -> None:
    text = novels(shipped.tokenizer)
    few = evaluation_windows(text.validation, shipped.model.config.context_length, count=64)
    bigram_loss = BigramModel.fit(text.train, shipped.tokenizer.vocab_size).loss(*few)
    stated = shipped.extra["bigram_loss"] - shipped.extra["loss"]
    assert stated > 0.3
    assert bigram_loss - evaluate(shipped.model, few) == pytest.approx(stated, abs=0.1)


def test_the_shipped_files_were_made_by_the_settings_in_the_code(shipped: checkpoint.Checkpoint) -> None:
    assert shipped.model.config == model_config(shipped.tokenizer.vocab_size)
    assert shipped.extra["training"] == vars(TRAINING)
    assert shipped.extra["seed"] == SEED


def test_its_untrained_start_follows_from_the_seed(shipped: checkpoint.Checkpoint) -> None:
    text = novels(shipped.tokenizer)
    few = evaluation_windows(text.validation, shipped.model.config.context_length, count=16)
    untrained = GPT(shipped.model.config, shipped.extra["seed"])
    assert evaluate(untrained, few) == pytest.approx(shipped.extra["untrained_loss"], abs=0.02)
