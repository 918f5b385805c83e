"""What a model is made of and how it is trained: sizes and choices, validated once."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

PositionKind = Literal["sinusoidal", "learned", "none"]
Activation = Literal["relu", "gelu"]
Schedule = Literal["cosine", "inverse_sqrt"]
Precision = Literal["float32", "bfloat16"]


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

    def check_fits(self, length: int) -> None:
        """Raises ValueError if the context cannot hold so many tokens."""
        if length > self.context_length:
            raise ValueError(f"{length} tokens do not fit a context of {self.context_length}")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a model is trained.

    Attributes:
        batch_size: windows, sentences or pairs in a step, B.
        learning_rate: its peak, reached when the warm-up ends.
        embedding_rate: learning rate of the embedding tables, as a multiple of that of the rest. A row learns only from
            the steps in which its token occurs; and where positions have size one, rows must grow fast to be heard.
        schedule: what follows the warm-up: half a cosine down, or the paper's 1/√step (section 5.3), whose peak is
            `paper_learning_rate`.
        final_learning_rate: what the cosine leaves of the peak after the last step, as a fraction.
        max_steps: optimizer steps.
        warmup_steps: steps over which the learning rate rises from zero.
        beta2: how slowly Adam forgets the squares of past gradients (paper: 0.98).
        weight_decay: of matrices; biases and norms are left alone.
        gradient_clip: longest gradient, as a Euclidean norm over all parameters; longer ones are shortened to it.
        label_smoothing: share of each target that is spread over the whole vocabulary (paper, section 5.4: 0.1).
        eval_interval: steps from one validation to the next.
        eval_batches: batches of held-out data in a validation, if there are so many.
        seed: of weights, batches and dropout.
        device: where PyTorch computes.
        precision: of the products inside the model; weights, their updates and the loss are always float32.

    Raises:
        ValueError: with one sentence that says what to change.
    """

    batch_size: int = 32
    learning_rate: float = 3e-3
    embedding_rate: float = 1.0
    schedule: Schedule = "cosine"
    final_learning_rate: float = 0.1
    max_steps: int = 1000
    warmup_steps: int = 100
    beta2: float = 0.95
    weight_decay: float = 0.1
    gradient_clip: float = 1.0
    label_smoothing: float = 0.0
    eval_interval: int = 100
    eval_batches: int = 10
    seed: int = 0
    device: str = "cpu"
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        for name in ("batch_size", "max_steps", "eval_interval", "eval_batches"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("learning_rate", "embedding_rate", "gradient_clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be a number above 0")
        if not 0 <= self.final_learning_rate <= 1:
            raise ValueError(f"final_learning_rate is {self.final_learning_rate}; it must be between 0 and 1")
        if not 0 <= self.weight_decay < math.inf:
            raise ValueError(f"weight_decay is {self.weight_decay}; it must be at least 0")
        for name in ("beta2", "label_smoothing"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1")
        if not 0 <= self.warmup_steps <= self.max_steps:
            raise ValueError(
                f"warmup_steps is {self.warmup_steps}; it must be between 0 and {self.max_steps}, max_steps"
            )
        for name, kinds in (("schedule", Schedule), ("precision", Precision)):
            if getattr(self, name) not in get_args(kinds):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(get_args(kinds))}")

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 1: a straight rise to the peak, then the schedule's way down."""
        if step <= self.warmup_steps:
            return self.learning_rate * step / self.warmup_steps
        if self.schedule == "inverse_sqrt":
            return self.learning_rate * math.sqrt(max(1, self.warmup_steps) / step)
        progress = (step - self.warmup_steps) / (self.max_steps - self.warmup_steps)
        height = (1 + math.cos(math.pi * progress)) / 2
        return self.learning_rate * (self.final_learning_rate + (1 - self.final_learning_rate) * height)


def paper_learning_rate(d_model: int, warmup_steps: int, factor: float = 1.0) -> float:
    """The peak of the paper's schedule, factor · d_model^−0.5 · min(step^−0.5, step · warmup_steps^−1.5) (equation 3)."""
    return factor / math.sqrt(d_model * warmup_steps)


def divisors(number: int) -> list[int]:
    """Every head count that `number` can be cut into, ascending."""
    small = [n for n in range(1, math.isqrt(number) + 1) if number % n == 0]
    return sorted({*small, *(number // n for n in small)})


def nearest_heads(d_model: int, num_heads: int) -> list[int]:
    """The divisors of d_model just below and just above num_heads."""
    below = [n for n in divisors(d_model) if n < num_heads][-1:]
    above = [n for n in divisors(d_model) if n > num_heads][:1]
    return below + above
