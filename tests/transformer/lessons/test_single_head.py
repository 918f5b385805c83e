"""One head by hand: its attention, its gradient, its steps."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from transformer.lessons.single_head import Exercise, Projections, attend, descend, gradient_by_hand, learning_step

T, D, K = 5, 4, 3


def exercise(divisor: float = math.sqrt(K), spread: float = 0.5) -> Exercise:
    """All sizes different, so that a swapped axis cannot pass."""
    random = torch.Generator().manual_seed(0)
    x, target = torch.randn(T, D, generator=random), torch.randn(T, K, generator=random)
    start = torch.randn(3, D, K, generator=random) * spread
    rows = [tuple(tuple(row) for row in matrix.tolist()) for matrix in (x, target, *start)]
    return Exercise(rows[0], rows[1], (rows[2], rows[3], rows[4]), divisor)


@pytest.mark.parametrize("divisor", [1.0, math.sqrt(K)])
def test_attention_is_that_of_pytorch(divisor: float) -> None:
    asked = exercise(divisor)
    trace = attend(asked.inputs, asked.projections, divisor)
    batched = (part[None] for part in (trace.queries, trace.keys, trace.values))
    torch.testing.assert_close(trace.output[None], F.scaled_dot_product_attention(*batched, scale=1 / divisor))
    torch.testing.assert_close(trace.weights.sum(1), torch.ones(T, dtype=torch.float64))


def numerical_gradient(asked: Exercise, projections: Projections, step: float = 1e-6) -> Tensor:
    """(L(W + h) − L(W − h)) / 2h for every number of the three matrices. (3, D, K)"""
    stacked = torch.stack(projections)
    slopes = torch.zeros_like(stacked)
    for place in range(stacked.numel()):
        bump = torch.zeros(stacked.numel(), dtype=torch.float64)
        bump[place] = step
        up, down = (
            F.mse_loss(attend(asked.inputs, Projections(*moved), asked.divisor).output, asked.wanted)
            for moved in (stacked + bump.view_as(stacked), stacked - bump.view_as(stacked))
        )
        slopes.view(-1)[place] = (up - down) / (2 * step)
    return slopes


@pytest.mark.parametrize("number", [0, 7])
@pytest.mark.parametrize("divisor", [1.0, math.sqrt(K)])
def test_gradients_are_those_of_finite_differences_and_of_the_chain_rule(divisor: float, number: int) -> None:
    asked = exercise(divisor)
    state = learning_step(asked, 0.1, number)
    shown = torch.stack(state.gradient)
    torch.testing.assert_close(shown, numerical_gradient(asked, state.projections), rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(shown, torch.stack(gradient_by_hand(state.trace, asked.wanted, divisor)))


def test_each_gradient_is_the_inputs_times_what_is_asked_of_the_projection() -> None:
    state = learning_step(exercise(), 0.1, 2)
    for gradient, upstream in zip(state.gradient, state.upstream, strict=True):
        torch.testing.assert_close(gradient, state.trace.input.T @ upstream)


def test_steps_are_those_of_pytorchs_sgd() -> None:
    asked = exercise()
    leaves = [part.clone().requires_grad_() for part in asked.projections]
    optimizer = torch.optim.SGD(leaves, lr=0.2)
    for state in descend(asked, 0.2, 6):
        torch.testing.assert_close(torch.stack(state.projections), torch.stack(leaves).detach())
        loss = F.mse_loss(attend(asked.inputs, Projections(*leaves), asked.divisor).output, asked.wanted)
        assert state.loss == pytest.approx(loss.item())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def test_a_small_learning_rate_lowers_the_loss_at_every_step() -> None:
    losses = [state.loss for state in descend(exercise(), 0.05, 60)]
    assert len(losses) == 61
    assert losses == sorted(losses, reverse=True)


def test_a_descent_that_overflows_ends_with_its_last_numbers() -> None:
    reached = list(descend(exercise(), 1e6, 200))
    assert 0 < len(reached) < 201
    assert all(state.is_finite for state in reached)
    assert not learning_step(exercise(), 1e6, len(reached)).is_finite


def test_a_saturated_softmax_teaches_queries_and_keys_nothing() -> None:
    state = learning_step(exercise(spread=1000.0), 0.1, 0)
    assert set(state.trace.weights.flatten().tolist()) == {0.0, 1.0}
    assert state.gradient.query.abs().max() == state.gradient.key.abs().max() == 0
    assert state.gradient.value.abs().max() > 0
