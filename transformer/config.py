"""What a model is made of: sizes and choices, validated once."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

PositionKind = Literal["sinusoidal", "learned", "none"]
Activation = Literal["relu", "gelu"]


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The sizes and choices of a model.

    Attributes:
        vocab_size: rows of the token embedding table, V.
        context_length: most tokens the model can look at, T.
        d_model: numbers that describe one token, D.
        num_heads: attention heads in a block, H; divides d_model.
        num_blocks: blocks in the stack (the paper's N).
        d_ff: hidden units of the feed-forward layer, F; 0 stands for the paper's 4·d_model.
        dropout: probability with which training zeroes a number.
        positions: how order gets in (paper, section 3.5).
        norm_first: LayerNorm before each sublayer (pre-LN, GPT-2) instead of after the sum (post-LN, the paper).
        activation: of the feed-forward layer (paper: ReLU; GPT: GELU).
        tied_output: the output layer uses the embedding table itself (paper, section 3.4).
        bias: linear layers and LayerNorm add a learned vector.

    Raises:
        ValueError: with one sentence that says what to change.
    """

    vocab_size: int
    context_length: int = 16
    d_model: int = 64
    num_heads: int = 4
    num_blocks: int = 4
    d_ff: int = 0
    dropout: float = 0.0
    positions: PositionKind = "sinusoidal"
    norm_first: bool = True
    activation: Activation = "relu"
    tied_output: bool = True
    bias: bool = True

    def __post_init__(self) -> None:
        for name in ("vocab_size", "context_length", "d_model", "num_heads", "num_blocks"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.d_model % self.num_heads:
            near = " or ".join(str(heads) for heads in nearest_heads(self.d_model, self.num_heads))
            raise ValueError(f"d_model {self.d_model} cannot be cut into {self.num_heads} heads; {near} would do")
        if self.d_ff < 0:
            raise ValueError(f"d_ff is {self.d_ff}; it must be at least 1, or 0 for 4·d_model")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is {self.dropout}; it must be at least 0 and below 1")
        for name, kinds in (("positions", PositionKind), ("activation", Activation)):
            if getattr(self, name) not in get_args(kinds):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(get_args(kinds))}")
        if self.d_ff == 0:
            object.__setattr__(self, "d_ff", 4 * self.d_model)

    @property
    def head_size(self) -> int:
        """Numbers that one head sees of a token, K; the paper's d_k."""
        return self.d_model // self.num_heads


def divisors(number: int) -> list[int]:
    """Every head count that `number` can be cut into, ascending."""
    small = [n for n in range(1, math.isqrt(number) + 1) if number % n == 0]
    return sorted({*small, *(number // n for n in small)})


def nearest_heads(d_model: int, num_heads: int) -> list[int]:
    """The divisors of d_model just below and just above num_heads."""
    below = [n for n in divisors(d_model) if n < num_heads][-1:]
    above = [n for n in divisors(d_model) if n > num_heads][:1]
    return below + above
