"""What enters the first block: each token's row of the table plus its position (paper, sections 3.4 and 3.5)."""

import streamlit as st
import torch.nn.functional as F

from pages.figures.sentence import code
from pages.matrix import Matrix, Readout, Selection, flow
from pages.ui import state
from pages.ui.parts import Page, Proof, size
from pages.ui.text import number
from transformer import GPT

ROLES = ("token", "position", "neutral")
FOLD = 4  # numbers of a written-out row on one line
MOST = 64  # numbers written out at a time

page = Page(__file__)
lesson, words = page.lesson, page.words
embedding, row = lesson.embedding, lesson.row
parts = (embedding.token_embeddings[row], embedding.positions, embedding.embeddings[row])
query, dim = lesson.picked("query", lesson.length), lesson.picked("dim", lesson.config.d_model)
names = ("E[ids]", "PE", "X")
largest = [float(part.abs().max()) for part in parts]


def matrices(limit: float | None) -> None:
    """Token + position = input, one below the other."""
    tokens = lesson.labels, words.tokens
    positions = [str(place) for place in range(lesson.length)], words.positions
    drawn = [
        Matrix(part, name, role, rows, row_axis=axis, column_axis=words.dims, limit=limit)
        for part, name, role, (rows, axis) in zip(parts, names, ROLES, (tokens, positions, tokens), strict=True)
    ]
    flow(
        [[drawn[0]], ["+", drawn[1]], ["=", drawn[2]]],
        key="sum",
        selected=(query, dim),
        readout=Readout("sum", words.sum.table()),
        on_select=page.pick("query", "dim"),
    )


def numbers() -> None:
    """The picked token's row around the picked dimension, folded so that its numbers can be read."""

    def keep(selection: Selection) -> None:
        state.put("dim", selection.i * FOLD + selection.j)

    first = dim // MOST * MOST
    folded = [part[query, first : first + MOST].unflatten(0, (-1, FOLD)) for part in parts]
    told = words.a_line.format(FOLD)
    starts = [str(first + start) for start in range(0, folded[0].numel(), FOLD)]
    drawn = [
        Matrix(values, name, role, starts, row_offset=first // FOLD, limit=max(largest), told=told)
        for values, name, role in zip(folded, names, ROLES, strict=True)
    ]
    flow(
        [[drawn[0], "+", drawn[1], "≈", drawn[2]]],
        key="numbers",
        selected=divmod(dim, FOLD),
        readout=Readout("sum", words.row.table()),
        on_select=keep,
    )


shapes = f"{size(embedding.token_embeddings)} + {size(embedding.positions)}"
page.opening(shapes, page.shape(embedding, "embeddings"))
view = page.view("shared", "own", "row")
line = words.folded if view == "row" else words.largest
with page.controls:
    st.markdown(
        line.format(token=number(largest[0], 3), position=number(largest[1], 3), label=code(lesson.labels[query]))
    )
if view == "row":
    numbers()
else:
    matrices(max(largest) if view == "shared" else None)

again = (
    F.embedding(lesson.tokens, lesson.model.token_embedding.weight.detach()) + lesson.model.positions[: lesson.length]
)
page.details(
    GPT.embed, embedding, ["token_embeddings", "embeddings"], Proof(embedding.embeddings, again.detach(), "F.embedding")
)
