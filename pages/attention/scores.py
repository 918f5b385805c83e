"""S = Q·Kᵀ: every query meets every key (paper, equation 1)."""

import torch

from pages.figures.sentence import SUBSCRIPTS
from pages.matrix import Matrix, Readout, flow, grid, product
from pages.ui.parts import Page, Proof, size
from transformer import MultiHeadAttention

page = Page(__file__)
lesson, words = page.lesson, page.words
attention, labels, axes = lesson.attention, lesson.labels, page.attention_axes
queries, keys, scores = (
    part[lesson.row, lesson.head] for part in (attention.queries, attention.keys, attention.scores)
)
selected = lesson.picked("query", lesson.length), lesson.picked("key", lesson.length)


def draw_product() -> None:
    """The chosen head's product as on paper."""
    product(
        Matrix(queries, "Q", "query", rows=labels, row_axis=axes["row_axis"]),
        Matrix(keys.T, "Kᵀ", "key", columns=labels, column_axis=axes["column_axis"]),
        Matrix(scores, "S", row_axis=axes["row_axis"], column_axis=axes["column_axis"]),
        key="scores",
        selected=selected,
        readout=Readout("dot", words.readout.table()),
        on_select=page.pick("query", "key"),
    )


def draw_heads() -> None:
    """All heads as small multiples with one colour limit; a click picks the cell and its head."""
    every_head = attention.scores[lesson.row]
    limit = float(every_head.abs().max()) or None
    heads = [
        Matrix(head, "S" + str(h + 1).translate(SUBSCRIPTS), f"head{h}", limit=limit, **axes)
        for h, head in enumerate(every_head)
    ]
    flow(
        grid(heads),
        key="scores_of_heads",
        selected=selected,
        readout=Readout("value", words.heads.table(), result=lesson.head),
        on_select=page.pick_head,
    )


page.opening(f"{size(attention.queries)} · {size(attention.keys.mT)}", page.shape(attention, "scores"))
view = page.view("one", "all")
if view == "all":
    draw_heads()
else:
    draw_product()
page.details(
    MultiHeadAttention.trace,
    attention,
    ["scores"],
    Proof(scores, torch.matmul(queries.double(), keys.double().T), "torch.matmul in float64"),
)
