"""The whole stack at once: every head, what each sublayer writes, how the stream grows, and the logit lens."""

import math

import streamlit as st
import torch
import torch.nn.functional as F

from pages.figures import every_head, predictions
from pages.figures.sentence import code, distinct, percent
from pages.figures.stream_growth import stream_growth
from pages.figures.theme import literal
from pages.matrix import Matrix, Readout, Selection, product
from pages.ui import cache, catalog, pickers, state, text
from pages.ui.lesson import UNKNOWN
from pages.ui.parts import Page, Proof, size
from pages.ui.worked import significant, worked
from transformer.residual_stream import evenly, follow, habits

GUESSES = 4
STRONG = 0.3  # of a head's attention: what is named as its habit has this much, and twice what an even head would give
ROOM = 8  # heads side by side whose corners have room for words
page = Page(__file__)
lesson, words = page.lesson, page.words
stream, config, labels = lesson.stream, lesson.config, lesson.labels
stages = [words.stages.start] + [
    sublayer.format(block)
    for block in range(1, config.num_blocks + 1)
    for sublayer in (words.stages.attention, words.stages.feed_forward)
]


def walk_into(panel: int) -> None:
    """Looks at the head of a panel from now on."""
    block, head = divmod(panel, config.num_heads)
    state.put("block", block + 1)
    state.put("head", head + 1)


def draw_heads() -> Proof:
    """Every head of every block; a click walks into one."""
    place = {"block": lesson.block + 1, "head": lesson.head + 1}
    asked = page.controls.button(words.open.format(**place), key=f"{page.name}_open")
    side = every_head.square_of(config.num_blocks, config.num_heads, lesson.length)
    shares, even = habits(stream.weights).flatten(0, 1).tolist(), habits(evenly(lesson.length)).tolist()
    notes = [note(head, even) if config.num_heads <= ROOM else "" for head in shares]
    names = [words.block.format(n + 1) for n in range(config.num_blocks)]
    heads = [words.head.format(n + 1) for n in range(config.num_heads)]
    titles = [f"{block} · {head}" for block in names for head in heads]
    figure = every_head.every_head(
        every_head.pooled(stream.weights, side),
        names,
        heads,
        notes,
        ["<br>".join([f"<b>{title}</b>", *told(head)]) for title, head in zip(titles, shares, strict=True)],
        (lesson.block, lesson.head),
        page.theme,
    )
    clicked = pickers.clickable(page, figure, "every_head", walk_into)
    noted = words.noted if any(note not in ("", words.habits.none) for note in notes) else ""
    repeated = words.subscript if noted and len(set(labels)) < len(labels) else ""
    pooled = words.pooled.format(side=side) if side > 1 else ""
    st.markdown(text.joined(page.language, words.click, noted, repeated, pooled))
    if asked or clicked:
        state.turn_to(catalog.links()["softmax"])
    again = cache.last_output(lesson.source, lesson.pictured)[0]  # what these weights lead to
    return Proof(stream.states[-1], again, "F.scaled_dot_product_attention")


def told(shares: list[float]) -> list[str]:
    """What a head gives to the token itself, the one before, the first, and the one it looks at most, in words."""
    most = 2 + max(range(lesson.length), key=lambda place: shares[2 + place])
    return [habit(shares, number) for number in dict.fromkeys((0, 1, 2, most)) if math.isfinite(shares[0])]


def note(shares: list[float], even: list[float]) -> str:
    """The strongest of these, if it is strong: an even head, too, gives everything a little."""
    if not math.isfinite(shares[0]):
        return ""
    strongest = max(range(len(shares)), key=shares.__getitem__)
    strong = shares[strongest] >= max(STRONG, 2 * even[strongest])
    return habit(shares, strongest) if strong else str(words.habits.none)


def habit(shares: list[float], number: int) -> str:
    """One of a head's habits in words, numbered as in `habits`."""
    names = words.habits.itself, words.habits.previous, words.habits.first
    name = names[number] if number < len(names) else words.habits.token
    return str(name.format(percent(shares[number]), token=literal(distinct(labels)[number - 2])))


def draw_writes() -> Proof:
    """Who wrote what into the picked token's numbers: the stream after each sublayer is the sum of all writes so far."""
    place = pickers.token(page, words.token)
    dim = lesson.picked("dim", config.d_model)
    last = len(stages) - 1
    counted = torch.ones(len(stages), len(stages)).tril()
    later = torch.ones_like(counted, dtype=torch.bool).triu(1)
    writes, states = stream.writes[:, place], stream.states[:, place]
    limit = float(torch.cat([writes, states]).abs().max()) or None

    def keep(selection: Selection) -> None:
        state.remember("stack_stage", selection.i)
        state.put("dim", selection.j)

    product(
        Matrix(counted.masked_fill(later, math.nan), words.writes.counted, rows=stages, columns=stages, scale="weight"),
        Matrix(writes, words.writes.written, "token", stages, limit=limit),
        Matrix(states, "x", "output", limit=limit, column_axis=words.writes.dimensions),
        key="writes",
        selected=(min(state.recall("stack_stage", last), last), dim),
        readout=Readout("weighted", words.writes.readout.table()),
        on_select=keep,
    )
    return Proof(states, writes.double().cumsum(0), "torch.cumsum in float64")


def draw_growth() -> Proof:
    """How long each token's vector is after each sublayer, and how far it has turned from where it started."""
    place = pickers.token(page, words.token)
    states = stream.states
    start, end = states[0, place], states[-1, place]
    lengths, cosines = states.norm(dim=-1), F.cosine_similarity(states, states[:1], dim=-1)
    titles = words.growth.length, words.growth.cosine
    names = words.growth.mean, words.growth.others, words.growth.blocks
    figure = stream_growth((lengths, cosines), stages, labels, place, titles, names, page.theme)
    page.plot(figure, "growth", beside_words=True)
    parts = float(end @ start), float(lengths[-1, place]), float(lengths[0, place])
    dot, length, first, cosine = worked(cosine_of, parts, float(cosines[-1, place]), 3)
    squares, length = worked(math.sqrt, [float(end.square().sum())], parts[1], significant(length))
    told = {"squares": squares, "length": length, "first": first, "dot": dot, "cosine": cosine}
    st.markdown(words.growth.worked.format(token=code(labels[place]), **told))
    turns = F.normalize(states.double(), dim=-1)
    again = torch.stack([(states * turns).sum(-1), (turns * turns[:1]).sum(-1)])
    return Proof(torch.stack([lengths, cosines]), again, "F.normalize in float64")


def cosine_of(dot: float, length: float, first: float) -> float:
    """The cosine between two vectors of these lengths; a calculator has no better rule for a vector of length zero."""
    return dot / (length * first) if length * first else 0.0


def draw_lens() -> Proof:
    """What the model would say after the picked token if it stopped at the start, or after any block."""
    place = pickers.token(page, words.token)
    following = int(lesson.targets[lesson.row, place])
    known = following != UNKNOWN
    found = cache.lens(lesson.source, lesson.pictured, place, following if known else 0, GUESSES)
    names = [words.lens.start, *(words.block.format(n + 1) for n in range(config.num_blocks))]
    layers = [
        predictions.Layer(
            name,
            [(lesson.label(id), share, id == following) for id, share in zip(ids, shares, strict=True)],
            (watched, words.lens.rank.format(f"{rank:,}")) if known else None,
        )
        for name, ids, shares, watched, rank in zip(names, *(part.tolist() for part in found), strict=True)
    ]
    tokens = labels[place], lesson.label(following) if known else ""
    st.html(predictions.STYLE)
    st.html(predictions.lens(layers, (words.lens.after, words.lens.says, words.lens.next), tokens))
    st.markdown(words.lens.note)
    with torch.no_grad():
        logits = F.linear(lesson.model.final_norm(stream.after_blocks[:, place]), lesson.model.output.weight)
    again = F.softmax(logits.double(), -1).gather(1, found.ids)
    return Proof(found.probabilities, again, "F.layer_norm, F.linear, F.softmax")


VIEWS = {"heads": draw_heads, "writes": draw_writes, "growth": draw_growth, "lens": draw_lens}
view = page.viewed(*VIEWS)
if view == "heads":
    page.opening(size(lesson.attention.weights), formula=words.heads_formula)
elif view == "lens":
    page.opening(f"`({', '.join(map(str, (*lesson.tokens.shape, config.vocab_size)))})`", formula=words.lens_formula)
else:
    page.opening(size(lesson.embedding.embeddings), formula=words.growth_formula if view == "growth" else "")
page.view(*VIEWS)
page.details(follow, stream, ["states", "weights"], VIEWS[view]())
