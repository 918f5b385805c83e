"""The mask: a token may look at itself and at what came before; the future is −∞ (paper, section 3.2.3)."""

import math

import streamlit as st
import torch

from pages.matrix import Matrix, Readout, flow
from pages.ui.parts import Page, Proof, size
from transformer import MultiHeadAttention

page = Page(__file__)
lesson, words = page.lesson, page.words
attention, length = lesson.attention, lesson.length
scaled, masked = (part[lesson.row, lesson.head] for part in (attention.scaled, attention.masked))
hidden = masked.isneginf()
selected = asker, _ = lesson.picked("query", length), lesson.picked("key", length)
axes = page.attention_axes


def draw_mask() -> None:
    """The scores before and after, in the same colours."""
    limit = float(scaled.abs().max()) or None
    before = Matrix(scaled, f"S/√{lesson.config.head_size}", limit=limit, **axes)
    flow(
        [[before, words.sign, Matrix(masked, "M", limit=limit, **axes)]],
        key="mask",
        selected=selected,
        readout=Readout("mask", words.readout.table()),
        on_select=page.pick("query", "key"),
    )


def draw_leak() -> None:
    """What if this block had no mask: the weights it would give, and what would go to the future."""
    leaking = scaled.softmax(-1)
    future = leaking.triu(1).sum(1)
    told = words.leak if asker < length - 1 else words.no_leak
    st.markdown(told.format(picked=float(future[asker]), mean=float(future.mean()), later=length - 1 - asker))
    weights = attention.weights[lesson.row, lesson.head].masked_fill(hidden, math.nan)
    future_share = Matrix(future[:, None], words.future, "weight", lesson.labels, scale="weight", link="row")
    flow(
        [
            [
                Matrix(weights, words.with_mask, "weight", scale="weight", **axes),
                words.what_if,
                Matrix(leaking, words.without_mask, "weight", scale="weight", **axes),
                future_share,
            ]
        ],
        key="leak",
        selected=selected,
        readout=Readout("value", words.leak_readout.table(), result=1),
        on_select=page.pick("query", "key"),
    )


page.opening(size(attention.scaled), page.shape(attention, "masked"))
view = page.view("mask", "what_if")
if view == "what_if":
    draw_leak()
else:
    draw_mask()
page.details(
    MultiHeadAttention.trace,
    attention,
    ["masked"],
    Proof(
        masked,
        scaled + torch.nn.Transformer.generate_square_subsequent_mask(length),
        "nn.Transformer.generate_square_subsequent_mask",
    ),
    length=length,
    cells=length**2,
    half=length**2 / 2,
    hidden=int(hidden.sum()),
    seen=int((~hidden).sum()),
)
