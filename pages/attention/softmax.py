"""A = softmax(M): each row of scores becomes a distribution (paper, equation 1)."""

import math

import streamlit as st
import torch
import torch.nn.functional as F

from pages.figures.distributions import distributions
from pages.figures.sentence import SUBSCRIPTS, code
from pages.matrix import Matrix, Readout, flow, grid
from pages.ui.parts import Page, Proof, size
from pages.ui.text import number
from pages.ui.worked import worked
from transformer.attention import softmax_steps
from transformer.lessons.measurements import entropy

NAMED, LEAST = 2, 0.005  # terms of an entropy that are written out, and the least weight of one

page = Page(__file__)
lesson, words = page.lesson, page.words
attention, labels = lesson.attention, lesson.labels
hidden = attention.masked[lesson.row].isneginf()
shown = attention.weights[lesson.row].masked_fill(hidden, math.nan)
masked, weights = attention.masked[lesson.row, lesson.head], attention.weights[lesson.row, lesson.head]
selected = asker, _ = lesson.picked("query", lesson.length), lesson.picked("key", lesson.length)
axes = page.attention_axes


def draw_row() -> None:
    """Masked scores, weights and the sums of their rows; the card works one row out."""
    sums = Matrix(weights.sum(1, keepdim=True), "Σ", rows=labels, scale="plain", row_role="query", link="row")
    flow(
        [
            [
                Matrix(masked, "M", **axes),
                "softmax →",
                Matrix(shown[lesson.head], "A", "weight", scale="weight", **axes),
                sums,
            ]
        ],
        key="softmax",
        selected=selected,
        readout=Readout("softmax", words.readout.table(), operands=(0,), result=1),
        on_select=page.pick("query", "key"),
    )


def draw_entropy() -> None:
    """How spread out each row is, against the most it could be."""
    titles = "A", "Σ", words.entropy_title
    hatched = words.readout.hatched
    figure = distributions(shown[lesson.head], entropy(weights), labels, titles, hatched, asker, page.theme)
    page.plot(figure, "softmax_entropy")
    st.markdown(entropy_written_out())


def entropy_written_out() -> str:
    """The asking row's entropy as a sum, its largest weights first; what is not listed is one number."""
    row, seen = weights[asker].double(), asker + 1
    some = seen if seen <= NAMED + 1 else NAMED  # no rest of one
    named = row.topk(min(some, max(int((row >= LEAST).sum()), 1))).values
    bits, others = float(entropy(row)) + 0.0, seen - len(named)  # a certain row has 0 bits, not −0
    rest = max(bits - float(entropy(named)), 0.0)

    def total(rest: float, *largest: float) -> float:
        return rest - sum(weight * math.log2(weight) for weight in largest)

    shown_rest, *largest, shown_bits = worked(total, (rest, *named.tolist()), bits, 3)
    terms = " ".join(rf"- {weight} \log_2 {weight}" for weight in largest)
    more = words.more_bits.format(n=others, rest=shown_rest) if others else ""
    exact = "=" if math.log2(seen).is_integer() else "≈"
    most = f"{exact} {number(math.log2(seen))}"
    told = words.bits.format(token=code(labels[asker]), terms=terms, more=more, bits=shown_bits, seen=seen, most=most)
    return str(told)


def draw_heads() -> None:
    """All heads as small multiples; a click picks the cell and its head."""
    heads = [
        Matrix(head, "A" + str(h + 1).translate(SUBSCRIPTS), f"head{h}", scale="weight", **axes)
        for h, head in enumerate(shown)
    ]
    flow(
        grid(heads),
        key="weights_of_heads",
        selected=selected,
        readout=Readout("value", words.heads.table(), result=lesson.head),
        on_select=page.pick_head,
    )


VIEWS = {"row": draw_row, "entropy": draw_entropy, "heads": draw_heads}
if page.viewed(*VIEWS) == "entropy":
    spread = page.shape_of(entropy(attention.weights), "B H T")
    page.opening(size(attention.weights), spread, formula=words.entropy_formula)
else:
    page.opening(page.shape(attention, "weights"))  # as they went in
VIEWS[page.view(*VIEWS)]()
queries, keys = (part[lesson.row, lesson.head].double() for part in (attention.queries, attention.keys))
page.details(
    softmax_steps,
    softmax_steps(masked),
    ["maximum", "exponentials", "total"],
    Proof(
        weights,
        F.scaled_dot_product_attention(queries, keys, torch.eye(lesson.length).double(), is_causal=True),
        "F.scaled_dot_product_attention(Q, K, V = I)",
    ),
)
