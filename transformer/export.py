"""A forward pass as a file: every tensor under its path, with the letters of its axes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from transformer.trace import named_tensors

KINDS = (".npz", ".safetensors")


def write_trace(trace: Any, path: Path) -> int:
    """Writes every tensor of a trace; returns how many. Whole numbers stay whole, the rest is float32.

    .safetensors keeps the axes ("blocks.0.attention.scores" → "B H T S") as the file's metadata; .npz as JSON in an array
    called "axes", `json.loads(str(file["axes"]))`.

    Raises:
        ValueError: the name ends otherwise.
    """
    if path.suffix not in KINDS:
        raise ValueError(f"{path.name} should end in {' or '.join(KINDS)}")
    named = list(named_tensors(trace))
    arrays = {path: np.ascontiguousarray(tensor.detach().cpu().numpy()) for path, _, tensor in named}
    axes = {path: letters for path, letters, _ in named}
    if path.suffix == ".npz":
        np.savez_compressed(path, axes=np.array(json.dumps(axes)), **arrays)  # type: ignore[arg-type]
    else:
        save_file(arrays, path, metadata=axes)
    return len(arrays)
