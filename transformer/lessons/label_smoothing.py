"""Label smoothing as arithmetic (paper, section 5.4): what the targets become, and where the loss is least."""

import torch
from torch import Tensor


def smoothed_target(share: float, vocab_size: int) -> tuple[float, float]:
    """What the right token is to get, and each other one: `share` is spread evenly over the whole vocabulary."""
    other = share / vocab_size
    return 1 - share + other, other


def smoothed_loss(right: Tensor, share: float, vocab_size: int) -> Tensor:
    """The cross-entropy when the right token has the probability `right` and all others share the rest alike, in nats.

    right: any shape, float64, above 0 and below 1. Least where `right` is what `smoothed_target` asks for.
    """
    wanted, other = smoothed_target(share, vocab_size)
    rest = (1 - right) / (vocab_size - 1)
    return -wanted * torch.log(right) - other * (vocab_size - 1) * torch.log(rest)


def logits_with(right: Tensor, vocab_size: int) -> Tensor:
    """Logits whose softmax gives row 0 of the vocabulary `right` and all others the rest alike. (N,) → (N, V)"""
    rest = ((1 - right) / (vocab_size - 1)).log()
    logits = rest[:, None].repeat(1, vocab_size)
    logits[:, 0] = right.log()
    return logits
