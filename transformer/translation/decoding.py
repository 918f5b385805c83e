"""From a trained encoder–decoder to a translation: one token after another, or several at once and the best kept."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer.encoder_decoder import BEGIN, END, PADDING, EncoderDecoder, padded
from transformer.trace import EncoderDecoderTrace

LENGTH_PENALTY = 0.6
"""The paper's (section 6.1), whose formula is that of Wu et al. (2016, equation 14)."""


@dataclass(frozen=True, eq=False)
class DecodingStep:
    """One token of every sentence of a batch.

    Attributes:
        written: the decoder's input, `BEGIN` and what was chosen before, (B, T) int64.
        probabilities: of every possible next token, (B, V); `chosen` is never `PADDING` or `BEGIN`.
        chosen: the next token, (B,) int64; `PADDING` after a sentence has ended.
        cross_weights: what the decoder looked at in order to choose, one (B, H, S) for each block.
    """

    written: Tensor
    probabilities: Tensor
    chosen: Tensor
    cross_weights: tuple[Tensor, ...]


@dataclass(frozen=True)
class Hypothesis:
    """The beginning of a translation, or a whole one.

    Attributes:
        ids: its tokens without `BEGIN`; a finished one ends with `END`.
        log_probabilities: of each of its tokens, given those before, in nats.
        finished: it ends with `END`.
        score: what hypotheses are ranked by, see `length_penalty`.
    """

    ids: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    finished: bool
    score: float

    @property
    def log_probability(self) -> float:
        """Of the whole, in nats."""
        return sum(self.log_probabilities)


@dataclass(frozen=True, eq=False)
class TeacherForcing:
    """What the model makes of a translation that is given to it.

    Attributes:
        trace: of the pass; the decoder read `BEGIN` and the target without its end.
        targets: what should follow each token it read: the target and `END`, (B, T) int64.
        log_probabilities: of everything that could follow, (B, T, V).
    """

    trace: EncoderDecoderTrace
    targets: Tensor
    log_probabilities: Tensor

    @property
    def of_targets(self) -> Tensor:
        """The log-probability of each target, in nats; 0 for padding. (B, T)"""
        found = self.log_probabilities.gather(-1, self.targets[..., None]).squeeze(-1)
        return found.masked_fill(self.targets == PADDING, 0.0)


@torch.no_grad()
def teacher_forcing(model: EncoderDecoder, source: Tensor, target: Tensor) -> TeacherForcing:
    """All positions in one pass, each given the true tokens before it. source: (B, S), target: (B, T) int64

    `target` has neither `BEGIN` nor `END`; short ones end with `PADDING`.

    Raises:
        ValueError: source or target with its end is longer than the context.
    """
    ended = padded([[*ids, END] for ids in unpadded(target)]).to(target.device)
    begin = torch.full_like(ended[:, :1], BEGIN)
    inputs = torch.cat([begin, ended[:, :-1].masked_fill(ended[:, :-1] == END, PADDING)], dim=1)
    trace = model.trace(source, inputs)
    return TeacherForcing(trace, ended, trace.decoder.logits.log_softmax(-1))


def unpadded(tokens: Tensor) -> list[list[int]]:
    """The ids of each row without its padding. (B, T) int64"""
    return [[id for id in row if id != PADDING] for row in tokens.tolist()]


@torch.no_grad()
def greedy(model: EncoderDecoder, source: Tensor, max_length: int | None = None) -> Iterator[DecodingStep]:
    """Writes the most probable token, reads it, and goes on, until every sentence has ended. source: (B, S) int64

    The encoder runs once. At most `max_length` tokens are written, as many as the context holds if it is None.
    """
    memory, written = model.encode(source), torch.full_like(source[:, :1], BEGIN)
    ended = torch.zeros_like(written[:, 0], dtype=torch.bool)
    for _ in range(min(max_length or model.config.context_length, model.config.context_length)):
        trace = model.trace_decoder(source, written, memory)
        chosen = allowed(trace.logits[:, -1]).argmax(-1).masked_fill(ended, PADDING)
        cross_weights = tuple(block.cross_attention.weights[:, :, -1] for block in trace.blocks)
        yield DecodingStep(written, trace.logits[:, -1].softmax(-1), chosen, cross_weights)
        ended = ended | (chosen == END)
        written = torch.cat([written, chosen[:, None]], dim=1)
        if ended.all():
            return


def greedy_ids(model: EncoderDecoder, source: Tensor, max_length: int | None = None) -> list[list[int]]:
    """What `greedy` has written in the end, without `END` and padding. source: (B, S) int64"""
    chosen = torch.stack([step.chosen for step in greedy(model, source, max_length)], dim=1)
    return [[id for id in row if id not in (END, PADDING)] for row in chosen.tolist()]


@torch.no_grad()
def beam_search(
    model: EncoderDecoder,
    source: Tensor,
    width: int = 4,
    length_penalty: float = LENGTH_PENALTY,
    max_length: int | None = None,
) -> Iterator[tuple[Hypothesis, ...]]:
    """Yields the `width` best hypotheses after each token, best first, until all have ended. source: (1, S) int64

    Every unfinished hypothesis goes on with each token there is; of all these and the finished ones, those with the
    best scores stay. A width of 1 is `greedy`.

    Raises:
        ValueError: `width` is below 1, `length_penalty` below 0, or there is more than one source.
    """
    check(source, width, length_penalty)
    memory = model.encode(source)
    beam: tuple[Hypothesis, ...] = (Hypothesis((), (), False, 0.0),)
    for _ in range(min(max_length or model.config.context_length, model.config.context_length)):
        going_on = [hypothesis for hypothesis in beam if not hypothesis.finished]
        pool = [hypothesis for hypothesis in beam if hypothesis.finished]
        written = torch.tensor([[BEGIN, *hypothesis.ids] for hypothesis in going_on], device=source.device)
        count = len(going_on)
        logits = model.decode(source.expand(count, -1), written, memory.expand(count, -1, -1))[:, -1]
        found = allowed(logits.log_softmax(-1)).topk(min(width, logits.size(-1) - 2))
        for before, values, ids in zip(going_on, found.values.tolist(), found.indices.tolist(), strict=True):
            pool += [extended(before, id, value, length_penalty) for value, id in zip(values, ids, strict=True)]
        beam = tuple(sorted(pool, key=lambda hypothesis: -hypothesis.score)[:width])
        yield beam
        if all(hypothesis.finished for hypothesis in beam):
            return


def check(source: Tensor, width: int, length_penalty: float) -> None:
    """Raises ValueError as `beam_search`."""
    if width < 1:
        raise ValueError(f"width is {width}; it must be at least 1")
    if length_penalty < 0:
        raise ValueError(f"length_penalty is {length_penalty}; it must be at least 0")
    if source.size(0) != 1:
        raise ValueError(f"beam search takes one sentence at a time, not {source.size(0)}")


def extended(before: Hypothesis, id: int, log_probability: float, length_penalty: float) -> Hypothesis:
    """A hypothesis with one more token."""
    log_probabilities = (*before.log_probabilities, log_probability)
    score = sum(log_probabilities) / penalty(len(log_probabilities), length_penalty)
    return Hypothesis((*before.ids, id), log_probabilities, id == END, score)


def penalty(length: int, alpha: float) -> float:
    """What a log-probability is divided by, so that long translations, whose every token costs, stand a chance.

    ((5 + length) / 6)^alpha; with an alpha of 0 the most probable translation wins.
    """
    return ((5 + length) / 6) ** alpha


def allowed(scores: Tensor) -> Tensor:
    """Scores with −∞ for what nobody writes. (…, V)"""
    return scores.index_fill(-1, torch.tensor([PADDING, BEGIN], device=scores.device), -torch.inf)
