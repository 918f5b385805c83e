"""How a translator or a classifier did on held-out examples: a run's own report, drawn."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.figures.examples import examples_table
from pages.figures.held_out import held_out
from pages.ui.parts import Page
from pages.ui.training import curves
from pages.ui.training.followed import Followed

JUDGES = "constant", "naive_bayes", "logistic_regression", "accuracy"


def draw(page: Page, seen: Followed, step: int) -> None:
    """The last report before or after a step."""
    reports = [(at, report) for at, report in seen.metrics.reports if at <= step] or list(seen.metrics.reports[:1])
    if not reports:
        st.caption(page.words.no_weights)
        return
    at, report = reports[-1]
    drawn = _translations if seen.plan.data.family == "encoder_decoder" else _decisions
    drawn(page, at, report)


def _translations(page: Page, step: int, report: Mapping[str, Any]) -> None:
    """How many sentences are translated word for word as held out, and the first ones."""
    words, shown = page.words.report, report["examples"]
    told = {"step": f"{step:,}", "share": f"{report['exact_match']:.1%}", "sentences": f"{report['sentences']:,}"}
    st.markdown(words.exact.format(**told))
    rows = [[example[name] for name in ("source", "reference", "translation")] for example in shown]
    wrong = {place for place, example in enumerate(shown) if not example["exact"]}
    st.html(f'<div class="translated">{examples_table(words.translation, rows, wrong)}</div>')


def _decisions(page: Page, step: int, report: Mapping[str, Any]) -> None:
    """How many sentences are decided right, what simpler models get, and which class is taken for which."""
    words, classes = page.words.report, page.words.classes.table()
    told = {"step": f"{step:,}", "share": f"{report['accuracy']:.1%}", "sentences": f"{report['sentences']:,}"}
    st.markdown(words.accuracy.format(**told))
    judges = {words.judges.table()[name]: report[name] for name in JUDGES}
    labels = [classes.get(label, label) for label in report["labels"]]
    titles = words.right.format(**told), words.decided, words.true
    curves.still(held_out(judges, report["confusion"], labels, titles, page.theme), "judged")
