"""A Transformer that can be asked where every number comes from.

    tokenizer = get_tokenizer("cl100k_base")
    model = GPT(ModelConfig(vocab_size=tokenizer.vocab_size), seed=0)
    trace = model.trace(torch.tensor([tokenizer.encode("I love cats").ids]))     # every intermediate tensor, with its axes

Source of the architecture: Vaswani et al., "Attention Is All You Need" (2017), cited below as "the paper".
"""

from transformer.attention import MultiHeadAttention
from transformer.blocks import Block, FeedForward
from transformer.config import ModelConfig
from transformer.gpt import GPT
from transformer.positions import sinusoidal_positions
from transformer.tokenizer import Tokenizer, Tokens, get_tokenizer
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
    "Tokenizer",
    "Tokens",
    "get_tokenizer",
    "sinusoidal_positions",
]
