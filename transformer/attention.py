"""Scaled dot-product attention and its multi-head form (paper, section 3.2)."""

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer.kv_cache import KeysValues
from transformer.trace import AttentionTrace


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Cuts the last axis into heads; nothing is computed. (B, T, D) → (B, H, T, K)"""
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """Lays the heads side by side again. (B, H, T, K) → (B, T, D)"""
    return x.transpose(1, 2).flatten(2)


def causal_mask(length: int) -> Tensor:
    """True where a query may look: itself and what came before. (T, T) bool"""
    return torch.ones(length, length, dtype=torch.bool).tril()


def causal_heads(queries: Tensor, keys: Tensor, values: Tensor, dropout: float) -> Tensor:
    """What PyTorch's fused kernel does, with dropout, which that kernel lacks on a processor. 3 × (B, H, T, K) → (B, H, T, K)

    A product that begins at −∞ wherever a token would look ahead is scaled and masked at no further cost.
    """
    ahead = queries.new_full((queries.size(-2),) * 2, -math.inf).triu(1)
    scale = 1 / math.sqrt(queries.size(-1))
    scaled = torch.baddbmm(ahead, queries.flatten(0, 1), keys.flatten(0, 1).transpose(1, 2), alpha=scale)
    weights = F.dropout(scaled.softmax(-1), dropout)
    return torch.bmm(weights, values.flatten(0, 1)).unflatten(0, queries.shape[:2])


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h)·Wo (paper, section 3.2.2).

    Self-attention reads queries, keys and values from one sequence; cross-attention reads keys and values from `memory`.
    `mask` is True where a query may look and broadcasts to (B, H, T, S). A query that may look nowhere gives zeros, not NaN.
    """

    def __init__(self, d_model: int, num_heads: int, *, bias: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.query = nn.Linear(d_model, d_model, bias=bias)
        self.key = nn.Linear(d_model, d_model, bias=bias)
        self.value = nn.Linear(d_model, d_model, bias=bias)
        self.output = nn.Linear(d_model, d_model, bias=bias)

    def project(self, x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries of x, keys and values of memory, cut into heads. (B, T, D), (B, S, D) → (B, H, T, K), 2 × (B, H, S, K)"""
        queries = split_heads(self.query(x), self.num_heads)
        keys = split_heads(self.key(memory), self.num_heads)
        values = split_heads(self.value(memory), self.num_heads)
        return queries, keys, values

    def forward(
        self, x: Tensor, memory: Tensor | None = None, mask: Tensor | None = None, *, is_causal: bool = False
    ) -> Tensor:
        """The fast path: PyTorch's fused kernel, nothing kept. (B, T, D) → (B, T, D)"""
        queries, keys, values = self.project(x, x if memory is None else memory)
        dropout = self.dropout if self.training else 0.0
        if dropout and is_causal and x.device.type == "cpu":
            return self.output(merge_heads(causal_heads(queries, keys, values, dropout)))
        heads = F.scaled_dot_product_attention(queries, keys, values, mask, dropout_p=dropout, is_causal=is_causal)
        return self.output(merge_heads(heads))

    def extend(self, x: Tensor, past: KeysValues | None) -> tuple[Tensor, KeysValues]:
        """Causal self-attention of tokens that follow those remembered; returns what to remember now. (B, T, D) → (B, T, D)

        Only the new tokens ask, and only their keys and values are computed. Dropout takes no part.
        """
        queries, *fresh = self.project(x, x)
        seen = KeysValues(*fresh) if past is None else past.followed_by(KeysValues(*fresh))
        new, every = queries.size(-2), seen.keys.size(-2)
        mask = None if new == 1 else torch.ones(new, every, dtype=torch.bool, device=x.device).tril(every - new)
        heads = F.scaled_dot_product_attention(queries, *seen, mask)
        return self.output(merge_heads(heads)), seen

    def trace(
        self, x: Tensor, memory: Tensor | None = None, mask: Tensor | None = None, *, is_causal: bool = False
    ) -> AttentionTrace:
        """The explicit path: every step of equation 1, kept. Dropout, which belongs to training, takes no part."""
        if is_causal:
            mask = causal_mask(x.size(1)).to(x.device)
        queries, keys, values = self.project(x, x if memory is None else memory)
        scores = queries @ keys.transpose(-2, -1)  # (B, H, T, K) · (B, H, K, S) → (B, H, T, S)
        scaled = scores / math.sqrt(queries.size(-1))
        masked = scaled if mask is None else torch.where(mask, scaled, -math.inf)
        weights = masked.softmax(-1) if mask is None else softmax_where(mask, masked)
        heads = weights @ values  # (B, H, T, S) · (B, H, S, K) → (B, H, T, K)
        concatenated = merge_heads(heads)
        output = self.output(concatenated)
        return AttentionTrace(x, queries, keys, values, scores, scaled, masked, weights, heads, concatenated, output)


def softmax_where(mask: Tensor, masked: Tensor) -> Tensor:
    """Softmax over the last axis of scores that are −∞ where the mask is False; a row that is so throughout becomes zeros.

    PyTorch's fused attention gives the same zeros. The mask, which all heads share, is asked and not the scores: it is small.
    """
    weights, somewhere = masked.softmax(-1), mask.any(-1, keepdim=True)
    return weights if somewhere.all() else weights.masked_fill(~somewhere, 0.0)


class SoftmaxSteps(NamedTuple):
    """How softmax makes one distribution of a row of scores; −∞ has no share.

    maximum (…, 1) · exponentials (…, S) of (score − maximum) · total (…, 1) · weights (…, S)
    """

    maximum: Tensor
    exponentials: Tensor
    total: Tensor
    weights: Tensor


def softmax_steps(scores: Tensor) -> SoftmaxSteps:
    """Softmax over the last axis, with what it computes on the way. scores: (…, S)"""
    maximum = scores.max(-1, keepdim=True).values
    exponentials = (scores - maximum).exp()
    total = exponentials.sum(-1, keepdim=True)
    return SoftmaxSteps(maximum, exponentials, total, exponentials / total)
