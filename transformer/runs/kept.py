"""What a run has kept of one tensor, without reading the rest of its weights."""

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from transformer.runs.run import Run


def rows_of(run: Run, step: int, name: str, rows: Tensor) -> Tensor:
    """Some rows of a parameter as it was kept after a step. rows: (N,) int64 → (N, …) float32

    Raises:
        FileNotFoundError: nothing was kept then.
        ValueError: what was kept holds no such parameter, or too few rows.
    """
    path = run.folder / f"step-{step}.safetensors"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there")
    try:
        with safe_open(path, framework="pt") as file:
            return file.get_tensor(name)[rows].float()
    except (SafetensorError, IndexError) as error:
        raise ValueError(f"{path} holds no such rows of {name}: {error}") from error


def history(run: Run, steps: tuple[int, ...], name: str, rows: Tensor) -> Tensor:
    """The same rows after each of some steps, at least one. (S, N, …) float32"""
    return torch.stack([rows_of(run, step, name, rows) for step in steps])
