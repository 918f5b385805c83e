"""The columns of Q, K and V are dealt out to the heads; nothing is computed (paper, section 3.2.2)."""

import torch
import torch.nn.functional as F

from pages.figures.sentence import SUBSCRIPTS
from pages.matrix import Matrix, Readout, Selection, flow
from pages.ui import state
from pages.ui.parts import Page, Proof, size
from transformer.attention import merge_heads, split_heads

PER_LINE = 8  # heads

page = Page(__file__)
lesson, words = page.lesson, page.words
count, width = lesson.config.num_heads, lesson.config.head_size
attention, layers = lesson.attention, lesson.model.blocks[lesson.block].attention
parts = {"query": ("Q", attention.queries), "key": ("K", attention.keys), "value": ("V", attention.values)}

role = page.viewed(*parts)
letter, pieces = parts[role]
batch = merge_heads(pieces)
formula = words.formula.replace("Q", letter)
cut = size(batch.unflatten(-1, (count, width)))
page.opening(size(batch), cut, page.shape(attention, "queries"), formula=formula, heads=count)
page.view(*parts)
whole = batch[lesson.row]
limit = float(whole.abs().max()) or None


def choose(selection: Selection) -> None:
    """Keeps the cell, and looks at the head that owns it from here on."""
    page.pick("query", "dim")(selection)
    state.put("head", selection.j // width + 1)


bands = [(f"head{head}", width) for head in range(count)]
heads = [
    Matrix(
        pieces[lesson.row, head],
        letter + str(head + 1).translate(SUBSCRIPTS),
        f"head{head}",
        rows=lesson.labels,
        column_offset=head * width,
        limit=limit,
    )
    for head in range(count)
]
flow(
    [
        [Matrix(whole, letter, role, rows=lesson.labels, bands=bands, limit=limit)],
        *(heads[start : start + PER_LINE] for start in range(0, count, PER_LINE)),
    ],
    key="pieces",
    selected=(lesson.picked("query", lesson.length), lesson.head * width + lesson.picked("dim", whole.size(1)) % width),
    readout=Readout("value", words.readout.table()),
    on_select=choose,
)
layer = getattr(layers, role)
again = torch.stack(F.linear(attention.input[lesson.row], layer.weight, layer.bias).chunk(count, -1))
page.details(split_heads, attention, [], Proof(pieces[lesson.row], again.detach(), "F.linear · chunk · stack"))
