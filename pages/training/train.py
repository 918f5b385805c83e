"""Training a model of one's own: set it up, watch it learn, compare it with others, and walk it."""

import math

import streamlit as st
import torch

from pages.figures import learning, token_strip
from pages.figures.sentence import SUBSCRIPTS, literal
from pages.matrix import Matrix, Readout, Selection, flow
from pages.matrix.clicks import clickable
from pages.ui import runs, sidebar, state, text
from pages.ui.parts import Page, Proof
from pages.ui.training import awaited, controls, form, glimpse, listed, losses, proofs, reported, settings
from pages.ui.training.followed import EXAMPLE, Followed, follow, is_going, looked_at, plan_of
from pages.ui.training.texts import of_family
from transformer.gpt import GPT
from transformer.runs.jobs import jobs
from transformer.runs.plans import Plan
from transformer.runs.run import Run
from transformer.training import Training

VIEWS = "set_up", "watch", "runs"
TICK = 1.0  # seconds between looks
BELOW, HALL_BELOW = 14.1, 15.8  # rem under one head's weights: its card, the loss explained, and the foot
LINE = 1.3  # rem: one line more, for a run of which may be said that its loss has turned up

page = Page(__file__)
words = page.words
draft = settings.read(page)
jobs().workers.warm_up()


def draw_form() -> None:
    """What is to be trained, and what that costs."""
    found = form.draw(page, draft)
    if found:
        form.before_training(page, draft.data.family, found.outcomes)
        details(proofs.blind(page, found.outcomes))


def draw_watch() -> None:
    """The run that is looked at; drawn anew every second as long as something happens, and alone then."""
    run = looked_at()
    if run is None:
        awaited.written()
        invite(words.gone if state.get("run") else words.nothing)
        draw_learning(follow(EXAMPLE))
        return
    try:
        going = follow(run).going
    except (ValueError, OSError) as error:
        st.error(words.failures.unreadable.format(reason=error))
        if is_going(run):
            st.button(words.buttons.stop, key="stop_spoiled", on_click=jobs().ask, args=(run, "stop"))
        return
    awaited.written()
    (st.fragment(draw_run, run_every=TICK) if going else draw_run)(run, going)


def invite(told: str) -> None:
    """What to do where there is only the example, and how its model differs from the one that is walked."""
    model = EXAMPLE.plan.model
    smaller = words.smaller.format(rows=f"{model.vocab_size:,}", width=model.d_model)
    controls.invite(page, text.joined(page.language, told, smaller))


def draw_run(run: Run, going: bool) -> None:
    """One look at a run."""
    awaited.write_anew()
    try:
        seen = follow(run)
    except (ValueError, OSError):
        st.rerun()  # the page says what is the matter
    if seen.going != going:
        st.rerun()  # the clock is not this function's
    steer(seen)
    try:
        draw_learning(seen)
    except proofs.SPOILED as error:
        st.error(words.failures.unreadable.format(reason=error))


def draw_learning(seen: Followed) -> None:
    """What the run's files tell: curves, what the model makes of a sentence, the losses explained."""
    curve = learning.thinned(seen.metrics.steps)
    place = losses.picked(page, seen, curve)
    with st.container(key="watched"):
        left, right = st.columns([3, 4], gap="medium")
        with left:
            losses.draw(page, seen, curve, place)
        with right:
            at = place.step if place else seen.step
            proof = draw_sentence(seen, at) if seen.plan.data.family == GPT.family else draw_report(seen, at)
    losses.explain(page, seen, curve, place)
    details(proof if seen.run == EXAMPLE else proofs.of_run(page, seen) or proof)


def draw_sentence(seen: Followed, step: int) -> Proof:
    """What the newest weights of a GPT make of the learner's sentence, and what it wrote after a step."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        shown = glimpse.look(page, seen)
        if shown:
            draw_attention(shown, 0.0 if seen.run == EXAMPLE else LINE)
    with right:
        proof = glimpse.draw_next(page, shown) if shown else proofs.blind(page, seen.outcomes)
        glimpse.draw_writing(page, seen, step)
    return proof


def draw_attention(shown: glimpse.Shown, more: float) -> None:
    """What one head attends to in the learner's sentence; so many rem `more` are needed below it."""
    weights, labels = shown.glance.weights, shown.labels
    hidden = torch.ones_like(weights, dtype=torch.bool).triu(1)
    picture = Matrix(
        weights.masked_fill(hidden, math.nan),
        f"A{shown.head + 1}".translate(SUBSCRIPTS),
        f"head{shown.head}",
        scale="weight",
        rows=labels,
        columns=labels,
        row_role="query",
        column_role="key",
        row_axis=page.frame.queries,
        column_axis=page.frame.keys,
    )
    query, key = (min(state.get(name), len(labels) - 1) for name in ("query", "key"))
    readout = Readout("value", words.readout.table())
    below = more + (HALL_BELOW if state.get("hall") else BELOW)
    flow([[picture]], key="attention", selected=(query, key), readout=readout, square=True, below=below, on_select=pick)


def pick(selection: Selection) -> None:
    """Keeps the cell."""
    page.pick("query", "key")(selection)
    awaited.chosen()


def draw_report(seen: Followed, step: int) -> Proof:
    """How a translator or a classifier did on held-out examples, after a step."""
    reported.draw(page, seen, step)
    return proofs.blind(page, seen.outcomes)


def steer(seen: Followed) -> None:
    """The run's name and state, how far it has come, its buttons; and what is the matter, if something is."""
    share, told = controls.progress(page, seen)
    with st.container(key="steering", horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{literal(seen.plan.name)}**")
        st.markdown(controls.told_state(page, seen))
        st.progress(share)
        st.markdown(told)
        controls.buttons(page, seen)
        if not seen.going and runs.readable(seen.run):
            listed.walk(page, seen.run, "primary" if seen.status.name == "finished" else "secondary")
    controls.told_fault(page)
    if trouble := controls.told_trouble(page, seen):
        st.container(key="trouble").error(trouble)


def details(proof: Proof) -> None:
    """Code, predict and try, with the proof."""
    page.details(Training._descend, None, [], proof)


def draw_list() -> None:
    """All runs beside each other; before there is one, the example."""
    table = listed.table(page)
    if table is None:
        invite(words.listed.nothing)
        details(proofs.blind(page, listed.draw_example(page, losses.names_of(page, GPT.family)).outcomes))
        return
    clickable(table.picture, key="runs_table", on_pick=table.pick)
    run = looked_at()
    seen = listed.draw(page, losses.names_of(page, listed.family_of(run)))
    if seen:
        details(proofs.of_run(page, seen) or proofs.blind(page, seen.outcomes))


st.html(token_strip.STYLE)
st.html(learning.STYLE)
view = state.get(page.linked("view", VIEWS[0], VIEWS.__contains__))
subject = draft if view == VIEWS[0] else plan_of(looked_at() or EXAMPLE) or draft  # what is set up, or looked at
if subject.data.family != GPT.family:
    sidebar.want("own")  # only a GPT is asked what it makes of the sentence
context = subject.model.context_length if isinstance(subject, Plan) else draft.values["model.context_length"]
shape = f"`({subject.training.batch_size}, {context})` {page.frame.axes.B} × {page.frame.axes.T}"
page.opening(shape, words.one, does=of_family(words, subject.data.family, "does"))
{"set_up": draw_form, "watch": draw_watch, "runs": draw_list}[page.view(*VIEWS)]()
