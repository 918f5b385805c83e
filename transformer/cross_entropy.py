"""The loss of every target, whose gradient is written where the logits stood: the largest tensor of a step exists once."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

NUMBERS_AT_ONCE = 2**20  # logits that a processor's cache still holds when they are read again


def cross_entropy(logits: Tensor, targets: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """`F.cross_entropy(…, reduction="none")`, at whose cost the logits are lost: their memory is used for the gradient.

    With q for what is wanted, the share `label_smoothing` spread over all rows of the vocabulary and the rest on the
    target, the loss is ln Σ exp z − Σ q·z, and its gradient softmax(z) − q.

    logits: (N, V) float32, targets: (N,) int64 → (N,), in nats
    """
    losses: Tensor = _CrossEntropy.apply(logits, targets, label_smoothing)  # type: ignore[no-untyped-call]
    return losses


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor, label_smoothing: float) -> Tensor:
        memory, rows = logits.detach(), max(1, NUMBERS_AT_ONCE // logits.size(1))
        parts = zip(memory.split(rows), targets.split(rows), strict=True)
        losses = torch.cat([_losses_leaving_softmax(part, wanted, label_smoothing) for part, wanted in parts])
        ctx.save_for_backward(memory, targets)
        ctx.label_smoothing = label_smoothing
        return losses

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        memory, targets = ctx.saved_tensors
        on_target = memory.new_full((len(targets), 1), ctx.label_smoothing - 1)
        memory.scatter_add_(1, targets[:, None], on_target)
        if ctx.label_smoothing:
            memory -= ctx.label_smoothing / memory.size(1)
        return memory.mul_(gradient[:, None]), None, None


def _losses_leaving_softmax(logits: Tensor, targets: Tensor, label_smoothing: float) -> Tensor:
    """The losses of a few rows, which from then on hold their softmax. ln Σ exp z is max z − ln max softmax(z)."""
    wanted = (1 - label_smoothing) * logits.gather(1, targets[:, None])
    if label_smoothing:
        wanted += label_smoothing * logits.mean(1, keepdim=True)
    highest = logits.amax(1, keepdim=True)
    probabilities = logits.copy_(logits.softmax(1))
    return (highest - probabilities.amax(1, keepdim=True).log() - wanted).squeeze(1)
