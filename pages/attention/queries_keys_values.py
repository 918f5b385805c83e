"""Q = LN(X)·Wq + bq, and K and V alike: three linear layers read the same rows (paper, section 3.2.2)."""

import torch.nn.functional as F

from pages.matrix import Matrix, Readout, product
from pages.ui.parts import Page, Proof, size
from transformer import MultiHeadAttention
from transformer.attention import merge_heads

page = Page(__file__)
lesson, words = page.lesson, page.words
attention, layers = lesson.attention, lesson.model.blocks[lesson.block].attention
parts = {"query": ("Q", attention.queries), "key": ("K", attention.keys), "value": ("V", attention.values)}

page.opening(size(attention.input), page.shape_of(merge_heads(attention.queries), "B T D"), block=lesson.block + 1)
role = page.view(*parts)
layer, (letter, heads) = getattr(layers, role), parts[role]
rows, made = attention.input[lesson.row], merge_heads(heads)[lesson.row]
bands = [(f"head{head}", lesson.config.head_size) for head in range(lesson.config.num_heads)]
product(
    Matrix(rows, "LN(X)", rows=lesson.labels, row_axis=words.tokens, column_axis=words.dimensions),
    Matrix(layer.weight.T, f"W{letter.lower()}", role, bands=bands),
    Matrix(made, letter, role, bands=bands, row_axis=words.tokens, column_axis=words.dimensions),
    bias=layer.bias,
    key="projection",
    selected=(lesson.picked("query", lesson.length), lesson.picked("dim", lesson.config.d_model)),
    readout=Readout("dot", {**words.readout.table(), "total": words.totals.table()[role]}),
    on_select=page.pick("query", "dim"),
)
again = F.linear(rows.double(), *(parameter.detach().double() for parameter in layer.parameters()))
page.details(
    MultiHeadAttention.project, attention, ["queries", "keys", "values"], Proof(made, again, "F.linear (float64)")
)
