"""The run that the app opens on: a small GPT that has read three novels by Jane Austen.

    python -m transformer.demonstration

trains it again, writes it to assets/demonstration whenever it has become better, and prints what it and a bigram model
make of the same held-out text.
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import torch

from transformer import checkpoint
from transformer.config import ModelConfig
from transformer.data import corpus_text
from transformer.gpt import GPT
from transformer.tasks import LanguageModelling
from transformer.tokenizer import Tokenizer
from transformer.training import TrainingConfig, evaluate, train
from transformer.vocabulary import CompactTokenizer

FOLDER = Path(__file__).parent / "assets" / "demonstration"
NOVELS = ("persuasion", "northanger_abbey", "pride_and_prejudice")
SEED = 0
THREADS = 1  # the sum of many floats depends on how they are shared out
TRAINING = TrainingConfig(
    batch_size=16,
    learning_rate=3e-3,
    embedding_rate=10.0,
    final_learning_rate=0.02,
    max_steps=5000,
    warmup_steps=100,
    weight_decay=1.0,
    eval_interval=250,
    eval_batches=10,
    seed=SEED,
)
WHOLE = replace(TRAINING, eval_batches=1_000_000)  # all of the held-out text


def model_config(vocab_size: int) -> ModelConfig:
    """The sizes of the published walkthrough, with a context of 64 tokens."""
    return ModelConfig(
        vocab_size=vocab_size, context_length=64, d_model=64, num_heads=4, num_blocks=4, dropout=0.1, tied_output=False
    )


def task(tokenizer: Tokenizer) -> LanguageModelling:
    """The novels as rows of the vocabulary, the last tenth of each held out."""
    return LanguageModelling.of(tokenizer, model_config(tokenizer.vocab_size).context_length, *map(corpus_text, NOVELS))


def improvements(model: GPT, task: LanguageModelling) -> Iterator[tuple[int, GPT]]:
    """Trains; yields the step and the model, its weights rounded as they are stored, whenever it has become better."""
    best = math.inf
    for step in train(model, task, TRAINING):
        if step.validation_loss is None:
            continue
        print(
            f"step {step.step}: {step.loss:.3f} nats on its batch, {step.validation_loss:.3f} on held-out text",
            flush=True,
        )
        if step.validation_loss < best:
            best = step.validation_loss
            yield step.step, checkpoint.rounded(model, torch.float16)


def measurements(task: LanguageModelling, untrained: GPT) -> dict[str, object]:
    """What the run is compared with, in nats a token on the same targets, and how it was made."""
    yardsticks = task.yardsticks(WHOLE)
    return {
        "seed": SEED,
        "novels": NOVELS,
        "training": asdict(TRAINING),
        "torch": torch.__version__,
        "threads": THREADS,
        "train_tokens": len(task.text.train),
        "held_out_tokens": sum(batch.targets.numel() for batch in task.validation(WHOLE)),
        "uniform_loss": yardsticks["uniform"],
        "untrained_loss": evaluate(untrained, task, task.validation(WHOLE)),
        "bigram_loss": yardsticks["bigram"],
    }


def main() -> None:
    """Trains, stores and compares."""
    torch.set_num_threads(THREADS)
    tokenizer = CompactTokenizer.from_corpus(corpus_text(*NOVELS))
    novels = task(tokenizer)
    model = GPT(model_config(tokenizer.vocab_size), SEED)
    compared = measurements(novels, model)
    for step, better in improvements(model, novels):
        loss = evaluate(better, novels, novels.validation(WHOLE))
        checkpoint.save(FOLDER, better, tokenizer, {**compared, "step": step, "loss": loss}, torch.float16)
        print(f"stored after step {step}: {loss:.4f} nats; the bigram model: {compared['bigram_loss']:.4f}", flush=True)


if __name__ == "__main__":
    main()
