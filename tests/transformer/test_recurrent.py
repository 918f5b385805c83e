"""Recurrent networks: equal to PyTorch's, and their gradients."""

import pytest
import torch
from torch import nn

from transformer.recurrent import make_lstm, make_rnn, reach_by_chain_rule, trace_rnn
from transformer.trace import named_tensors

B, T, D, R = 2, 5, 12, 7


def inputs() -> torch.Tensor:
    return torch.randn(B, T, D, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("length", [1, T])
def test_traced_states_are_those_of_pytorchs_rnn(length: int) -> None:
    layer, x = make_rnn(D, R, seed=3), inputs()[:, :length]
    trace = trace_rnn(layer, x)
    states, last = layer(x)
    torch.testing.assert_close(trace.hidden, states)
    torch.testing.assert_close(trace.hidden[:, -1], last[0])
    assert torch.equal(trace.hidden, trace.summed.tanh())
    assert torch.equal(trace.previous[:, 1:], trace.hidden[:, :-1])
    assert not trace.previous[:, 0].any()


def test_every_traced_tensor_has_the_axes_it_names() -> None:
    sizes = {"B": B, "T": T, "D": D, "R": R}
    for _, axes, tensor in named_tensors(trace_rnn(make_rnn(D, R), inputs())):
        assert tuple(tensor.shape) == tuple(sizes[letter] for letter in axes.split())


@pytest.mark.parametrize("make", [make_rnn, make_lstm])
def test_layers_follow_from_their_seed_alone(make: type[nn.Module]) -> None:
    one, same, other = make(D, R, 1), make(D, R, 1), make(D, R, 2)
    for name, parameter in one.named_parameters():
        assert torch.equal(parameter, same.get_parameter(name))
        assert not torch.equal(parameter, other.get_parameter(name))
        assert parameter.abs().max() <= R**-0.5


def test_gain_multiplies_the_recurrent_matrix_and_nothing_else() -> None:
    for plain, scaled in ((make_rnn(D, R), make_rnn(D, R, gain=3.0)), (make_lstm(D, R), make_lstm(D, R, gain=3.0))):
        for name, parameter in plain.named_parameters():
            factor = 3.0 if name == "weight_hh_l0" else 1.0
            torch.testing.assert_close(scaled.get_parameter(name), parameter * factor)


def test_an_open_forget_gate_keeps_the_cell() -> None:
    layer = make_lstm(D, R, forget_bias=100.0)
    cell = torch.randn(1, B, R, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            if "weight" in name:
                parameter.zero_()
            else:
                parameter[:R] = -100.0 if name == "bias_ih_l0" else 0.0  # the input gate is shut
        _, (_, kept) = layer(inputs(), (torch.zeros_like(cell), cell))
    torch.testing.assert_close(kept, cell)


def test_the_chain_rules_product_is_the_jacobian_of_autograd() -> None:
    layer, x = make_rnn(D, R, seed=5, gain=2.0).double(), inputs()[0].double()
    products = reach_by_chain_rule(layer, x)
    for last in range(T):
        jacobian = torch.autograd.functional.jacobian(lambda x, last=last: layer(x)[0][last], x)  # type: ignore[no-untyped-call]
        torch.testing.assert_close(products[last], jacobian[:, 0])
