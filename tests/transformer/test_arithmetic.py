"""The arithmetic of a forward pass, against PyTorch's own count."""

from dataclasses import fields
from itertools import accumulate

import torch
from torch.utils.flop_counter import FlopCounterMode

from transformer import GPT, ModelConfig
from transformer.arithmetic import Operations, operations, operations_with_cache, operations_without_cache

B, T, V = 2, 5, 17
CONFIG = ModelConfig(vocab_size=V, context_length=7, d_model=12, num_heads=3, num_blocks=2, d_ff=20)


@torch.no_grad()
def test_the_total_is_what_pytorch_counts() -> None:
    with FlopCounterMode(display=False) as counter:
        GPT(CONFIG).trace(torch.zeros(B, T, dtype=torch.int64))
    assert operations(CONFIG, B, T).total == counter.get_total_flops()


@torch.no_grad()
def test_each_part_is_what_pytorch_counts() -> None:
    model = GPT(CONFIG)
    trace = model.trace(torch.zeros(B, T, dtype=torch.int64))
    block, read = model.blocks[0], trace.blocks[0].attention
    parts = {
        "queries_keys_values": lambda: block.attention.project(read.input, read.input),
        "scores": lambda: read.queries @ read.keys.transpose(-2, -1),
        "weighted_values": lambda: read.weights @ read.values,
        "concatenation": lambda: block.attention.output(read.concatenated),
        "feed_forward": lambda: block.feed_forward(read.input),
        "logits": lambda: model.output(trace.final_norm),
    }
    counted = operations(CONFIG, B, T)
    assert set(parts) == {field.name for field in fields(Operations)}
    for name, compute in parts.items():
        with FlopCounterMode(display=False) as counter:
            compute()
        times = 1 if name == "logits" else CONFIG.num_blocks
        assert getattr(counted, name) == times * counter.get_total_flops(), name


@torch.no_grad()
def test_with_and_without_a_cache_is_what_pytorch_counts() -> None:
    model, tokens = GPT(CONFIG), torch.zeros(B, T, dtype=torch.int64)
    _, past = model.extend(tokens[:, :-1])
    with FlopCounterMode(display=False) as cached:
        model.extend(tokens[:, -1:], past)
    with FlopCounterMode(display=False) as plain:
        model.extend(tokens)
    products = {"queries_keys_values", "concatenation", "feed_forward", "logits"}
    for count, counter in [
        (operations_with_cache(CONFIG, B, T), cached),
        (operations_without_cache(CONFIG, B, T), plain),
    ]:
        attention = count.scores + count.weighted_values
        counted = counter.get_total_flops()
        # Whether PyTorch counts its fused attention depends on the kernel it takes.
        assert counted in (count.total, count.total - attention), products


def test_reading_piece_by_piece_takes_the_products_of_one_pass_and_only_the_scores_that_the_mask_leaves() -> None:
    *_, steps = accumulate(operations_with_cache(CONFIG, B, length) for length in range(1, T + 1))
    whole = operations(CONFIG, B, T)
    for name in ("queries_keys_values", "concatenation", "feed_forward", "logits"):
        assert getattr(steps, name) == getattr(whole, name), name
    assert steps.scores * 2 * T == whole.scores * (T + 1)
