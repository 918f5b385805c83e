"""From what leaves the last block to what the model says comes next, and how surprised it is by what really does."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer.attention import softmax_steps
from transformer.gpt import GPT

AT_ONCE = 16  # positions whose logits are held at one time: with 100,277 rows, 6 MB


class NextToken(NamedTuple):
    """A distribution over the vocabulary at N positions, with all that softmax computes on the way.

    normalised (N, D) · logits, exponentials, probabilities (N, V) · maximum, total (N, 1)
    """

    normalised: Tensor
    logits: Tensor
    maximum: Tensor
    exponentials: Tensor
    total: Tensor
    probabilities: Tensor


def next_token(model: GPT, x: Tensor) -> NextToken:
    """The last norm, the output layer, and softmax over the whole vocabulary. x: (N, D)"""
    normalised = model.final_norm(x)
    logits = model.output(normalised)
    maximum, exponentials, total, probabilities = softmax_steps(logits)
    return NextToken(normalised, logits, maximum, exponentials, total, probabilities)


class Guesses(NamedTuple):
    """The likeliest next tokens at N positions, and how one watched token stands among all.

    ids, probabilities: (N, count), likeliest first. watched: (N,), its probability. rank: (N,), 1 for the likeliest.
    """

    ids: Tensor
    probabilities: Tensor
    watched: Tensor
    rank: Tensor


def guesses(model: GPT, x: Tensor, watched: int, count: int) -> Guesses:
    """The best guesses from x, which may also be a stream that is not finished yet: then this is the logit lens.

    x: (N, D). Source of the lens: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """
    probabilities = next_token(model, x).probabilities
    best = probabilities.topk(min(count, probabilities.size(1)))
    share = probabilities[:, watched]
    rank = (probabilities > share[:, None]).sum(1) + 1
    return Guesses(best.indices, best.values, share, rank)


class Losses(NamedTuple):
    """−ln P(next token) in nats, worked out and by PyTorch's own kernel. explicit, fused: (N,)"""

    explicit: Tensor
    fused: Tensor


def token_losses(model: GPT, x: Tensor, targets: Tensor) -> Losses:
    """The loss of each target from what leaves the last block, a few positions at a time.

    −ln P = ln Σ exp(z − max) − (z_target − max). x: (N, D), targets: (N,) int64
    """
    explicit, fused = [x.new_empty(0)], [x.new_empty(0)]
    for states, wanted in zip(x.split(AT_ONCE), targets.split(AT_ONCE), strict=True):
        said = next_token(model, states)
        target_logit = said.logits.gather(1, wanted[:, None])
        explicit.append((said.total.log() - (target_logit - said.maximum)).flatten())
        fused.append(F.cross_entropy(said.logits, wanted, reduction="none"))
    return Losses(torch.cat(explicit), torch.cat(fused))


def held_by_the_likeliest(probabilities: Tensor, ranks: Tensor) -> Tensor:
    """How much of a distribution its n likeliest outcomes hold, for each n in `ranks`. (V,), (R,) int64 → (R,)"""
    return probabilities.sort(descending=True).values.cumsum(0)[ranks - 1]
