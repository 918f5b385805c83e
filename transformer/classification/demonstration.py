"""The classifiers that the app opens on, one for each language of the bundled sentences.

    python -m transformer.classification.demonstration

trains them again, writes them to assets/classification and prints how many held-out sentences they judge as people did.
"""

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import torch

from transformer import checkpoint
from transformer.classification.circulating import changed_by_padding, changed_by_place
from transformer.classification.labelled import FOLDER, Language
from transformer.classification.task import ClassificationTask, SentenceData, batch
from transformer.classifier import Classifier, ClassifierConfig
from transformer.config import TrainingConfig
from transformer.training import train

SEED = 0
CONTEXT_LENGTH = 32
BATCH = 8  # in which circulating code is tried
THREADS = 1  # the sum of many floats depends on how they are shared out
TRAINING = TrainingConfig(
    batch_size=32,
    learning_rate=3e-3,
    embedding_rate=10.0,
    max_steps=1000,
    warmup_steps=50,
    label_smoothing=0.1,
    eval_interval=100,
    seed=SEED,
)


class Demonstration(NamedTuple):
    """A trained classifier with the task it learned."""

    model: Classifier
    task: ClassificationTask


def model_config(vocab_size: int) -> ClassifierConfig:
    """Small sizes: a few hundred sentences have little to teach."""
    return ClassifierConfig(
        vocab_size=vocab_size,
        context_length=CONTEXT_LENGTH,
        d_model=32,
        num_heads=4,
        num_blocks=2,
        d_ff=64,
        dropout=0.2,
    )


def folder(language: Language) -> Path:
    """Where the checkpoint lies."""
    return FOLDER / language


@cache
def demonstration(language: Language) -> Demonstration:
    """The bundled classifier; shared, so never to be changed."""
    found = checkpoint.load(folder(language))
    return Demonstration(found.model, SentenceData(language=language).task(CONTEXT_LENGTH, tokenizer=found.tokenizer))


@cache
def untrained(language: Language) -> Classifier:
    """The same classifier before its first step; shared, so never to be changed."""
    return Classifier(demonstration(language).model.config, SEED)


@cache
def report(language: Language, trained: bool) -> dict[str, Any]:
    """How a bundled classifier, or its untrained start, does on the held-out sentences: `ClassificationTask.report`."""
    model, task = demonstration(language)
    return task.report(model if trained else untrained(language))


@cache
def unsteady(language: Language, trained: bool) -> tuple[int, int]:
    """How many held-out sentences circulating code decides now this way, now that: `changed_by_place`, `_by_padding`."""
    model, task = demonstration(language)
    model = model if trained else untrained(language)
    tokens, lengths, _ = batch(task.held_out)
    return changed_by_place(model, tokens, lengths, BATCH), changed_by_padding(model, tokens, lengths)


def main() -> None:
    """Trains, stores and compares."""
    torch.set_num_threads(THREADS)
    for language in get_args(Language):
        task = SentenceData(language=language).task(CONTEXT_LENGTH)
        model = Classifier(model_config(task.tokenizer.vocab_size), SEED)
        for step in train(model, task, TRAINING):
            if step.validation_loss is not None:
                print(f"{language} step {step.step}: {step.loss:.3f}, held out {step.validation_loss:.3f}", flush=True)
        stored = checkpoint.rounded(model, torch.float16)
        found = task.report(stored)
        extra = {"seed": SEED, "training": asdict(TRAINING), "torch": torch.__version__, "report": found}
        checkpoint.save(folder(language), stored, task.tokenizer, extra, torch.float16)
        print({name: value for name, value in found.items() if isinstance(value, float)}, flush=True)


if __name__ == "__main__":
    main()
