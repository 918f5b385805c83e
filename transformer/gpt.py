"""The decoder-only language model: the paper's decoder without its cross-attention."""

import math
from typing import ClassVar

import torch
from torch import Tensor, nn

from transformer.blocks import Block
from transformer.config import ModelConfig
from transformer.initialisation import start
from transformer.kv_cache import KVCache
from transformer.output_layer import OutputLayer
from transformer.positions import give_positions
from transformer.trace import BlockTrace, EmbeddingTrace, ForwardTrace


class GPT(nn.Module):
    """Embeds tokens, adds their positions, passes them through the blocks and scores every possible next token.

    The weights follow from `seed` alone; with `tied_output` the output layer is the embedding table itself.
    """

    family: ClassVar[str] = "gpt"
    positions: Tensor

    def __init__(self, config: ModelConfig, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        with torch.inference_mode(False):  # a model made there could never be trained
            self._build(seed)
        self.eval()

    def _build(self, seed: int) -> None:
        config = self.config
        with torch.device("meta"):  # PyTorch's own initialisation would be thrown away
            self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
            self.blocks = nn.ModuleList(Block(config) for _ in range(config.num_blocks))
            self.final_norm = nn.LayerNorm(config.d_model, bias=config.bias) if config.norm_first else nn.Identity()
            self.output = OutputLayer(config.d_model, config.vocab_size)
        self.dropout = nn.Dropout(config.dropout)
        self.to_empty(device="cpu")
        give_positions(self, config)
        if config.tied_output:
            self.output.weight = self.token_embedding.weight
        start(self, seed, self._deviation)

    def _deviation(self, name: str, _: Tensor) -> float:
        """What a block adds to the residual stream is scaled by 1/√(2·num_blocks): the sum of all keeps its size (GPT-2)."""
        block_output = name.startswith("blocks") and name.endswith("output.weight")
        return 0.02 / math.sqrt(2 * self.config.num_blocks) if block_output else 0.02

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of the next token at every position, by fused kernels. (B, T) int64 → (B, T, V)

        Raises:
            ValueError: more tokens than the context holds.
        """
        x = self.dropout(self.embed(tokens).embeddings)
        for block in self.blocks:
            x = block(x, is_causal=True)
        return self.output(self.final_norm(x))

    def extend(self, tokens: Tensor, past: KVCache | None = None) -> tuple[Tensor, KVCache]:
        """Logits of what comes after the last of `tokens`, (B, V), and what to remember of all read so far.

        tokens: (B, T) int64, the ones that follow those in `past`; only they are computed. Dropout takes no part.

        Raises:
            ValueError: more tokens, with those remembered, than the context holds.
        """
        x, remembered = self.embed(tokens, past.length if past else 0).embeddings, []
        for index, block in enumerate(self.blocks):
            x, seen = block.extend(x, past.blocks[index] if past else None)  # type: ignore[operator]
            remembered.append(seen)
        return self.output(self.final_norm(x[:, -1])), KVCache(tuple(remembered))

    def trace(self, tokens: Tensor) -> ForwardTrace:
        """`forward` with every tensor kept and without dropout: equal to it in eval mode. tokens: (B, T) int64

        Raises:
            ValueError: more tokens than the context holds.
        """
        embedding = self.embed(tokens)
        x, blocks = embedding.embeddings, []
        for block in self.blocks:
            blocks.append(block.trace(x, is_causal=True))  # type: ignore[operator]
            x = blocks[-1].output
        final_norm = self.final_norm(x)
        return ForwardTrace(tokens, embedding, tuple(blocks), final_norm, self.output(final_norm))

    def embed(self, tokens: Tensor, start: int = 0) -> EmbeddingTrace:
        """What enters the first block: each token's row of the table plus its position. tokens: (B, T) int64, at `start`"""
        token_embeddings, positions = self.token_embedding(tokens), self._positions(start, start + tokens.size(1))
        return EmbeddingTrace(token_embeddings, positions, token_embeddings + positions)

    def trace_block(self, tokens: Tensor, block: int) -> BlockTrace:
        """One block of `trace`, at the cost of one: the blocks before it take the fast path. tokens: (B, T) int64"""
        x = self.embed(tokens).embeddings
        for earlier in self.blocks[:block]:
            x = earlier(x, is_causal=True)
        return self.blocks[block].trace(x, is_causal=True)  # type: ignore[operator]

    def _positions(self, start: int, stop: int) -> Tensor:
        """The rows of these positions, (T, D)."""
        self.config.check_fits(stop)
        return self.positions[start:stop]
