"""S / √d_k: scores are divided so that they do not grow with head_size (paper, section 3.2.1)."""

import math

import streamlit as st
import torch

from pages.figures.scaling import scaling
from pages.matrix import Matrix, Readout, flow
from pages.ui.parts import Page, Proof, size
from pages.ui.text import number, with_terms
from transformer import MultiHeadAttention
from transformer.lessons.measurements import NUM_KEYS, NUM_QUERIES, measure_scaling

page = Page(__file__)
lesson, words = page.lesson, page.words
attention, head_size = lesson.attention, lesson.config.head_size
queries, keys, scores, scaled = (
    part[lesson.row, lesson.head] for part in (attention.queries, attention.keys, attention.scores, attention.scaled)
)
POWERS = {2**power for power in range(10)}


def draw_scores() -> None:
    """Before and after, in the same colours for the same numbers."""
    told = words.fades if head_size > 1 else words.stays
    look = {**page.attention_axes, "limit": float(scores.abs().max()) or None}
    flow(
        [[Matrix(scores, "S", **look), f"÷ √{head_size} →", Matrix(scaled, f"S/√{head_size}", **look)]],
        key="scaling",
        selected=(lesson.picked("query", lesson.length), lesson.picked("key", lesson.length)),
        readout=Readout(
            "divide",
            {**words.readout.table(), "note": told, "divisor": f"√{head_size}"},
            divisor=math.sqrt(head_size),
        ),
        on_select=page.pick("query", "key"),
    )


def draw_reason() -> None:
    """What happens without the division, measured on random vectors."""
    measured = measure_scaling(tuple(sorted({*POWERS, head_size})), lesson.seed)
    peak = int(measured.head_sizes[measured.unscaled.gradient.argmax()])
    told = words.measured.format(peak=peak)
    st.markdown(with_terms(told, page.language), unsafe_allow_html=True)
    names = words.without, words.with_scaling
    page.plot(
        scaling(measured, head_size, words.panels, names, words.head_size, page.theme),
        "scaling_reason",
        beside_words=True,
    )
    setting = words.setting.format(head_size=head_size, queries=NUM_QUERIES, keys=NUM_KEYS, seed=lesson.seed)
    st.markdown(f"<small>{with_terms(setting, page.language)}</small>", unsafe_allow_html=True)


exact = math.isqrt(head_size) ** 2 == head_size
page.opening(
    size(attention.scores),
    page.shape(attention, "scaled"),
    head_size=head_size,
    root=f"√{head_size} {'=' if exact else '≈'} {number(math.sqrt(head_size))}",
)
view = page.view("scores", "why")
if view == "why":
    draw_reason()
else:
    draw_scores()
page.details(
    MultiHeadAttention.trace,
    attention,
    ["scaled"],
    Proof(
        scaled,
        torch.addmm(scaled.double(), queries.double(), keys.double().T, beta=0, alpha=head_size**-0.5),
        "torch.addmm in float64",
    ),
    head_size=head_size,
    fourfold=4 * head_size,
)
