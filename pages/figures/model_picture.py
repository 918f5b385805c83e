"""The whole model as rows of stages, what its parts learn and what they compute: pure data for the first page."""

from typing import Final, NamedTuple

from transformer import ModelConfig
from transformer.arithmetic import operations


class Stage(NamedTuple):
    """A stage of the model, and the axes of what it makes (letters as in a trace)."""

    name: str
    axes: str

    @property
    def page(self) -> str:
        """The page that explains it."""
        return "residual_and_layer_norm" if self.name in ("norm", "residual") else self.name


NORM, ADD, FEED_FORWARD = Stage("norm", "B T D"), Stage("residual", "B T D"), Stage("feed_forward", "B T D")
INPUT: Final = (
    Stage("tokenization", "T"),
    Stage("batch", "B T"),
    Stage("token_embedding", "B T D"),
    Stage("positional_encoding", "T D"),
    Stage("input_embedding", "B T D"),
)
SCORING: Final = (
    Stage("queries_keys_values", "B T D"),
    Stage("heads", "B H T K"),
    Stage("scores", "B H T T"),
    Stage("scaling", "B H T T"),
)
MIXING: Final = (
    Stage("mask", "B H T T"),
    Stage("softmax", "B H T T"),
    Stage("weighted_values", "B H T K"),
    Stage("concatenation", "B T D"),
)
STACK: Final = Stage("stack", "B T D")
OUTPUT: Final = (Stage("logits", "B T V"), Stage("generation", "B T V"))


def picture(config: ModelConfig) -> dict[str, tuple[tuple[Stage, ...], ...]]:
    """Rows of stages in the order of computation, by the part of the model; LayerNorm stands where this model has it.

    The rows of "block" are repeated num_blocks times; their last stage is all of them together.
    """
    first, last = ((NORM,), ()) if config.norm_first else ((), (NORM,))
    attention = ((*first, *SCORING), (*MIXING, ADD, *last))
    return {
        "input": (INPUT,),
        "block": (*attention, (*first, FEED_FORWARD, ADD, *last, STACK)),
        "output": ((*first, *OUTPUT),),
    }


def shape(stage: Stage, config: ModelConfig, batch: int, length: int) -> tuple[int, ...]:
    """The live shape of what a stage makes."""
    sizes = {
        "B": batch,
        "T": length,
        "D": config.d_model,
        "H": config.num_heads,
        "K": config.head_size,
        "V": config.vocab_size,
    }
    return tuple(sizes[letter] for letter in stage.axes.split())


def parameter_counts(config: ModelConfig) -> dict[str, int]:
    """How many numbers each part of the model learns. A tied output layer is the embedding table and adds none."""
    width, hidden, blocks, bias = config.d_model, config.d_ff, config.num_blocks, int(config.bias)
    return {
        "embedding": config.vocab_size * width,
        "positions": config.context_length * width if config.positions == "learned" else 0,
        "attention": blocks * 4 * (width * width + bias * width),
        "feed_forward": blocks * (2 * width * hidden + bias * (hidden + width)),
        "norms": (2 * blocks + config.norm_first) * width * (1 + bias),
        "output": 0 if config.tied_output else config.vocab_size * width,
    }


def operation_counts(config: ModelConfig, batch: int, length: int) -> dict[str, int]:
    """How many floating-point operations a forward pass takes in each of these parts; 0 where there is no product."""
    made = operations(config, batch, length)
    return {
        **dict.fromkeys(parameter_counts(config), 0),
        "attention": made.queries_keys_values + made.scores + made.weighted_values + made.concatenation,
        "feed_forward": made.feed_forward,
        "output": made.logits,
    }


def brief(count: float) -> str:
    """A count in three digits and the letter of its thousands: 118 M."""
    letters = ["", " k", " M", " G", " T"]
    while count >= 999.5 and len(letters) > 1:
        count /= 1000
        letters.pop(0)
    return f"{count:.3g}{letters[0]}"
