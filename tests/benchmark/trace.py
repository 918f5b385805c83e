"""What a trace costs beside the fast path, and how both grow with the arithmetic."""

import os
import time
from collections.abc import Callable

import torch

from tests.benchmark.table import percentile, table
from transformer import GPT, ModelConfig
from transformer.arithmetic import operations

BATCH, BLOCKS, VOCABULARY = 4, 4, 1024
SIZES = [(256, 128), (256, 32), (256, 64), (64, 128), (128, 128), (512, 128)]  # (d_model, context)
ROUNDS = 30


def interleaved(*functions: Callable[[], object]) -> list[list[float]]:
    """Seconds of each call, the functions taking turns, so that a noisy machine disturbs all alike."""
    seconds: list[list[float]] = [[] for _ in functions]
    for turn in range(ROUNDS + 3):
        for taken, function in zip(seconds, functions, strict=True):
            start = time.perf_counter()
            result = function()
            if turn >= 3:
                taken.append(time.perf_counter() - start)
            del result  # giving 60 MB back is no part of making them
    return seconds


@torch.inference_mode()
def measure() -> str:
    """A table over d_model and context, with as many threads as a notebook has; the app's pages have one."""
    rows, usual, threads = [], torch.get_num_threads(), os.cpu_count() or 1
    torch.set_num_threads(threads)
    for d_model, context in SIZES:
        config = ModelConfig(
            vocab_size=VOCABULARY, d_model=d_model, context_length=context, num_heads=4, num_blocks=BLOCKS
        )
        model, tokens = GPT(config), torch.randint(VOCABULARY, (BATCH, context))
        forward, trace = interleaved(lambda: model(tokens), lambda: model.trace(tokens))  # noqa: B023
        half = percentile(forward, 50), percentile(trace, 50)
        flops = operations(config, BATCH, context).total
        rows.append(
            [
                d_model,
                context,
                f"{flops / 1e9:.2f}",
                f"{half[0] * 1000:.2f}",
                f"{half[1] * 1000:.2f}",
                f"{half[1] / half[0]:.2f}",
                f"{flops / half[1] / 1e9:.0f}",
            ]
        )
    torch.set_num_threads(usual)
    header = ["d_model", "context", "GFLOP", "forward ms", "trace ms", "trace ÷ forward", "GFLOP/s of trace"]
    return table(f"trace() beside forward(): {BLOCKS} blocks, batch {BATCH}, {threads} threads, medians", header, rows)
