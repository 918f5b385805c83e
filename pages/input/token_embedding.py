"""Ids → vectors: each token takes its row of the embedding table (paper, section 3.4)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures import neighbours, projection
from pages.figures.sentence import code
from pages.matrix import Matrix, Readout, flow, product
from pages.ui import cache, pickers, state
from pages.ui.parts import Page, Proof, size
from pages.ui.worked import worked
from transformer import GPT

NEAREST, MAPPED = 12, 300
UNMET = 0.01  # no number of a row is larger: training has shrunk it all the way
TAKEN = "E[ids]"


class Explained(NamedTuple):
    """What draws a picture's numbers in code, and how they were made anew."""

    source: Callable[..., Any]
    proof: Proof


page = Page(__file__)
lesson, words = page.lesson, page.words
table = lesson.model.token_embedding.weight.detach()
ids = lesson.tokens[lesson.row]
gathered = lesson.embedding.token_embeddings[lesson.row]
distinct, places = ids.unique(return_inverse=True)
one_hot = F.one_hot(places, len(distinct)).to(table.dtype)
picked = lesson.picked("query", lesson.length), lesson.picked("dim", lesson.config.d_model)
token = int(ids[picked[0]])


def labels_of(rows: Tensor) -> list[str]:
    """The tokens of some rows of the table."""
    return [lesson.label(row) for row in rows.tolist()]


def copied() -> Explained:
    """The rows as a product, which copies them, too."""
    return Explained(GPT.embed, Proof(gathered, one_hot @ table[distinct], "F.one_hot(ids) @ E"))


def draw_lookup() -> Explained:
    """A window of the table, and the rows gathered from it. With another token the table opens at another place."""
    count = min(max(lesson.length, 20), 64)
    last = len(table) - count
    around = min(max(token - count // 2, 0), last)
    with page.controls.container(horizontal=True, vertical_alignment="center", width="content"):
        st.markdown(words.first, width="content")
        key = f"{page.name}_from_{token}_{len(table)}_{count}"
        first = st.number_input(
            words.first, 0, last, around, count // 2, key=key, label_visibility="collapsed", width=190
        )
    shown = table[first : first + count]
    names = [f"{row} {lesson.label(row)}" for row in range(first, first + count)]
    limit = float(torch.cat([shown, gathered]).abs().max()) or None
    whole = len(table), lesson.config.d_model
    opened = Matrix(shown, "E", "token", names, limit=limit, row_offset=first, link="lookup", whole=whole)
    taken = Matrix(gathered, TAKEN, "token", rows=lesson.labels, row_axis=words.tokens, limit=limit)
    told = words.lookup.table()
    if lesson.source.trained and bool((shown.abs().amax(1) < UNMET).any()):
        told["note"] += words.unmet
    readout = Readout("lookup", told, index=ids.tolist())
    flow([[opened, "→", taken]], key="lookup", selected=picked, readout=readout, on_select=page.pick("query", "dim"))
    return copied()


def draw_product() -> Explained:
    """The same rows as a product: only one weight of each row is not zero."""
    pickers.token(page, words.token)
    rows, d_model = table.shape
    product(
        Matrix(one_hot, words.one_hot, "neutral", lesson.labels, scale="weight", whole=(lesson.length, rows)),
        Matrix(table[distinct], "E", "token", labels_of(distinct), row_axis=words.rows, whole=(rows, d_model)),
        Matrix(gathered, TAKEN, "token"),
        key="one_hot",
        selected=picked,
        readout=Readout("weighted", words.product.table()),
        on_select=page.pick("query", "dim"),
    )
    return copied()


def tables() -> dict[str, Tensor]:
    """The embedding tables to compare, by when that was: before training and, if there was any, after."""
    if not lesson.source.trained:
        return {words.untrained: table}
    untrained = cache.model(lesson.before_training)
    return {words.before: untrained.token_embedding.weight.detach(), words.after: table}


def draw_neighbours() -> Explained:
    """The rows that point most nearly the same way as the picked token's."""
    pickers.token(page, words.token)
    own = lesson.label(token)
    near = {when: neighbours.nearest(one, token, NEAREST) for when, one in tables().items()}
    panels = [
        neighbours.Panel(
            words.of.format(when=when, token=own),
            found,
            labels_of(found.rows),
            "token" if when == words.after else "neutral",
        )
        for when, found in near.items()
    ]
    page.plot(neighbours.bars(panels, words.cosine, page.theme), "neighbours", beside_words=True)
    best = panels[-1].neighbours
    nearest = int(best.rows[0])
    *parts, cosine = neighbours.cosine_parts(table, token, nearest)
    written = worked(lambda product, one, other: product / max(one * other, 1e-12), parts, cosine)
    st.markdown(words.worked.format(*written, token=code(own), neighbour=code(lesson.label(nearest))))
    again = F.cosine_similarity(table[best.rows], table[token, None])
    return Explained(neighbours.nearest, Proof(best.cosines, again, "F.cosine_similarity"))


def draw_map() -> Explained:
    """The row's tokens and the most frequent ones of the text, in the two directions in which they differ most."""
    pickers.token(page, words.token)
    rows = projection.with_frequent(distinct, cache.corpus_ids(lesson.vocabulary, lesson.corpus), len(table), MAPPED)
    panels = [projection.Panel(when, projection.project(one[rows])) for when, one in tables().items()]
    strong, ringed = len(distinct), int(places[picked[0]])
    room = projection.HALL_ROOM if state.get("hall") else projection.ROOM
    figure = projection.maps(panels, labels_of(rows), strong, ringed, words.component, page.theme, room)
    page.controls.markdown(words.dots, width="content")
    page.plot(figure, "embedding_map")
    points, axes = panels[-1].projection
    again = F.linear(table[rows].double() - axes.mean.double(), axes.directions.double())
    return Explained(projection.principal_axes, Proof(points, again, "F.linear in float64"))


VIEWS = {"lookup": draw_lookup, "product": draw_product, "neighbours": draw_neighbours, "map": draw_map}
about: dict[str, Any] = {"rows": f"{len(table):,}", "d_model": lesson.config.d_model}
page.opening(size(lesson.tokens), page.shape(lesson.embedding, "token_embeddings"), **about)
source, proof = VIEWS[page.view(*VIEWS)]()
page.details(source, lesson.embedding, ["token_embeddings"], proof, **about)
