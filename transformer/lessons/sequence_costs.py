"""What a sequence of n tokens costs a recurrent network and attention: counted (paper, table 1) and measured here."""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cache, lru_cache
from typing import NamedTuple, ParamSpec, TypeVar

import torch
from torch import Tensor, nn

from transformer.attention import MultiHeadAttention
from transformer.recurrent import make_lstm, make_rnn, reach_by_chain_rule, start_uniformly

NUM_HEADS = 4
LENGTHS = (8, 16, 32, 64, 128, 256, 512, 1024)
REACHES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
REACH_WIDTH = 32
"""d_model where the gradient is measured: its Jacobian takes d_model backward passes at once."""
SECONDS_A_POINT = 0.04
MOST_REPEATS = 20

Forward = Callable[[Tensor], Tensor]
Asked = ParamSpec("Asked")
Result = TypeVar("Result")

PROCESSOR_TIME = time.get_clock_info("thread_time").resolution < 1e-5
"""Whether the clock counts this thread's own work alone, so that nobody else's is measured; else it is the wall's."""
clock = time.thread_time if PROCESSOR_TIME else time.perf_counter


def alone(measure: Callable[Asked, Result], *args: Asked.args, **kwargs: Asked.kwargs) -> Result:
    """Runs a measurement in one thread, after all that were asked for before, and waits for it."""
    return _worker().submit(measure, *args, **kwargs).result()


@cache
def _worker() -> ThreadPoolExecutor:
    """A thread whose PyTorch uses no other threads; those that exist and those to come keep the number they had."""
    threads = torch.get_num_threads()
    worker = ThreadPoolExecutor(1, "measurement")
    worker.submit(torch.set_num_threads, 1).result()
    worker.submit(torch.get_num_threads).result()  # being asked, the thread takes the number for its own
    torch.set_num_threads(threads)
    return worker


class LayerCost(NamedTuple):
    """A row of the paper's table 1, constant factors left out.

    operations: multiplications in a layer. sequential: how many of them have to wait for one another. path: the longest way
    that a signal takes between two positions.
    """

    operations: int
    sequential: int
    path: int


def layer_costs(n: int, d: int, kernel: int, neighbourhood: int) -> dict[str, LayerCost]:
    """The paper's table 1 with numbers in: n tokens of d numbers each; a convolution over `kernel` tokens, and attention
    that sees `neighbourhood` tokens."""
    seen = min(neighbourhood, n)
    layers = 0
    while kernel**layers < n:
        layers += 1
    return {
        "attention": LayerCost(n * n * d, 1, 1),
        "recurrent": LayerCost(n * d * d, n, n),
        "convolutional": LayerCost(kernel * n * d * d, 1, max(layers, 1)),
        "restricted": LayerCost(seen * n * d, 1, math.ceil(n / seen)),
    }


def make_attention(d_model: int, seed: int = 0) -> MultiHeadAttention:
    """Self-attention of 4 heads, started as the recurrent layers are."""
    layer = MultiHeadAttention(d_model, NUM_HEADS)
    start_uniformly(layer, d_model, seed)
    return layer


def make_layers(d_model: int, seed: int = 0) -> dict[str, nn.Module]:
    """One layer of each kind, all of the same width."""
    return {
        "rnn": make_rnn(d_model, d_model, seed),
        "lstm": make_lstm(d_model, d_model, seed),
        "attention": make_attention(d_model, seed),
    }


def forward_of(layer: nn.Module) -> Forward:
    """A layer as a function (B, T, D) → (B, T, D); attention looks at itself and what came before, as the others do."""
    if isinstance(layer, MultiHeadAttention):
        return lambda x: layer(x, is_causal=True)
    return lambda x: layer(x)[0]


class TimeMeasurement(NamedTuple):
    """Seconds of work that one sequence takes forward and backward, the least of several runs.

    lengths: (N,) tokens. seconds: (N,) for each kind of layer. parameters: how many each has. threads: of PyTorch.
    """

    d_model: int
    lengths: tuple[int, ...]
    seconds: dict[str, tuple[float, ...]]
    parameters: dict[str, int]
    threads: int
    at: datetime


_measured: dict[int, TimeMeasurement] = {}


def measured_times(d_model: int, instead_of: TimeMeasurement | None = None) -> TimeMeasurement:
    """The times of layers this wide on this machine, measured once and then the same for everybody. To be run `alone`.

    instead_of: an earlier measurement that is to be replaced, unless somebody has done so already.
    """
    kept = _measured.get(d_model)
    if kept is None or kept is instead_of:
        kept = _measured[d_model] = measure_times(d_model, LENGTHS)
    return kept


def measure_times(d_model: int, lengths: Sequence[int]) -> TimeMeasurement:
    """Measures now: about 40 ms a point, or one run where one takes longer."""
    layers = make_layers(d_model)
    seconds = {kind: tuple(_least(layer, d_model, length) for length in lengths) for kind, layer in layers.items()}
    parameters = {kind: sum(p.numel() for p in layer.parameters()) for kind, layer in layers.items()}
    now = datetime.now().astimezone()
    return TimeMeasurement(d_model, tuple(lengths), seconds, parameters, torch.get_num_threads(), now)


def _least(layer: nn.Module, d_model: int, length: int) -> float:
    """Seconds of the fastest run, forward and backward, after one that does not count."""
    x = torch.randn(1, length, d_model, generator=torch.Generator().manual_seed(length)).requires_grad_()
    forward, wanted = forward_of(layer), [x, *layer.parameters()]

    def run() -> float:
        start = clock()
        torch.autograd.grad(forward(x).sum(), wanted)
        return clock() - start

    run()
    least, spent, repeats = math.inf, 0.0, 0
    while spent < SECONDS_A_POINT and repeats < MOST_REPEATS:
        taken = run()
        least, spent, repeats = min(least, taken), spent + taken, repeats + 1
    return least


@lru_cache(maxsize=16)
def measured_memory(d_model: int) -> dict[str, tuple[int, ...]]:
    """Bytes kept for the backward pass of one sequence, (N,) for LENGTHS, for each kind of layer.

    "attention" runs PyTorch's fused kernel, which keeps no weights; "explicit" writes out equation 1, as our traces do.
    """
    return {
        kind: tuple(kept_bytes(forward, torch.zeros(1, length, d_model), layer) for length in LENGTHS)
        for kind, (layer, forward) in kept_layers(d_model).items()
    }


def kept_layers(d_model: int) -> dict[str, tuple[nn.Module, Forward]]:
    """The layers whose memory is measured, each with the function that it is run as; attention is run in both ways."""
    layers = {kind: (layer, forward_of(layer)) for kind, layer in make_layers(d_model).items()}
    explicit, _ = layers["attention"]
    assert isinstance(explicit, MultiHeadAttention)
    return {**layers, "explicit": (explicit, lambda x: explicit.trace(x, is_causal=True).output)}


def kept_bytes(forward: Forward, x: Tensor, layer: nn.Module) -> int:
    """Bytes that autograd keeps for the backward pass beside the layer's parameters; each storage counts once."""
    own = {parameter.untyped_storage().data_ptr() for parameter in layer.parameters()}
    kept: dict[int, torch.UntypedStorage] = {}

    def note(saved: Tensor) -> Tensor:
        storage = saved.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage  # holding it keeps its address from being used again
        return saved

    with torch.autograd.graph.saved_tensors_hooks(note, lambda saved: saved):
        output = forward(x.detach().requires_grad_())
    size = sum(storage.nbytes() for storage in kept.values())
    del output
    return size


class ReachMeasurement(NamedTuple):
    """How much the last token's output moves with the first token's input.

    lengths: (N,) tokens between and with them. sizes: for each kind of layer (N,), the Frobenius norm of ∂output_n/∂x_1
    divided by √d_model, in float64. by_chain_rule: the RNN's once more, as a product of its steps.
    """

    lengths: tuple[int, ...]
    sizes: dict[str, Tensor]
    by_chain_rule: Tensor


@lru_cache(maxsize=64)
def measured_reach(seed: int, gain: float, forget_bias: float) -> ReachMeasurement:
    """The gradient between the ends of random sequences (unit normal), by exact autograd.

    gain: multiplies the recurrent networks' own matrix. forget_bias: as in `make_lstm`.
    """
    d_model = REACH_WIDTH
    stream = torch.Generator().manual_seed(seed)
    x = torch.randn(max(REACHES), d_model, generator=stream, dtype=torch.float64)
    rnn = make_rnn(d_model, d_model, seed, gain=gain).double()
    layers = {
        "rnn": rnn,
        "lstm": make_lstm(d_model, d_model, seed, gain=gain, forget_bias=forget_bias).double(),
        "attention": make_attention(d_model, seed).double(),
    }
    sizes = {
        kind: torch.stack([size_of(first_to_last(forward_of(layer), x[:length])) for length in REACHES])
        for kind, layer in layers.items()
    }
    steps = reach_by_chain_rule(rnn, x)
    return ReachMeasurement(REACHES, sizes, torch.stack([size_of(steps[length - 1]) for length in REACHES]))


def first_to_last(forward: Forward, x: Tensor) -> Tensor:
    """∂output_n/∂x_1 in one backward pass over as many copies of x as the output has numbers. x: (T, D) → (D, D)"""
    copies = x.expand(x.size(-1), -1, -1).clone().requires_grad_()
    last = forward(copies)[:, -1]
    (slopes,) = torch.autograd.grad(last.diagonal().sum(), copies)
    return slopes[:, 0]


def size_of(jacobian: Tensor) -> Tensor:
    """The Frobenius norm by the root of the width: 1 for a Jacobian that passes everything on unchanged. (D, D) → ()"""
    return torch.linalg.norm(jacobian) / math.sqrt(jacobian.size(-1))
