"""Starting weights that follow from a seed and a parameter's name alone.

The same seed gives the same weights on every page and machine, in whatever order and by however many threads they are drawn.
"""

import os
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import torch
from torch import Tensor, nn

NUMBERS_PER_STREAM = 2**20  # long tables are drawn in pieces with random streams of their own: cores share the work


@torch.no_grad()
def start(model: nn.Module, seed: int, deviation: Callable[[str, Tensor], float]) -> None:
    """Norms at identity, biases zero, and all else from a normal distribution around zero.

    deviation: its standard deviation, from a parameter's name and itself.
    """
    work: list[Piece] = []
    for name, parameter in model.named_parameters():
        if "norm" in name:
            parameter.fill_(float(name.endswith("weight")))
        elif name.endswith("bias"):
            parameter.zero_()
        else:
            work += pieces(name, parameter, deviation(name, parameter), seed)
    draw(work)


class Piece(NamedTuple):
    """A run of numbers, (N,), to be drawn from the random stream `seed` with a standard deviation."""

    numbers: Tensor
    deviation: float
    seed: int


def pieces(name: str, parameter: Tensor, deviation: float, seed: int) -> Iterable[Piece]:
    """Cuts a parameter into pieces with seeds of their own."""
    for index, numbers in enumerate(parameter.detach().view(-1).split(NUMBERS_PER_STREAM)):
        yield Piece(numbers, deviation, zlib.crc32(f"{seed} {name} {index}".encode()))


def draw(work: Iterable[Piece]) -> None:
    """Fills every piece from a normal distribution around zero."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(_draw_piece, work))


def _draw_piece(piece: Piece) -> None:
    piece.numbers.normal_(0.0, piece.deviation, generator=torch.Generator().manual_seed(piece.seed))
