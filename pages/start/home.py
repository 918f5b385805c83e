"""The whole model on one picture: every stage leads to its page."""

import streamlit as st
import torch

from pages.figures.model_picture import Stage, parameter_counts, picture, shape
from pages.figures.sentence import percent
from pages.figures.token_strip import STYLE, piece
from pages.ui import cache, catalog, state
from pages.ui.parts import Page

MOST_PIECES, GUESSES = 26, 3
page = Page(__file__)
lesson, words, config = page.lesson, page.words, page.lesson.config
links = catalog.links()
counts = parameter_counts(config)


def draw_sentence() -> None:
    """The learner's sentence as the pieces that walk through the model."""
    labels = lesson.labels_of(0)
    pieces = "".join(piece(label, place) for place, label in enumerate(labels[:MOST_PIECES]))
    st.html(f'<div class="tokens sentence">{pieces}{"…" if len(labels) > MOST_PIECES else ""}</div>')


def draw_stage(stage: Stage) -> None:
    """A card with the live shape of what the stage makes; a link when the stage has a page."""
    live = ", ".join(map(str, shape(stage, config, *lesson.tokens.shape)))
    label = f"**{getattr(words.stages, stage.name)}** `({live})`"
    if stage.name in links:
        st.page_link(links[stage.name], label=label)
    else:
        st.markdown(label)


def draw_model() -> None:
    """All stages in the order of computation, and at the end what the model says next."""
    with st.container(key="model"):
        for part, rows in picture(config).items():
            with st.container(key=f"part_{part}", horizontal=True, vertical_alignment="center", wrap=False):
                st.markdown(getattr(words.model, part).format(blocks=config.num_blocks))
                with st.container(key=f"rows_{part}"):
                    for number, row in enumerate(rows):
                        with st.container(key=f"row_{part}_{number}", horizontal=True, wrap=False):
                            for place, stage in enumerate(row):
                                with st.container(key=f"stage_{part}_{number}_{place}"):
                                    draw_stage(stage)
                            if part == "output":
                                draw_guesses()


@torch.no_grad()
def draw_guesses() -> None:
    """The likeliest tokens after the sentence, as the live model says."""
    last = cache.block_trace(lesson.source, lesson.tokens, config.num_blocks - 1).output[0, -1]
    chances, ids = lesson.model.output(lesson.model.final_norm(last)).softmax(0).topk(GUESSES)
    guesses = zip(chances.tolist(), map(lesson.label, ids.tolist()), strict=True)
    st.html(
        '<div class="tokens sentence guesses">'
        + "".join(
            f"<span>{piece(label, place)} <small>{percent(chance)}</small></span>"
            for place, (chance, label) in enumerate(guesses)
        )
        + "</div>"
    )


def draw_parameters() -> None:
    """How many numbers each part learns, as a table with bars."""
    none, most = words.none.table(), max(counts.values())
    bars = {
        name: f'<i style="width: {100 * count / most:.1f}%"></i>' if count else none[name]
        for name, count in counts.items()
    }
    st.html(
        '<table class="parameters">'
        + "".join(
            f"<tr><th>{getattr(words.parts, name)}</th><td>{count:,}</td><td>{bars[name]}</td></tr>"
            for name, count in counts.items()
        )
        + "</table>"
    )


def draw_check() -> None:
    """The parts' sum against PyTorch's own count."""
    total, own = sum(counts.values()), sum(parameter.numel() for parameter in lesson.model.parameters())
    with st.container(key="check" if total == own else "check_fails"):
        st.markdown((words.check.holds if total == own else words.check.fails).format(total=total, own=own))


def draw_weights() -> None:
    """Which weights are shown, what the trained ones reached, and a button for the other ones."""
    shown, other = ("demonstration", "random") if lesson.source.trained else ("random", "demonstration")
    st.markdown(getattr(words.weights, shown).format(**cache.demonstration().extra))
    st.button(getattr(words.switch, other), key="switch", on_click=state.put, args=("weights", other))


st.html(STYLE)
with st.container(key="welcome", horizontal=True, vertical_alignment="center", wrap=False):
    st.markdown(words.lead)
    if st.button(words.start, key="start", type="primary"):
        state.turn_to(links[catalog.WALK[1].name])
draw_sentence()
draw_model()
with st.container(key="learned", horizontal=True, wrap=False, gap="large"):
    draw_parameters()
    with st.container(key="before_and_after"):
        draw_weights()
draw_check()
