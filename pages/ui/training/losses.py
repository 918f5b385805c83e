"""The curves of a run, the point of them that is picked, and what the loss there means."""

import math
from typing import Any

import streamlit as st

from pages.figures import learning
from pages.figures.learning import Curve, Names, Point
from pages.ui import state
from pages.ui.parts import Page
from pages.ui.text import joined, number, with_terms
from pages.ui.training import awaited, curves
from pages.ui.training.followed import EXAMPLE, Followed, look_at, turned_up
from pages.ui.training.texts import of_family
from transformer.runs.jobs import jobs

HEIGHT = "var(--curves)"  # of the curves, in CSS; learning.css says how much that is
HELD_OUT, BATCH = "held_out", "batch"  # the lines of which a point can be picked


def names_of(page: Page, family: str) -> Names:
    """What the curves of a family's runs are called."""
    return Names(**{name: of_family(page.words, family, f"names.{name}") for name in Names._fields})


def draw(page: Page, seen: Followed, curve: Curve, place: Point | None) -> None:
    """Losses beside those of simpler models; learning rate and gradient norm."""
    family = seen.plan.data.family
    yardsticks = {
        of_family(page.words, family, f"yardsticks.{name}").format(loss=f"{loss:.2f}"): loss
        for name, loss in seen.run.yardsticks().items()
    }
    names, total = names_of(page, family), seen.plan.training.max_steps
    scene = learning.watched(curve, yardsticks, names, total, place, seen.run.id)

    def pick(line: int, step: int) -> None:
        if seen.run != EXAMPLE:
            look_at(seen.run.id)
        state.put(f"{page.name}_line", HELD_OUT if line == 1 else BATCH)
        state.put(f"{page.name}_at", step)
        awaited.chosen()

    curves.grow(scene, key="learning", height=HEIGHT, on_pick=pick)


def picked(page: Page, seen: Followed, curve: Curve) -> Point | None:
    """The point that is explained: the newest, until one of this run is clicked."""
    if state.recall("picked_in", seen.run.id) != seen.run.id:
        state.put(f"{page.name}_at", 0)
    state.remember("picked_in", seen.run.id)
    step = state.get(page.linked("at", 0, lambda step: isinstance(step, int) and step >= 0))
    line = state.get(page.linked("line", HELD_OUT, (HELD_OUT, BATCH).__contains__))
    of_batches = dict(zip(curve.steps, curve.losses.tolist(), strict=True))
    drawn = dict(curve.validations) if line == HELD_OUT else of_batches
    if step and drawn:
        nearest = min(drawn, key=lambda drawn_step: abs(drawn_step - step))  # a longer curve is drawn in wider means
        return Point(line == HELD_OUT, nearest, drawn[nearest])
    if curve.validations:
        return Point(True, *curve.validations[-1])
    return Point(False, curve.steps[-1], float(curve.losses[-1])) if curve.steps else None


def explain(page: Page, seen: Followed, curve: Curve, place: Point | None) -> None:
    """One loss worked out as a probability; and a plain word when the held-out loss turns up."""
    words = page.words
    if place is None:
        waits = words.queued.format(slots=jobs().slots, place=seen.place) if seen.place else words.starting_up
        st.container(key="worked").markdown(waits if seen.going else words.nothing_done)
        return
    lines = [_worked(page, seen, curve, place)]
    if best := turned_up(seen.validations):
        lines.append(words.overfitting.format(step=f"{best[0]:,}", loss=f"{best[1]:.3f}"))
    st.container(key="worked").markdown(
        with_terms(joined(page.language, *lines), page.language), unsafe_allow_html=True
    )


def _worked(page: Page, seen: Followed, curve: Curve, place: Point) -> str:
    """The loss at a point as the probability that it stands for."""
    held_out, step, loss = place.held_out, place.step, round(place.loss, 3)  # what follows is of the loss as written
    kind = "held_out" if held_out else "step" if curve.bin == 1 else "steps"
    family = seen.plan.data.family
    where = of_family(page.words, family, f"worked.{kind}").format(step=f"{step:,}", first=f"{step - curve.bin + 1:,}")
    told: dict[str, Any] = {
        "where": where,
        "loss": f"{loss:.3f}",
        "share": number(math.exp(-loss), 3),
        "perplexity": _perplexity(loss),
        "rows": f"{seen.outcomes:,}",
    }
    return str(of_family(page.words, family, "worked.line").format(**told))


def _perplexity(loss: float) -> str:
    """e^loss, in as many digits as it can bear."""
    perplexity = math.exp(min(loss, 700.0))
    return number(perplexity, 3) if perplexity < 100 else f"{perplexity:,.0f}"
