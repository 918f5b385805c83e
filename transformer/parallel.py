"""One training shared out among processes that `torchrun` has started: each learns from its part of every batch."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as distributed
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


@contextmanager
def group() -> Iterator[bool]:
    """Joins the processes of `torchrun` as long as the block lasts; says whether this one speaks for all.

    Without `torchrun` there is only one, and it does.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield True
        return
    distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    try:
        yield rank() == 0
        distributed.barrier()  # who leaves early takes the connections of the others along
    finally:
        distributed.destroy_process_group()


def size() -> int:
    """How many processes train together."""
    return distributed.get_world_size() if distributed.is_initialized() else 1


def rank() -> int:
    """The number of this process, from 0."""
    return distributed.get_rank() if distributed.is_initialized() else 0


def shared(model: nn.Module) -> nn.Module:
    """The model as it is called in training: its gradients become the mean over all processes on their way back."""
    return DistributedDataParallel(model) if size() > 1 else model


def part(batch: Any) -> Any:
    """This process's rows of a batch, which is a tuple of tensors (B, …), B a multiple of `size()`.

    Raises:
        ValueError: it cannot be shared out evenly, and then the mean over processes would not be that over rows.
    """
    if size() == 1:
        return batch
    rows = len(batch[0])
    if rows % size():
        raise ValueError(f"a batch of {rows} cannot be shared out evenly among {size()} processes")
    return type(batch)(*(tensor[rank() :: size()] for tensor in batch))


def mean(value: Tensor) -> Tensor:
    """The mean over all processes, the same on each."""
    if size() > 1:
        distributed.all_reduce(value)
        value /= size()
    return value


def total(count: int, device: torch.device) -> int:
    """The sum of every process's count."""
    if size() == 1:
        return count
    counts = torch.tensor(count, device=device)
    distributed.all_reduce(counts)
    return int(counts)


def own(purpose: str) -> str:
    """A purpose of randomness that each process has for itself, or all would drop out the same."""
    return f"{purpose} {rank()}" if rank() else purpose


def agreed(word: str) -> str:
    """What the first process says, on every process."""
    if size() == 1:
        return word
    said = [word]
    distributed.broadcast_object_list(said)
    return said[0]
