"""The paper's model whole: an encoder that reads, a decoder that writes, and three uses of one attention (section 3.2.3)."""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import streamlit as st
from torch import Tensor

from pages.figures import encoder_decoder_picture, three_uses
from pages.matrix import Matrix, Readout, Selection, flow
from pages.ui import state, translation_choices
from pages.ui.parts import Page, Proof, size
from pages.ui.translation_choices import linked, picked_pair
from transformer.blocks import DecoderBlock
from transformer.trace import AttentionTrace, axes_of

LIT = "encoder_attention", "decoder_attention", "cross_attention"


class Use(NamedTuple):
    """A use of attention in the pictured row: what it computed, where it may look, and what its tokens are."""

    attention: AttentionTrace
    mask: Tensor
    rows: list[str]
    columns: list[str]
    sought: list[str]


page = Page(__file__)
words = page.words
seen = translation_choices.ask(page, rows=True)
trace, config = seen.trace, seen.config
encoder, decoder = trace.encoder.blocks[seen.block], trace.decoder.blocks[seen.block]
sources, inputs = seen.sources, seen.inputs
pick = page.pick("translation_asker", "translation_asked")
uses = {
    "encoder": Use(encoder.attention, trace.encoder.mask[seen.row], sources, sources, sources),
    "decoder": Use(decoder.self_attention, trace.decoder.mask[seen.row], inputs, inputs, inputs),
    "cross": Use(decoder.cross_attention, trace.decoder.cross_mask[seen.row], inputs, sources, seen.outputs),
}


def axes(use: Use) -> dict[str, Any]:
    """Queries on the rows, keys on the columns."""
    looks = {"row_axis": page.frame.queries, "column_axis": page.frame.keys, "row_role": "query", "column_role": "key"}
    return {"rows": use.rows, "columns": use.columns, **looks}


def visible(use: Use) -> Tensor:
    """The looked-at head's weights; what may not be looked at is NaN."""
    return use.attention.weights[seen.row, seen.head].masked_fill(~use.mask, math.nan)


def weights(use: Use, name: str, **more: Any) -> Matrix:
    """The looked-at head's weights as a matrix."""
    return Matrix(visible(use), name, "weight", scale="weight", **axes(use), **more)


def draw_uses() -> None:
    """The three side by side; a click shows the cell's number and opens nothing else."""
    st.html(three_uses.STYLE)
    told = [getattr(words.uses, name) for name in uses]
    captions = [
        three_uses.Use(one.name, one.queries, one.keys_values, one.hidden, plain(use.attention.weights))
        for one, use in zip(told, uses.values(), strict=True)
    ]
    st.html(three_uses.three_uses(captions, words.uses.arrow))
    names = words.views.table()
    flow(
        [[weights(use, names[name], link="none", named=True) for name, use in uses.items()]],
        key="three_uses",
        selected=cell(uses[looked_at()]),
        readout=Readout("value", words.readout.table(), result=list(uses).index(looked_at())),
        on_select=pick_use,
    )


def looked_at() -> str:
    """The use whose cell was clicked last."""
    return str(state.get(linked("use", "cross", uses.__contains__)))


def cell(use: Use) -> tuple[int, int]:
    """The picked query and key, as far as this use has them."""
    return picked_pair(visible(use), use.rows, use.sought, use.columns)


def pick_use(selection: Selection) -> None:
    """Keeps the cell and the use it belongs to."""
    state.put("translation_use", list(uses)[selection.matrix])
    pick(selection)


def draw_softmax(name: str) -> None:
    """One use: scaled scores, what the mask leaves of them, and the weights, worked out."""
    use = uses[name]
    scaled, masked = (part[seen.row, seen.head] for part in (use.attention.scaled, use.attention.masked))
    limit = float(scaled.abs().max()) or None
    before = Matrix(scaled, f"S/√{config.head_size}", limit=limit, **axes(use))
    after = Matrix(masked, "M", limit=limit, **axes(use))
    flow(
        [[before, words.mask, after, "softmax →", weights(use, "A")]],
        key=f"softmax_{name}",
        selected=cell(use),
        readout=Readout("softmax", getattr(words, f"{name}_readout").table(), operands=(1,), result=2),
        on_select=pick,
    )


def draw_model() -> None:
    """The paper's figure 1 with the shapes of this batch."""
    st.html(encoder_decoder_picture.STYLE)
    shapes = (
        {"encoder_attention": plain(encoder.attention.weights), "": plain(trace.encoder.memory)},
        {
            "decoder_attention": plain(decoder.self_attention.weights),
            "cross_attention": plain(decoder.cross_attention.weights),
            "": plain(trace.decoder.final_norm),
            **dict.fromkeys(("linear", "softmax"), plain(trace.decoder.logits)),
        },
    )
    names = {**words.stages.table(), "blocks": f"{config.num_blocks} ×"}
    st.html(encoder_decoder_picture.encoder_decoder_picture(config, (sources, inputs), shapes, names, LIT))


def plain(tensor: Tensor) -> str:
    """A shape without the marks of code."""
    return size(tensor).strip("`")


def open_page(view: str) -> None:
    """The formula of what a view shows and its shapes, as short as it takes to leave room for the views beside them."""
    if view == "model":
        tokens = f"{size(trace.encoder.tokens)}, {size(trace.decoder.tokens)}"
        page.opening(tokens, size(trace.decoder.logits), formula=words.whole)
    elif view == "uses":
        page.opening(" × ".join(getattr(page.frame.axes, axis) for axis in axes_of(AttentionTrace, "weights").split()))
    else:
        page.opening(size(uses[view].attention.weights))


VIEWS = ("uses", "encoder", "decoder", "cross", "model")
open_page(page.viewed(*VIEWS))
view = page.view(*VIEWS)
if view == "uses":
    draw_uses()
elif view == "model":
    draw_model()
else:
    draw_softmax(view)
trace_block = DecoderBlock._trace_norm_first if config.norm_first else DecoderBlock._trace_norm_last
live = SimpleNamespace(
    self_residual=decoder.self_attention_residual,
    self_norm=decoder.self_attention_norm,
    cross_residual=decoder.cross_attention_residual,
    cross_norm=decoder.cross_attention_norm,
    residual=decoder.feed_forward_residual,
    norm=decoder.feed_forward_norm,
)
page.details(
    trace_block,
    live,
    ["self_residual", "cross_residual"],
    Proof(trace.decoder.logits, seen.again(trace.encoder.tokens, trace.decoder.tokens), "nn.Transformer"),
)
