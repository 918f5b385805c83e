"""How many floating-point operations a forward pass takes, part by part: pure arithmetic on a model's sizes.

A product of (m, k) and (k, n) counts 2·m·k·n: a multiplication and an addition for each pair. What is no matrix product
(softmax, LayerNorm, activations, biases, sums, look-ups) is left out; beside the products it is little. Scores that the
mask hides are counted, for the products compute them.
"""

from dataclasses import dataclass, fields

from transformer.config import ModelConfig


@dataclass(frozen=True)
class Operations:
    """Floating-point operations by part, of all blocks together, in the order of the walk."""

    queries_keys_values: int
    scores: int
    weighted_values: int
    concatenation: int
    feed_forward: int
    logits: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(getattr(self, field.name) for field in fields(self))

    def __add__(self, other: "Operations") -> "Operations":
        """Both, part by part."""
        return Operations(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


def operations(config: ModelConfig, batch: int, length: int, *, past: int = 0, scored: int | None = None) -> Operations:
    """A forward pass over `length` tokens in each of `batch` rows.

    past: tokens before them whose keys and values are remembered. scored: positions whose logits are computed; all, if None.
    """
    tokens, every, width = batch * length, past + length, config.d_model
    each_block = 2 * tokens * config.num_blocks
    return Operations(
        queries_keys_values=each_block * 3 * width * width,
        scores=each_block * every * width,
        weighted_values=each_block * every * width,
        concatenation=each_block * width * width,
        feed_forward=each_block * 2 * width * config.d_ff,
        logits=2 * batch * (length if scored is None else scored) * width * config.vocab_size,
    )


def operations_without_cache(config: ModelConfig, batch: int, length: int) -> Operations:
    """What choosing one token after `length` others takes when all of them pass through the model again."""
    return operations(config, batch, length, scored=1)


def operations_with_cache(config: ModelConfig, batch: int, length: int) -> Operations:
    """The same when only the last token passes through: the keys and values of the others are remembered."""
    return operations(config, batch, 1, past=length - 1, scored=1)
