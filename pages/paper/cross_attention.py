"""Cross-attention, number by number: the translation asks, the source answers (paper, section 3.2.3)."""

import math
from typing import Any

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures.alignment import alignment
from pages.figures.sentence import SUBSCRIPTS, percent
from pages.matrix import Matrix, Readout, Selection, flow, grid, product
from pages.ui import cache, pickers, state, translation_choices
from pages.ui.parts import Page, Proof, size
from pages.ui.text import joined
from pages.ui.translation import bundled
from pages.ui.translation_choices import best_place, picked, picked_pair
from transformer import MultiHeadAttention
from transformer.trace import DecoderBlockTrace

ONE_LINE = 4  # heads

page = Page(__file__)
words = page.words
seen = translation_choices.ask(page, rows=True)
config, head_size = seen.config, seen.config.head_size
block: DecoderBlockTrace = seen.trace.decoder.blocks[seen.block]
layer: Any = seen.model.decoder_blocks[seen.block].cross_attention
attention, memory, mask = block.cross_attention, seen.trace.encoder.memory, seen.trace.decoder.cross_mask[seen.row]
place, slices = (seen.row, seen.head), slice(seen.head * head_size, (seen.head + 1) * head_size)
queries, keys, values, scores, scaled, masked, mixed = (
    getattr(attention, name)[place] for name in ("queries", "keys", "values", "scores", "scaled", "masked", "heads")
)
weights = attention.weights[place].masked_fill(~mask, math.nan)
sources, inputs = seen.sources, seen.inputs
(asker, asked), number = picked_pair(weights, inputs, seen.outputs, sources), picked("number", head_size)
asks: dict[str, Any] = {"rows": inputs, "row_axis": page.frame.queries, "row_role": "query"}
axes = {**asks, "columns": sources, "column_axis": page.frame.keys, "column_role": "key"}
pick_pair = page.pick("translation_asker", "translation_asked")
pick_query = page.pick("translation_asker", "translation_number")


def draw_queries() -> None:
    """X · Wq = Q: queries are the decoder's."""
    product(
        Matrix(attention.input[seen.row], words.decoder, **asks | {"row_axis": words.target_tokens}),
        Matrix(layer.query.weight[slices].T, "Wq", "query"),
        Matrix(queries, "Q", "query", column_axis="head_size"),
        bias=layer.query.bias[slices],
        key="cross_queries",
        selected=(asker, number),
        readout=Readout("dot", words.queries.table()),
        on_select=pick_query,
    )


def draw_memory() -> None:
    """memory · [Wk Wv] = [K V]: keys and values are the encoder's."""
    bands = [("key", head_size), ("value", head_size)]
    column = min(int(state.get("translation_number")), 2 * head_size - 1)
    names = [f"{name} {n}" for name in (words.key, words.value) for n in range(head_size)]
    product(
        Matrix(memory[seen.row], words.memory, "token", sources, row_axis=words.source_tokens, row_role="key"),
        Matrix(torch.cat((layer.key.weight[slices], layer.value.weight[slices])).T, "Wk Wv", bands=bands),
        Matrix(torch.cat((keys, values), 1), "K V", columns=names, bands=bands),
        bias=torch.cat((layer.key.bias[slices], layer.value.bias[slices])),
        key="cross_memory",
        selected=(asked, column),
        readout=Readout("dot", words.keys_values.table()),
        on_select=page.pick("translation_asked", "translation_number"),
    )


def draw_scores() -> None:
    """Q · Kᵀ = S."""
    product(
        Matrix(queries, "Q", "query", **asks),
        Matrix(keys.T, "Kᵀ", "key", columns=sources, column_axis=page.frame.keys),
        Matrix(scores, "S", row_axis=page.frame.queries, column_axis=page.frame.keys),
        key="cross_scores",
        selected=(asker, asked),
        readout=Readout("dot", words.scores.table()),
        on_select=pick_pair,
    )


def draw_scaling() -> None:
    """S ÷ √head_size."""
    limit, root = float(scores.abs().max()) or None, f"√{head_size}"
    flow(
        [[Matrix(scores, "S", limit=limit, **axes), f"÷ {root} →", Matrix(scaled, f"S/{root}", limit=limit, **axes)]],
        key="cross_scaling",
        selected=(asker, asked),
        readout=Readout("divide", {**words.scaling.table(), "divisor": root}, divisor=head_size**0.5),
        on_select=pick_pair,
    )


def draw_softmax() -> None:
    """Padding of the source is hidden; each row becomes shares."""
    sums = Matrix(attention.weights[place].sum(1, keepdim=True), "Σ", scale="plain", link="row", **asks)
    shares = Matrix(weights, "A", "weight", scale="weight", **axes)
    flow(
        [[Matrix(masked, "M", **axes), "softmax →", shares, sums]],
        key="cross_softmax",
        selected=(asker, asked),
        readout=Readout("softmax", words.softmax.table(), operands=(0,), result=1),
        on_select=pick_pair,
    )


def draw_mix() -> None:
    """A · V = O."""
    product(
        Matrix(weights, "A", "weight", **asks, column_axis=page.frame.keys, scale="weight"),
        Matrix(values, "V", "value", sources, row_role="key"),
        Matrix(mixed, "O", "output", row_axis=page.frame.queries, row_role="query", column_axis="head_size"),
        key="cross_mix",
        selected=(asker, number),
        readout=Readout("weighted", words.mix.table()),
        on_select=pick_query,
    )


def draw_heads() -> None:
    """All heads of the block; a click looks at that head from now on."""
    shown = attention.weights[seen.row].masked_fill(~mask, math.nan)
    heads = [
        Matrix(part, f"A{n + 1}".translate(SUBSCRIPTS), f"head{n}", scale="weight", **axes)
        for n, part in enumerate(shown)
    ]
    flow(
        [heads] if len(heads) <= ONE_LINE else grid(heads),
        key="cross_heads",
        selected=(asker, asked),
        readout=Readout("value", words.heads.table(), result=seen.head),
        on_select=pick_head,
    )


def pick_head(selection: Selection) -> None:
    """Keeps the cell and its head."""
    pick_pair(selection)
    state.put("translation_at_head", selection.matrix + 1)


def draw_alignment() -> None:
    """The words that are written against the source words, without what is read to begin or padded."""
    shown = seen.forced(seen.own)
    count, length = len(seen.own.target), len(seen.own.source)
    links = torch.zeros(count + 1, length, dtype=torch.bool)
    for source, target in seen.known.pair.pair.links if seen.known else ():
        links[target, source] = True
    attended = shown.trace.decoder.blocks[seen.block].cross_attention.weights[0, seen.head]
    right = [bool(links[row, best]) for row, best in enumerate(attended.argmax(1).tolist()) if links[row].any()]
    trained = seen.weights.run == cache.DEMONSTRATION
    shares = torch.tensor(bundled(seen.pair).extra["alignment"]) if trained else torch.full((1, 1), math.nan)
    figure = alignment(
        attended,
        links,
        seen.words(seen.own.source, seen.read.pieces),
        seen.words(shown.targets[0].tolist()),
        shares,
        (seen.block, seen.head),
        (words.shown.format(block=seen.block + 1, head=seen.head + 1), words.block, f"{words.aligned}<br>{words.head}"),
        page.theme,
    )
    with st.container(key="aligned"):
        pickers.clickable(page, figure, "cross_alignment", lambda point: look_at(*divmod(point, config.num_heads)))
    st.markdown(told(right, shares, trained))


def look_at(block: int, head: int) -> None:
    """From now on, on all pages."""
    state.put("translation_at_block", block + 1)
    state.put("translation_at_head", head + 1)


def told(right: list[bool], shares: Tensor, trained: bool) -> str:
    """How well the looked-at head aligns: here, on held-out sentences, and against the best one."""
    here = words.here.format(right=sum(right), count=len(right)) if right else words.unknown
    if not trained:
        return joined(page.language, here, words.untold)
    best = best_place(seen.pair)
    compared = words.is_not.format(block=best[0] + 1, head=best[1] + 1, best=percent(float(shares[best])))
    if (seen.block, seen.head) == best:
        compared = words.is_best
    share = percent(float(shares[seen.block, seen.head]))
    return joined(page.language, here, words.everywhere.format(share=share, compared=compared))


def open_page(view: str) -> None:
    """The formula of what a view shows and its shapes, those of all heads."""
    own = {
        "queries": ([attention.input], "queries"),
        "memory": ([memory], "keys"),
        "scores": ([attention.queries, attention.keys], "scores"),
        "scaling": ([attention.scores], "scaled"),
        "mix": ([attention.weights, attention.values], "heads"),
    }
    if view in own:
        given, made = own[view]
        came_out = page.shape(attention, made)
    else:  # the line is long enough with the whole formula
        given, came_out = [attention.queries, attention.keys], size(attention.weights)
    formula = words.formulas.table().get(view, "")
    page.opening(", ".join(map(size, given)), came_out, formula=formula)


VIEWS = {
    "queries": draw_queries,
    "memory": draw_memory,
    "scores": draw_scores,
    "scaling": draw_scaling,
    "softmax": draw_softmax,
    "mix": draw_mix,
    "heads": draw_heads,
    "alignment": draw_alignment,
}
open_page(page.viewed(*VIEWS))
VIEWS[page.view(*VIEWS)]()
again = F.scaled_dot_product_attention(
    attention.queries, attention.keys, attention.values, seen.trace.decoder.cross_mask[:, None]
)
page.details(
    MultiHeadAttention.trace,
    attention,
    ["queries", "scores", "weights", "heads"],
    Proof(attention.heads, again, "F.scaled_dot_product_attention"),
)
