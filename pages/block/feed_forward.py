"""FFN(x) = max(0, x·W1 + b1)·W2 + b2: every token through the same hidden units (paper, section 3.3, equation 2)."""

from typing import Any

import streamlit as st
import torch.nn.functional as F

from pages.figures.sentence import percent
from pages.figures.strongest_units import strongest, strongest_units
from pages.matrix import Matrix, Readout, Selection, flow, product
from pages.ui import pickers, state
from pages.ui.parts import Page, Proof, size
from transformer.blocks import ACTIVATIONS, FeedForward

WINDOW = 16  # columns of a product drawn at a time: a whole weight matrix can have a million cells
MOST = 12  # units listed for a token
UNIT = "feed_forward_unit"

page = Page(__file__)
lesson, words, config = page.lesson, page.words, page.lesson.config
trace, row = lesson.block_trace.feed_forward, lesson.row
module: FeedForward = lesson.model.blocks[lesson.block].feed_forward  # type: ignore[assignment]
w1, b1 = module.hidden.weight.detach(), module.hidden.bias.detach()
w2, b2 = module.output.weight.detach(), module.output.bias.detach()
x, hidden, activated, output = (part[row] for part in (trace.input, trace.hidden, trace.activated, trace.output))
token, dim = lesson.picked("query", lesson.length), lesson.picked("dim", config.d_model)
activation = words.names.table()[config.activation]
silent = (hidden <= 0).float().mean(dim=1, keepdim=True)
axes: dict[str, Any] = {"rows": lesson.labels, "row_axis": page.frame.axes.T}
read = "LN(x)" if config.norm_first else "x"  # what the layer reads
made = f"FFN({read})"
active: dict[str, Any] = {  # after ReLU nothing is below zero, and neither is the colour scale
    "scale": "weight" if config.activation == "relu" else "signed",
    "limit": float(activated.abs().max()) or None,
}


def choose_unit() -> int:
    """Which hidden unit is looked at: at first the one that the chosen token excites most."""
    asked = state.get(UNIT)
    unit = min(int(activated[token].argmax()) if asked is None else int(asked), config.d_ff - 1)
    state.put(UNIT, unit)
    with page.controls.container(horizontal=True, vertical_alignment="center", width="content"):
        st.markdown(words.unit, width="content")
        st.number_input(words.unit, 0, config.d_ff - 1, key=UNIT, label_visibility="collapsed", width=190)
    return unit


def around(place: int, limit: int) -> slice:
    """The window of columns that a place is in."""
    first = place // WINDOW * WINDOW
    return slice(first, min(first + WINDOW, limit))


def numbered(window: slice) -> list[str]:
    """The columns' numbers as labels."""
    return [str(number) for number in range(window.start, window.stop)]


def keep_unit(selection: Selection, first: int = 0) -> None:
    """A cell names a token and a hidden unit; a share of zeros beside them names a token alone."""
    state.put("query", selection.i)
    if first + selection.j < config.d_ff:
        state.put(UNIT, first + selection.j)


def keep_dim(selection: Selection, first: int) -> None:
    """A cell of a window names a token and a dimension."""
    state.put("query", selection.i)
    state.put("dim", first + selection.j)


def draw_units() -> Proof:
    """Every token's hidden units after the activation; beside them the share that is silent."""
    everyone = Matrix(activated, words.activated, **axes, column_axis=page.frame.axes.F, **active)
    shares = Matrix(
        100 * silent, words.silent, rows=lesson.labels, scale="plain", link="row", column_offset=config.d_ff
    )
    flow(
        [[everyone, shares]],
        key="units",
        selected=(token, unit),
        readout=Readout("value", words.units.table()),
        on_select=keep_unit,
    )
    again = ACTIVATIONS[config.activation](F.linear(x.double(), w1.double(), b1.double()))
    return Proof(activated, again, f"F.linear, F.{config.activation} in float64")


def draw_unit() -> Proof:
    """x·W1 + b1 and the activation, for the units around the chosen one."""
    window = around(unit, config.d_ff)
    shown = activated[:, window]
    product(
        Matrix(x, read, **axes, column_axis=page.frame.axes.D),
        Matrix(w1[window].T, "W₁", columns=numbered(window), whole=(config.d_model, config.d_ff)),
        Matrix(shown, words.activated, **active),
        bias=b1[window],
        key="unit",
        selected=(token, unit - window.start),
        readout=Readout("unit", {**words.one_unit.table(), "total": activation}),
        on_select=lambda selection: keep_unit(selection, window.start),
    )
    before = F.linear(x.double(), w1[window].double(), b1[window].double())
    return Proof(shown, ACTIVATIONS[config.activation](before), f"F.linear, F.{config.activation} in float64")


def draw_token() -> Proof:
    """The units that the chosen token excites most, and what each adds to its row of the output."""
    found = strongest(activated[token], w2, b2, MOST)
    others = words.others.format(n=config.d_ff - len(found.units))
    labels = [*map(str, found.units.tolist()), others, "b₂", made]
    titles = words.activated, words.titles.added
    names = words.unit, words.dimension
    scales = words.scales.units, words.scales.sums
    page.plot(strongest_units(found, output[token], labels, titles, names, scales, page.theme), "strongest_units")
    return Proof(output[token], F.linear(activated[token].double(), w2.double(), b2.double()), "F.linear in float64")


def draw_output() -> Proof:
    """activations·W2 + b2, for the dimensions around the chosen one."""
    window = around(dim, config.d_model)
    shown = output[:, window]
    product(
        Matrix(activated, words.activated, **axes, column_axis=page.frame.axes.F, **active),
        Matrix(w2[window].T, "W₂", columns=numbered(window), whole=(config.d_ff, config.d_model)),
        Matrix(shown, made, "output"),
        bias=b2[window],
        key="output",
        selected=(token, dim - window.start),
        readout=Readout("dot", {**words.output.table(), "total": made}),
        on_select=lambda selection: keep_dim(selection, window.start),
    )
    return Proof(shown, F.linear(activated.double(), w2[window].double(), b2[window].double()), "F.linear in float64")


share = {"share": percent(float(silent.mean())), "activation": words.activations.table()[config.activation]}
shapes = size(trace.input), f"{size(trace.hidden)} {page.frame.axes.F}", page.shape(trace, "output")
page.opening(*shapes, hidden=config.d_ff, width=config.d_model, **share)
view = page.view("units", "unit", "token", "output")
if view == "token":
    pickers.token(page, words.whose)
unit = choose_unit() if view in ("units", "unit") else 0
proof = {"units": draw_units, "unit": draw_unit, "token": draw_token, "output": draw_output}[view]()
page.details(FeedForward.trace, trace, ["hidden", "activated"], proof)
