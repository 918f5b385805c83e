"""Reads back the numbers that a page draws."""

import base64
import json
from typing import Any

import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor


def component(app: AppTest, key: str) -> dict[str, Any]:
    """What the matrix component with this key was given."""
    scenes = {element.proto.id.rsplit("-", 1)[-1]: element for element in app.get("bidi_component")}
    data: dict[str, Any] = json.loads(scenes[key].proto.bytes)
    return data


def controls(app: AppTest, desk: str = "desk") -> dict[str, dict[str, Any]]:
    """The shared controls by name, as the sidebar shows them; those of a page's own are the desk "own"."""
    drawn = [control for line in component(app, desk)["lines"] for control in line]
    return {control["name"]: control for control in reversed(drawn)}  # the phrases of a text stand below it


def proof(app: AppTest) -> str:
    """The sentence that says whether the shown numbers are those of another route."""
    return next(str(one["value"]) for one in controls(app, "foot").values() if one["name"] == "proof")


def notes(app: AppTest, kind: str = "note") -> list[str]:
    """The sentences among a page's own controls; "alert": those that must not be missed."""
    return [one["value"] for one in controls(app, "own").values() if one["kind"] == kind and one["value"]]


def drawn(app: AppTest, key: str) -> list[Tensor]:
    """The matrices in a component, as they are drawn: (R, C) float32 each, NaN or −∞ where masked."""
    return [decode(matrix["values"], matrix["shape"]) for matrix in component(app, key)["matrices"]]


def decode(values: str, shape: list[int]) -> Tensor:
    """Base64 of little-endian float32 as a tensor of this shape."""
    return torch.frombuffer(bytearray(base64.b64decode(values)), dtype=torch.float32).reshape(shape)


def chart(app: AppTest, key: str) -> dict[str, Any]:
    """The plotly figure with this key."""
    figures = {element.proto.id.rsplit("-", 1)[-1]: element for element in app.get("plotly_chart")}
    data: dict[str, Any] = json.loads(figures[key].proto.spec)
    return data


def array(values: Any) -> Tensor:
    """A plotly array, plain or packed, as a float tensor."""
    if not isinstance(values, dict):
        return torch.tensor([float("nan") if v is None else v for v in values], dtype=torch.float32)
    kinds = {
        "f4": torch.float32,
        "f8": torch.float64,
        "i1": torch.int8,
        "u1": torch.uint8,
        "i2": torch.int16,
        "i4": torch.int32,
    }
    flat = torch.frombuffer(bytearray(base64.b64decode(values["bdata"])), dtype=kinds[values["dtype"]])
    shape = [int(length) for length in str(values.get("shape", "")).split(",") if length.strip()]
    return (flat.reshape(shape) if shape else flat).float()
