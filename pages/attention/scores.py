"""S = Q·Kᵀ: every query meets every key (paper, equation 1)."""

import torch

from pages.matrix import Matrix, Readout, product
from pages.ui.parts import Page, Proof, size
from transformer import MultiHeadAttention

page = Page(__file__)
lesson, words = page.lesson, page.words
attention = lesson.attention
queries, keys, scores = (part[lesson.row, lesson.head] for part in (attention.queries, attention.keys, attention.scores))

page.opening(size(attention.queries), page.shape(attention, "scores"))
product(
    Matrix(queries, "Q", "query", rows=lesson.labels, row_axis=words.queries),
    Matrix(keys.T, "Kᵀ", "key", columns=lesson.labels, column_axis=words.keys),
    Matrix(scores, "S", "neutral", row_axis=words.queries, column_axis=words.keys),
    key="scores",
    selected=(lesson.picked("query", lesson.length), lesson.picked("key", lesson.length)),
    readout=Readout("dot", words.readout.table()),
    on_select=page.pick("query", "key"),
)
page.details(
    MultiHeadAttention.trace,
    attention,
    ["scores"],
    Proof(scores, torch.einsum("ik,jk->ij", queries, keys), "torch.einsum"),
)
