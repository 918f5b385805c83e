"""What a sequence costs, found in another way than by `sequence_costs`: so each of its tables and curves can be checked."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from transformer.lessons.sequence_costs import LENGTHS, Forward, kept_layers
from transformer.recurrent import make_rnn, trace_rnn


@lru_cache(maxsize=64)
def multiplications(n: int, d: int, kernel: int, neighbourhood: int) -> dict[str, int]:
    """PyTorch's count of the one product of each layer that table 1 of the paper keeps; no number is computed.

    attention: Q·Kᵀ. recurrent: U·h in each of n steps. convolutional: a convolution over `kernel` tokens, d to d channels.
    restricted: each query with the keys of its neighbourhood.
    """
    empty = torch.device("meta")
    x, square = torch.empty(n, d, device=empty), torch.empty(d, d, device=empty)
    filters = torch.empty(d, d, kernel, device=empty)
    seen = torch.empty(n, d, min(neighbourhood, n), device=empty)
    products: dict[str, Callable[[], Tensor]] = {
        "attention": lambda: x @ x.T,
        "recurrent": lambda: x[:, None] @ square.expand(n, d, d),
        "convolutional": lambda: F.conv1d(x.T[None], filters, padding="same"),
        "restricted": lambda: x[:, None] @ seen,
    }
    found = {}
    for kind, multiply in products.items():
        with FlopCounterMode(display=False) as counter:
            multiply()
        found[kind] = counter.get_total_flops() // 2  # an addition comes with each multiplication
    return found


@lru_cache(maxsize=16)
def timed_states(d_model: int, length: int) -> tuple[Tensor, Tensor]:
    """Hidden states of the RNN that is timed: step by step, and by its own loop. (1, T, D) each"""
    layer = make_rnn(d_model, d_model)
    x = torch.randn(1, length, d_model, generator=torch.Generator().manual_seed(length))
    with torch.no_grad():
        return trace_rnn(layer, x).hidden, layer(x)[0]


@lru_cache(maxsize=16)
def kept_in_graphs(d_model: int) -> dict[str, tuple[int, ...]]:
    """Bytes that the nodes of autograd's graph hold, as `measured_memory` has them by the hooks of saved tensors."""
    return {
        kind: tuple(_bytes_in_graph(forward, torch.zeros(1, length, d_model), layer) for length in LENGTHS)
        for kind, (layer, forward) in kept_layers(d_model).items()
    }


def _bytes_in_graph(forward: Forward, x: Tensor, layer: nn.Module) -> int:
    own = {parameter.untyped_storage().data_ptr() for parameter in layer.parameters()}
    output = forward(x.detach().requires_grad_())
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage() for tensor in _saved(output)}
    return sum(storage.nbytes() for place, storage in storages.items() if place not in own)


def _saved(output: Tensor) -> Iterator[Tensor]:
    """Every tensor that a graph holds; a plain number, which PyTorch wraps as a tensor of no axis, is none."""
    seen, waiting = set(), [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [before for before, _ in node.next_functions]
        for name in filter(lambda name: name.startswith("_saved_"), dir(node)):
            held = getattr(node, name)
            for tensor in held if isinstance(held, tuple | list) else [held]:
                if isinstance(tensor, Tensor) and tensor.ndim:
                    yield tensor
