"""A = softmax(M): each row of scores becomes a distribution (paper, equation 1)."""

import math

import torch
import torch.nn.functional as F

from pages.figures.distributions import distributions
from pages.figures.sentence import SUBSCRIPTS
from pages.matrix import Matrix, Readout, flow, grid
from pages.ui.parts import Page, Proof, size
from transformer.attention import softmax_steps
from transformer.lessons.measurements import entropy

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
    titles = words.panels.weights, words.panels.sums, words.panels.entropy
    figure = distributions(shown[lesson.head], entropy(weights), labels, titles, asker, page.theme)
    page.plot(figure, "softmax_entropy")


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
formula = words.entropy_formula if page.viewed(*VIEWS) == "entropy" else words.formula
page.opening(size(attention.masked), page.shape(attention, "weights"), formula=formula)
VIEWS[page.view(*VIEWS)]()
queries, keys = (part[lesson.row, lesson.head].double() for part in (attention.queries, attention.keys))
page.details(
    softmax_steps,
    softmax_steps(masked),
    ["maximum", "exponentials", "total"],
    Proof(
        weights,
        F.scaled_dot_product_attention(queries, keys, torch.eye(lesson.length).double(), is_causal=True),
        "F.scaled_dot_product_attention(Q, K, V = 1)",
    ),
)
