"""The model to beat: what counting pairs of tokens can know about the next one."""

from typing import NamedTuple, Self

import torch
from torch import Tensor


class BigramModel(NamedTuple):
    """A bigram model with interpolated Kneser–Ney smoothing (Chen and Goodman 1999, section 2.7).

    P(y | x) = (count(x y) − D) / count(x ·) + D · followers(x) / count(x ·) · P(y)

    From every pair that was seen a discount D is taken, and shared out by P(y), which counts how many different
    tokens y was seen to follow rather than how often it was seen. P(y) is discounted in the same way, in favour of
    the uniform distribution, so that no token is impossible. Rows below are those of the vocabulary, V.

    Attributes:
        pairs: (N,) int64, x·V + y for every pair that was seen, ascending.
        discounted: (N,) float64, its count less the discount, divided by count(x ·).
        reserved: (V,) float64, the share of each x that is left to P(y): all of it where x was never seen.
        fallback: (V,) float64, P(y).
    """

    pairs: Tensor
    discounted: Tensor
    reserved: Tensor
    fallback: Tensor

    @classmethod
    def fit(cls, ids: Tensor, vocab_size: int) -> Self:
        """Counts the pairs of a text. ids: (N,) int64

        Raises:
            ValueError: the text holds no pair.
        """
        if len(ids) < 2:
            raise ValueError(f"a text of {len(ids)} tokens holds no pair to count")
        pairs, counts = (ids[:-1] * vocab_size + ids[1:]).unique(return_counts=True)
        first, second = pairs // vocab_size, pairs % vocab_size
        totals = first.bincount(counts.double(), minlength=vocab_size)
        followers = first.bincount(minlength=vocab_size)
        preceded_by = second.bincount(minlength=vocab_size)
        discount = discount_of(counts)
        reserved = torch.where(totals > 0, discount * followers / totals, 1.0)
        return cls(pairs, (counts - discount) / totals[first], reserved, spread(preceded_by))

    def probabilities(self, previous: Tensor, following: Tensor) -> Tensor:
        """P(following | previous), element by element. int64 of any shapes that broadcast → float64"""
        wanted = previous * len(self.fallback) + following
        place = torch.searchsorted(self.pairs, wanted).clamp(max=len(self.pairs) - 1)
        seen = torch.where(self.pairs[place] == wanted, self.discounted[place], 0.0)
        return seen + self.reserved[previous] * self.fallback[following]

    def loss(self, inputs: Tensor, targets: Tensor) -> float:
        """Mean −ln P(target | input) in nats, over the very targets that a network is judged by. (B, T) int64 each"""
        return -self.probabilities(inputs, targets).log().mean().item()


def discount_of(counts: Tensor) -> float:
    """What to take from each count: n₁ / (n₁ + 2·n₂), where n₁ counts the ones and n₂ the twos (Ney et al. 1994)."""
    ones, twos = int((counts == 1).sum()), int((counts == 2).sum())
    return ones / (ones + 2 * twos) if ones else 0.5


def spread(counts: Tensor) -> Tensor:
    """Counts as a distribution in which what was never counted has a share too. (V,) int64 → (V,) float64"""
    discount = discount_of(counts)
    kept = (counts - discount).clamp(min=0)
    return (kept + (counts.sum() - kept.sum()) / len(counts)) / counts.sum()
