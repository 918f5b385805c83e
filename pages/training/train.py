"""Training a model of one's own: set it up, watch it learn, compare it with others, and walk it."""

import math
from html import escape
from typing import Any

import streamlit as st
import torch
import torch.nn.functional as F

from pages.figures import learning, token_strip
from pages.figures.learning import Point
from pages.figures.sentence import literal
from pages.matrix import Matrix, Readout, flow
from pages.matrix.clicks import clickable
from pages.ui import runs, state
from pages.ui.parts import Page, Proof
from pages.ui.text import number, with_terms
from pages.ui.training import controls, curves, form, glimpse, listed, reported, settings
from pages.ui.training.followed import Followed, follow, is_going, looked_at, plan_of, turned_up, validated
from pages.ui.training.texts import of_family
from transformer.gpt import GPT
from transformer.job import jobs
from transformer.plans import Plan
from transformer.runs import Run
from transformer.training import Training

VIEWS = "set_up", "watch", "runs"
TICK = 1.0  # seconds between looks
HEIGHT, ATTENTION = "max(17rem, 100vh - 22.8rem)", 280  # of the curves, in CSS; of one head's weights, in px

page = Page(__file__)
words = page.words
draft = settings.read(page)
jobs().workers.warm_up()


def draw_form() -> None:
    """What is to be trained, and what that costs."""
    found = form.draw(page, draft)
    if found:
        form.before_training(page, draft.data.family, found.outcomes)
        details(blind(found.outcomes))


def draw_watch() -> None:
    """The run that is looked at, drawn anew every second as long as something happens."""
    run = looked_at()
    if run is None:
        st.info(words.gone if state.get("run") else words.nothing)
        return
    try:
        going = follow(run).going
    except (ValueError, OSError) as error:
        st.error(words.failures.unreadable.format(reason=error))
        if is_going(run):
            st.button(words.buttons.stop, key="stop_spoiled", on_click=jobs().ask, args=(run, "stop"))
        return
    st.fragment(draw_run, run_every=TICK if going else None)(run, going)


def draw_run(run: Run, going: bool) -> None:
    """One look at a run."""
    try:
        seen = follow(run)
    except (ValueError, OSError):
        st.rerun()  # the page says what is the matter
    if seen.going != going:
        st.rerun()  # the clock is not this function's
    steer(seen)
    try:
        draw_learning(seen)
    except (ValueError, OSError, KeyError, TypeError, RuntimeError) as error:  # what somebody wrote into its files
        st.error(words.failures.unreadable.format(reason=error))


def draw_learning(seen: Followed) -> None:
    """What the run's files tell: curves, what the model makes of a sentence, the losses explained."""
    curve = learning.thinned(seen.metrics.steps)
    place = picked(seen, curve)
    with st.container(key="watched"):
        left, right = st.columns([5, 6], gap="medium")
        with left:
            draw_curves(seen, curve, place)
        with right:
            at = place.step if place else seen.step
            proof = draw_sentence(seen, at) if seen.plan.data.family == GPT.family else draw_report(seen, at)
    explain(seen, curve, place)
    details(held_out_again(seen) or proof)


def draw_sentence(seen: Followed, step: int) -> Proof:
    """What the newest weights of a GPT make of the learner's sentence, and what it wrote after a step."""
    left, right = st.columns(2, gap="medium")
    with left:
        shown = glimpse.look(page, seen)
        if shown:
            draw_attention(shown)
    with right:
        proof = glimpse.draw_next(page, shown) if shown else blind(seen.outcomes)
        draw_writing(seen, step)
    return proof


def draw_report(seen: Followed, step: int) -> Proof:
    """How a translator or a classifier did on what was kept aside, after a step."""
    reported.draw(page, seen, step)
    return blind(seen.outcomes)


def named(family: str) -> learning.Names:
    """What the curves of a family's runs are called."""
    return learning.Names(**{name: of_family(words, family, f"names.{name}") for name in learning.Names._fields})


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


def draw_curves(seen: Followed, curve: learning.Curve, place: Point | None) -> None:
    """Losses beside those of simpler models; learning rate and gradient norm."""
    yardsticks = {
        of_family(words, seen.plan.data.family, f"yardsticks.{name}").format(loss=f"{loss:.2f}"): loss
        for name, loss in seen.run.yardsticks().items()
    }
    names, total = named(seen.plan.data.family), seen.plan.training.max_steps
    scene = learning.watched(curve, yardsticks, names, total, place, seen.run.id)

    def pick(line: int, step: int) -> None:
        state.remember("picked_step", (seen.run.id, line == 1, step))

    curves.grow(scene, key="learning", height=HEIGHT, on_pick=pick)


def picked(seen: Followed, curve: learning.Curve) -> Point | None:
    """The point that is explained: the newest, until one is clicked."""
    id, held_out, step = state.recall("picked_step", ("", False, 0))
    drawn = dict(curve.validations) if held_out else dict(zip(curve.steps, curve.losses.tolist(), strict=True))
    if id == seen.run.id and drawn:
        nearest = min(drawn, key=lambda drawn_step: abs(drawn_step - step))  # a longer curve is drawn in wider means
        return Point(held_out, nearest, drawn[nearest])
    if curve.validations:
        return Point(True, *curve.validations[-1])
    return Point(False, curve.steps[-1], float(curve.losses[-1])) if curve.steps else None


def draw_attention(shown: glimpse.Shown) -> None:
    """What one head attends to in the learner's sentence."""
    weights, labels = shown.glance.weights, shown.labels
    hidden = torch.ones_like(weights, dtype=torch.bool).triu(1)
    picture = Matrix(
        weights.masked_fill(hidden, math.nan),
        f"A{shown.head + 1}",
        f"head{shown.head}",
        scale="weight",
        rows=labels,
        columns=labels,
        row_role="query",
        column_role="key",
        row_axis=page.frame.queries,
        column_axis=page.frame.keys,
    )
    cell = tuple(min(state.get(name), len(labels) - 1) for name in ("query", "key"))
    flow(
        [[picture]],
        key="attention",
        selected=(cell[0], cell[1]),
        readout=Readout("value", words.readout.table()),
        height=ATTENTION,
        on_select=page.pick("query", "key"),
    )


def draw_writing(seen: Followed, step: int) -> None:
    """What the model wrote when it had come to a step, or the last time before."""
    written = [(at, report) for at, report in seen.metrics.reports if at <= step and "sampled" in report]
    if written:
        at, report = written[-1]
        told = escape(words.writes.format(step=f"{at:,}"))
        prompt, sampled = escape(report["prompt"]), escape(report["sampled"])
        st.html(f'<div class="writes">{told} <span class="prompt">{prompt}</span><b>{sampled}</b></div>')


def explain(seen: Followed, curve: learning.Curve, place: Point | None) -> None:
    """One loss worked out as a probability; and a plain word when the held-out loss turns up."""
    if place is None:
        waits = words.queued.format(slots=jobs().slots, place=seen.place) if seen.place else words.starting_up
        st.container(key="worked").markdown(waits if seen.going else words.nothing_done)
        return
    held_out, step, loss = place
    kind = "held_out" if held_out else "step" if curve.bin == 1 else "steps"
    family = seen.plan.data.family
    where = of_family(words, family, f"worked.{kind}").format(step=f"{step:,}", first=f"{step - curve.bin + 1:,}")
    told: dict[str, Any] = {
        "where": where,
        "loss": f"{loss:.3f}",
        "share": number(math.exp(-loss), 3),
        "perplexity": told_perplexity(loss),
        "rows": f"{seen.outcomes:,}",
    }
    lines = [of_family(words, family, "worked.line").format(**told)]
    if best := turned_up(seen.validations):
        lines.append(words.overfitting.format(step=f"{best[0]:,}", loss=f"{best[1]:.3f}"))
    st.container(key="worked").markdown(with_terms(" ".join(lines), page.language), unsafe_allow_html=True)


def told_perplexity(loss: float) -> str:
    """e^loss, in as many digits as it can bear."""
    perplexity = math.exp(min(loss, 700.0))
    return number(perplexity, 3) if perplexity < 100 else f"{perplexity:,.0f}"


def held_out_again(seen: Followed) -> Proof | None:
    """The last loss on held-out text, made anew from the saved weights, unless that would take long."""
    again = validated(seen)
    return Proof(torch.tensor(seen.validations[-1][1]), again(), "F.cross_entropy") if again else None


def blind(rows: int) -> Proof:
    """The loss of a model that finds all tokens equally likely, ln V."""
    zeros, target = torch.zeros(1, rows), torch.tensor([0])
    return Proof(torch.tensor(math.log(rows)), F.cross_entropy(zeros, target), "F.cross_entropy")


def details(proof: Proof) -> None:
    """Code, predict and try, with the proof."""
    page.details(Training._descend, None, [], proof)


def draw_list() -> None:
    """All runs beside each other."""
    table = listed.table(page)
    if table is None:
        return
    clickable(table.picture, key="runs_table", on_pick=table.pick)
    run = looked_at()
    seen = listed.draw(page, named(listed.family_of(run)))
    if seen:
        details(held_out_again(seen) or blind(seen.outcomes))


st.html(token_strip.STYLE)
st.html(learning.STYLE)
view = state.get(page.linked("view", VIEWS[0], VIEWS.__contains__))
subject = (None if view == VIEWS[0] else plan_of(looked_at())) or draft  # what is set up, or looked at
context = subject.model.context_length if isinstance(subject, Plan) else draft.values["model.context_length"]
shape = f"`({subject.training.batch_size}, {context})` {page.frame.axes.B} × {page.frame.axes.T}"
page.opening(shape, words.one, does=of_family(words, subject.data.family, "does"))
{"set_up": draw_form, "watch": draw_watch, "runs": draw_list}[page.view(*VIEWS)]()
