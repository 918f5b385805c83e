"""From logits to text: how one token is chosen among all, and how one after another is written."""

import math
import time
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from transformer.gpt import GPT
from transformer.kv_cache import KVCache

NUM_CANDIDATES = 10


class Distribution(NamedTuple):
    """How logits become the distribution that the next token is drawn from, step by step. All (…, V), float64

    logits: as the model gave them; −∞ for what is forbidden.
    scaled: (logit − largest logit) / temperature.
    probabilities: their softmax, before anything is cut.
    kept: True for what top-k and top-p leave.
    final: the probabilities of what is kept, made to sum to one again; exactly 0 elsewhere.
    """

    logits: Tensor
    scaled: Tensor
    probabilities: Tensor
    kept: Tensor
    final: Tensor


def distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    forbidden: Collection[int] = (),
) -> Distribution:
    """The distribution over the whole vocabulary from which the next token is drawn. logits: (…, V)

    temperature: below 1 sharpens, above 1 flattens; 0 is its limit, the most probable token alone (greedy).
    top_k: how many of the most probable tokens stay (Fan et al. 2018); None or more than there are keeps all.
    top_p: as few of the most probable tokens stay as together reach this share of what top-k left (nucleus sampling,
        Holtzman et al. 2020); 1 keeps all, 0 the most probable one.
    forbidden: ids that stand for nothing.

    Raises:
        ValueError: a temperature below 0 or infinite, a top_k below 1, a top_p outside 0 to 1, or nothing left to choose.
        FloatingPointError: logits that are no numbers.
    """
    _check(temperature, top_k, top_p)
    allowed = logits.double()
    if allowed.isnan().any():
        raise FloatingPointError("the logits are no numbers; the weights have outgrown what can be computed with")
    if forbidden:
        allowed = allowed.index_fill(-1, torch.tensor([*forbidden], device=logits.device), -torch.inf)
    if not (allowed > -torch.inf).any(-1).all():
        raise ValueError("every token is forbidden; at least one must be left to choose")
    scaled = _scale(allowed, temperature)
    probabilities = scaled.softmax(-1)
    kept = _most_probable(scaled, probabilities, top_k, top_p)
    left = probabilities.where(kept, 0.0)
    return Distribution(allowed, scaled, probabilities, kept, left / left.sum(-1, keepdim=True))


def _check(temperature: float, top_k: int | None, top_p: float) -> None:
    if not 0 <= temperature < math.inf:
        raise ValueError(f"temperature is {temperature}; it must be at least 0 and finite")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k is {top_k}; it must be at least 1, or None to keep all")
    if not 0 <= top_p <= 1:
        raise ValueError(f"top_p is {top_p}; it must be between 0 and 1")


def _scale(logits: Tensor, temperature: float) -> Tensor:
    """Divided by the temperature. The largest is subtracted first: softmax does not see it, and nothing overflows."""
    largest, place = logits.max(-1, keepdim=True)
    if temperature == 0:
        return torch.full_like(logits, -torch.inf).scatter(-1, place, 0.0)
    return (logits - largest) / temperature


def _most_probable(scaled: Tensor, probabilities: Tensor, top_k: int | None, top_p: float) -> Tensor:
    """True for the tokens that top-k and top-p keep, at least one. (…, V) → (…, V) bool"""
    possible, count = scaled > -torch.inf, min(top_k or scaled.size(-1), scaled.size(-1))
    if count == scaled.size(-1) and top_p == 1:
        return possible
    order = scaled.topk(count).indices
    ranked = probabilities.gather(-1, order)
    before = ranked.cumsum(-1) - ranked  # what the more probable ones reach together
    within = before < top_p * ranked.sum(-1, keepdim=True) if top_p < 1 else torch.ones_like(ranked, dtype=torch.bool)
    within[..., 0] = True
    return torch.zeros_like(possible).scatter(-1, order, within) & possible


class Candidate(NamedTuple):
    """A token that could have been chosen: the model's own probability, and that after temperature and cut."""

    token: int
    own: float
    probability: float


@dataclass(frozen=True)
class Generated:
    """A token as it was chosen.

    Attributes:
        token: its id.
        own: the model's own probability of it, at temperature 1 and with nothing cut.
        probability: with which it was drawn, after temperature and cut.
        rank: how many tokens had its logit or a larger one; 1 is the most probable.
        candidates: the most probable tokens, the most probable first; it need not be among them.
    """

    token: int
    own: float
    probability: float
    rank: int
    candidates: tuple[Candidate, ...]


def generate(
    model: GPT,
    tokens: Sequence[int],
    *,
    max_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    seed: int = 0,
    forbidden: Collection[int] = (),
    cache: bool = True,
) -> Iterator[Generated]:
    """Writes on after `tokens`, one token each time it is asked for the next. The choices are those of `distribution`.

    The same seed writes the same tokens, with the cache or without. Before the first token of all a model has no scores:
    after an empty prompt every token is as probable as any other.

    Raises:
        ValueError: as `distribution`.
    """
    random = torch.Generator().manual_seed(seed)
    written, past = list(tokens), None
    for _ in range(max_tokens):
        logits, remembered = next_logits(model, written, past)
        chosen = distribution(logits, temperature, top_k, top_p, forbidden)
        token = draw(chosen.final, random)
        written.append(token)
        past = remembered if cache else None
        yield _generated(token, chosen)


@torch.inference_mode()
def next_logits(model: GPT, written: Sequence[int], past: KVCache | None = None) -> tuple[Tensor, KVCache | None]:
    """Logits of what comes after `written`, (V,), and what to remember for the token after that.

    past: what was remembered before the last tokens were written; only those are computed. Once `written` outgrows the
    context, the oldest tokens fall out and every token left has another position: nothing remembered holds any longer,
    and the whole window is computed at every step.
    """
    limit, device = model.config.context_length, model.output.weight.device
    if not written:
        return torch.zeros(model.config.vocab_size, device=device), None
    if past is None or len(written) > limit:
        past, unread = None, written[-limit:]
    else:
        unread = written[past.length :]
    logits, remembered = model.extend(torch.tensor([unread], device=device), past)
    return logits[0], remembered


def draw(probabilities: Tensor, random: torch.Generator) -> int:
    """A token drawn from a distribution (V,): each has its stretch of the line from 0 to 1, and a random number hits one."""
    ends = probabilities.double().cumsum(0).cpu()
    point = torch.rand((), generator=random, dtype=torch.float64) * ends[-1]
    last = int(torch.searchsorted(ends, ends[-1]))  # rounding must not carry the point beyond it
    return min(int(torch.searchsorted(ends, point, right=True)), last)


def _generated(token: int, chosen: Distribution) -> Generated:
    own = chosen.logits.softmax(-1)
    highest, places = own.topk(min(NUM_CANDIDATES, len(own)))
    candidates = map(Candidate, places.tolist(), highest.tolist(), chosen.final[places].tolist())
    rank = int((chosen.logits >= chosen.logits[token]).sum())
    return Generated(token, float(own[token]), float(chosen.final[token]), rank, tuple(candidates))


class Writing:
    """A text while it is being written: it goes on only when it is asked to, and no further once it is stopped.

    asked: what was asked for, by which it is known again. steps: where its tokens come from. `tokens`: those so far.
    """

    def __init__(self, asked: Hashable, steps: Iterator[Generated]) -> None:
        self.asked = asked
        self.tokens: list[Generated] = []
        self.stopped = False
        self._steps: Iterator[Generated] | None = steps

    @property
    def going(self) -> bool:
        """Whether more may come."""
        return self._steps is not None

    def go_on(self, most: int, seconds: float) -> None:
        """Writes up to `most` tokens, but begins none after `seconds`."""
        end = time.monotonic() + seconds
        for _ in range(most):
            if self._steps is None or time.monotonic() > end:
                return
            if token := next(self._steps, None):
                self.tokens.append(token)
            else:
                self._steps = None

    def stop(self) -> None:
        """Ends it where it is, and lets go of the model."""
        self.stopped = self.stopped or self.going
        self._steps = None
