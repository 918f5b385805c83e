"""The whole model as parts of stages, what its parts learn and what they compute, for each family: pure data for the first page."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from transformer import ModelConfig
from transformer.arithmetic import operations
from transformer.classifier import ClassifierConfig

Rows = tuple[tuple["Stage", ...], ...]


class Stage(NamedTuple):
    """A stage of the model, and the axes of what it makes (letters as in a trace; N tokens of the learner's sentence)."""

    name: str
    axes: str

    @property
    def page(self) -> str:
        """The page that explains it."""
        return PAGES.get(self.name, self.name)

    @property
    def of_source(self) -> "Stage":
        """The same where an encoder reads the source, whose tokens are counted by S."""
        return Stage(self.name, self.axes.replace("T", "S"))


class Part(NamedTuple):
    """A part of the model: its stages in rows; those of a block are repeated num_blocks times.

    before, after: what enters and what leaves them, not repeated. whole: all repetitions as one stage.
    """

    rows: Rows
    before: tuple[Stage, ...] = ()
    after: tuple[Stage, ...] = ()
    whole: tuple[Stage, ...] = ()

    @property
    def stages(self) -> Iterator[Stage]:
        """All of them in the order of computation."""
        return chain(self.before, *self.rows, self.after, self.whole)


PAGES: Final = {
    **dict.fromkeys(("norm", "residual", "add_norm"), "residual_and_layer_norm"),
    **dict.fromkeys(("encoder_attention", "decoder_attention", "memory"), "encoder_decoder"),
    **dict.fromkeys(("average", "decision"), "classification"),
    "target_input": "input_embedding",
    "padding_mask": "mask",
}
NORM, ADD, FEED_FORWARD = Stage("norm", "B T D"), Stage("residual", "B T D"), Stage("feed_forward", "B T D")
ADD_NORM: Final = Stage("add_norm", "B T D")
INPUT: Final = (
    Stage("tokenization", "N"),
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
CAUSAL, PADDING = Stage("mask", "B H T T"), Stage("padding_mask", "B H T T")
"""What hides the future, and what hides the padding alone."""
MIXING: Final = (
    Stage("softmax", "B H T T"),
    Stage("weighted_values", "B H T K"),
    Stage("concatenation", "B T D"),
)
STACK: Final = Stage("stack", "B T D")
OUTPUT: Final = (Stage("logits", "B T V"), Stage("softmax", "B T V"), Stage("generation", "B"))
ENCODER: Final = Stage("encoder_attention", "B H T T")
MEMORY: Final = Stage("memory", "B T D")
TARGET: Final = Stage("target_input", "B T D")
DECODER, CROSS = Stage("decoder_attention", "B H T T"), Stage("cross_attention", "B H T S")
TRANSLATION: Final = (Stage("logits", "B T V"), Stage("softmax", "B T V"), Stage("decoding", "B T"))
DECISION: Final = (Stage("average", "B D"), Stage("decision", "B C"), Stage("softmax", "B C"))


def picture(config: ModelConfig) -> dict[str, Part]:
    """A GPT's stages in the order of computation, by the part of the model; LayerNorm where this model has it."""
    return {"input": Part((INPUT,)), "block": _block(config), "output": Part(((*_last_norm(config), *OUTPUT),))}


def classifier_picture(config: ModelConfig) -> dict[str, Part]:
    """The same for a classifier: a GPT's blocks without a causal mask, and one decision from the mean of all tokens."""
    return {
        "input": Part((INPUT,)),
        "block": _block(config, PADDING),
        "output": Part(((*_last_norm(config), *DECISION),)),
    }


def translator_picture(config: ModelConfig) -> dict[str, Part]:
    """The same for an encoder–decoder, each attention as one stage."""
    memory = (MEMORY.of_source,)
    if config.norm_first:
        encoder = Part(_of_source(NORM, ENCODER, ADD_NORM, FEED_FORWARD, ADD))
        decoder = Part(((NORM, DECODER, ADD_NORM, CROSS), (ADD_NORM, FEED_FORWARD, ADD)), before=(TARGET, *memory))
    else:
        encoder = Part(_of_source(ENCODER, ADD_NORM, FEED_FORWARD, ADD_NORM), after=memory)
        decoder = Part(((DECODER, ADD_NORM, CROSS, ADD_NORM), (FEED_FORWARD, ADD_NORM)), before=(TARGET,))
    return {
        "input": Part(_of_source(*INPUT)),
        "encoder": encoder,
        "decoder": decoder,
        "output": Part(((*_last_norm(config), *TRANSLATION),)),
    }


def _of_source(*stages: Stage) -> Rows:
    return (tuple(stage.of_source for stage in stages),)


def _last_norm(config: ModelConfig) -> tuple[Stage, ...]:
    return (NORM,) if config.norm_first else ()


def _block(config: ModelConfig, mask: Stage = CAUSAL) -> Part:
    first, last = ((NORM,), ()) if config.norm_first else ((), (NORM,))
    attention = ((*first, *SCORING), (mask, *MIXING, ADD, *last))
    return Part((*attention, (*first, FEED_FORWARD, ADD, *last)), whole=(STACK,))


def sizes(config: ModelConfig, **counts: int) -> dict[str, int]:
    """How long each axis is: those of the model, and `counts` of the batch by letter, such as B, T and N."""
    return {
        "D": config.d_model,
        "H": config.num_heads,
        "K": config.head_size,
        "V": config.vocab_size,
        **counts,
    }


def shape(stage: Stage, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The live shape of what a stage makes."""
    return tuple(sizes[letter] for letter in stage.axes.split())


def parameter_counts(config: ModelConfig) -> dict[str, int]:
    """How many numbers each part of a GPT learns. A tied output layer is the embedding table and adds none."""
    blocks = config.num_blocks
    return {
        **_embedding(config),
        "attention": blocks * _attention(config),
        "feed_forward": blocks * _feed_forward(config),
        "norms": (2 * blocks + config.norm_first) * _norm(config),
        "output": _output(config),
    }


def translator_parameters(config: ModelConfig) -> dict[str, int]:
    """The same for an encoder–decoder: one table for both languages, attention in both stacks and between them."""
    blocks = config.num_blocks
    return {
        **_embedding(config),
        "self_attention": 2 * blocks * _attention(config),
        "cross_attention": blocks * _attention(config),
        "feed_forward": 2 * blocks * _feed_forward(config),
        "norms": (5 * blocks + 2 * config.norm_first) * _norm(config),
        "output": _output(config),
    }


def classifier_parameters(config: ClassifierConfig) -> dict[str, int]:
    """The same for a classifier, whose mean learns nothing."""
    counts = parameter_counts(config)
    del counts["output"]
    return {**counts, "average": 0, "output": (config.d_model + 1) * config.num_classes}


def operation_counts(config: ModelConfig, batch: int, length: int) -> dict[str, int]:
    """How many floating-point operations a GPT's forward pass takes in each part; 0 where there is no product."""
    made = operations(config, batch, length)
    return {
        **dict.fromkeys(parameter_counts(config), 0),
        "attention": made.queries_keys_values + made.scores + made.weighted_values + made.concatenation,
        "feed_forward": made.feed_forward,
        "output": made.logits,
    }


def translator_operations(config: ModelConfig, batch: int, source: int, target: int) -> dict[str, int]:
    """The same for an encoder that reads `source` tokens in each row and a decoder that reads `target`."""
    encoder, decoder = (operation_counts(config, batch, length) for length in (source, target))
    pairs = batch * config.num_blocks * config.d_model
    return {
        **dict.fromkeys(translator_parameters(config), 0),
        "self_attention": encoder["attention"] + decoder["attention"],
        # queries and the last layer for each target, keys and values for each source, then scores and weighted values
        "cross_attention": 2
        * pairs
        * (2 * target * config.d_model + 2 * source * config.d_model + 2 * source * target),
        "feed_forward": encoder["feed_forward"] + decoder["feed_forward"],
        "output": decoder["output"],
    }


def classifier_operations(config: ClassifierConfig, batch: int, length: int) -> dict[str, int]:
    """The same for a classifier; its mean is a product with the shares of the tokens."""
    counts = operation_counts(config, batch, length)
    return {
        **{name: counts.get(name, 0) for name in classifier_parameters(config)},
        "average": 2 * batch * length * config.d_model,
        "output": 2 * batch * config.d_model * config.num_classes,
    }


def brief(count: float, units: Sequence[str] = (" k", " M", " G", " T"), step: int = 1000) -> str:
    """A count in three digits and the unit of its thousands, or of another step between units: 118 M, 1.18 亿."""
    names = ["", *units]
    while count >= step - 0.5 and len(names) > 1:
        count /= step
        names.pop(0)
    return f"{count:.3g}{names[0]}" if count < 999.5 else f"{count:,.0f}{names[0]}"


def _embedding(config: ModelConfig) -> dict[str, int]:
    width = config.d_model
    learned = config.context_length * width if config.positions == "learned" else 0
    return {"embedding": config.vocab_size * width, "positions": learned}


def _attention(config: ModelConfig) -> int:
    return 4 * config.d_model * (config.d_model + config.bias)


def _feed_forward(config: ModelConfig) -> int:
    return 2 * config.d_model * config.d_ff + config.bias * (config.d_ff + config.d_model)


def _norm(config: ModelConfig) -> int:
    return config.d_model * (1 + config.bias)


def _output(config: ModelConfig) -> int:
    return 0 if config.tied_output else config.vocab_size * config.d_model
