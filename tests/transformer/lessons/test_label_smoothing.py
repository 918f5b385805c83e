"""Label smoothing against PyTorch's own loss."""

import pytest
import torch
import torch.nn.functional as F

from transformer.lessons.label_smoothing import logits_with, smoothed_loss, smoothed_target

V = 17
RIGHT = torch.tensor([0.05, 0.3, 0.91, 0.999], dtype=torch.float64)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
def test_the_loss_is_that_of_torch(share: float) -> None:
    targets = torch.zeros(len(RIGHT), dtype=torch.long)
    expected = F.cross_entropy(logits_with(RIGHT, V), targets, reduction="none", label_smoothing=share)
    torch.testing.assert_close(smoothed_loss(RIGHT, share, V), expected)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.3])
def test_the_loss_is_least_where_the_target_is(share: float) -> None:
    wanted, other = smoothed_target(share, V)
    assert wanted + (V - 1) * other == pytest.approx(1)
    around = torch.tensor([wanted - 0.01, wanted, wanted + 0.01], dtype=torch.float64)
    assert smoothed_loss(around, share, V).argmin() == 1
