"""Published tables as tensors; tests/data/README.md says where they come from."""

import csv
from pathlib import Path

import torch
from torch import Tensor

DATA = Path(__file__).parents[1] / "data"


def published(name: str) -> tuple[list[int], Tensor]:
    """The dimensions that were printed, and their numbers at every position: (16, 20)."""
    with (DATA / f"{name}_16x64.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return [int(dim[1:]) for dim in header[1:]], torch.tensor([[float(number) for number in row[1:]] for row in rows])
