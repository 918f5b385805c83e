"""From the last block to a score for every token of the vocabulary, and what the true next one costs."""

import math
from operator import truediv

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures import predictions
from pages.figures.sentence import code
from pages.figures.token_losses import held, token_losses
from pages.matrix import Matrix, Readout, Selection, product
from pages.ui import cache, pickers, state, text
from pages.ui.lesson import UNKNOWN
from pages.ui.parts import Page, Proof, size
from pages.ui.worked import significant, worked
from transformer.next_token import held_by_the_likeliest, next_token

SHOWN, LISTED, CURVE = 12, 11, 200
page = Page(__file__)
lesson, words = page.lesson, page.words
model, labels, row = lesson.model, lesson.labels, lesson.pictured
table, vocab_size = model.output.weight.detach(), lesson.config.vocab_size
place = lesson.picked("query", lesson.length)
said = cache.said_after(lesson.source, row, place)
logits, probabilities = said.logits[0], said.probabilities[0]
true = int(lesson.targets[lesson.row, place])


def rank(token: int) -> str:
    """The place of a token in the list of the likeliest, as it is written."""
    return f"{int((logits > logits[token]).sum()) + 1:,}"


def signed(logit: float) -> str:
    """A logit with a true minus sign."""
    return f"{logit:.3f}".replace("-", "−")


def candidates(*also: int) -> Tensor:
    """The likeliest tokens, then the true next one and others that are asked for, if they are not among them."""
    best = logits.topk(min(SHOWN, vocab_size)).indices.tolist()
    extra = {token for token in (true, *also) if 0 <= token < vocab_size}
    return torch.tensor(best + sorted(extra - {*best}, key=lambda token: -float(logits[token])))


def draw_product() -> Proof:
    """The scores of a few tokens at every position; the card works one out."""
    wanted = state.recall("logit_token", int(logits.argmax()))
    tokens = candidates(wanted)
    names = [lesson.label(token) for token in tokens.tolist()]
    normalised = model.final_norm(cache.last_output(lesson.source, row)[0]).detach()
    chosen = table[tokens]
    scores = normalised @ chosen.T

    def keep(selection: Selection) -> None:
        state.put("query", selection.i)
        state.remember("logit_token", int(tokens[selection.j]))

    column = tokens.tolist().index(wanted) if wanted in tokens else 0
    product(
        Matrix(normalised, "LN(x)", "neutral", labels, row_axis=page.frame.axes.T, column_axis=page.frame.axes.D),
        Matrix(
            chosen.T,
            "Wᵀ",
            "token",
            columns=names,
            column_axis=words.next_tokens,
            whole=(lesson.config.d_model, vocab_size),
        ),
        Matrix(scores, "z", "output"),
        key="logits",
        selected=(place, column),
        readout=Readout("dot", words.readout.table()),
        on_select=keep,
    )
    return Proof(scores, F.linear(normalised.double(), chosen.double()), "F.linear in float64")


def draw_softmax() -> Proof:
    """The head of the list for one position, and how much of the whole it holds."""
    pickers.token(page, words.token)
    tokens = logits.topk(min(LISTED, vocab_size)).indices.tolist()
    tokens += [true] * (true != UNKNOWN and true not in tokens)
    lines = [
        predictions.Candidate(
            rank(token),
            lesson.label(token),
            signed(float(logits[token])),
            f"{float(said.exponentials[0, token]):.4f}",
            float(probabilities[token]),
            token == true,
        )
        for token in tokens
    ]
    st.html(predictions.STYLE)
    left, right = st.columns([3, 2], gap="medium")
    left.html(predictions.ranking(lines, words.columns, words.true))
    ranks = torch.logspace(0, math.log10(vocab_size), CURVE).round().long().unique().clamp(1, vocab_size)
    titles = words.held.title, words.held.ranks
    with right:
        curve = held(ranks, held_by_the_likeliest(probabilities, ranks), *titles, page.theme)
        page.plot(curve, "held", beside_words=True)
    chosen = tokens[0] if true == UNKNOWN else true
    exponential = float(said.exponentials[0, chosen])
    power, total, share = worked(truediv, (exponential, float(said.total)), float(probabilities[chosen]))
    difference = lambda logit, maximum: math.exp(logit - maximum)  # noqa: E731
    scores = float(logits[chosen]), float(said.maximum)
    logit, maximum, power = worked(difference, scores, exponential, significant(power))
    parts = {"logit": logit, "maximum": maximum, "power": power, "total": total, "share": share}
    st.markdown(words.worked.format(token=code(lesson.label(chosen)), rows=f"{vocab_size:,}", **parts))
    return whole_distribution()


def whole_distribution() -> Proof:
    """The probabilities of one position, made anew."""
    return Proof(probabilities, F.softmax(logits.double(), 0), "F.softmax in float64")


def draw_loss() -> Proof:
    """What each true next token costs the model, and what it costs two models that know less."""
    pickers.token(page, words.token)
    inputs, targets = row[0], lesson.targets[lesson.row]
    known = targets != UNKNOWN
    if not known.any():
        st.info(words.loss.nothing)
        return whole_distribution()
    losses = cache.losses(lesson.source, row, targets[None])
    bigrams = -cache.bigrams(lesson.vocabulary, lesson.corpus).probabilities(inputs[known], targets[known]).log()
    uniform = math.log(vocab_size)
    following = [lesson.label(token) for token in targets[known].tolist()]
    names = words.loss.model, words.loss.bigram, words.loss.uniform.format(rows=f"{vocab_size:,}")
    axes = words.loss.next, words.loss.nats
    picked = place if bool(known[place]) else None
    figure = token_losses(losses.explicit, bigrams, uniform, following, names, axes, picked, page.theme)
    pickers.clickable(page, figure, "losses", lambda bar: state.put("query", bar))
    tell_losses(losses.explicit, bigrams, picked, bool(known.all()))
    return Proof(losses.explicit, losses.fused, "F.cross_entropy")


def tell_losses(losses: Tensor, bigrams: Tensor, picked: int | None, all_known: bool) -> None:
    """The picked token's loss, the means, in nats and as perplexity, what was left out, and what the pairs have read."""
    told = {"rows": f"{vocab_size:,}", "uniform": f"{math.log(vocab_size):.2f}"}
    for name, mean in (("model", float(losses.mean())), ("bigram", float(bigrams.mean()))):
        told |= {name: f"{mean:.2f}", f"{name}_perplexity": perplexity(mean)}
    lines = [words.loss.means.format(**told)]
    if picked is not None:
        share, loss = worked(lambda p: -math.log(p), [float(probabilities[true])], float(losses[picked]))
        lines.insert(0, words.loss.picked.format(token=code(lesson.label(true)), share=share, loss=loss))
    if not all_known:
        lines.append(words.loss.unknown)
    if lesson.source.run == cache.DEMONSTRATION:
        lines.append(words.loss.trained.format(**cache.demonstration().extra))
    else:
        lines.append(words.loss.random)
    st.markdown(text.with_terms(text.joined(page.language, *lines), page.language), unsafe_allow_html=True)


def perplexity(loss: float) -> str:
    """The exponential of a mean loss; with a ≈ where the loss as it is written, with two decimals, gives another number."""
    exact, written = (f"{math.exp(nats):,.0f}" for nats in (loss, round(loss, 2)))
    return exact if exact == written else f"≈\u00a0{exact}"


VIEWS = {"product": draw_product, "softmax": draw_softmax, "loss": draw_loss}
view = page.viewed(*VIEWS)
every = torch.empty((*lesson.tokens.shape, vocab_size), device="meta")  # the shape of all logits
if view == "product":
    page.opening(size(lesson.embedding.embeddings), page.shape_of(every, "B T V"), rows=f"{vocab_size:,}")
elif view == "softmax":
    page.opening(page.shape_of(every, "B T V"), formula=words.softmax_formula, rows=f"{vocab_size:,}")
else:
    page.opening(size(every), page.shape_of(lesson.tokens, "B T"), formula=words.loss_formula, rows=f"{vocab_size:,}")
page.view(*VIEWS)
proof = VIEWS[view]()
page.details(next_token, said, ["logits"], proof, rows=f"{vocab_size:,}")
