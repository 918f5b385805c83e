"""Scenes of the matrix component for the browser tests: /?scene=product, weighted, or one of the flows below."""

from typing import Literal

import streamlit as st
import torch

from pages.matrix import Matrix, Readout, Selection, flow, product
from tests.browser.matrix_examples import (
    EPSILON,
    HEAD_SIZE,
    LENGTH,
    TOKENS,
    folded,
    future,
    gain,
    ids,
    keys,
    masked,
    normed,
    queries,
    scores,
    shift,
    table,
    unit_bias,
    unit_input,
    unit_weights,
    units,
    weights,
    wide,
)

st.set_page_config(layout="wide")


def chosen(selection: Selection) -> None:
    st.query_params["cell"] = f"{selection.i},{selection.j}"


def turned() -> None:
    st.query_params["turned"] = "yes"


i, j = (int(number) for number in st.query_params.get("cell", "6,2").split(","))
scene = st.query_params.get("scene", "product")
st.button("next page", shortcut="Right", on_click=turned)

told = {"title": "{row} asks, {column} answers", "total": "score", "more": "… {n} more"}
many = [f"·universal{number:02}" for number in range(20)]
chinese = ["蓝色", "的", "比", "红", "新"] * 4
long = {"rows": many, "columns": many, "row_axis": "queries", "column_axis": "keys", "column_role": "key"}
tokens = {"rows": TOKENS, "columns": TOKENS, "row_role": "query", "column_role": "key"}
if scene == "product":
    product(
        Matrix(queries, "Q", "query", rows=TOKENS),
        Matrix(keys.T, "Kᵀ", "key", columns=TOKENS),
        Matrix(scores, "S"),
        key="scene",
        selected=(i, j),
        readout=Readout("dot", told),
        height=int(st.query_params.get("height", 0)) or None,
        on_select=chosen,
    )
elif scene == "weighted":
    product(
        Matrix(weights.masked_fill(future, float("nan")), "A", "weight", rows=TOKENS, scale="weight"),
        Matrix(keys, "V", "value", rows=TOKENS),
        Matrix(weights @ keys, "Y", "output"),
        key="scene",
        selected=(i, j),
        readout=Readout("weighted", told),
        on_select=chosen,
    )
elif scene == "unit":
    product(
        Matrix(unit_input, "X", rows=TOKENS),
        Matrix(unit_weights, "W"),
        Matrix(units, "A", scale="weight"),
        bias=unit_bias,
        key="scene",
        selected=(i, j),
        readout=Readout("unit", {**told, "sum": "sum", "bias": "bias"}),
        on_select=chosen,
    )
elif scene == "part":
    product(
        Matrix(queries, "Q", "query", rows=TOKENS),
        Matrix(wide[:HEAD_SIZE, 32:48], "W", whole=(HEAD_SIZE, 1040), column_offset=32),
        Matrix(queries @ wide[:HEAD_SIZE, 32:48], "P"),
        key="scene",
        selected=(i, j),
        readout=Readout("dot", told),
        on_select=chosen,
    )
else:
    lines, readout = {
        "mask": (
            [[Matrix(scores, "S", **tokens), "mask →", Matrix(masked, "M", **tokens)]],
            Readout("mask", {**told, "allowed": "not in the future", "masked": "in the future"}),
        ),
        "softmax": (
            [
                [
                    Matrix(masked, "M", link="row", **tokens),
                    "softmax →",
                    Matrix(weights, "A", "weight", link="row", scale="weight", **tokens),
                ]
            ],
            Readout("softmax", {**told, "maximum": "largest", "sum": "sum"}),
        ),
        "sum": (
            [[Matrix(queries, "Q", rows=TOKENS), "+", Matrix(keys, "K"), "=", Matrix(queries + keys, "Q+K")]],
            Readout("sum", told),
        ),
        "difference": (
            [[Matrix(queries, "Q", rows=TOKENS), "−", Matrix(keys, "K"), "=", Matrix(queries - keys, "Q−K")]],
            Readout("value", told),
        ),
        "divide": (
            [[Matrix(scores, "S", **tokens), "÷ √5 →", Matrix(scores / HEAD_SIZE**0.5, "S/√5", **tokens)]],
            Readout("divide", {**told, "divisor": "√5"}, divisor=HEAD_SIZE**0.5),
        ),
        "mix": (
            [
                [
                    Matrix(weights[8, :, None], "a", "weight", rows=TOKENS, scale="weight", link="none"),
                    "×",
                    Matrix(keys, "V", "value", rows=TOKENS, link="column"),
                ],
                ["Σ", Matrix(weights[8:9] @ keys, "y", "output", rows=[TOKENS[8]], row_offset=LENGTH)],
            ],
            Readout("mix", told, operands=(0, 1)),
        ),
        "shares": (
            [[Matrix(torch.tensor([[0.34, 0.04, 0.0, 0.96]]).repeat(12, 8), "A", "weight", scale="weight")]],
            Readout("value", told),
        ),
        "tens": ([[Matrix(torch.tensor([[9.94, -12.3, 0.06]]).repeat(20, 8), "S")]], Readout("value", told)),
        "crowd": (
            [[Matrix(wide[:, :20], "S", **long), "mask →", Matrix(wide[:, 8:28], "M", **long)]],
            Readout("value", told),
        ),
        "many": (
            [
                [Matrix(wide[:, :20], f"S{k}", f"head{k}", rows=many, columns=many) for k in range(start, start + 4)]
                for start in (0, 4, 8)
            ],
            Readout("value", told),
        ),
        "chinese": (
            [[Matrix(wide[:, :20], f"S{k}", rows=chinese, columns=chinese) for k in range(3)]] * 2,
            Readout("value", told),
        ),
        "stacked": (
            [
                [Matrix(queries, "Q", rows=TOKENS)],
                ["+", Matrix(keys, "K", rows=[str(row) for row in range(LENGTH)])],
                ["=", Matrix(queries + keys, "Q+K", rows=TOKENS)],
            ],
            Readout("sum", told),
        ),
        "multiples": (
            [[Matrix(scores[:4, :4] * k, f"S{k}") for k in range(start, start + 5)] for start in (1, 6)],
            Readout("value", told),
        ),
        "lookup": (
            [[Matrix(table, "E", "token", link="lookup"), "→", Matrix(table[ids], "X", rows=TOKENS)]],
            Readout("lookup", told, index=ids),
        ),
        "transposed": (
            [[Matrix(keys, "K", "key", rows=TOKENS), "→", Matrix(keys.T, "Kᵀ", "key", link="transposed")]],
            Readout("value", told),
        ),
        "cut": (
            [
                [Matrix(wide[:, :7], "X")],
                [Matrix(wide[:, :3], "head 1", "head0"), Matrix(wide[:, 3:7], "head 2", "head1", column_offset=3)],
            ],
            Readout("value", told),
        ),
        "wide": ([[Matrix(wide, "H")]], Readout("value", told)),
        "few": (
            [[Matrix(scores[:2, :3], "S"), "→", Matrix(masked[:2, :3], "M")]],
            Readout("value", {**told, "hatched": "in the future"}),
        ),
        "narrow": (
            [[Matrix(wide, "H"), Matrix(wide[:, :1], "N", link="row", column_offset=300)]],
            Readout("value", told),
        ),
        "folded": (
            [[Matrix(folded, "x", rows=["6", "9", "12", "15"], row_offset=2)]],
            Readout("value", {"title": "dimension {row} + {column}"}),
        ),
        "norm": (
            [[Matrix(folded, "x"), "·", Matrix(gain, "γ"), "+", Matrix(shift, "β"), "=", Matrix(normed, "LN")]],
            Readout("norm", {**told, "mean": "μ", "variance": "σ²", "normalised": "x̂"}, epsilon=EPSILON),
        ),
    }[scene]
    align: Literal["start", "end"] = "end" if scene == "mix" else "start"
    flow(lines, key="scene", selected=(i, j), readout=readout, align=align, on_select=chosen)

st.text(f"chosen: {i}, {j} of {LENGTH}")
st.text("turned" if "turned" in st.query_params else "not turned")
