"""The layer that scores every token of the vocabulary: most of the arithmetic of a small model."""

import torch
from torch import Tensor, nn

CACHE_LINE = 16  # float32 numbers


class OutputLayer(nn.Linear):
    """A linear layer without bias, whose logits lie in memory so that each row of them begins at a cache line in training.

    A vocabulary may have any number of rows, and a processor writes the product up to twice as fast if that shows nowhere.
    """

    def __init__(self, d_model: int, vocab_size: int) -> None:
        super().__init__(d_model, vocab_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(…, D) → (…, V)"""
        if not self.training or torch.is_autocast_enabled(x.device.type):
            return super().forward(x)
        states, row = x.flatten(0, -2), -(-self.out_features // CACHE_LINE) * CACHE_LINE
        logits = x.new_empty_strided((len(states), self.out_features), (row, 1))
        return logits.addmm_(states, self.weight.T, beta=0).unflatten(0, x.shape[:-1])
