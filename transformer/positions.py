"""Where a token stands, as numbers (paper, section 3.5)."""

import torch
from torch import Tensor, nn

from transformer.config import ModelConfig


def wavelength_divisors(d_model: int) -> Tensor:
    """10000^(2i / d_model) for every dimension: the number its position is divided by.

    Returns: (D,) float64; dimensions 2i and 2i + 1 share one divisor.
    """
    dimension = torch.arange(d_model, dtype=torch.float64)
    return 10_000.0 ** ((dimension - dimension % 2) / d_model)


def sinusoidal_positions(length: int, d_model: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)) and PE(pos, 2i+1) = cos(the same).

    Works for an odd d_model, too: its last dimension is then a sine without its cosine.

    Returns: (T, D) float32, computed in float64.
    """
    angles = torch.arange(length, dtype=torch.float64)[:, None] / wavelength_divisors(d_model)
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos()).float()


def give_positions(model: nn.Module, config: ModelConfig) -> None:
    """Gives a model its `positions`, one row each, (T, D): a parameter still to be drawn if they are learned, else fixed."""
    if config.positions == "learned":
        model.register_parameter("positions", nn.Parameter(torch.empty(config.context_length, config.d_model)))
    elif config.positions == "sinusoidal":
        model.register_buffer(
            "positions", sinusoidal_positions(config.context_length, config.d_model), persistent=False
        )
    else:
        model.register_buffer("positions", torch.zeros(config.context_length, config.d_model), persistent=False)
