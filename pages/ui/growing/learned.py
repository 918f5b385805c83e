"""How a run has learned, with two of its moments marked, and what the model wrote then."""

import math
from html import escape

import streamlit as st
import torch.nn.functional as F

from pages.figures import growth_curve
from pages.figures.growth_curve import Mark
from pages.ui import text
from pages.ui.chart import chart
from pages.ui.growing.scrubber import Explained, Shown, between, named, tell
from pages.ui.parts import Page, Proof
from pages.ui.training.followed import reader
from transformer.next_token import token_losses


def draw_learned(page: Page, shown: Shown) -> Explained:
    """The run's curves with both moments marked, and what the model wrote then."""
    run, seen = shown.grown.run, reader(shown.grown.run.folder).read()
    yardsticks = {
        page.words.yardsticks.table().get(name, name).format(loss=f"{loss:.2f}"): loss
        for name, loss in run.yardsticks().items()
    }
    moments = (shown.before, "neutral"), (shown.after, "output")
    marks = [Mark(moment.step, named(moment.step), role) for moment, role in moments]
    names = growth_curve.Names(**page.words.names.table())
    with st.container(key="pictures"):
        left, right = st.columns([3, 2], gap="medium")
        with left, st.container(key="picture_curve"):
            figure = growth_curve.growth_curve(seen.steps, yardsticks, shown.grown.steps, marks, names, page.theme)
            chart(figure, "growth_curve")
        reports = dict(seen.reports)
        for moment, kind in ((shown.before, "before"), (shown.after, "after")):
            if "sampled" in (report := reports.get(moment.step, {})):
                prompt, sampled = escape(report["prompt"]), escape(report["sampled"])
                right.html(
                    f'<div class="wrote {kind}"><small>{escape(page.words.wrote.format(step=named(moment.step)))}</small>'
                    f'<span class="prompt">{prompt}</span>{sampled}</div>'
                )
    return tell_loss(page, shown)


def tell_loss(page: Page, shown: Shown) -> Explained:
    """How surprised the model is by the learner's own sentence; by a single token nobody can be surprised."""
    if len(shown.labels) == 1:
        tell(page, page.words.loss.nothing)
        said = shown.after.said(0)
        again = F.softmax(said.logits.double(), 1)
        return Explained(token_losses, None, [], Proof(said.probabilities, again, "F.softmax in float64"))
    told: dict[str, str] = {"steps": between(page, shown), "count": str(len(shown.labels) - 1)}
    for name, moment in (("before", shown.before), ("after", shown.after)):
        mean = float(moment.losses()[0].mean())
        told |= {name: f"{mean:.3f}", f"perplexity_{name}": _perplexity(f"{mean:.3f}")}
    tell(page, page.words.loss.worked.format(**told))
    explicit, fused = shown.after.losses()
    return Explained(token_losses, None, [], Proof(explicit, fused, "F.cross_entropy"))


def _perplexity(loss: str) -> str:
    """e to the loss as it is written, in as many digits as it can bear."""
    perplexity = math.exp(min(float(loss), 700))
    return text.number(perplexity, 3) if perplexity < 100 else f"{perplexity:,.0f}"
