"""What a training step costs: beside PyTorch's own layers in a plain loop, the machine's products, the whole vocabulary."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.benchmark.table import percentile, table
from transformer import GPT, ModelConfig, sinusoidal_positions
from transformer.arithmetic import operations
from transformer.config import TrainingConfig
from transformer.runs.plans import TextData
from transformer.runs.presets import PRESETS
from transformer.tasks import LanguageModelling
from transformer.training import train

# (d_model, heads, blocks, context, batch, dropout, steps in a burst, rounds)
SIZES = [(128, 4, 4, 64, 12, 0.0, 3, 25), (128, 4, 4, 64, 12, 0.1, 3, 15), (256, 8, 6, 128, 16, 0.0, 1, 12)]
SIDE = 1024  # of the square matrices that show what the machine can do
ARTICLE_STEPS, ARTICLE_ROUNDS = 5, 20
FOREVER = TrainingConfig(max_steps=10**6, eval_interval=10**6)


class Plain(nn.Module):
    """The same sizes out of PyTorch's own layers."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        sizes = config.d_model, config.num_heads, config.d_ff, config.dropout, config.activation
        layer = nn.TransformerEncoderLayer(*sizes, batch_first=True, norm_first=config.norm_first, bias=config.bias)
        final_norm = nn.LayerNorm(config.d_model) if config.norm_first else None
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.TransformerEncoder(layer, config.num_blocks, final_norm, enable_nested_tensor=False)
        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.register_buffer("positions", sinusoidal_positions(config.context_length, config.d_model))
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(config.context_length))

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits. (B, T) int64 → (B, T, V)"""
        x = self.dropout(self.embedding(tokens) + self.positions)
        return self.output(self.blocks(x, mask=self.mask, is_causal=True))


def plain(config: ModelConfig, ids: Tensor, training: TrainingConfig) -> Iterator[float]:
    """The loop one writes at first: cross-entropy, a clipped gradient, AdamW as PyTorch has it, and the loss as a number."""
    model, length = Plain(config), config.context_length
    optimizer = torch.optim.AdamW(model.parameters(), lr=training.learning_rate)
    while True:
        starts = torch.randint(len(ids) - length, (training.batch_size,))
        inputs = torch.stack([ids[start : start + length] for start in starts])
        targets = torch.stack([ids[start + 1 : start + length + 1] for start in starts])
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), training.gradient_clip)
        optimizer.step()
        yield loss.item()


def ours(config: ModelConfig, task: LanguageModelling, training: TrainingConfig) -> Iterator[float]:
    """The same by `transformer.training.train`."""
    return (step.loss for step in train(GPT(config), task, training))


def burst(losses: Iterator[float], steps: int) -> Callable[[], object]:
    """So many steps as one piece of work."""
    return lambda: list(islice(losses, steps))


def products(count: int) -> Callable[[], object]:
    """Nothing but matrix products, on the threads that training has."""
    matrix = torch.randn(SIDE, SIDE)
    return lambda: [matrix @ matrix for _ in range(count)]


def race(works: Sequence[Callable[[], object]], rounds: int) -> list[list[float]]:
    """Seconds of each work in each round; they take turns, forwards and backwards, so that a noisy machine disturbs all alike."""
    seconds: list[list[float]] = [[] for _ in works]
    for turn in range(rounds + 1):
        for place in range(len(works))[:: 1 if turn % 2 else -1]:
            begin = time.perf_counter()
            works[place]()
            if turn:
                seconds[place].append(time.perf_counter() - begin)
    return seconds


def ratio(ones: Sequence[float], others: Sequence[float]) -> float:
    """The median over the rounds of what one took, by what another took in the same round."""
    return percentile([one / other for one, other in zip(ones, others, strict=True)], 50)


def beside_plain(size: tuple[int, int, int, int, int, float, int, int]) -> list[object]:
    """A row of the first table."""
    d_model, heads, blocks, context, batch, dropout, steps, rounds = size
    task = TextData().task(context)
    config = ModelConfig(
        vocab_size=task.tokenizer.vocab_size,
        context_length=context,
        d_model=d_model,
        num_heads=heads,
        num_blocks=blocks,
        dropout=dropout,
        tied_output=False,
    )
    training = replace(FOREVER, batch_size=batch)
    gflop = (
        steps * 3 * operations(config, batch, context).total / 1e9
    )  # a product's two gradients are two more of its size
    count = round(gflop * 1e9 / (2 * SIDE**3))  # as much arithmetic, so that a noisy machine has as long to disturb it
    losses = plain(config, task.text.train, training), ours(config, task, training)
    theirs, own, product = race([*(burst(each, steps) for each in losses), products(count)], rounds)
    milliseconds = [f"{percentile(each, 50) / steps * 1000:.1f}" for each in (theirs, own)]
    return [
        *(d_model, blocks, context, batch, dropout, *milliseconds, f"{ratio(theirs, own):.2f}"),
        *(f"{steps * batch * context / percentile(own, 50):.0f}", f"{gflop / steps:.1f}"),
        *(f"{gflop / percentile(own, 50):.0f}", f"{count * 2e-9 * SIDE**3 / percentile(product, 50):.0f}"),
        f"{gflop / (count * 2e-9 * SIDE**3) * ratio(product, own):.2f}",
    ]


def beside_the_whole_vocabulary(threads: int) -> list[object]:
    """A row of the second table."""
    torch.set_num_threads(threads)
    article = PRESETS["article"]
    data = replace(article.data, tokenizer="cl100k_base"), article.data
    tasks = [each.task(article.model.context_length) for each in data]
    rows = [task.tokenizer.vocab_size for task in tasks]
    training = replace(FOREVER, batch_size=article.training.batch_size)
    losses = [ours(replace(article.model, vocab_size=each.tokenizer.vocab_size), each, training) for each in tasks]
    whole, compact = race([burst(each, ARTICLE_STEPS) for each in losses], ARTICLE_ROUNDS)
    milliseconds = [f"{percentile(each, 50) / ARTICLE_STEPS * 1000:.1f}" for each in (whole, compact)]
    return [threads, *rows, *milliseconds, f"{ratio(whole, compact):.1f}"]


def measure() -> str:
    """Two tables: the step beside a plain loop and the machine's products, and the article's model with both vocabularies."""
    usual, threads = torch.get_num_threads(), os.cpu_count() or 1
    torch.set_num_threads(threads)
    sizes = ["d_model", "blocks", "context", "batch", "dropout"]
    times = ["plain, ms", "ours, ms", "times faster", "tokens/s", "GFLOP", "GFLOP/s", "of products alone", "share"]
    title = f"A training step beside a plain loop over nn.TransformerEncoderLayer: {threads} threads, medians of rounds"
    first = table(title, sizes + times, [beside_plain(size) for size in SIZES])
    # A run of the app has one thread.
    rows = [beside_the_whole_vocabulary(count) for count in sorted({1, threads})]
    torch.set_num_threads(usual)
    header = [
        "threads",
        "rows of the whole vocabulary",
        "of the compact one",
        "whole, ms",
        "compact, ms",
        "times faster",
    ]
    second = table("A training step of the article's model with each vocabulary, medians of rounds", header, rows)
    return f"{first}\n\n{second}"
