"""Claims of the paper that can be measured instead of believed."""

import math
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

NUM_QUERIES = 256
NUM_KEYS = 16


class ScalingEffect(NamedTuple):
    """What one choice of scaling does to scores and to softmax, for each head_size d of the measurement.

    variance (N,): of the scores. largest_weight (N,): mean over queries of softmax's largest weight.
    gradient (N,): mean over queries of the Frobenius norm of softmax's Jacobian, ∂weights/∂scores.
    """

    variance: Tensor
    largest_weight: Tensor
    gradient: Tensor


class ScalingMeasurement(NamedTuple):
    """Scores q·k of random vectors, as they are and divided by √d. head_sizes: (N,) int64"""

    head_sizes: Tensor
    unscaled: ScalingEffect
    scaled: ScalingEffect


@lru_cache(maxsize=16)
def measure_scaling(head_sizes: tuple[int, ...], seed: int) -> ScalingMeasurement:
    """Why scores are divided by √d_k (paper, section 3.2.1 and footnote 4), measured on unit-normal queries and keys.

    256 queries meet 16 keys each. A head_size of d uses the first d components of the same vectors, so that the curves
    differ in d alone.
    """
    random = torch.Generator().manual_seed(seed)
    queries = torch.randn(NUM_QUERIES, 1, max(head_sizes), generator=random)
    keys = torch.randn(NUM_QUERIES, NUM_KEYS, max(head_sizes), generator=random)
    sizes = torch.tensor(head_sizes)
    scores = (queries * keys).cumsum(-1)[..., sizes - 1].movedim(-1, 0)  # (N, queries, keys)
    return ScalingMeasurement(sizes, _effect(scores), _effect(scores / sizes.sqrt().view(-1, 1, 1)))


def _effect(scores: Tensor) -> ScalingEffect:
    weights = scores.softmax(-1)
    return ScalingEffect(scores.flatten(1).var(-1), weights.amax(-1).mean(-1), softmax_jacobian_norm(weights).mean(-1))


def softmax_jacobian_norm(weights: Tensor) -> Tensor:
    """The Frobenius norm of softmax's Jacobian diag(p) − p·pᵀ from the weights p it gave, without building it.

    Its square is Σp² − 2Σp³ + (Σp²)². weights: (…, S) → (…)
    """
    squares = weights.square().sum(-1)
    cubes = weights.pow(3).sum(-1)
    return (squares - 2 * cubes + squares.square()).clamp(min=0).sqrt()


def entropy(weights: Tensor) -> Tensor:
    """The entropy of each distribution, −Σ p·log₂p, in bits; a weight of 0 adds nothing. (…, S) → (…)"""
    return torch.special.entr(weights).sum(-1) / math.log(2)
