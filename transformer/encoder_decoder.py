"""The paper's own model: an encoder that reads the source, and a decoder that writes the target while looking at it."""

import math
from collections.abc import Iterable
from typing import ClassVar

import torch
from torch import Tensor, nn

from transformer.attention import causal_mask
from transformer.blocks import Block, DecoderBlock
from transformer.config import ModelConfig
from transformer.initialisation import start
from transformer.output_layer import OutputLayer
from transformer.positions import give_positions
from transformer.trace import DecoderTrace, EmbeddingTrace, EncoderDecoderTrace, EncoderTrace

PADDING, BEGIN, END = 0, 1, 2
"""Rows that are no words: what fills up the short sentences of a batch, and what a target begins and ends with."""


class EncoderDecoder(nn.Module):
    """Attention Is All You Need, figure 1: `num_blocks` encoder blocks and as many decoder blocks.

    Source and target share one embedding table, whose rows are multiplied by √d_model, and with `tied_output` that table
    is the output layer, too (section 3.4). Nothing looks at `PADDING`; a query with nothing to look at reads zeros.
    The paper's is post-LN, `norm_first=False`: each stack ends with the norm of its last sum. Pre-LN leaves that sum as
    it is, so each stack then ends with a LayerNorm of its own. `context_length` bounds source and target, each by itself.
    The weights follow from `seed` alone.
    """

    family: ClassVar[str] = "encoder_decoder"
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
            self.encoder_blocks = nn.ModuleList(Block(config) for _ in range(config.num_blocks))
            self.encoder_norm = self._stack_norm()
            self.decoder_blocks = nn.ModuleList(DecoderBlock(config) for _ in range(config.num_blocks))
            self.decoder_norm = self._stack_norm()
            self.output = OutputLayer(config.d_model, config.vocab_size)
        self.dropout = nn.Dropout(config.dropout)
        self.to_empty(device="cpu")
        give_positions(self, config)
        if config.tied_output:
            self.output.weight = self.token_embedding.weight
        start(self, seed, self._deviation)

    def _stack_norm(self) -> nn.Module:
        return nn.LayerNorm(self.config.d_model, bias=self.config.bias) if self.config.norm_first else nn.Identity()

    def _deviation(self, _: str, parameter: Tensor) -> float:
        """Matrices as Glorot and Bengio (2010, equation 16) have them.

        A row of the embedding table has length one on average, so that times √d_model it is as loud as a position.
        """
        table = parameter is self.token_embedding.weight
        return self.config.d_model**-0.5 if table else math.sqrt(2 / sum(parameter.shape))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits of the token that follows each token of the target, by fused kernels. (B, S), (B, T) int64 → (B, T, V)

        Raises:
            ValueError: a source or a target is longer than the context.
        """
        return self.decode(source, target, self.encode(source))

    def encode(self, source: Tensor) -> Tensor:
        """The memory that a decoder looks at; it does not depend on the target. (B, S) int64 → (B, S, D)"""
        x, mask = self.dropout(self.embed(source).embeddings), looks_at(source)
        for block in self.encoder_blocks:
            x = block(x, mask=mask)
        return self.encoder_norm(x)

    def decode(self, source: Tensor, target: Tensor, memory: Tensor) -> Tensor:
        """`forward` from the memory on; of the source, only padding matters. (B, S), (B, T), (B, S, D) → (B, T, V)"""
        x = self.dropout(self.embed(target).embeddings)
        mask, cross_mask = looks_back_at(target), looks_at(source)
        for block in self.decoder_blocks:
            x = block(x, memory, mask, cross_mask)
        return self.output(self.decoder_norm(x))

    def trace(self, source: Tensor, target: Tensor) -> EncoderDecoderTrace:
        """`forward` with every tensor kept and without dropout: equal to it in eval mode. (B, S), (B, T) int64

        Raises:
            ValueError: a source or a target is longer than the context.
        """
        encoder = self.trace_encoder(source)
        return EncoderDecoderTrace(encoder, self.trace_decoder(source, target, encoder.memory))

    def trace_encoder(self, source: Tensor) -> EncoderTrace:
        """`encode` with every tensor kept. source: (B, S) int64"""
        embedding, mask = self.embed(source), looks_at(source)
        x, blocks = embedding.embeddings, []
        for block in self.encoder_blocks:
            blocks.append(block.trace(x, mask=mask))  # type: ignore[operator]
            x = blocks[-1].output
        return EncoderTrace(source, seen(mask, source), embedding, tuple(blocks), self.encoder_norm(x))

    def trace_decoder(self, source: Tensor, target: Tensor, memory: Tensor) -> DecoderTrace:
        """`decode` with every tensor kept. source: (B, S), target: (B, T) int64, memory: (B, S, D)"""
        embedding, mask, cross_mask = self.embed(target), looks_back_at(target), looks_at(source)
        x, blocks = embedding.embeddings, []
        for block in self.decoder_blocks:
            blocks.append(block.trace(x, memory, mask, cross_mask))  # type: ignore[operator]
            x = blocks[-1].output
        norm = self.decoder_norm(x)
        masks = seen(mask, target), seen(cross_mask, target)
        return DecoderTrace(target, *masks, embedding, tuple(blocks), norm, self.output(norm))

    def embed(self, tokens: Tensor) -> EmbeddingTrace:
        """Each token's row of the table times √d_model, plus its position. tokens: (B, T) int64"""
        self.config.check_fits(tokens.size(1))
        token_embeddings = self.token_embedding(tokens) * math.sqrt(self.config.d_model)
        positions = self.positions[: tokens.size(1)]
        return EmbeddingTrace(token_embeddings, positions, token_embeddings + positions)


def looks_at(tokens: Tensor) -> Tensor:
    """True for every token that is no padding, whoever asks. (B, S) → (B, 1, 1, S) bool"""
    return (tokens != PADDING)[:, None, None, :]


def looks_back_at(tokens: Tensor) -> Tensor:
    """True for what stands no later than the query and is no padding. (B, T) → (B, 1, T, T) bool"""
    return looks_at(tokens) & causal_mask(tokens.size(1)).to(tokens.device)


def seen(mask: Tensor, queries: Tensor) -> Tensor:
    """A mask with a row for every query, as a picture shows it. mask: (B, 1, 1 or T, S), queries: (B, T) → (B, T, S)"""
    return mask[:, 0].expand(-1, queries.size(1), -1)


def padded(sequences: Iterable[Iterable[int]]) -> Tensor:
    """Sequences of ids as one batch, the short ones filled up with `PADDING`. Returns: (B, T) int64"""
    rows = [torch.tensor(tuple(ids), dtype=torch.int64) for ids in sequences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PADDING)
