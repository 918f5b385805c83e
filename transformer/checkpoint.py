"""Models on disk: weights as safetensors, everything else as JSON a person can read."""

import copy
import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load as parse_safetensors
from safetensors.torch import save as safetensors_bytes
from torch import Tensor, nn

from transformer.classifier import Classifier, ClassifierConfig
from transformer.config import ModelConfig
from transformer.encoder_decoder import EncoderDecoder
from transformer.gpt import GPT
from transformer.tokenizer import Tokenizer
from transformer.vocabulary import tokenizer_from_json

WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"

Model = TypeVar("Model", bound=nn.Module)


class Family(NamedTuple):
    """How models of one kind are built: from an instance of `config`, by `model(config, seed)`."""

    config: type[ModelConfig]
    model: type[Any]


FAMILIES = {
    "gpt": Family(ModelConfig, GPT),
    "encoder_decoder": Family(ModelConfig, EncoderDecoder),
    "classifier": Family(ClassifierConfig, Classifier),
}


class Checkpoint(NamedTuple):
    """A model in eval mode, of any family, its tokenizer, and what was noted beside them when they were saved."""

    model: Any
    tokenizer: Tokenizer
    extra: dict[str, Any]


def build(family: str, config: ModelConfig, seed: int = 0) -> Any:
    """A model with starting weights. Raises ValueError if there is no such family."""
    return family_of(family).model(config, seed)


def family_of(name: str) -> Family:
    """The family of that name. Raises ValueError if there is none."""
    if name not in FAMILIES:
        raise ValueError(f"there is no family {name!r} of models; there are {', '.join(FAMILIES)}")
    return FAMILIES[name]


def save(
    folder: Path, model: Any, tokenizer: Tokenizer, extra: Mapping[str, Any], dtype: torch.dtype = torch.float32
) -> None:
    """Writes a checkpoint; whoever reads meanwhile finds the old one or the new one.

    `extra` is anything `json` can write: seeds, a training configuration, losses. A smaller `dtype` rounds the weights:
    what was measured of them should then have been measured after `rounded`.
    """
    packed = files(model, tokenizer, extra, dtype)
    folder.mkdir(parents=True, exist_ok=True)
    replace_files(folder, packed)


def files(
    model: Any, tokenizer: Tokenizer, extra: Mapping[str, Any], dtype: torch.dtype = torch.float32
) -> dict[str, bytes]:
    """The files of a checkpoint by name, as `save` writes them."""
    data = safetensors_bytes(weights_of(model, dtype))
    config = {
        "family": model.family,
        "model": asdict(model.config),
        WEIGHTS: hashlib.sha256(data).hexdigest(),
        "extra": dict(extra),
    }
    return {WEIGHTS: data, TOKENIZER: json_bytes(tokenizer.to_json(), indent=None), CONFIG: json_bytes(config)}


def weights_of(model: nn.Module, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """Every parameter by name, on the CPU."""
    return {name: weight.detach().to("cpu", dtype).contiguous() for name, weight in model.named_parameters()}


def json_bytes(value: Any, indent: int | None = 2) -> bytes:
    """JSON that a person can read. Raises ValueError for a number that JSON has no word for."""
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file. Raises ValueError if there is none, or a number that JSON has no word for."""
    try:
        found = parse_json(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} holds {type(found).__name__}, not an object")
    return found


def parse_json(data: bytes) -> Any:
    """The value of a JSON text. Raises ValueError if it is none; NaN and infinities, which Python would let pass, are none."""
    return json.loads(data, parse_float=_finite, parse_constant=_finite)


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written} is no number that a file should hold")
    return number


def load(folder: Path) -> Checkpoint:
    """Reads a checkpoint, its weights as float32. Nothing in the files is ever executed.

    Raises:
        FileNotFoundError: there is no checkpoint.
        ValueError: with one sentence that says what is wrong with it.
    """
    data = (folder / WEIGHTS).read_bytes()
    try:
        config = read_json(folder / CONFIG)
        family = family_of(config.get("family", "gpt"))
        model_config, digest, extra = family.config(**config["model"]), config[WEIGHTS], config["extra"]
        tokenizer = tokenizer_from_json(read_json(folder / TOKENIZER))
    except (TypeError, KeyError) as error:
        raise ValueError(f"{folder} is no checkpoint of this library: {error}") from error
    weights = parse_weights(data, folder / WEIGHTS)
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError(f"{folder / WEIGHTS} is not the file that {CONFIG} was written with")
    model = family.model(model_config)
    fill_from(folder / WEIGHTS, model, weights)
    return Checkpoint(model, tokenizer, extra)


def rounded(model: Model, dtype: torch.dtype) -> Model:
    """A copy with the weights that `load` will find after `save` in this dtype."""
    copied = copy.deepcopy(model)
    fill(copied, {name: weight.detach().to(dtype) for name, weight in model.named_parameters()})
    return copied


def parse_weights(data: bytes, path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file. Raises ValueError for any other, a pickle among them."""
    try:
        return parse_safetensors(data)
    except SafetensorError as error:
        raise ValueError(f"{path} holds no safetensors: {error}") from error


def fill_from(path: Path, model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """`fill` with what was read from a file, which the error names."""
    try:
        fill(model, weights)
    except ValueError as error:
        raise ValueError(f"{path} does not fit: {error}") from error


@torch.no_grad()
def fill(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Gives every parameter its weights. Raises ValueError if names or shapes differ, before any is changed."""
    parameters = dict(model.named_parameters())
    wanted = {name: tuple(parameter.shape) for name, parameter in parameters.items()}
    found = {name: tuple(weight.shape) for name, weight in weights.items()}
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise ValueError(f"{name} should be {wanted.get(name, 'absent')} and is {found.get(name, 'absent')}")
    for name, parameter in parameters.items():
        parameter.copy_(weights[name])


def replace_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes all files beside their places, then moves them in; if the writing fails, the old ones stay as they were.

    Raises FileNotFoundError if there is no such folder: one that somebody has deleted does not come back by itself.
    """
    temporaries = {name: folder / f".{name}.{os.getpid()}" for name in files}
    try:
        for name, temporary in temporaries.items():
            with temporary.open("wb") as file:
                file.write(files[name])
                file.flush()
                os.fsync(file.fileno())
        for name, temporary in temporaries.items():
            os.replace(temporary, folder / name)
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)
