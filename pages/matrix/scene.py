"""What a picture of matrices says: the matrices, how their cells belong together, and what the readout explains.

Pure data, no Streamlit: a scene is encoded here into the JSON that the canvas in the browser draws.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import torch
from torch import Tensor

from pages.figures.palette import ROLES, Role

Kind = Literal["dot", "weighted", "mix", "divide", "sum", "mask", "softmax", "value", "lookup", "unit", "norm"]
Link = Literal["cell", "row", "column", "transposed", "lookup", "none"]

WORDS: Final[dict[Kind, frozenset[str]]] = {
    "dot": frozenset({"title", "total", "more"}),
    "weighted": frozenset({"title", "total", "more"}),
    "mix": frozenset({"title", "total", "more"}),
    "divide": frozenset({"title", "total"}),
    "sum": frozenset({"title", "total"}),
    "mask": frozenset({"title", "total", "allowed", "masked"}),
    "softmax": frozenset({"title", "total", "maximum", "sum", "more"}),
    "value": frozenset({"title"}),
    "lookup": frozenset({"title", "total"}),
    "unit": frozenset({"title", "total", "more", "sum"}),
    "norm": frozenset({"title", "total", "mean", "variance", "normalised"}),
}
"""The words each kind of readout must be given; see Readout for what they are."""


@dataclass(frozen=True)
class Matrix:
    """One matrix of a scene.

    values: (R, C), any real dtype; NaN and infinities are masked cells: hatched, never coloured as a number.
    name: drawn in the role's colour beside the matrix, with its size.
    role: the colour name of the matrix.
    rows, columns: labels, one a row (column), or () for none; repeated labels are fine.
    row_axis, column_axis: what the rows and columns are ("queries"), for the axis and for screen readers.
    scale: "signed" is diverging and symmetric around zero; "weight" runs from 0 to the limit in one hue;
        "plain" cells have no colour, only their numbers.
    limit: the colour range is ±limit (0 … limit for weights). None: the largest finite magnitude; 1 for weights.
    row_offset, column_offset: where the top left cell sits in the (i, j) coordinates that the scene shares.
    bands: (role, width) pairs over the columns, from the left; the widths add up to C. row_bands: the same over rows.
    row_role, column_role: colours of lit row (column) labels; None: the operand's role in a product, else the role.
    whole: the shape of the matrix that this is a part of, to be told beside its name; None: it is no part. A product of
        parts is one by itself. Where the part begins is told by its labels, or by its offsets where it has none.
    told: what is written beside the name instead of the size, where the shape is only how the numbers are laid out.
    named: whether a flow names its rows even where those of the matrix before it have the same names.
    link: in a flow, which of its cells light up with a cell elsewhere: the same "cell", the whole "row" or "column",
        the "transposed" cell, the row of a "lookup" table that Readout.index names, or "none".
    """

    values: Tensor
    name: str
    role: Role = "neutral"
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    row_axis: str = ""
    column_axis: str = ""
    scale: Literal["signed", "weight", "plain"] = "signed"
    limit: float | None = None
    row_offset: int = 0
    column_offset: int = 0
    bands: Sequence[tuple[Role, int]] = ()
    row_bands: Sequence[tuple[Role, int]] = ()
    row_role: Role | None = None
    column_role: Role | None = None
    whole: tuple[int, int] | None = None
    told: str = ""
    named: bool = False
    link: Link = "cell"

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or 0 in self.values.shape:
            raise ValueError(f"{self.name} needs two axes with at least one cell; its shape is {self.shape}.")
        for labels, size, axis in ((self.rows, self.shape[0], "rows"), (self.columns, self.shape[1], "columns")):
            if len(labels) not in (0, size):
                raise ValueError(f"{self.name} has {size} {axis} but {len(labels)} labels for them.")
        if self.whole and any(part > size for part, size in zip(self.shape, self.whole, strict=True)):
            raise ValueError(f"{self.name} {self.shape} cannot be a part of a matrix of shape {self.whole}.")
        for bands, size, axis in ((self.bands, self.shape[1], "columns"), (self.row_bands, self.shape[0], "rows")):
            if bands and sum(width for _, width in bands) != size:
                raise ValueError(f"The bands of {self.name} must add up to its {size} {axis}.")
        banded = [role for role, _ in (*self.bands, *self.row_bands)]
        for role in (self.role, self.row_role, self.column_role, *banded):
            if role is not None and role not in ROLES:
                raise ValueError(f"{self.name} asks for the colour {role!r}; the palette has {', '.join(ROLES)}.")
        if self.limit is not None and not self.limit > 0:
            raise ValueError(f"The colour limit of {self.name} must be above zero, not {self.limit}.")

    @property
    def shape(self) -> tuple[int, ...]:
        """(R, C)."""
        return tuple(self.values.shape)

    @property
    def color_limit(self) -> float:
        """The number drawn in the strongest colour: the given limit, or the array's own largest magnitude."""
        if self.limit is not None:
            return float(self.limit)
        if self.scale == "weight":
            return 1.0
        magnitude = float(self.values.detach().nan_to_num(0.0, 0.0, 0.0).abs().max())
        return magnitude or 1.0


@dataclass(frozen=True)
class Readout:
    """What the card beside the picture explains about the cell under the pointer, worked out in the browser.

    kind: the arithmetic.
        "dot": Σₖ left[i, k]·top[k, j] (+ bias[j]); over eight terms the seven largest and the rest's subtotal.
        "weighted": the same sum, ordered by |weight|, each term named by the token of its row of ``top``.
        "mix": the same in a flow: a column of weights (K, 1) and the rows (K, C) that they mix make one row.
        "divide": operand ÷ divisor. "sum": operands added. "lookup": row of a table.
        "mask": the operand, or −∞ with the reason. "softmax": maximum, exponentials, their sum, the quotient.
        "value": the cell's number in every matrix that holds it.
        "unit": the sum of "dot", and what the activation makes of it (the result).
        "norm": operands x, γ, β and the result share their shape, x being all numbers of one token: their mean and
            (biased) variance, (x − mean) ÷ √(variance + epsilon), times γ, plus β.
    words: every word the card shows, see WORDS for those each kind needs. {row}, {column} stand for labels (or
        numbers), {row} + {column} for their sum (the place in a folded row), {name} for a matrix, {n} for a count.
        title: the heading, "{row} asks, {column} answers". total: what the large number is called.
        more: the terms not listed, "… {n} more terms". maximum, sum: softmax's parts; for "unit", sum is the total
        before the activation. mean, variance, normalised: LayerNorm's parts.
        allowed, masked: why the number passes or not.
        Optional: note (a sentence under the result), operand (the heading over another matrix's cell; by default its
        name, row and column), bias (what the added bias is called), divisor (what is divided by, "√16 = 4").
    operands, result: places of the matrices in the scene, in reading order; by default all but the last, and the last.
    divisor: for "divide". epsilon: for "norm".
    index: for "lookup", the table's row (in the table's own numbering) behind each row of the result.
    differing: for "dot", list the terms whose two factors differ most, not the largest ones.
    """

    kind: Kind
    words: Mapping[str, str]
    operands: tuple[int, ...] | None = None
    result: int = -1
    divisor: float | None = None
    epsilon: float = 0.0
    index: Sequence[int] = ()
    differing: bool = False

    def __post_init__(self) -> None:
        if missing := sorted(WORDS[self.kind] - set(self.words)):
            raise ValueError(f"A readout of kind {self.kind!r} also needs the words {', '.join(missing)}.")
        if self.kind == "divide" and not self.divisor:
            raise ValueError("A readout of kind 'divide' needs a divisor other than zero.")


@dataclass(frozen=True)
class Selection:
    """The chosen cell: the matrix it was chosen in, and (i, j) in the coordinates the scene shares.

    A product's coordinates are those of its result: a row chosen in the left operand keeps the column that was
    selected before, a column chosen in the top operand keeps the row.
    """

    matrix: int
    i: int
    j: int


def encode(values: Tensor) -> str:
    """Return the numbers as base64 of little-endian float32, row by row."""
    return base64.b64encode(values.detach().to("cpu", torch.float32).contiguous().numpy().tobytes()).decode()


def describe(matrix: Matrix) -> dict[str, Any]:
    """Return the JSON form of a matrix."""
    return {
        "name": matrix.name,
        "role": matrix.role,
        "shape": matrix.shape,
        "values": encode(matrix.values),
        "rows": list(matrix.rows),
        "columns": list(matrix.columns),
        "rowAxis": matrix.row_axis,
        "columnAxis": matrix.column_axis,
        "scale": matrix.scale,
        "limit": matrix.color_limit,
        "offset": [matrix.row_offset, matrix.column_offset],
        "bands": list(matrix.bands),
        "rowBands": list(matrix.row_bands),
        "rowRole": matrix.row_role,
        "columnRole": matrix.column_role,
        "whole": matrix.whole,
        "told": matrix.told,
        "named": matrix.named,
        "link": matrix.link,
    }


def explain(readout: Readout, count: int) -> dict[str, Any]:
    """Return the JSON form of a readout over a scene of ``count`` matrices; ValueError if it names another."""
    result = readout.result % count
    operands = readout.operands if readout.operands is not None else tuple(k for k in range(count) if k != result)
    if not all(0 <= operand < count for operand in operands):
        raise ValueError(f"The readout's operands {operands} must name some of the scene's {count} matrices.")
    return {
        "kind": readout.kind,
        "words": dict(readout.words),
        "operands": list(operands),
        "result": result,
        "divisor": readout.divisor,
        "epsilon": readout.epsilon,
        "index": list(readout.index),
        "differing": readout.differing,
    }


def check_product(left: Matrix, top: Matrix, result: Matrix, bias: Tensor | None) -> None:
    """Raise ValueError unless (R, K)·(K, C) = (R, C) and the bias, if any, is (C,)."""
    (rows, inner), (inner_too, columns) = left.shape, top.shape
    if inner != inner_too or result.shape != (rows, columns):
        raise ValueError(
            f"{left.name} {left.shape} · {top.name} {top.shape} cannot be {result.name} {result.shape}: "
            "a product is (R, K)·(K, C) = (R, C)."
        )
    if bias is not None and tuple(bias.shape) != (columns,):
        raise ValueError(f"The bias has shape {tuple(bias.shape)} but {result.name} has {columns} columns.")
