"""Why attention: the recurrent network it replaced, counted and measured on this machine (paper, section 4 and table 1)."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from pages.figures import reading, table_1
from pages.figures.curves import Axis, Curve, curves
from pages.figures.palette import Role
from pages.matrix import Matrix, Readout, product
from pages.ui import state
from pages.ui.page_desk import linked_control, page_desk
from pages.ui.parts import Page, Proof, size
from pages.ui.text import joined, with_terms
from transformer.lessons.recounts import kept_in_graphs, multiplications, timed_states
from transformer.lessons.sequence_costs import (
    LENGTHS,
    NUM_HEADS,
    REACH_WIDTH,
    REACHES,
    alone,
    layer_costs,
    measured_memory,
    measured_reach,
    measured_times,
)
from transformer.recurrent import make_rnn, trace_rnn

HIDDEN = 12  # numbers of the pictured hidden state
WIDTHS, GAINS, BIASES = (32, 64, 128, 256), (0.5, 1.0, 1.5, 2.0, 3.0, 4.0), (0.0, 1.0, 2.0, 5.0)
KERNEL, NEIGHBOURHOOD = 3, 32
COUNTED = "FlopCounterMode: n²·d, n·d², k·n·d², r·n·d"
MARKED = 32  # the length whose gradients are written out
ATTENTION, RECURRENT, CONVOLUTIONAL = "kind0", "kind1", "kind2"  # the families' colours; members differ in dash
LOOKS = {
    "rnn": (RECURRENT, "solid"),
    "lstm": (RECURRENT, "dash"),
    "attention": (ATTENTION, "solid"),
    "explicit": (ATTENTION, "dash"),
}
COLORS: dict[str, Role] = {
    "attention": ATTENTION,
    "recurrent": RECURRENT,
    "convolutional": CONVOLUTIONAL,
    "restricted": ATTENTION,
}
SLIDERS = {
    "costs": ("n", "d"),
    "time": ("n", "d"),
    "gradient": ("gain", "bias"),
    "memory": ("n", "d"),
}  # of each picture

page = Page(__file__)
lesson, words = page.lesson, page.words
layer = make_rnn(lesson.config.d_model, HIDDEN, lesson.seed)
trace = trace_rnn(layer, lesson.embedding.embeddings[:1])
labels = lesson.labels_of(0)
for style in reading.STYLE, table_1.STYLE:
    st.html(style)
sliders = {
    name: linked_control(page.name, "slider", name, getattr(words.asked, name), default, values)
    for name, values, default in (("n", LENGTHS, 256), ("d", WIDTHS, 64), ("gain", GAINS, 1.0), ("bias", BIASES, 0.0))
}
n, d, gain, bias = (slider.value for slider in sliders.values())


def draw_reading() -> None:
    """The sentence read one token after another, and all at once."""
    times = state.recall("readings", 0)
    page.controls.button(words.play, key="why_attention_play", on_click=lambda: state.remember("readings", times + 1))
    count = lesson.length
    captions = reading.Captions(
        words.recurrent,
        words.recurrent_note.format(n=count),
        words.attention,
        words.attention_note.format(pairs=count * (count - 1) // 2, block=lesson.block + 1, head=lesson.head + 1),
    )
    weights = lesson.attention.weights[0, lesson.head]
    st.html(reading.reading(labels, trace.hidden[0], weights, captions, times))


def draw_state() -> None:
    """tanh([x_t, h_{t−1}] · [W U]ᵀ + b): every number of a hidden state."""
    to_token, to_before, token_bias, before_bias = layer.all_weights[0]
    bands: list[tuple[Role, int]] = [("token", to_token.size(1)), (RECURRENT, HIDDEN)]
    hidden = trace.hidden[0]
    picked = min(state.get("query"), len(labels) - 1), min(state.get("dim"), HIDDEN - 1)
    product(
        Matrix(torch.cat((trace.input[0], trace.previous[0]), 1), words.reads, rows=labels, bands=bands),
        Matrix(torch.cat((to_token, to_before), 1).T, "[W U]ᵀ", row_bands=bands),
        Matrix(hidden, "h", RECURRENT),
        bias=token_bias + before_bias,
        key="why_attention_state",
        selected=picked,
        readout=Readout("unit", words.state.table()),
        on_select=page.pick("query", "dim"),
    )


def draw_time() -> None:
    """Measured time of a forward and backward pass over the sequence's length."""
    with st.spinner(words.measuring):
        measured = alone(measured_times, d)
    page.controls.button(words.again, key="why_attention_again", on_click=alone, args=(measured_times, d, measured))
    plot({kind: [1000 * s for s in seconds] for kind, seconds in measured.seconds.items()}, words.milliseconds)
    tell(words.time, at=f"{measured.at:%H:%M}", threads=measured.threads)


def draw_memory() -> None:
    """Measured bytes that autograd keeps."""
    kept = {kind: [size / 2**20 for size in sizes] for kind, sizes in alone(measured_memory, d).items()}
    plot(kept, words.mebibytes)
    tell(words.memory)


def draw_gradient() -> None:
    """Measured size of the gradient between the two ends of a sequence."""
    reach = alone(measured_reach, lesson.seed, gain, bias)
    sizes = {kind: size.tolist() for kind, size in reach.sizes.items()}
    plot(sizes, words.passed, REACHES, MARKED)
    tell(words.gradient, d=REACH_WIDTH)


def tell(told: str, **values: Any) -> None:
    """A sentence under a picture; the numbers at n stand in its legend."""
    told = told.replace(" = ", "\u00a0=\u00a0").format(**{"n": n, "d": d, "heads": NUM_HEADS, **values})
    st.markdown(with_terms(told, page.language), unsafe_allow_html=True)


def plot(measured: Mapping[str, Sequence[float]], up: str, lengths: Sequence[int] = LENGTHS, mark: int = n) -> None:
    """A curve for each kind of layer over the length, both on logarithmic scales."""
    names = words.kinds.table()
    lines = [Curve(names[kind], lengths, values, *LOOKS[kind]) for kind, values in measured.items()]
    ticks = [length for length in lengths if length.bit_count() == 1]
    picture = curves(lines, Axis(words.tokens, True, ticks, symbol="n"), Axis(up, True), page.theme, mark=mark)
    page.plot(picture, f"why_attention_{view}_curves", beside_words=True)


def draw_costs() -> None:
    """The paper's table 1 as arithmetic."""
    costs, names = layer_costs(n, d, KERNEL, NEIGHBOURHOOD), words.layers.table()
    seen = min(NEIGHBOURHOOD, n)
    arithmetic = {
        "attention": (f"n²·d = {n}²·{d}", "1", "1"),
        "recurrent": (f"n·d² = {n}·{d}²", f"n = {n}", f"n = {n}"),
        "convolutional": (f"k·n·d² = {KERNEL}·{n}·{d}²", "1", f"⌈logₖ n⌉ = ⌈log₃ {n}⌉"),
        "restricted": (f"r·n·d = {seen}·{n}·{d}", "1", f"⌈n/r⌉ = ⌈{n}/{seen}⌉"),
    }
    rows = [
        table_1.Row(COLORS[kind], names[kind], [*map(table_1.Cost, arithmetic[kind], cost)])
        for kind, cost in costs.items()
    ]
    st.html(table_1.table_1(words.headings, rows))
    more, less = costs["attention"].operations, costs["recurrent"].operations
    told = words.conclusion.less if more < less else words.conclusion.more if more > less else words.conclusion.same
    tell(joined(page.language, told, words.conclusion.bars), times=max(n, d) // min(n, d))


def proof() -> Proof:
    """What a view shows, found in another way; where times are shown, which nobody can find twice, what is timed."""
    if view == "costs":
        counted, again = layer_costs(n, d, KERNEL, NEIGHBOURHOOD), multiplications(n, d, KERNEL, NEIGHBOURHOOD)
        shown = {kind: [cost.operations] for kind, cost in counted.items()}
        return Proof(numbers(shown), numbers({kind: [again[kind]] for kind in shown}), COUNTED)
    if view == "time":
        return Proof(*timed_states(d, n), f"nn.RNN({d}, {d})(x): h₁ … hₙ")
    if view == "memory":
        return Proof(numbers(alone(measured_memory, d)), numbers(alone(kept_in_graphs, d)), "grad_fn._saved_…")
    if view == "gradient":
        reach = alone(measured_reach, lesson.seed, gain, bias)
        return Proof(reach.sizes["rnn"], reach.by_chain_rule, "W·∏ diag(1 − h²)·U")
    return Proof(trace.hidden, layer(trace.input)[0].detach(), "nn.RNN")


def numbers(found: Mapping[str, Sequence[int]]) -> Tensor:
    """Whole numbers of each kind, one row a kind. (kinds, N) float64"""
    return torch.tensor(list(found.values()), dtype=torch.float64)


VIEWS = {
    "reading": draw_reading,
    "state": draw_state,
    "costs": draw_costs,
    "time": draw_time,
    "gradient": draw_gradient,
    "memory": draw_memory,
}
SIZES = {**dict.fromkeys(("costs", "time", "memory"), (n, d)), "gradient": (MARKED, REACH_WIDTH)}
asked = SIZES.get(state.get(page.linked("view", next(iter(VIEWS)), VIEWS.__contains__)))
if asked:
    page.opening(f"`(1, {asked[0]}, {asked[1]})` {words.sizes}", formula=words.both)
else:
    page.opening(size(trace.input), f"{size(trace.hidden)} {words.axes}")
view = page.view(*VIEWS)
page_desk([[sliders[name]] for name in SLIDERS.get(view, ())])
VIEWS[view]()
page.details(trace_rnn, trace, ["hidden"], proof())
