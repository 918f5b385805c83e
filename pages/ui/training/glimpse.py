"""What a run's newest weights make of the learner's sentence: one head's attention, and what comes next."""

import re
from html import escape
from typing import NamedTuple

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures.predictions import percent
from pages.figures.run_table import likeliest
from pages.figures.sentence import code
from pages.ui import state
from pages.ui.parts import Page, Proof
from pages.ui.text import token
from pages.ui.training import awaited
from pages.ui.training.followed import Followed, Glance, glance, kept_weights, weights
from transformer.checkpoint import Checkpoint
from transformer.gpt import GPT
from transformer.runs.run import Run

GUESSES = 8


class Shown(NamedTuple):
    """What the newest weights make of the learner's sentence; the head counts from zero. tokens: (1, T)"""

    checkpoint: Checkpoint
    tokens: Tensor
    labels: list[str]
    head: int
    glance: Glance


def look(page: Page, seen: Followed) -> Shown | None:
    """Draws the choice of a block and a head, and looks; None as long as there are no weights."""
    checkpoint = _newest(seen.run)
    if checkpoint is None or not isinstance(checkpoint.model, GPT):
        st.caption(page.words.no_weights)
        return None
    tokenizer, config = checkpoint.tokenizer, checkpoint.model.config
    with st.container(key="looking", horizontal=True):
        block = _choose(page, "block", config.num_blocks) - 1
        head = _choose(page, "head", config.num_heads) - 1
    ids = tokenizer.encode(state.get("text")).ids[: config.context_length]
    labels = [token(tokenizer.piece(id), page.words.space) for id in ids]
    tokens = torch.tensor([ids])
    return Shown(checkpoint, tokens, labels, head, glance(checkpoint.model, tokens, block, head))


def draw_next(page: Page, shown: Shown) -> Proof:
    """The likeliest tokens after the sentence; the whole distribution, made anew, is the proof."""
    checkpoint, tokens, labels, _, looked = shown
    probabilities = looked.said.probabilities[0]
    best = probabilities.topk(min(GUESSES, len(probabilities)))
    names_of = [token(checkpoint.tokenizer.piece(id), page.words.space) for id in best.indices.tolist()]
    after = page.words.after.format(step=f"{checkpoint.extra['step']:,}", token=code(labels[-1]))
    st.markdown(after)
    shares = best.values.tolist()
    st.html(likeliest(list(zip(names_of, shares, strict=True)), list(map(percent, shares))))
    with torch.no_grad():
        again = F.softmax(checkpoint.model(tokens)[0, -1].double(), 0)
    return Proof(probabilities, again, "F.softmax(GPT.forward)")


def draw_writing(page: Page, seen: Followed, step: int) -> None:
    """What the model wrote when it had come to a step, or the last time before."""
    written = [(at, report) for at, report in seen.metrics.reports if at <= step and "sampled" in report]
    if written:
        at, report = written[-1]
        told = escape(page.words.writes.format(step=f"{at:,}"))
        prompt, sampled = escape(report["prompt"]), escape(re.sub(r"\n\s*\n", "\n", report["sampled"]))
        st.html(f'<div class="writes">{told} <span class="prompt">{prompt}</span><b>{sampled}</b></div>')


def _newest(run: Run) -> Checkpoint | None:
    """The newest weights there are; where a run can no longer be taken up, the last that were kept."""
    try:
        step = run.latest_step()
        if step is not None:
            return weights(run.folder, step)
        kept = run.checkpoints()
        return kept_weights(run.folder, kept[-1]) if kept else None
    except (ValueError, OSError):
        return None


def _choose(page: Page, name: str, most: int) -> int:
    """Which block, or which head, counted from one."""
    key = page.linked(f"look_{name}", 1, lambda number: isinstance(number, int) and 1 <= number <= most)
    label, numbers = page.words.look.table()[name], range(1, most + 1)
    shown = "{} {}".format
    chosen = st.selectbox(
        label,
        numbers,
        format_func=lambda number: shown(label, number),
        key=key,
        on_change=awaited.chosen,
        persist_state="session",
        label_visibility="collapsed",
    )
    return int(chosen)
