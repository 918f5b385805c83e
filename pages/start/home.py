"""The whole model on one picture: every stage leads to its page."""

import streamlit as st

from pages.figures.model_picture import Stage, brief, operation_counts, parameter_counts, picture, shape
from pages.figures.sentence import percent
from pages.figures.token_strip import STYLE, piece
from pages.ui import cache, catalog, state
from pages.ui.parts import Page

MOST_PIECES, GUESSES = 26, 3
page = Page(__file__)
lesson, words, config = page.lesson, page.words, page.lesson.config
links = catalog.links()
counts, operations = parameter_counts(config), operation_counts(config, *lesson.tokens.shape)


def draw_sentence() -> None:
    """The learner's sentence as the pieces that walk through the model."""
    labels = lesson.labels_of(0)
    pieces = "".join(piece(label, place) for place, label in enumerate(labels[:MOST_PIECES]))
    st.html(f'<div class="tokens sentence">{pieces}{"…" if len(labels) > MOST_PIECES else ""}</div>')


def draw_stage(stage: Stage) -> None:
    """A card with the live shape of what the stage makes; a link when the stage has a page."""
    live = ", ".join(map(str, shape(stage, config, *lesson.tokens.shape)))
    label = f"**{getattr(words.stages, stage.name)}** `({live})`"
    if stage.page in links:
        st.page_link(links[stage.page], label=label)
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


def draw_guesses() -> None:
    """The likeliest tokens after the sentence, as the live model says."""
    said = cache.said_after(lesson.source, lesson.tokens[:1], lesson.length - 1)
    chances, ids = said.probabilities[0].topk(GUESSES)
    guesses = zip(chances.tolist(), map(lesson.label, ids.tolist()), strict=True)
    st.html(
        '<div class="tokens sentence guesses">'
        + "".join(
            f"<span>{piece(label, place)} <small>{percent(chance)}</small></span>"
            for place, (chance, label) in enumerate(guesses)
        )
        + "</div>"
    )


def draw_parts() -> None:
    """What each part learns and what it computes, as a table with bars."""
    learned = words.learned.format(f"<b>{sum(counts.values()):,}</b>")
    computed = words.computed.format(f"<b>{brief(sum(operations.values()))}</b>")
    lines = "".join(
        f"<tr><th>{getattr(words.parts, name)}</th>"
        f"<td>{count:,}</td><td>{bar(counts, name)}</td>"
        f"<td>{brief(operations[name])}</td><td>{bar(operations, name)}</td></tr>"
        for name, count in counts.items()
    )
    heads = f'<tr><th></th><th colspan="2">{learned}</th><th colspan="2">{computed}</th></tr>'
    st.html(f'<table class="parameters">{heads}{lines}</table>')


def bar(numbers: dict[str, int], part: str) -> str:
    """A part's share of all parts as a bar, or why it has none."""
    if numbers[part]:
        return f'<i style="width: {100 * numbers[part] / max(numbers.values()):.1f}%"></i>'
    return str((words.unlearned if numbers is counts else words.uncounted).table().get(part, ""))


def draw_check() -> None:
    """The parts' sum against PyTorch's own count."""
    total, own = sum(counts.values()), sum(parameter.numel() for parameter in lesson.model.parameters())
    with st.container(key="check" if total == own else "check_fails"):
        st.markdown((words.check.holds if total == own else words.check.fails).format(total=total, own=own))


def draw_weights() -> None:
    """Which weights are shown, what the bundled ones reached, and a button for the other ones."""
    shown = state.get("weights")
    other = "demonstration" if shown == "random" else "random"
    facts = {"step": lesson.source.step} if shown == "run" else cache.demonstration().extra
    st.markdown(getattr(words.weights, shown).format(**facts))
    st.button(getattr(words.switch, other), key="switch", on_click=state.put, args=("weights", other))


st.html(STYLE)
with st.container(key="welcome", horizontal=True, vertical_alignment="center", wrap=False):
    st.markdown(words.lead)
    if st.button(words.start, key="start", type="primary"):
        state.turn_to(links[catalog.WALK[1].name])
draw_sentence()
draw_model()
with st.container(key="learned", horizontal=True, wrap=False, gap="large"):
    draw_parts()
    with st.container(key="before_and_after"):
        draw_weights()
draw_check()
