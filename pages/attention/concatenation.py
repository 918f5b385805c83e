"""Concat(head_1, …, head_h)·Wo: the heads side by side, mixed by the output matrix (paper, section 3.2.2)."""

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pages.figures.sentence import SUBSCRIPTS, code, distinct
from pages.matrix import Matrix, Readout, flow, product
from pages.ui import state, text
from pages.ui.parts import Page, Proof, size
from transformer import MultiHeadAttention

page = Page(__file__)
lesson, words, config, row = page.lesson, page.words, page.lesson.config, page.lesson.row
attention = lesson.attention
module: MultiHeadAttention = lesson.model.blocks[lesson.block].attention  # type: ignore[assignment]
concatenated, output, to_output = attention.concatenated[row], attention.output[row], module.output
bands = [(f"head{head}", config.head_size) for head in range(config.num_heads)]
selected = lesson.picked("query", lesson.length), lesson.picked("dim", config.d_model)
beside = f"[O₁…O{str(config.num_heads).translate(SUBSCRIPTS)}]" if config.num_heads > 1 else "[O₁]"
axes = {"rows": lesson.labels, "row_axis": words.tokens, "column_axis": words.dimensions}


def draw_product() -> None:
    """Heads · Wo: every head's columns, and the rows of Wo that they meet, in its colour."""
    product(
        Matrix(concatenated, beside, bands=bands, **axes),
        Matrix(to_output.weight.T, "Wo", row_bands=bands),
        Matrix(output, "MultiHead", "output", **axes),
        bias=to_output.bias,
        key="concatenation",
        selected=selected,
        readout=Readout("dot", words.readout.table()),
        on_select=page.pick("query", "dim"),
    )


def draw_silence() -> None:
    """What if the chosen head gave only zeros: the output, the output then, and what is missing, on one scale.

    One below the other: beside each other their columns are too thin to be seen.
    """
    told = st.container(horizontal=True, vertical_alignment="center")
    told.segmented_control(
        words.silenced,
        range(1, config.num_heads + 1),
        required=True,
        key="silenced",
        on_change=state.view_of("head", "silenced"),
        label_visibility="collapsed",
    )
    without = without_head(lesson.head)
    part = output - without
    most = int(part.norm(dim=1).argmax())
    numbers = {"change": text.number(float(part[most].norm()), 3), "whole": text.number(float(output[most].norm()), 3)}
    changed = words.silence.format(head=lesson.head + 1, token=code(distinct(lesson.labels)[most]), **numbers)
    told.markdown(changed, width="content")
    limit = max(float(shown.abs().max()) for shown in (output, without, part)) or None
    flow(
        [
            [Matrix(output, "MultiHead", "output", limit=limit, **axes)],
            ["−", Matrix(without, words.without.format(head=lesson.head + 1), limit=limit, **axes)],
            ["=", Matrix(part, words.part.format(head=lesson.head + 1), f"head{lesson.head}", limit=limit, **axes)],
        ],
        key="silence",
        selected=selected,
        readout=Readout("value", words.silence_readout.table()),
        on_select=page.pick("query", "dim"),
    )


@torch.no_grad()
def without_head(head: int) -> Tensor:
    """The pictured row's output if one head gave only zeros. (T, D)"""
    heads = concatenated.unflatten(1, (config.num_heads, -1)).clone()
    heads[:, head] = 0
    return F.linear(heads.flatten(1), to_output.weight, to_output.bias)


@torch.no_grad()
def by_torch(x: Tensor) -> Tensor:
    """The same attention by PyTorch's own module, given the same weights. (B, T, D) → (B, T, D)"""
    parts, bias = (module.query, module.key, module.value), to_output.bias
    weights = {"in_proj_weight": torch.cat([part.weight for part in parts]), "out_proj.weight": to_output.weight}
    if bias is not None:
        weights |= {"in_proj_bias": torch.cat([part.bias for part in parts]), "out_proj.bias": bias}
    sizes = {"embed_dim": config.d_model, "num_heads": config.num_heads, "bias": bias is not None}
    twin = nn.MultiheadAttention(**sizes, batch_first=True, device="meta").eval()
    twin.load_state_dict(weights, assign=True)
    future = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
    again: Tensor = twin(x, x, x, attn_mask=future, need_weights=False)[0]
    return again


page.opening(
    size(attention.heads), size(attention.concatenated), page.shape(attention, "output"), heads=config.num_heads
)
if page.view("product", "silence") == "silence":
    draw_silence()
else:
    draw_product()
page.details(
    MultiHeadAttention.trace,
    attention,
    ["concatenated", "output"],
    Proof(attention.output[row, None], by_torch(attention.input[row, None]), "nn.MultiheadAttention"),
    heads=config.num_heads,
)
