"""The block that a Transformer stacks (paper, figure 1 and section 3.3)."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from transformer.attention import MultiHeadAttention
from transformer.config import Activation, ModelConfig
from transformer.kv_cache import KeysValues
from transformer.trace import BlockTrace, DecoderBlockTrace, FeedForwardTrace

ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


class FeedForward(nn.Module):
    """FFN(x) = max(0, x·W1 + b1)·W2 + b2, the same at every position (paper, equation 2)."""

    def __init__(self, d_model: int, d_ff: int, *, activation: Activation = "relu", bias: bool = True) -> None:
        super().__init__()
        self.hidden = nn.Linear(d_model, d_ff, bias=bias)
        self.output = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = ACTIVATIONS[activation]

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) → (B, T, D)"""
        return self.output(self.activation(self.hidden(x)))

    def trace(self, x: Tensor) -> FeedForwardTrace:
        """`forward`, with the hidden units before and after the activation kept."""
        hidden = self.hidden(x)
        activated = self.activation(hidden)
        return FeedForwardTrace(x, hidden, activated, self.output(activated))


class Block(nn.Module):
    """Attention and feed-forward, each inside a residual connection with its LayerNorm (paper, section 3.1)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm_first = config.norm_first
        self.attention_norm = nn.LayerNorm(config.d_model, bias=config.bias)
        self.attention = MultiHeadAttention(config.d_model, config.num_heads, bias=config.bias, dropout=config.dropout)
        self.feed_forward_norm = nn.LayerNorm(config.d_model, bias=config.bias)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, activation=config.activation, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None, *, is_causal: bool = False) -> Tensor:
        """(B, T, D) → (B, T, D)"""
        if self.norm_first:
            x = x + self.dropout(self.attention(self.attention_norm(x), mask=mask, is_causal=is_causal))
            return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        x = self.attention_norm(x + self.dropout(self.attention(x, mask=mask, is_causal=is_causal)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))

    def extend(self, x: Tensor, past: KeysValues | None) -> tuple[Tensor, KeysValues]:
        """`forward` for tokens that follow those remembered, without dropout; returns what to remember now. x: (B, T, D)"""
        attended, seen = self.attention.extend(self.attention_norm(x) if self.norm_first else x, past)
        if self.norm_first:
            x = x + attended
            return x + self.feed_forward(self.feed_forward_norm(x)), seen
        x = self.attention_norm(x + attended)
        return self.feed_forward_norm(x + self.feed_forward(x)), seen

    def trace(self, x: Tensor, mask: Tensor | None = None, *, is_causal: bool = False) -> BlockTrace:
        """`forward` with every tensor kept and without dropout."""
        if self.norm_first:
            attention_norm = self.attention_norm(x)
            attention = self.attention.trace(attention_norm, mask=mask, is_causal=is_causal)
            attention_residual = x + attention.output
            feed_forward_norm = self.feed_forward_norm(attention_residual)
            feed_forward = self.feed_forward.trace(feed_forward_norm)
            output = feed_forward_residual = attention_residual + feed_forward.output
        else:
            attention = self.attention.trace(x, mask=mask, is_causal=is_causal)
            attention_residual = x + attention.output
            attention_norm = self.attention_norm(attention_residual)
            feed_forward = self.feed_forward.trace(attention_norm)
            feed_forward_residual = attention_norm + feed_forward.output
            output = feed_forward_norm = self.feed_forward_norm(feed_forward_residual)
        return BlockTrace(
            x,
            attention_norm,
            attention,
            attention_residual,
            feed_forward_norm,
            feed_forward,
            feed_forward_residual,
            output,
        )


class DecoderBlock(nn.Module):
    """The paper's decoder block: masked self-attention, cross-attention to the encoder's memory, feed-forward (3.1).

    Masks are True where a query may look. mask: broadcasts to (B, H, T, T), memory_mask: to (B, H, T, S)
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        d_model, heads, bias = config.d_model, config.num_heads, config.bias
        self.norm_first = config.norm_first
        self.self_attention_norm = nn.LayerNorm(d_model, bias=bias)
        self.self_attention = MultiHeadAttention(d_model, heads, bias=bias, dropout=config.dropout)
        self.cross_attention_norm = nn.LayerNorm(d_model, bias=bias)
        self.cross_attention = MultiHeadAttention(d_model, heads, bias=bias, dropout=config.dropout)
        self.feed_forward_norm = nn.LayerNorm(d_model, bias=bias)
        self.feed_forward = FeedForward(d_model, config.d_ff, activation=config.activation, bias=bias)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor, memory_mask: Tensor) -> Tensor:
        """(B, T, D), memory: (B, S, D) → (B, T, D)"""
        if self.norm_first:
            x = x + self.dropout(self.self_attention(self.self_attention_norm(x), mask=mask))
            x = x + self.dropout(self.cross_attention(self.cross_attention_norm(x), memory, memory_mask))
            return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        x = self.self_attention_norm(x + self.dropout(self.self_attention(x, mask=mask)))
        x = self.cross_attention_norm(x + self.dropout(self.cross_attention(x, memory, memory_mask)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))

    def trace(self, x: Tensor, memory: Tensor, mask: Tensor, memory_mask: Tensor) -> DecoderBlockTrace:
        """`forward` with every tensor kept and without dropout."""
        return (self._trace_norm_first if self.norm_first else self._trace_norm_last)(x, memory, mask, memory_mask)

    def _trace_norm_first(self, x: Tensor, memory: Tensor, mask: Tensor, memory_mask: Tensor) -> DecoderBlockTrace:
        self_norm = self.self_attention_norm(x)
        self_attention = self.self_attention.trace(self_norm, mask=mask)
        self_residual = x + self_attention.output
        cross_norm = self.cross_attention_norm(self_residual)
        cross_attention = self.cross_attention.trace(cross_norm, memory, memory_mask)
        cross_residual = self_residual + cross_attention.output
        norm = self.feed_forward_norm(cross_residual)
        feed_forward = self.feed_forward.trace(norm)
        residual = cross_residual + feed_forward.output
        return DecoderBlockTrace(
            *(x, self_norm, self_attention, self_residual),
            *(cross_norm, cross_attention, cross_residual),
            *(norm, feed_forward, residual),
            output=residual,
        )

    def _trace_norm_last(self, x: Tensor, memory: Tensor, mask: Tensor, memory_mask: Tensor) -> DecoderBlockTrace:
        self_attention = self.self_attention.trace(x, mask=mask)
        self_residual = x + self_attention.output
        self_norm = self.self_attention_norm(self_residual)
        cross_attention = self.cross_attention.trace(self_norm, memory, memory_mask)
        cross_residual = self_norm + cross_attention.output
        cross_norm = self.cross_attention_norm(cross_residual)
        feed_forward = self.feed_forward.trace(cross_norm)
        residual = cross_norm + feed_forward.output
        norm = self.feed_forward_norm(residual)
        return DecoderBlockTrace(
            *(x, self_norm, self_attention, self_residual),
            *(cross_norm, cross_attention, cross_residual),
            *(norm, feed_forward, residual),
            output=norm,
        )
