"""The whole model on one picture, for each family: every stage leads to its page."""

import html
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.figures.model_picture import Rows, Stage, brief, shape
from pages.figures.sentence import percent
from pages.figures.token_strip import STYLE, piece
from pages.ui import catalog, sidebar, state
from pages.ui.families import FAMILIES, Shown
from pages.ui.parts import Page
from transformer import GPT
from transformer.classifier import Classifier

MOST_PIECES = 26
SIDES = 1, 0  # colours of a decision and of what is against it, as the classification page has them
page = Page(__file__)
words, links = page.words, catalog.links()


def draw_sentence(shown: Shown) -> None:
    """The learner's sentence as the pieces that walk through the model."""
    pieces = "".join(piece(label, place) for place, label in enumerate(shown.tokens[:MOST_PIECES]))
    st.html(f'<div class="tokens sentence">{pieces}{"…" if len(shown.tokens) > MOST_PIECES else ""}</div>')


def draw_stage(stage: Stage, axes: Mapping[str, int], key: str) -> None:
    """A card with the live shape of what the stage makes; a link when the stage has a page."""
    live = shape(stage, axes)
    label = f"**{getattr(words.stages, stage.name)}** `({', '.join(map(str, live))}){padding(stage, live, axes)}`"
    with st.container(key=f"stage_{key}"):
        if stage.page in links:
            st.page_link(links[stage.page], label=label)
        else:
            st.markdown(label)


def padding(stage: Stage, live: Sequence[int], axes: Mapping[str, int]) -> str:
    """What a batch has put behind the learner's sentence because another row is longer."""
    more = live[-1] - axes["N"]
    return " " + str(words.padding.format(more)) if stage.name == "batch" and more > 0 else ""


def draw_model(shown: Shown) -> None:
    """All stages in the order of computation, and at the end what the model says; what is repeated stands in a frame."""
    with st.container(key="model"):
        for name, part in shown.picture.items():
            with st.container(key=f"part_{name}", horizontal=True, vertical_alignment="center", wrap=False):
                draw_name(getattr(words.model, name), part.whole, shown.blocks)
                draw_beside("before", part.before, shown)
                draw_rows(name, part.rows, shown)
                draw_beside("after", part.after, shown)


def draw_name(name: str, whole: Sequence[Stage], blocks: int) -> None:
    """What a part is called; a link where a page shows all its repetitions."""
    for stage in whole:
        label = f"**{name}** `{getattr(words.stages, stage.name)}`"
        st.page_link(links[stage.page], label=label.format(blocks=blocks))
    if not whole:
        st.markdown(name.format(blocks=blocks))


def draw_beside(side: str, stages: Sequence[Stage], shown: Shown) -> None:
    """What stands beside a frame."""
    if stages:
        with st.container(key=f"beside_{side}"):
            for stage in stages:
                draw_stage(stage, shown.axes, f"{side}_{stage.name}")


def draw_rows(name: str, rows: Rows, shown: Shown) -> None:
    """A part's stages, row by row."""
    with st.container(key=f"rows_{name}"):
        for number, row in enumerate(rows):
            with st.container(key=f"row_{name}_{number}", horizontal=True, wrap=False):
                for place, stage in enumerate(row):
                    draw_stage(stage, shown.axes, f"{name}_{number}_{place}")
                if name == "output":
                    draw_said(shown)


def draw_said(shown: Shown) -> None:
    """What the live model says to the sentence: the likeliest answers, or a text."""
    colors = SIDES if family == Classifier.family else range(len(shown.guesses))
    guesses = "".join(
        f"<span>{piece(label, color)} <small>{percent(chance)}</small></span>"
        for color, (label, chance) in zip(colors, shown.guesses, strict=True)
    )
    said = guesses or f'<q title="{html.escape(shown.written)}">{html.escape(shown.written)}</q>'
    st.html(f'<div class="tokens sentence guesses">{said}</div>')


def draw_parts(shown: Shown) -> None:
    """What each part learns and what it computes, as a table with bars."""
    learned = words.learned.format(f"<b>{sum(shown.learned.values()):,}</b>")
    computed = words.computed.format(f"<b>{counted(sum(shown.computed.values()))}</b>")
    lines = "".join(
        f"<tr><th>{getattr(words.parts, name)}</th>"
        f"<td>{count:,}</td><td>{bar(shown.learned, name, words.unlearned.table())}</td>"
        f"<td>{operations(shown.computed, name)}</td><td>{bar(shown.computed, name, words.uncounted.table())}</td></tr>"
        for name, count in shown.learned.items()
    )
    heads = f'<tr><th></th><th colspan="2">{learned}</th><th colspan="2">{computed}</th></tr>'
    st.html(f'<table class="parameters">{heads}{lines}</table>')


def operations(computed: Mapping[str, int], part: str) -> str:
    """A part's operations as written; a dash where it has some that are not counted, for only a look-up has none."""
    return counted(computed[part]) if computed[part] or part == "embedding" else "—"


def counted(count: int) -> str:
    """A count of operations in the language's own units."""
    return brief(count, words.units, words.unit)


def bar(numbers: Mapping[str, int], part: str, nothing: Mapping[str, str]) -> str:
    """A part's share of all parts as a bar, or why it has none."""
    if numbers[part]:
        return f'<i style="width: {100 * numbers[part] / max(numbers.values()):.1f}%"></i>'
    return nothing.get(part, "")


def draw_check(shown: Shown) -> None:
    """The parts' sum against PyTorch's own count."""
    total, own = sum(shown.learned.values()), sum(parameter.numel() for parameter in shown.model.parameters())
    with st.container(key="proven" if total == own else "refuted"):
        st.markdown((words.check.holds if total == own else words.check.fails).format(total=total, own=own))


def draw_weights(shown: Shown) -> None:
    """Which weights are shown, what the bundled ones reached, and a button for the other ones."""
    choice, now, other = shown.weights
    st.markdown(getattr(getattr(words.weights, family), now).format(**shown.facts))
    st.button(getattr(words.switch, other), key="switch", on_click=state.put, args=(choice, other))


st.html(STYLE)
welcome = st.container(key="welcome", horizontal=True, vertical_alignment="center", wrap=False)
page.controls = st.container(key="family")
family = page.view(*FAMILIES)
if family != GPT.family:
    sidebar.want("own")  # the other families have controls of their own
made = FAMILIES[family](page)
with welcome:
    st.markdown(getattr(words.lead, family))
    if made and st.button(getattr(words.start, family), key="start", type="primary"):
        state.turn_to(links[made.start])
with st.container(key=f"shown_{family}"):
    if made is None:
        st.info(words.invite)
        st.stop()
    draw_sentence(made)
    draw_model(made)
    with st.container(key="learned", horizontal=True, wrap=False, gap="large"):
        draw_parts(made)
        with st.container(key="before_and_after"):
            draw_weights(made)
    draw_check(made)
