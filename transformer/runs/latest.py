"""Where a run stands: weights, and what the optimizer remembers, in one file that is replaced as a whole."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from safetensors import SafetensorError, safe_open
from safetensors.torch import save as safetensors_bytes
from torch import Tensor, nn

from transformer.checkpoint import replace_files, weights_of
from transformer.training import State

FILE = "latest.safetensors"
WEIGHT, MOMENT = "weight/", "moment/"


class Latest(NamedTuple):
    """What a training goes on from.

    Attributes:
        weights: every parameter by name.
        state: the optimizer's, and the step.
        seconds: spent on training so far.
    """

    weights: Mapping[str, Tensor]
    state: State
    seconds: float


def write(folder: Path, model: nn.Module, state: State, seconds: float) -> None:
    """Replaces what was there; a reader finds the old file or the new one."""
    tensors = {WEIGHT + name: weight for name, weight in weights_of(model).items()}
    tensors |= {MOMENT + name: moment.detach().cpu().contiguous() for name, moment in state.moments.items()}
    noted = {"step": str(state.step), "tokens": str(state.tokens), "seconds": str(seconds)}
    replace_files(folder, {FILE: safetensors_bytes(tensors, noted)})


def read(folder: Path, *, weights_only: bool = False) -> Latest:
    """What `write` wrote; `weights_only` leaves out what the optimizer remembers.

    Raises:
        FileNotFoundError: nothing was written yet.
        ValueError: the file holds something else.
    """
    path = folder / FILE
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there")
    try:
        with safe_open(path, framework="pt") as file:
            noted = file.metadata()
            wanted = [name for name in file.keys() if name.startswith(WEIGHT) or not weights_only]  # noqa: SIM118
            tensors = {name: file.get_tensor(name) for name in wanted}
        moments = {name[len(MOMENT) :]: tensor for name, tensor in tensors.items() if name.startswith(MOMENT)}
        weights = {name[len(WEIGHT) :]: tensor for name, tensor in tensors.items() if name.startswith(WEIGHT)}
        return Latest(weights, State(int(noted["step"]), int(noted["tokens"]), moments), float(noted["seconds"]))
    except (SafetensorError, TypeError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is no checkpoint of this library: {error}") from error


def step(folder: Path) -> int | None:
    """The step that `latest` was written after; None if nothing was written yet. Raises ValueError as `read`."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            return int(file.metadata()["step"])
    except (SafetensorError, TypeError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is no checkpoint of this library: {error}") from error
