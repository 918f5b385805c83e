"""The recurrent networks that attention replaced (paper, section 1), started from a seed, and an RNN's steps made visible."""

import math
import zlib

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer.trace import RecurrentTrace


def make_rnn(d_model: int, hidden_size: int, seed: int = 0, *, gain: float = 1.0) -> nn.RNN:
    """PyTorch's own RNN: h_t = tanh(W·x_t + U·h_{t−1} + b), with U multiplied by `gain`. (B, T, D) → (B, T, R)"""
    layer = nn.RNN(d_model, hidden_size, batch_first=True, device="meta").to_empty(device="cpu")
    start_uniformly(layer, hidden_size, seed)
    with torch.no_grad():
        layer.all_weights[0][1].mul_(gain)
    return layer


def make_lstm(
    d_model: int, hidden_size: int, seed: int = 0, *, gain: float = 1.0, forget_bias: float | None = None
) -> nn.LSTM:
    """PyTorch's own LSTM, with the hidden state's matrix multiplied by `gain`. (B, T, D) → (B, T, R)

    forget_bias: what is added inside each forget gate; large values keep the memory cell's content, and None leaves the
        drawn values, about 0.
    """
    layer = nn.LSTM(d_model, hidden_size, batch_first=True, device="meta").to_empty(device="cpu")
    start_uniformly(layer, hidden_size, seed)
    with torch.no_grad():
        _, to_before, token_bias, before_bias = layer.all_weights[0]
        to_before.mul_(gain)
        if forget_bias is not None:
            forget_gates = slice(hidden_size, 2 * hidden_size)  # PyTorch's order: input, forget, cell, output
            token_bias[forget_gates] = forget_bias
            before_bias[forget_gates] = 0.0
    return layer


@torch.no_grad()
def start_uniformly(layer: nn.Module, fan_in: int, seed: int) -> None:
    """Weights between ±1/√fan_in, which is how PyTorch starts its recurrent and its linear layers, but from a seed."""
    bound = 1 / math.sqrt(fan_in)
    for name, parameter in layer.named_parameters():
        stream = torch.Generator().manual_seed(zlib.crc32(f"{seed} {name}".encode()))
        parameter.uniform_(-bound, bound, generator=stream)


@torch.no_grad()
def trace_rnn(layer: nn.RNN, x: Tensor) -> RecurrentTrace:
    """The explicit path: one token after another, each reading what the one before left. Equal to layer(x). (B, T, D)"""
    to_token, to_before, token_bias, before_bias = layer.all_weights[0]
    hidden = [x.new_zeros(x.size(0), layer.hidden_size)]
    sums = []
    for token in x.unbind(1):
        sums.append(F.linear(token, to_token, token_bias) + F.linear(hidden[-1], to_before, before_bias))
        hidden.append(sums[-1].tanh())
    previous, summed, states = torch.stack(hidden[:-1], 1), torch.stack(sums, 1), torch.stack(hidden[1:], 1)
    return RecurrentTrace(x, previous, summed, states)


@torch.no_grad()
def reach_by_chain_rule(layer: nn.RNN, x: Tensor) -> Tensor:
    """∂h_t/∂x_1 for every t as a product of the steps between: diag(1 − h_t²)·U for each, and W for the first.

    x: (T, D) → (T, R, D)
    """
    to_token, to_before, *_ = layer.all_weights[0]
    slopes = 1 - trace_rnn(layer, x[None]).hidden[0].square()
    jacobians = [slopes[0, :, None] * to_token]
    for slope in slopes[1:]:
        jacobians.append(slope[:, None] * (to_before @ jacobians[-1]))
    return torch.stack(jacobians)
