"""The translators that the app opens on, English into French and into Chinese.

    python -m transformer.translation.demonstration [fr] [zh]

trains them again, writes them to assets/translation and prints how many held-out sentences they get right.
"""

import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path

import torch

from transformer import checkpoint
from transformer.config import ModelConfig, TrainingConfig
from transformer.encoder_decoder import EncoderDecoder
from transformer.training import train
from transformer.translation.alignment import alignment_accuracy
from transformer.translation.sentence_pairs import LANGUAGES, Target
from transformer.translation.task import PairData, TranslationTask

FOLDER = Path(__file__).parents[1] / "assets" / "translation"
SEED = 0
CONTEXT_LENGTH = 32
DATA: dict[Target, PairData] = {target: PairData(target=target, seed=SEED) for target in LANGUAGES}
THREADS = 1  # the sum of many floats depends on how they are shared out
TRAINING = TrainingConfig(
    batch_size=64,
    learning_rate=3e-3,
    final_learning_rate=0.02,
    max_steps=1200,
    warmup_steps=120,
    beta2=0.98,
    weight_decay=0.01,
    label_smoothing=0.1,
    eval_interval=200,
    seed=SEED,
)


def model_config(vocab_size: int) -> ModelConfig:
    """The paper's choices in small: post-LN, ReLU, waves, one table for source, target and output."""
    return ModelConfig(
        vocab_size=vocab_size,
        context_length=CONTEXT_LENGTH,
        d_model=128,
        num_heads=4,
        num_blocks=2,
        d_ff=256,
        dropout=0.1,
        norm_first=False,
    )


def folder(target: Target) -> Path:
    """Where the checkpoint lies."""
    return FOLDER / f"en_{target}"


@cache
def demonstration(target: Target) -> checkpoint.Checkpoint:
    """The bundled translator, its tokenizer and what was noted of it; shared, so never to be changed."""
    return checkpoint.load(folder(target))


@cache
def untrained(target: Target) -> EncoderDecoder:
    """The same translator before its first step; shared, so never to be changed."""
    return EncoderDecoder(demonstration(target).model.config, SEED)


@cache
def task(target: Target) -> TranslationTask:
    """What it learned. The grammar takes a moment to say it all again; the words are those of the checkpoint."""
    return DATA[target].task(CONTEXT_LENGTH, tokenizer=demonstration(target).tokenizer)


def main() -> None:
    """Trains, stores and compares."""
    torch.set_num_threads(THREADS)
    for target in [name for name in LANGUAGES if name in sys.argv[1:] or not sys.argv[1:]]:
        learned = DATA[target].task(CONTEXT_LENGTH)
        model = EncoderDecoder(model_config(learned.tokenizer.vocab_size), SEED)
        for step in train(model, learned, TRAINING):
            if step.validation_loss is not None:
                print(f"{target} step {step.step}: {step.loss:.3f}, held out {step.validation_loss:.3f}", flush=True)
        stored = checkpoint.rounded(model, torch.float16)
        extra = {
            "seed": SEED,
            "data": asdict(DATA[target]),
            "training": asdict(TRAINING),
            "torch": torch.__version__,
            "yardsticks": learned.yardsticks(TRAINING),
            "report": learned.report(stored),
            "alignment": alignment_accuracy(stored, learned.held_out).tolist(),
        }
        checkpoint.save(folder(target), stored, learned.tokenizer, extra, torch.float16)
        print(f"{target}: {extra['report']}\n{extra['alignment']}", flush=True)


if __name__ == "__main__":
    main()
