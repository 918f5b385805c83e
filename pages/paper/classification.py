"""A sentence, one decision: tokens → encoder blocks → mean over the real tokens → log-probabilities."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures import attributions
from pages.figures.answers import Panel, answers
from pages.figures.held_out import held_out
from pages.figures.sentence import SUBSCRIPTS, code, literal
from pages.matrix import Matrix, Readout, Selection, flow, product
from pages.ui import classification_choices, state
from pages.ui.decoded import decimals
from pages.ui.parts import Page, Proof, size
from pages.ui.text import joined, number
from transformer.classification.attribution import gradient_times_input, leave_one_out
from transformer.classification.circulating import NumbersTheBatch, answers_by_padding, answers_by_place
from transformer.classification.recounts import accuracy_and_counts, fall_without, slopes
from transformer.classification.task import batch
from transformer.classifier import Classifier
from transformer.trace import named_tensors

NEIGHBOURS, OWN = 7, "own"
FEWEST_PLACES, MOST_PLACES = 4, 7
JUDGES = ("constant", "naive_bayes", "logistic_regression", "accuracy")

page = Page(__file__)
words = page.words
seen = classification_choices.ask(page)
if not len(seen.tokens):
    st.info(words.invite)
    st.stop()
model, trace, labels, decided = seen.model, seen.trace, seen.labels, seen.decided
classes = [words.classes_names.table().get(label, label) for label in seen.task.labels]
decision = literal(classes[decided])
padded = [*labels, *[words.padding] * seen.padding]
probabilities = trace.log_probabilities[0].exp()
normed = model.config.norm_first  # blocks that end in a LayerNorm need no other before the mean
streams = [f"X{n}".translate(SUBSCRIPTS) for n in range(len(trace.blocks) + 1)]
last = f"LN({streams[-1]})" if normed else streams[-1]
picked = min(int(state.get("query")), len(padded) - 1), min(int(state.get("dim")), model.config.d_model - 1)


def pick_dimension(selection: Selection) -> None:
    """Keeps the column; the one row is always the same."""
    state.put("dim", selection.j)


def draw_way() -> Proof:
    """What enters, what leaves each block, with the padding that the mean leaves out; the mean, and the decision."""
    numbers = [trace.embedding.embeddings, *(block.output for block in trace.blocks[:-1]), trace.final_norm]
    limit = float(torch.cat(numbers).abs().max())
    look: dict[str, Any] = {"rows": padded, "row_role": "token", "limit": limit}
    blocks = [Matrix(x[0], name, **look) for x, name in zip(numbers, [*streams[:-1], last], strict=True)]
    mean = Matrix(trace.mean, "m", "output", row_offset=len(padded), link="column")
    scores = Matrix(trace.log_probabilities.T, "(ln p)ᵀ", "output", classes, link="none")
    above: list[Matrix | str] = [blocks[0]]
    for place, matrix in enumerate(blocks[1:], 1):
        arrow = words.block_norm if matrix is blocks[-1] and normed else words.block
        above += [arrow.format(n=place), matrix]
    flow(
        [above, [words.average.format(last=last), mean, words.linear, scores]],
        key="classification_way",
        selected=picked,
        readout=Readout("value", words.way.table(), tuple(range(len(blocks) - 1)), len(blocks) - 1),
        on_select=page.pick("query", "dim"),
    )
    with torch.no_grad():
        return Proof(trace.log_probabilities, model(seen.tokens[None]), "F.scaled_dot_product_attention")


def draw_mean() -> Proof:
    """Weights · X = m. Padding stands beside the sentence and has no weight."""
    shares = trace.shares.masked_fill(~trace.real, math.nan)
    product(
        Matrix(
            shares,
            f"1/n = 1/{len(labels)}",
            "weight",
            scale="weight",
            limit=1 / len(labels),
            columns=padded,
            column_axis=words.tokens,
        ),
        Matrix(trace.final_norm[0], last, "token", rows=padded, row_axis=words.tokens),
        Matrix(trace.mean, "m", "output", column_axis=words.dimensions),
        key="classification_mean",
        selected=(0, picked[1]),
        readout=Readout("weighted", words.mean.table()),
        on_select=pick_dimension,
    )
    return Proof(trace.mean[0], trace.final_norm[0, : len(labels)].mean(0), "x[:n].mean(0)")


def draw_decision() -> Proof:
    """m · W + b = the logits, and what log softmax makes of them."""
    places = shared_places(trace.logits[0].tolist(), float(trace.logits.logsumexp(-1)))
    told = words.decided.format(total=decimals(float(trace.logits.logsumexp(-1)), places))
    st.markdown(told + " ".join(told_class(label, places) for label in range(len(classes))))
    product(
        Matrix(trace.mean, "m", "output", column_axis=words.dimensions),
        Matrix(model.output.weight.T, "W", columns=classes),
        Matrix(trace.logits, words.logit, "output", columns=classes),
        key="classification_decision",
        selected=(0, min(picked[0], len(classes) - 1)),
        readout=Readout("dot", words.logits.table()),
        bias=model.output.bias,
        on_select=pick_class,
    )
    with torch.no_grad():
        again = F.linear(trace.mean, model.output.weight, model.output.bias).log_softmax(-1)
    return Proof(trace.log_probabilities, again, "F.linear(m, W, b).log_softmax(-1)")


def pick_class(selection: Selection) -> None:
    """Keeps the class where other pictures keep the token."""
    state.put("query", selection.j)


def shared_places(logits: list[float], total: float) -> int:
    """Decimals, as few as there can be, with which every logit − total is right as it is written."""
    right = (
        places
        for places in range(FEWEST_PLACES, MOST_PLACES)
        if all(round(round(x, places) - round(total, places), places) == round(x - total, places) for x in logits)
    )
    return next(right, MOST_PLACES)


def told_class(label: int, places: int) -> str:
    """The log-probability of a class, worked out with so many decimals."""
    total = float(trace.logits.logsumexp(-1))
    told: str = words.part
    return told.format(
        label=literal(classes[label]),
        logit=decimals(float(trace.logits[0, label]), places),
        total=decimals(total, places) if total >= 0 else f"({decimals(total, places)})",
        log=decimals(float(trace.logits[0, label]) - total, places),
        p=number(float(probabilities[label])),
    )


def draw_words() -> Proof:
    """Which tokens moved the decision, by two measures."""
    effects = {
        words.effects.leave: leave_one_out(model, seen.tokens, decided),
        words.effects.gradient: gradient_times_input(model, seen.tokens, decided),
    }
    toward = words.effects.axis.format(decision=classes[decided])
    page.plot(attributions.attributions(effects, labels, toward, page.theme), "classification_words", beside_words=True)
    left_out, slope = effects.values()
    st.markdown(joined(page.language, words.effects.told, told_apart(left_out, slope)))
    most = int(left_out.abs().argmax())
    again = slopes(model, seen.tokens, decided), fall_without(model, seen.tokens, decided, most)[None]
    return Proof(torch.cat([slope, left_out[most, None]]), torch.cat(again), "autograd: ∂/∂s of s·x")


def told_apart(*effects: Tensor) -> str:
    """For how many tokens the two measures differ in sign as they are written, the clearest, and why they can."""
    left, right = (effect.double().round(decimals=attributions.PLACES) for effect in effects)
    opposite = left * right < 0
    if not opposite.any():
        return ""
    apart = torch.minimum(left.abs() / left.abs().max(), right.abs() / right.abs().max()) * opposite
    told: str = words.effects.apart.format(
        count=int(opposite.sum()), total=len(labels), token=code(labels[int(apart.argmax())])
    )
    return told


def draw_held_out() -> Proof:
    """Sentences that nobody learned from: accuracies and the confusion table."""
    with st.spinner(words.computing):
        step, found = seen.weights.report
    judged = {getattr(words.judged, name): float(found[name]) for name in JUDGES}
    titles = words.judged.axis.format(n=found["sentences"]), words.judged.decided, words.judged.true
    page.plot(
        held_out(judged, found["confusion"], classes, titles, page.theme), "classification_held_out", beside_words=True
    )
    told = words.judged.told if seen.weights.language != OWN else words.judged.own
    later = words.judged.earlier.format(step=step) if step != seen.weights.step else ""
    st.markdown(joined(page.language, told, later))
    counts = torch.bincount(torch.tensor([one.label for one in seen.task.held_out]), minlength=len(classes))
    shown = torch.tensor([judged[words.judged.accuracy], *counts.tolist()], dtype=torch.float64)
    return Proof(shown, accuracy_and_counts(found["confusion"]), "C.trace() / C.sum(), C.sum(1)")


def draw_wrong() -> Proof:
    """The same sentence in every place of a batch, and with more and more padding: right code and circulating code."""
    neighbours, _, _ = batch(seen.task.held_out[: min(NEIGHBOURS, model.config.context_length - 1)])
    room = model.config.context_length - len(labels)
    asked = {
        "numbers_batch": (words.mistakes.place, answers_by_place(model, seen.tokens, neighbours)),
        "averages_padding": (words.mistakes.padding, answers_by_padding(model, seen.tokens, room)),
    }
    panels = [
        Panel(getattr(words.mistakes, name), across, answer.exp()[..., decided])
        for name, (across, answer) in asked.items()
    ]
    up = words.mistakes.probability.format(label=classes[decided])
    figure = answers(panels, words.mistakes.right, up, page.theme)
    page.plot(figure, "classification_wrong", beside_words=True)
    with st.spinner(words.computing):
        by_place, by_padding = seen.weights.unsteady
    st.markdown(words.mistakes.told.format(place=by_place, padding=by_padding, n=len(seen.task.held_out)))
    right = torch.cat([answer[0] for _, answer in asked.values()])
    with torch.no_grad():
        return Proof(right, model(seen.tokens[None]).expand_as(right), "classifier(x[None])")


VIEWS = {
    "way": draw_way,
    "mean": draw_mean,
    "decision": draw_decision,
    "words": draw_words,
    "held_out": draw_held_out,
    "wrong": draw_wrong,
}
about: dict[str, Any] = {
    "decision": decision,
    "probability": number(float(probabilities[decided]), 3),
    "train": len(seen.task.train),
    "norm": words.norm if normed else "",
}
if page.viewed(*VIEWS) == "mean":
    page.opening(size(trace.final_norm), page.shape(trace, "mean"), formula=words.mean_of, **about)
else:
    page.opening(size(trace.tokens), f"{size(trace.log_probabilities)} {page.frame.axes.B} × {words.classes}", **about)
view = page.view(*VIEWS)
proof = VIEWS[view]()
SOURCES: dict[str, Callable[..., Any]] = {"words": leave_one_out, "wrong": NumbersTheBatch}
made = SimpleNamespace(**{path: tensor for path, _, tensor in named_tensors(trace) if "." not in path})
page.details(SOURCES.get(view, Classifier.trace), made, ["mean", "log_probabilities"], proof, **about)
