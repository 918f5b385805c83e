"""A run's model at all the moments that were kept of it: move the scrubber and see what a sentence makes it do."""

import math

import streamlit as st
import torch
from torch import Tensor

from pages.figures.growth_curve import STYLE
from pages.matrix import Matrix, Readout, Selection, flow
from pages.ui import state, text
from pages.ui.growing.embeddings import draw_map, draw_neighbours
from pages.ui.growing.expected import draw_next
from pages.ui.growing.grown import TABLE
from pages.ui.growing.heads import draw_heads
from pages.ui.growing.learned import draw_learned
from pages.ui.growing.scrubber import Explained, Shown, at, choose_run, scrub
from pages.ui.parts import Page, Proof
from transformer.checkpoint import fill

MOST = 64  # rows, and columns, of a learned matrix that are drawn
PALE = 0.05  # of the scale's end: typical numbers below this look like an empty picture


def draw_weights(page: Page, shown: Shown) -> Explained:
    """Some numbers of one learned matrix, what training has added to them, and the sum."""
    models = [moment.model for moment in (shown.before, shown.after)]
    matrices = [name for name, parameter in models[1].named_parameters() if parameter.dim() == 2]
    key = page.linked("matrix", TABLE, matrices.__contains__)
    name = str(
        shown.line.selectbox(
            page.words.matrix, matrices, key=key, persist_state="session", label_visibility="collapsed", width=290
        )
    )
    both = [dict(model.named_parameters())[name].detach() for model in models]
    of_tokens = len(both[0]) == shown.grown.plan.model.vocab_size
    rows = shown.after.tokens[0] if of_tokens else torch.arange(min(len(both[0]), MOST))
    before, after = (weight[rows, :MOST] for weight in both)
    labels = shown.labels if of_tokens else [str(row) for row in rows.tolist()]
    limit = float(torch.cat([before, after]).abs().max()) or None
    drawn = [
        Matrix(values, title, role, labels, limit=limit)
        for values, title, role in (
            (before, at(page, shown.before), "neutral"),
            (after - before, page.words.learned_part, "kind0"),
            (after, at(page, shown.after), "output"),
        )
    ]

    def keep(selection: Selection) -> None:
        state.remember("grown_row", selection.i)
        state.put("dim", selection.j)

    flow(
        [[drawn[0], "+", drawn[1], "=", drawn[2]]],
        key="grown_weights",
        selected=(min(state.recall("grown_row", 0), len(labels) - 1), min(state.get("dim"), before.size(1) - 1)),
        readout=Readout("sum", card(page, both[1], of_tokens, pale(page, shown, before, limit or 1.0))),
        on_select=keep,
    )
    again = torch.sub(after.double(), before.double())
    return Explained(fill, None, [], Proof(after - before, again, "torch.sub in float64"))


def card(page: Page, weight: Tensor, of_tokens: bool, more: str) -> dict[str, str]:
    """The words of the readout, `more` at their end: only a token's numbers are dimensions of an embedding. weight: (R, C)"""
    words = page.words.weights.table()
    return words | {
        "title": words["title" if of_tokens else "cell"],
        "note": text.joined(page.language, note(page, weight, of_tokens), more),
    }


def note(page: Page, weight: Tensor, of_tokens: bool) -> str:
    """What the sum is, and which part of the whole matrix is drawn. weight: (R, C)"""
    words, (rows, columns) = page.words.weights, weight.shape
    upright = words.tokens if of_tokens else words.rows if rows > MOST else ""
    across = words.columns if columns > MOST else ""
    told = text.joined(page.language, words.note, upright, across)
    return told.format(most=MOST, rows=f"{rows:,}", columns=f"{columns:,}")


def pale(page: Page, shown: Shown, drawn: Tensor, limit: float) -> str:
    """How large numbers are that the common scale leaves almost without colour; nothing where they can be seen."""
    size = float(drawn.square().mean().sqrt())
    told: str = page.words.weights.pale.format(step=at(page, shown.before), size=text.number(size, 1))
    return told if 0 < size < PALE * limit else ""


VIEWS = {
    "heads": draw_heads,
    "map": draw_map,
    "neighbours": draw_neighbours,
    "next": draw_next,
    "weights": draw_weights,
    "learned": draw_learned,
}
ASKING = ("heads", "map", "neighbours", "next")  # views that are about one token of the sentence
page = Page(__file__)


def draw() -> None:
    """The page, from the run to the proof."""
    grown = choose_run(page)
    rows = grown.plan.model.vocab_size
    page.opening(page.words.kept.format(count=len(grown.steps)), page.words.looked)
    view = page.view(*VIEWS)
    shown = scrub(page, grown, asks=view in ASKING)
    source, trace, fields, proof = VIEWS[view](page, shown)
    page.details(source, trace, fields, proof, rows=f"{rows:,}", blind=f"{math.log(rows):.2f}")


st.html(STYLE)
try:
    draw()
except (ValueError, OSError) as error:
    st.error(page.words.unreadable.format(reason=error))
