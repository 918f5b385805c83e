"""What the cache of keys and values saves: the same tokens written with it and without."""

import torch

from tests.benchmark.table import percentile, table
from transformer import GPT, ModelConfig
from transformer.arithmetic import operations_with_cache, operations_without_cache
from transformer.lessons.sequence_costs import clock
from transformer.sampling import generate

TOKENS, BLOCKS, VOCABULARY, ROUNDS = 256, 4, 1024, 3
SIZES = [(64, 1), (128, 1), (128, 256), (256, 1)]  # (d_model, tokens of the prompt)


def seconds(model: GPT, prompt: list[int], *, cache: bool) -> tuple[float, list[int]]:
    """How much of the processor's time the tokens take, and which they are."""
    begin = clock()
    written = [each.token for each in generate(model, prompt, max_tokens=TOKENS, cache=cache)]
    return clock() - begin, written


def gigaflops(config: ModelConfig, prompt: int, *, cache: bool) -> str:
    """The operations of all steps, in billions; the first step reads the prompt either way."""
    count = operations_with_cache if cache else operations_without_cache
    later = sum(count(config, 1, length).total for length in range(prompt + 1, prompt + TOKENS))
    return f"{(operations_without_cache(config, 1, prompt).total + later) / 1e9:.1f}"


def compare(d_model: int, prompt: int) -> list[object]:
    """A row of the table; the two ways take turns, so that a noisy machine disturbs both alike."""
    config = ModelConfig(
        vocab_size=VOCABULARY, context_length=prompt + TOKENS, d_model=d_model, num_heads=4, num_blocks=BLOCKS
    )
    model, plain, cached = GPT(config), [], []
    for _ in range(ROUNDS):
        texts = []
        for taken in (plain, cached):
            spent, written = seconds(model, [1] * prompt, cache=taken is cached)
            taken.append(spent)
            texts.append(written)
        assert texts[0] == texts[1], "the cache changed a token"
    work = [gigaflops(config, prompt, cache=cache) for cache in (False, True)]
    slow, fast = percentile(plain, 50), percentile(cached, 50)
    return [d_model, prompt, *work, f"{slow:.2f}", f"{fast:.2f}", f"{slow / fast:.1f}"]


def measure() -> str:
    """A table over d_model and prompt, on one thread: a single token has no work to share."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    rows = [compare(*size) for size in SIZES]
    torch.set_num_threads(threads)
    header = ["d_model", "prompt", "GFLOP without", "with", "without a cache, s", "with, s", "times faster"]
    return table(
        f"{TOKENS} tokens written: {BLOCKS} blocks, processor time of one thread, medians of {ROUNDS}", header, rows
    )
