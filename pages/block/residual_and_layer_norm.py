"""x + sublayer(x), with LayerNorm before the sublayer or after the sum (paper, section 3.1; pre-LN: Xiong et al. 2020)."""

from copy import copy

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures.norm_placement import Residual, norm_placement, residuals
from pages.matrix import Matrix, Readout, Selection, flow
from pages.ui import pickers, state, text
from pages.ui.parts import Page, Proof, size
from transformer.blocks import Block

ROLES = ("neutral", "output", "neutral")  # of x, of what is added, of y
page = Page(__file__)
lesson, words, config = page.lesson, page.words, page.lesson.config
block: Block = lesson.model.blocks[lesson.block]  # type: ignore[assignment]
token, dim, width = lesson.picked("query", lesson.length), lesson.picked("dim", config.d_model), config.d_model
fold = max((n for n in (8, 16, 32) if not width % n and width // n >= 16), default=4)  # a token's numbers on one line


@torch.no_grad()
def order(norm_first: bool) -> dict[str, Residual]:
    """The block's residual connections with its norms in either place: the same input, the same weights."""
    if norm_first == block.norm_first:
        return residuals(lesson.block_trace, lesson.row, norm_first)
    moved = copy(block)
    moved.norm_first = norm_first
    return residuals(moved.trace(lesson.block_trace.input[lesson.row, None], is_causal=True), 0, norm_first)


def choose(name: str, options: list[str], *, disabled: bool = False) -> str:
    """One of a few, below the formula; where it does not apply it keeps its place."""
    chosen: str = page.controls.segmented_control(
        name,
        options,
        format_func=words.get(name).table().__getitem__,
        default=options[0],
        required=True,
        key=f"{page.name}_{name}",
        persist_state="session",
        label_visibility="collapsed",
        disabled=disabled,
    )
    return chosen


def keep(selection: Selection) -> None:
    """A cell names a token and a dimension."""
    state.put("query", selection.i)
    state.put("dim", selection.j)


def keep_folded(selection: Selection) -> None:
    """One token's numbers are folded into lines."""
    state.put("dim", selection.i * fold + selection.j)


def draw_sum() -> None:
    """The stream, what the sublayer adds and their sum on one scale, one below the other: beside each other they are too thin."""
    limit = max(float(tensor.abs().max()) for tensor in parts) or None
    x, added, y = (
        Matrix(tensor, name, role, lesson.labels, limit=limit, told=lengths(tensor))
        for tensor, name, role in zip(parts, names, ROLES, strict=True)
    )
    flow(
        [[x], ["+", added], ["=", y]],
        key="residual",
        selected=(token, dim),
        readout=Readout("sum", words.sum.table()),
        on_select=keep,
    )


def lengths(tensor: Tensor) -> str:
    """How long the chosen token's row is, and the rows on average. tensor: (T, D)"""
    every = tensor.norm(dim=1)
    told = {"token": lesson.labels[token], "length": f"{float(every[token]):.2f}", "mean": f"{float(every.mean()):.2f}"}
    axes = page.frame.axes
    return f"{len(tensor)} × {width} {axes.T} × {axes.D} · {words.lengths.format(**told)}"


def folded(tensor: Tensor, name: str, role: str = "neutral", limit: float | None = None) -> Matrix:
    """One token's numbers in lines, so that they can be read. tensor: (D,)"""
    starts = [str(first) for first in range(0, width, fold)]
    return Matrix(tensor.unflatten(0, (-1, fold)), name, role, starts, limit=limit, told=words.folded.format(fold))


def explained(view: str) -> dict[str, str]:
    """A readout's words; its note says what was folded."""
    said: dict[str, str] = words.get(view).table()
    what = words.numbers_of.format(count=width, token=lesson.labels[token])
    return {**said, "note": text.joined(page.language, what, said["note"])}


def draw_numbers() -> None:
    """The chosen token's sum, number by number."""
    limit = max(float(tensor[token].abs().max()) for tensor in parts) or None
    looks = zip(parts, names, ROLES, strict=True)
    x, added, y = (folded(part[token], name, role, limit) for part, name, role in looks)
    readout = Readout("sum", explained("numbers"))
    place = divmod(dim, fold)
    flow([[x, "+", added, "≈", y]], key="numbers", selected=place, readout=readout, on_select=keep_folded)


def draw_norm() -> None:
    """LayerNorm of the chosen token: what it reads, the same normalised, times γ, plus β."""
    gain, bias = folded(norm.weight.detach(), "γ", "token"), folded(norm.bias.detach(), "β", "token")
    plain = folded(F.layer_norm(read[token], (width,), eps=norm.eps), "x̂")
    x, result = folded(read[token], names[0 if norm_first else 2]), folded(here.normed[token], "LN", "output")
    readout = Readout("norm", explained("norm"), operands=(0, 2, 3), epsilon=norm.eps)
    line: list[Matrix | str] = [x, "−μ ÷σ →", plain, "·", gain, "+", bias, "≈", result]
    flow([line], key="layer_norm", selected=divmod(dim, fold), readout=readout, on_select=keep_folded)


def draw_placement() -> None:
    """Both orders, with the size that the stream has on its way."""
    marks = {name: words.marks.this if name == own else words.marks.other for name in ("pre", "post")}
    titles = {name: words.titles.get(name).format(mark=mark) for name, mark in marks.items()}
    figure = norm_placement(order(True), order(False), norm_first, {**words.boxes.table(), **titles}, page.theme)
    page.plot(figure, "norm_placement", beside_words=True)


VIEWS = {"sum": draw_sum, "numbers": draw_numbers, "norm": draw_norm, "placement": draw_placement}
FORMULAS = {"norm": words.norm_formula, "placement": words.placement_formula}
view = page.viewed(*VIEWS)
own_formula = FORMULAS.get(view, "")
output = lesson.block_trace.output
page.opening(size(output) if own_formula else page.shape(lesson.block_trace, "output"), formula=own_formula)
page.view(*VIEWS)
page.controls = st.container(key="choosers", horizontal=True, vertical_alignment="center")
own = "pre" if block.norm_first else "post"
norm_first = choose("orders", [own, "post" if own == "pre" else "pre"]) == "pre"
both = view == "placement"  # sublayers stand in that picture
sublayer = choose("sublayers", ["attention", "feed_forward"], disabled=both)
sublayer = "attention" if both else sublayer
if view in ("numbers", "norm"):
    pickers.token(page, words.whose)
if view == "placement":
    st.markdown(words.sizes)
elif norm_first != block.norm_first:
    st.markdown(words.what_if)
here, norm = order(norm_first)[sublayer], getattr(block, f"{sublayer}_norm")
parts, names = here[:3], ("x", words.added.get(sublayer), "y")
read = here.stream if norm_first else here.total
VIEWS[view]()
if view in ("sum", "numbers"):
    proof = Proof(here.total, here.stream.double() + here.added.double(), "torch.add in float64")
else:
    gain, bias = norm.weight.detach().double(), norm.bias.detach().double()
    again = F.layer_norm(read.double(), (width,), gain, bias, norm.eps)
    proof = Proof(here.normed, again, "F.layer_norm in float64")
page.details(Block.trace, lesson.block_trace, [f"{sublayer}_residual", f"{sublayer}_norm"], proof)
