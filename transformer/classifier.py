"""The text classifier: encoder blocks that read a whole sentence at once, and one decision from the mean of its tokens."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from transformer.blocks import Block
from transformer.config import ModelConfig
from transformer.initialisation import start
from transformer.positions import give_positions
from transformer.trace import ClassifierTrace, EmbeddingTrace


@dataclass(frozen=True, kw_only=True)
class ClassifierConfig(ModelConfig):
    """The sizes of a classifier; `tied_output` plays no part.

    Attributes:
        num_classes: what is chosen from, C.

    Raises:
        ValueError: with one sentence that says what to change.
    """

    num_classes: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_classes < 2:
            raise ValueError(f"num_classes is {self.num_classes}; it must be at least 2")


class Classifier(nn.Module):
    """Embeds tokens, adds their positions, lets every token look at every other, and decides from the mean of them.

    Sentences of a batch have different lengths: `lengths` (B,) says how many tokens of each row are real. What stands
    behind them is padding, which no token looks at and the mean leaves out. The weights follow from `seed` alone.
    """

    family: ClassVar[str] = "classifier"
    positions: Tensor

    def __init__(self, config: ClassifierConfig, seed: int = 0) -> None:
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
            self.output = nn.Linear(config.d_model, config.num_classes)
        self.dropout = nn.Dropout(config.dropout)
        self.to_empty(device="cpu")
        give_positions(self, config)
        start(self, seed, self._deviation)

    def _deviation(self, _: str, parameter: Tensor) -> float:
        """Small tables, and matrices of 1/√inputs."""
        table = parameter is self.token_embedding.weight or parameter is self.positions
        return 0.02 if table else 1 / math.sqrt(parameter.size(-1))

    def forward(self, tokens: Tensor, lengths: Tensor | None = None) -> Tensor:
        """Log-probabilities of the classes, by fused kernels. tokens: (B, T) int64, lengths: (B,) → (B, C)

        Raises:
            ValueError: more tokens than the context holds, padding included.
        """
        return self.decide(self.embed(tokens).embeddings, real_tokens(tokens, lengths))

    def decide(self, embeddings: Tensor, real: Tensor) -> Tensor:
        """`forward` from the embeddings on. embeddings: (B, T, D), real: (B, T) bool → (B, C)"""
        x, mask = self.dropout(embeddings), real[:, None, None, :]
        for block in self.blocks:
            x = block(x, mask)
        return self.output(mean_of_real(self.final_norm(x), real)).log_softmax(-1)

    def trace(self, tokens: Tensor, lengths: Tensor | None = None) -> ClassifierTrace:
        """`forward` with every tensor kept and without dropout: equal to it in eval mode. tokens: (B, T), lengths: (B,)

        Raises:
            ValueError: more tokens than the context holds, padding included.
        """
        real, embedding = real_tokens(tokens, lengths), self.embed(tokens)
        x, blocks = embedding.embeddings, []
        for block in self.blocks:
            blocks.append(block.trace(x, real[:, None, None, :]))  # type: ignore[operator]
            x = blocks[-1].output
        final_norm = self.final_norm(x)
        shares = shares_of_mean(real)
        mean = (shares[:, None] @ final_norm).squeeze(1)  # (B, 1, T) · (B, T, D) → (B, D)
        logits = self.output(mean)
        log_probabilities = logits - logits.logsumexp(-1, keepdim=True)
        return ClassifierTrace(
            tokens, real, embedding, tuple(blocks), final_norm, shares, mean, logits, log_probabilities
        )

    def embed(self, tokens: Tensor) -> EmbeddingTrace:
        """What enters the first block: each token's row of the table plus its position. tokens: (B, T) int64"""
        self.config.check_fits(tokens.size(1))
        token_embeddings, positions = self.token_embedding(tokens), self.positions[: tokens.size(1)]
        return EmbeddingTrace(token_embeddings, positions, token_embeddings + positions)


def real_tokens(tokens: Tensor, lengths: Tensor | None) -> Tensor:
    """True where a token is no padding; without `lengths`, everywhere. (B, T), (B,) → (B, T) bool"""
    if lengths is None:
        return torch.ones_like(tokens, dtype=torch.bool)
    return torch.arange(tokens.size(1), device=tokens.device) < lengths[:, None]


def shares_of_mean(real: Tensor) -> Tensor:
    """What each token counts in the mean: one over the number of real tokens, and padding nothing. (B, T) → (B, T)"""
    return real / real.sum(-1, keepdim=True).clamp(min=1)


def mean_of_real(x: Tensor, real: Tensor) -> Tensor:
    """The mean over the real tokens; zeros where there is none. x: (B, T, D), real: (B, T) bool → (B, D)"""
    total = x.masked_fill(~real[..., None], 0.0).sum(1)
    return total / real.sum(-1, keepdim=True).clamp(min=1)
