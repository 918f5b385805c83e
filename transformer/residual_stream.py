"""The residual stream: the numbers of each token that every sublayer reads and adds to, from the embedding to the output."""

from typing import NamedTuple

import torch
from torch import Tensor

from transformer.gpt import GPT


class ResidualStream(NamedTuple):
    """One row of tokens on its way through all blocks. N counts the embedding and every sublayer: 1 + 2·num_blocks.

    states: (N, T, D), the stream as it starts, after each attention and after each feed-forward layer.
    weights: (num_blocks, H, T, T), what every head of every block looks at.
    """

    states: Tensor
    weights: Tensor

    @property
    def after_blocks(self) -> Tensor:
        """The stream as it starts and after each block. (1 + num_blocks, T, D)"""
        return self.states[::2]

    @property
    def writes(self) -> Tensor:
        """What the embedding and each sublayer put into the stream; their running sum is `states`. (N, T, D)"""
        return torch.cat([self.states[:1], self.states.diff(dim=0)])


def follow(model: GPT, tokens: Tensor) -> ResidualStream:
    """Walks a row through all blocks and keeps the stream and the attention weights, nothing else. tokens: (1, T) int64

    Where a block normalises after its sum (post-LN), the stream is what the norm made of it.
    """
    x = model.embed(tokens).embeddings
    states, weights = [x], []
    for block in model.blocks:
        trace = block.trace(x, is_causal=True)  # type: ignore[operator]
        x = trace.output
        states += [trace.attention_residual if model.config.norm_first else trace.attention_norm, x]
        weights.append(trace.attention.weights)
    return ResidualStream(torch.cat(states), torch.cat(weights))


def habits(weights: Tensor) -> Tensor:
    """How much of its attention a head gives to the token itself, to the one before, and to each one of the row.

    Means over the queries from the third on, the first for which itself, the one before and the first of the row are
    three tokens; NaN when there is none. (…, T, T) → (…, 2 + T)
    """
    rows = weights[..., 2:, :]
    itself = rows.diagonal(2, -2, -1).mean(-1, keepdim=True)
    previous = rows.diagonal(1, -2, -1).mean(-1, keepdim=True)
    return torch.cat([itself, previous, rows.mean(-2)], -1)


def evenly(length: int) -> Tensor:
    """The weights of a head without any habit: each query's attention is the same for all that it may see. (T, T)"""
    return torch.ones(length, length).tril() / torch.arange(1, length + 1)[:, None]
