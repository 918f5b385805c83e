"""The loss and its gradient against PyTorch's own, in parts and whole."""

import math

import pytest
import torch
import torch.nn.functional as F

from transformer import cross_entropy as module
from transformer.cross_entropy import cross_entropy

N, V = 13, 17


def logits(scale: float = 3.0) -> torch.Tensor:
    return torch.randn(N, V, generator=torch.Generator().manual_seed(3)) * scale


TARGETS = torch.randint(V, (N,), generator=torch.Generator().manual_seed(4))
WEIGHTS = torch.rand(N, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("at_once", [1, 5 * V, 2**20])
def test_losses_and_gradient_are_those_of_torch(
    smoothing: float, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", at_once)
    leaf, twin = logits().requires_grad_(), logits().requires_grad_()
    losses = cross_entropy(leaf * 1, TARGETS, smoothing)
    expected = F.cross_entropy(twin, TARGETS, reduction="none", label_smoothing=smoothing)
    torch.testing.assert_close(losses, expected)
    (losses * WEIGHTS).sum().backward()
    (expected * WEIGHTS).sum().backward()
    torch.testing.assert_close(leaf.grad, twin.grad)


def test_a_target_that_has_no_chance_has_the_loss_its_logits_say() -> None:
    far = torch.tensor([[0.0, 900.0, -50.0]])
    assert cross_entropy(far.clone(), torch.tensor([0])).item() == 900.0
    assert cross_entropy(far.clone(), torch.tensor([1])).item() == 0.0
    assert cross_entropy(torch.zeros(1, V), TARGETS[:1]).item() == pytest.approx(math.log(V))


def test_what_is_no_number_stays_none() -> None:
    broken = logits()
    broken[2, 3] = math.nan
    assert cross_entropy(broken, TARGETS).isnan().tolist() == [row == 2 for row in range(N)]


def test_a_model_that_still_needs_its_logits_is_told_so() -> None:
    leaf = logits().requires_grad_()
    losses = cross_entropy(leaf.exp(), TARGETS)  # the derivative of exp is read from its result
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        losses.sum().backward()


def test_without_targets_there_are_no_losses() -> None:
    assert cross_entropy(torch.zeros(0, V), torch.zeros(0, dtype=torch.int64)).shape == (0,)
