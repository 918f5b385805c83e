"""One head with nothing around it, small enough to follow by hand, and how it learns (paper, equation 1).

    exercise = Exercise(x=((1.0, 2.0, 3.0), …), target=…, start=(wq, wk, wv), divisor=3**0.5)
    [*steps] = descend(exercise, learning_rate=0.05, count=10)     # 11 states: before the first step, after each

The embeddings stay as they are; only Wq, Wk and Wv learn.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer.trace import SingleHeadTrace

Rows = tuple[tuple[float, ...], ...]
LARGEST = torch.finfo(torch.float32).max


class Projections(NamedTuple):
    """Wq, Wk and Wv, or one tensor for each of them. (D, K) each"""

    query: Tensor
    key: Tensor
    value: Tensor


def attend(x: Tensor, projections: Projections, divisor: float) -> SingleHeadTrace:
    """New embeddings for all tokens. x: (T, D); divisor: √d_k in the paper, 1 for none."""
    queries = x @ projections.query  # (T, D) · (D, K) → (T, K)
    keys = x @ projections.key
    values = x @ projections.value
    scores = queries @ keys.T  # (T, K) · (K, S) → (T, S)
    scaled = scores / divisor
    weights = scaled.softmax(-1)
    output = weights @ values  # (T, S) · (S, K) → (T, K)
    return SingleHeadTrace(x, queries, keys, values, scores, scaled, weights, output)


@dataclass(frozen=True)
class Exercise:
    """What is to be learned, and from where. All numbers are float64.

    x: (T, D) embeddings, which stay as they are. target: (T, K) what the new embeddings should become.
    start: Wq, Wk, Wv before the first step, (D, K) each. divisor: of the scores.
    """

    x: Rows
    target: Rows
    start: tuple[Rows, Rows, Rows]
    divisor: float

    @cached_property
    def inputs(self) -> Tensor:
        """(T, D)"""
        return torch.tensor(self.x, dtype=torch.float64)

    @cached_property
    def wanted(self) -> Tensor:
        """(T, K)"""
        return torch.tensor(self.target, dtype=torch.float64)

    @cached_property
    def projections(self) -> Projections:
        """Before the first step."""
        return Projections(*(torch.tensor(rows, dtype=torch.float64) for rows in self.start))


@dataclass(frozen=True, eq=False)
class LearningStep:
    """One state of the descent, and the step that leads on from it.

    loss: the mean of the squared differences between new embeddings and target. upstream: the gradient of the loss with
    respect to Q, K and V, (T, K) each. gradient: with respect to Wq, Wk and Wv, which is Xᵀ times each of those.
    """

    number: int
    projections: Projections
    trace: SingleHeadTrace
    loss: float
    upstream: Projections
    gradient: Projections
    after: Projections

    @property
    def is_finite(self) -> bool:
        """Whether float32, in which models compute, could hold all numbers of the state and of the way on."""
        shown = (*vars(self.trace).values(), *self.projections, *self.upstream, *self.gradient, *self.after)
        return self.loss <= LARGEST and all(bool((part.abs() <= LARGEST).all()) for part in shown)


def descend(exercise: Exercise, learning_rate: float, count: int) -> Iterator[LearningStep]:
    """The start and the states after each of `count` steps of gradient descent; ends early where numbers overflow."""
    for number in range(count + 1):
        reached = learning_step(exercise, learning_rate, number)
        if not reached.is_finite:
            return
        yield reached


@lru_cache(maxsize=4096)
def learning_step(exercise: Exercise, learning_rate: float, number: int) -> LearningStep:
    """The state after `number` steps, W ← W − learning_rate · gradient, and the gradient there by autograd."""
    before = exercise.projections if number == 0 else learning_step(exercise, learning_rate, number - 1).after
    leaves = Projections(*(part.detach().requires_grad_() for part in before))
    trace = attend(exercise.inputs, leaves, exercise.divisor)
    loss = F.mse_loss(trace.output, exercise.wanted)
    gradients = torch.autograd.grad(loss, (*leaves, trace.queries, trace.keys, trace.values))
    gradient, upstream = Projections(*gradients[:3]), Projections(*gradients[3:])
    after = Projections(*(part - learning_rate * slope for part, slope in zip(before, gradient, strict=True)))
    return LearningStep(number, before, _detached(trace), loss.item(), upstream, gradient, after)


def _detached(trace: SingleHeadTrace) -> SingleHeadTrace:
    return SingleHeadTrace(*(part.detach() for part in vars(trace).values()))


def gradient_by_hand(trace: SingleHeadTrace, target: Tensor, divisor: float) -> Projections:
    """The gradient of the mean squared error with respect to Wq, Wk and Wv by the chain rule, written out. target: (T, K)"""
    to_output = 2 * (trace.output - target) / target.numel()
    to_values = trace.weights.T @ to_output
    to_weights = to_output @ trace.values.T
    shared = (trace.weights * to_weights).sum(-1, keepdim=True)
    to_scores = trace.weights * (to_weights - shared) / divisor  # through softmax, then through the division
    to_queries, to_keys = to_scores @ trace.keys, to_scores.T @ trace.queries
    return Projections(*(trace.input.T @ slope for slope in (to_queries, to_keys, to_values)))
