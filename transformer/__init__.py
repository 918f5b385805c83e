"""A Transformer that can be asked where every number comes from.

    config = ModelConfig(vocab_size=100_277)
    model = GPT(config, seed=0)
    trace = model.trace(tokens)          # every intermediate tensor, with its axes

Source of the architecture: Vaswani et al., "Attention Is All You Need" (2017), cited below as "the paper".
"""

from transformer.attention import MultiHeadAttention
from transformer.blocks import Block, FeedForward
from transformer.config import ModelConfig
from transformer.gpt import GPT
from transformer.positions import sinusoidal_positions
from transformer.trace import AttentionTrace, BlockTrace, EmbeddingTrace, FeedForwardTrace, ForwardTrace

__all__ = [
    "GPT",
    "AttentionTrace",
    "Block",
    "BlockTrace",
    "EmbeddingTrace",
    "FeedForward",
    "FeedForwardTrace",
    "ForwardTrace",
    "ModelConfig",
    "MultiHeadAttention",
    "sinusoidal_positions",
]
