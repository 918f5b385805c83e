"""Three words through one head by hand, then one step of learning after another (paper, equation 1)."""

import math
from typing import Any

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures.curves import Axis, Curve, curves
from pages.figures.sentence import code
from pages.matrix import Matrix, Readout, flow, product
from pages.ui import exercise, state
from pages.ui.exercise import NAMES, WIDTH
from pages.ui.parts import Page, Proof, size
from pages.ui.text import number
from pages.ui.worked import worked
from transformer.lessons.single_head import attend, descend, gradient_by_hand, learning_step
from transformer.lessons.written import shared_places
from transformer.trace import axes_of

NAMED = ("projections", "scores", "scaling", "weights", "output", "loss", "gradient", "step", "related")  # the pictures
AHEAD = 10  # steps that the curve looks ahead, as many as the button takes
FLAT = 8  # a loss that fell by more would lie on the floor of a linear axis
BANDS = [("query", WIDTH), ("key", WIDTH), ("value", WIDTH)]
COLUMNS = [f"{name.removeprefix('W')} {n}" for name in NAMES for n in range(WIDTH)]

page = Page(__file__)
words = page.words
keep_number, keep_pair = page.pick("query", "dim"), page.pick("query", "key")
related = state.get(page.linked("view", NAMED[0], NAMED.__contains__)) == "related"
asked = exercise.ask(page, related)
wanted, divisor = asked.exercise.wanted, asked.exercise.divisor
steps = list(descend(asked.exercise, asked.rate, asked.steps))
now, trace = steps[-1], steps[-1].trace
labels, root = [word for word, _ in asked.learned], f"√{WIDTH}" if divisor > 1 else "1"
axes: dict[str, Any] = {
    "rows": labels,
    "columns": labels,
    "row_axis": page.frame.queries,
    "column_axis": page.frame.keys,
    "row_role": "query",
    "column_role": "key",
}
shares: dict[str, Any] = {"role": "weight", "scale": "weight"}

inputs = [torch.tensor([row for _, row in sentence], dtype=torch.float64) for sentence in asked.related]
parts = [attend(x, now.projections, divisor) for x in inputs]
same_sentence = torch.block_diag(*(torch.ones_like(part.weights) for part in parts)).bool()


def picked(matrix: Tensor, row: str = "query", column: str = "dim") -> tuple[int, int]:
    """The picked cell, as far as a matrix has it."""
    return min(int(state.get(row)), matrix.size(0) - 1), min(int(state.get(column)), matrix.size(1) - 1)


def draw_projections() -> None:
    """X · [Wq Wk Wv] = [Q K V] in one product."""
    joined = torch.cat((trace.queries, trace.keys, trace.values), 1)
    product(
        Matrix(trace.input, "X", "token", labels),
        Matrix(torch.cat(now.projections, 1), words.at_step.format(step=now.number), bands=BANDS),
        Matrix(joined, "Q K V", columns=COLUMNS, bands=BANDS),
        key="three_words_projections",
        selected=picked(joined),
        readout=Readout("dot", words.projections.table()),
        on_select=keep_number,
    )


def draw_scores() -> None:
    """Q · Kᵀ = S."""
    product(
        Matrix(trace.queries, "Q", "query", labels, row_axis=page.frame.queries),
        Matrix(trace.keys.T, "Kᵀ", "key", columns=labels, column_axis=page.frame.keys),
        Matrix(trace.scores, "S", row_axis=page.frame.queries, column_axis=page.frame.keys),
        key="three_words_scores",
        selected=picked(trace.scores, "query", "key"),
        readout=Readout("dot", words.scores.table()),
        on_select=keep_pair,
    )


def draw_scaling() -> None:
    """S ÷ √3, or S as it is, in the same colours."""
    look: dict[str, Any] = {**axes, "limit": float(trace.scores.abs().max()) or None}
    flow(
        [[Matrix(trace.scores, "S", **look), f"÷ {root} →", Matrix(trace.scaled, f"S/{root}", **look)]],
        key="three_words_scaling",
        selected=picked(trace.scores, "query", "key"),
        readout=Readout("divide", {**words.scaling.table(), "divisor": root}, divisor=divisor),
        on_select=keep_pair,
    )


def draw_weights() -> None:
    """Softmax of each row, and what the row sums to."""
    sums = Matrix(trace.weights.sum(1, keepdim=True), "Σ", rows=labels, row_role="query", link="row", scale="plain")
    flow(
        [[Matrix(trace.scaled, f"S/{root}", **axes), "softmax →", Matrix(trace.weights, "A", **shares, **axes), sums]],
        key="three_words_weights",
        selected=picked(trace.weights, "query", "key"),
        readout=Readout("softmax", words.weights.table(), operands=(0,), result=1),
        on_select=keep_pair,
    )


def draw_mix(
    weights: Tensor, values: Tensor, output: Tensor, tokens: list[str], selected: tuple[int, int], **told: str
) -> None:
    """A · V: the new embeddings. Weights that are not there are NaN. told: other words for the card."""
    asked_by, numbered = {"row_axis": page.frame.queries}, {"column_axis": page.frame.axes.K}
    product(
        Matrix(weights, "A", **shares, rows=tokens, row_role="query", **asked_by, column_axis=page.frame.keys),
        Matrix(values, "V", "value", tokens, row_role="key", row_axis=page.frame.keys, **numbered),
        Matrix(output, "O", "output", row_role="query", **asked_by, **numbered),
        key=f"three_words_{view}",
        selected=selected,
        readout=Readout("weighted", {**words.output.table(), **told}),
        on_select=keep_number,
    )


def draw_loss() -> None:
    """New embeddings, target, difference; below them the mean of its squares, so far and if learning went on."""
    difference = trace.output - wanted
    limit = float(torch.stack((trace.output, wanted, difference)).abs().max()) or None
    look: dict[str, Any] = {"rows": labels, "limit": limit}
    made, aim = Matrix(trace.output, "O", "output", **look), Matrix(wanted, words.wanted, **look)
    flow(
        [[made, "−", aim, "=", Matrix(difference, words.difference, **look)]],
        key="three_words_loss",
        selected=picked(difference),
        readout=Readout("value", {**words.error.table(), "note": mean_square(difference)}, operands=(0, 1), result=2),
        height=240,
        on_select=keep_number,
    )
    here, losses = now.number, [step.loss for step in descend(asked.exercise, asked.rate, now.number + AHEAD)]
    lines = [Curve(words.loss, range(here + 1), losses[: here + 1], "kind0")]
    if losses[here + 1 :]:  # below the other, which it goes on from
        lines.insert(0, Curve(words.ahead, range(here, len(losses)), losses[here:], "neutral", "dot", told=False))
    is_steep = 0 < FLAT * min(losses) < max(losses)
    across, up = Axis(words.steps, reach=AHEAD), Axis(words.log_loss if is_steep else words.loss, is_steep)
    with st.container(key="below"):
        page.plot(curves(lines, across, up, page.theme, mark=here, format=".4g"), "three_words_curve")


def mean_square(difference: Tensor) -> str:
    """How the loss comes of the differences, a sum of squares for each row."""
    count, squares = difference.numel(), difference.square().sum(1).tolist()
    *rows, loss = worked(lambda *sums: sum(sums) / count, squares, now.loss)
    told: str = words.error.note.format(count=count, rows=" + ".join(rows), loss=loss)
    return told


def draw_gradient() -> None:
    """Xᵀ · [∂L/∂Q ∂L/∂K ∂L/∂V] = [∂L/∂Wq ∂L/∂Wk ∂L/∂Wv]."""
    gradient = torch.cat(now.gradient, 1)
    product(
        Matrix(trace.input.T, "Xᵀ", "token", columns=labels),
        Matrix(torch.cat(now.upstream, 1), "∂Q ∂K ∂V", rows=labels, bands=BANDS),
        Matrix(gradient, "∂Wq ∂Wk ∂Wv", columns=COLUMNS, bands=BANDS),
        key="three_words_gradient",
        selected=picked(gradient),
        readout=Readout("dot", words.gradient.table()),
        on_select=keep_number,
    )


def draw_step() -> None:
    """The three matrices before, what is added, after."""
    before, after, slope = (torch.cat(part) for part in (now.projections, now.after, now.gradient))
    look: dict[str, Any] = {"rows": [f"{name} {row}" for name in NAMES for row in range(WIDTH)], "row_bands": BANDS}
    change = -asked.rate * slope
    look["limit"] = float(torch.stack((before, change, after)).abs().max()) or None
    old, new = Matrix(before, words.before, **look), Matrix(after, words.after, **look)
    flow(
        [[old, "+", Matrix(change, f"−{asked.rate:g} · ∂L/∂W", **look), "=", new]],
        key="three_words_step",
        selected=picked(before),
        readout=Readout("sum", words.step.table()),
        on_select=keep_number,
    )


def draw_related() -> None:
    """Sentences that share a word, in one product: the word's row goes in the same and comes out different."""
    places, both = shared_places(asked.related), [word for sentence in asked.related for word, _ in sentence]
    word, row = asked.related[0][places[0]]
    first, second = (part.output[place] for part, place in zip(parts[:2], places[:2], strict=True))
    apart = number(float((first - second).norm()), 3)
    st.markdown(words.told.format(word=code(word), row=" ".join(f"{n:g}" for n in row), apart=apart))
    weights = torch.block_diag(*(part.weights for part in parts)).masked_fill(~same_sentence, math.nan)
    values, output = (torch.cat([getattr(part, name) for part in parts]) for name in ("values", "output"))
    selected = picked(output) if state.get("query") < len(both) else (places[0], picked(output)[1])
    draw_mix(weights, values, output, both, selected, note=words.same_word)


def open_page(view: str) -> None:
    """The formula of what a view shows, and its shapes."""
    if view == "loss":
        page.opening(f"{size(trace.output)}, {size(wanted)}", words.one, formula=words.formulas.loss)
    elif view in LEARNING:
        weight = now.projections[0]
        given = f"{size(trace.input.T)}, {size(trace.queries)}" if view == "gradient" else size(weight)
        page.opening(given, page.shape_of(weight, "D K"), formula=getattr(words.formulas, view))
    else:
        whole = [torch.cat(inputs), torch.cat([part.output for part in parts])]
        read, made = whole if view == "related" else (trace.input, trace.output)
        page.opening(size(read), page.shape_of(made, axes_of(type(trace), "output")))


def proof() -> Proof:
    """The related sentences once more in one batch with a mask between them, or the one sentence by the fused kernel."""
    if view == "related":
        queries, keys, values, shown = (
            torch.cat([getattr(part, name) for part in parts]) for name in ("queries", "keys", "values", "output")
        )
        again = F.scaled_dot_product_attention(queries, keys, values, same_sentence, scale=1 / divisor)
        return Proof(shown, again, "F.scaled_dot_product_attention(…, mask)")
    again = F.scaled_dot_product_attention(trace.queries, trace.keys, trace.values, scale=1 / divisor)
    return Proof(trace.output, again, "F.scaled_dot_product_attention")


LEARNING = {"loss": draw_loss, "gradient": draw_gradient, "step": draw_step}
VIEWS = {
    "projections": draw_projections,
    "scores": draw_scores,
    "scaling": draw_scaling,
    "weights": draw_weights,
    "output": lambda: draw_mix(trace.weights, trace.values, trace.output, labels, picked(trace.output)),
    **LEARNING,
    "related": draw_related,
}
open_page(page.viewed(*NAMED))
view = page.view(*NAMED)
if len(steps) <= asked.steps:
    st.warning(words.overflow.format(step=len(steps), rate=f"{asked.rate:g}"))
if view in LEARNING:
    ahead = learning_step(asked.exercise, asked.rate, now.number + 1).loss
    page.controls.markdown(words.at.format(step=now.number, loss=number(now.loss), ahead=number(ahead)))
VIEWS[view]()
if view in LEARNING:
    again = torch.cat(gradient_by_hand(trace, wanted, divisor))
    page.details(learning_step, trace, [], Proof(torch.cat(now.gradient), again, "gradient_by_hand"))
else:
    page.details(attend, trace, ["output"], proof())
