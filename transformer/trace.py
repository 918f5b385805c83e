"""A forward pass as a value: every tensor it computed, in the order of the paper, with its axes.

Axes are data. A field `Annotated[Tensor, "B H T S"]` says what each axis counts, and the letters mean the same everywhere:

    B batch · T tokens · S tokens looked at (T, unless attention crosses to another sequence)
    D d_model · H heads · K head_size · F d_ff · V vocabulary · C classes · R hidden state
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

from torch import Tensor


@dataclass(frozen=True, eq=False)
class EmbeddingTrace:
    """What enters the first block (paper, sections 3.4 and 3.5): embeddings = token_embeddings + positions."""

    token_embeddings: Annotated[Tensor, "B T D"]
    positions: Annotated[Tensor, "T D"]
    embeddings: Annotated[Tensor, "B T D"]


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Multi-head attention, step by step (paper, section 3.2, equation 1).

    `masked` holds −∞ where a query may not look; `weights` holds exactly 0 there.
    """

    input: Annotated[Tensor, "B T D"]
    queries: Annotated[Tensor, "B H T K"]
    keys: Annotated[Tensor, "B H S K"]
    values: Annotated[Tensor, "B H S K"]
    scores: Annotated[Tensor, "B H T S"]
    scaled: Annotated[Tensor, "B H T S"]
    masked: Annotated[Tensor, "B H T S"]
    weights: Annotated[Tensor, "B H T S"]
    heads: Annotated[Tensor, "B H T K"]
    concatenated: Annotated[Tensor, "B T D"]
    output: Annotated[Tensor, "B T D"]


@dataclass(frozen=True, eq=False)
class FeedForwardTrace:
    """The position-wise feed-forward layer (paper, section 3.3, equation 2)."""

    input: Annotated[Tensor, "B T D"]
    hidden: Annotated[Tensor, "B T F"]
    activated: Annotated[Tensor, "B T F"]
    output: Annotated[Tensor, "B T D"]


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """One block: attention and feed-forward, each added to the residual stream and normalised.

    Pre-LN: `attention_norm` = LN(input) is what attention reads, and `output` = `feed_forward_residual`.
    Post-LN: attention reads `input`, `attention_norm` = LN(attention_residual), and `output` = `feed_forward_norm`.
    """

    input: Annotated[Tensor, "B T D"]
    attention_norm: Annotated[Tensor, "B T D"]
    attention: AttentionTrace
    attention_residual: Annotated[Tensor, "B T D"]
    feed_forward_norm: Annotated[Tensor, "B T D"]
    feed_forward: FeedForwardTrace
    feed_forward_residual: Annotated[Tensor, "B T D"]
    output: Annotated[Tensor, "B T D"]


@dataclass(frozen=True, eq=False)
class ForwardTrace:
    """A whole forward pass, from ids to logits."""

    tokens: Annotated[Tensor, "B T"]
    embedding: EmbeddingTrace
    blocks: tuple[BlockTrace, ...]
    final_norm: Annotated[Tensor, "B T D"]
    logits: Annotated[Tensor, "B T V"]


@dataclass(frozen=True, eq=False)
class ClassifierTrace:
    """A sentence's way to one decision. `shares` (of the mean) are one over the number of real tokens, 0 for padding."""

    tokens: Annotated[Tensor, "B T"]
    real: Annotated[Tensor, "B T"]
    embedding: EmbeddingTrace
    blocks: tuple[BlockTrace, ...]
    final_norm: Annotated[Tensor, "B T D"]
    shares: Annotated[Tensor, "B T"]
    mean: Annotated[Tensor, "B D"]
    logits: Annotated[Tensor, "B C"]
    log_probabilities: Annotated[Tensor, "B C"]


@dataclass(frozen=True, eq=False)
class DecoderBlockTrace:
    """One block of the paper's decoder: attention to what was written, attention to the source, feed-forward.

    Pre-LN and post-LN as in `BlockTrace`: each `…_norm` stands before its sublayer or after the sum.
    """

    input: Annotated[Tensor, "B T D"]
    self_attention_norm: Annotated[Tensor, "B T D"]
    self_attention: AttentionTrace
    self_attention_residual: Annotated[Tensor, "B T D"]
    cross_attention_norm: Annotated[Tensor, "B T D"]
    cross_attention: AttentionTrace
    cross_attention_residual: Annotated[Tensor, "B T D"]
    feed_forward_norm: Annotated[Tensor, "B T D"]
    feed_forward: FeedForwardTrace
    feed_forward_residual: Annotated[Tensor, "B T D"]
    output: Annotated[Tensor, "B T D"]


@dataclass(frozen=True, eq=False)
class EncoderTrace:
    """The source on its way through the encoder; T counts its tokens, padding included.

    `mask` is True where a query may look: at every token that is no padding. `memory` is what the decoder looks at.
    """

    tokens: Annotated[Tensor, "B T"]
    mask: Annotated[Tensor, "B T T"]
    embedding: EmbeddingTrace
    blocks: tuple[BlockTrace, ...]
    memory: Annotated[Tensor, "B T D"]


@dataclass(frozen=True, eq=False)
class DecoderTrace:
    """The target on its way through the decoder; T counts its tokens, and S those of the source in cross-attention.

    Masks are True where a query may look: `mask` at what stands no later and is no padding, `cross_mask` at every token
    of the source that is no padding.
    """

    tokens: Annotated[Tensor, "B T"]
    mask: Annotated[Tensor, "B T T"]
    cross_mask: Annotated[Tensor, "B T S"]
    embedding: EmbeddingTrace
    blocks: tuple[DecoderBlockTrace, ...]
    final_norm: Annotated[Tensor, "B T D"]
    logits: Annotated[Tensor, "B T V"]


@dataclass(frozen=True, eq=False)
class EncoderDecoderTrace:
    """A whole forward pass of the paper's model. `encoder.memory` is what every cross-attention reads."""

    encoder: EncoderTrace
    decoder: DecoderTrace


@dataclass(frozen=True, eq=False)
class SingleHeadTrace:
    """Attention over one sequence with one head and no output layer, step by step; every token may look at all."""

    input: Annotated[Tensor, "T D"]
    queries: Annotated[Tensor, "T K"]
    keys: Annotated[Tensor, "S K"]
    values: Annotated[Tensor, "S K"]
    scores: Annotated[Tensor, "T S"]
    scaled: Annotated[Tensor, "T S"]
    weights: Annotated[Tensor, "T S"]
    output: Annotated[Tensor, "T K"]


@dataclass(frozen=True, eq=False)
class RecurrentTrace:
    """A recurrent network, token after token: hidden = tanh(summed), and `previous` is `hidden` one token earlier."""

    input: Annotated[Tensor, "B T D"]
    previous: Annotated[Tensor, "B T R"]
    summed: Annotated[Tensor, "B T R"]
    hidden: Annotated[Tensor, "B T R"]


class NamedTensor(NamedTuple):
    """A tensor of a trace: where it is found ("blocks.0.attention.scores"), its axis letters, and itself."""

    path: str
    axes: str
    tensor: Tensor


def axes_of(trace_type: type, field: str) -> str:
    """The axis letters of a field: `axes_of(AttentionTrace, "scores")` is "B H T S"."""
    return str(get_args(get_type_hints(trace_type, include_extras=True)[field])[1])


def named_tensors(trace: Any, prefix: str = "") -> Iterator[NamedTensor]:
    """Walks a trace in the order of computation."""
    for field in fields(trace):
        value, path = getattr(trace, field.name), prefix + field.name
        if isinstance(value, Tensor):
            yield NamedTensor(path, axes_of(type(trace), field.name), value)
        elif isinstance(value, tuple):
            for index, part in enumerate(value):
                yield from named_tensors(part, f"{path}.{index}.")
        else:
            yield from named_tensors(value, f"{path}.")


def nbytes(trace: Any) -> int:
    """Bytes of memory that a trace keeps alive; tensors that share storage count once."""
    storages = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for _, _, tensor in named_tensors(trace)
    }
    return sum(storages.values())
