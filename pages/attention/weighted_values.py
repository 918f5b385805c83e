"""O = A·V: each token takes a mix of the values it may look at, in the shares of its weights (paper, equation 1)."""

import math

import streamlit as st
import torch.nn.functional as F
from torch import Tensor

from pages.figures.sentence import code, distinct, literal, percent, shades
from pages.matrix import Matrix, Readout, Selection, flow, product
from pages.ui import state
from pages.ui.parts import Page, Proof, size
from transformer import MultiHeadAttention

NO_BREAK = "\u00a0"
NAMED, LEAST = 4, 0.005  # rows in the sum that is written out, and the least weight that two decimals can tell from 0

page = Page(__file__)
lesson, words = page.lesson, page.words
attention, labels, place = lesson.attention, lesson.labels, (lesson.row, lesson.head)
weights, values, mixed = (part[place] for part in (attention.weights, attention.values, attention.heads))
hidden = attention.masked[place].isinf()
shares = weights.masked_fill(hidden, math.nan)
asker, dim = lesson.picked("query", lesson.length), lesson.picked("dim", lesson.config.head_size)
largest = int(weights[asker].argmax())
share = percent(float(weights[asker, largest]))
names = {"asker": code(labels[asker]), "largest": code(labels[largest]), "share": share}
queries = {"rows": labels, "row_axis": page.frame.queries, "row_role": "query"}
keys = {"rows": labels, "row_axis": page.frame.keys, "row_role": "key"}
dimensions = {"column_axis": words.dimensions}


def draw_product() -> None:
    """The whole product; masked weights stay blank."""
    product(
        Matrix(shares, "A", "weight", **queries, column_axis=page.frame.keys, scale="weight"),
        Matrix(values, "V", "value", labels, row_role="key"),
        Matrix(mixed, "O", "output", **queries, **dimensions),
        key="weighted_values",
        selected=(asker, dim),
        readout=Readout("weighted", words.readout.table()),
        on_select=page.pick("query", "dim"),
    )


def draw_tokens() -> None:
    """The sentence as the asking token sees it; a click lets another token ask."""
    ask = state.view_of("query", "asker")
    state.put("asker", asker)
    tokens = [literal(label) for label in distinct(labels)]
    st.html(f"<style>{shades('.st-key-asker', weights[asker], hidden[asker], page.theme)}</style>")
    st.pills(
        words.ask,
        range(lesson.length),
        format_func=tokens.__getitem__,
        required=True,
        key="asker",
        on_change=ask,
        label_visibility="collapsed",
    )


def draw_sum() -> None:
    """The asking token's row: each value row times its share, and their sum."""
    share, below = shares[asker].unsqueeze(1), lesson.length  # the sum stands under no token's row
    same = {**dimensions, "limit": float(values.abs().max()) or None}
    flow(
        [
            [
                Matrix(share, "Aᵢⱼ", "weight", **keys, scale="weight", link="none"),
                "×",
                Matrix(values, "V", "value", **keys, **same, link="column"),
                "=",
                Matrix(share * values, "AᵢⱼVⱼ", "value", **keys, **same, link="column"),
            ],
            [
                "Σ",
                Matrix(mixed[asker, None], "O", "output", [labels[asker]], **same, row_role="query", row_offset=below),
            ],
        ],
        align="end",
        key="one_row",
        selected=(below, dim),
        readout=Readout("mix", {**words.row_readout.table(), "note": written_out()}, operands=(0, 1)),
        on_select=pick_dimension,
    )


def written_out() -> str:
    """The whole row as a sum of value rows, each times its weight, the largest first."""
    row = weights[asker]
    best = row.topk(min(NAMED, int((row >= LEAST).sum())))
    called = distinct(labels)
    terms = [f"{weight:.2f} · V({called[place]})" for weight, place in zip(*map(Tensor.tolist, best), strict=True)]
    more = ["…"] * (len(terms) < int((~hidden[asker]).sum()))
    return f"O({called[asker]}) = " + " + ".join(term.replace(" ", NO_BREAK) for term in [*terms, *more])


def pick_dimension(selection: Selection) -> None:
    """The column of weights has no dimensions; all others share theirs."""
    if selection.matrix:
        state.put("dim", selection.j)


VIEWS = "product", "row"
page.opening(f"{size(attention.weights)} · {size(attention.values)}", page.shape(attention, "heads"), **names)
if page.view(*VIEWS) == "row":
    draw_tokens()
    draw_sum()
else:
    draw_product()
page.details(
    MultiHeadAttention.trace,
    attention,
    ["heads"],
    Proof(
        attention.heads,
        F.scaled_dot_product_attention(attention.queries, attention.keys, attention.values, is_causal=True),
        "F.scaled_dot_product_attention",
    ),
    **names,
)
