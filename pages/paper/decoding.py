"""One token at a time: teacher forcing, greedy decoding, beam search, and how the paper trained (sections 5.3, 5.4, 6.1)."""

from collections.abc import Callable, Sequence
from operator import truediv
from types import SimpleNamespace
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from pages.figures import decoding_step, predictions
from pages.figures.beam_table import Candidate, beam_table
from pages.figures.beam_tree import beam_tree
from pages.matrix.clicks import clickable
from pages.ui import cache, decoded, recipe, state, translation_choices
from pages.ui.parts import Page, Proof, size
from pages.ui.text import joined, number, with_terms
from pages.ui.translation import Row, bundled
from pages.ui.worked import decimals_for
from transformer.encoder_decoder import BEGIN, END
from transformer.lessons.label_smoothing import smoothed_loss
from transformer.translation.decoding import LENGTH_PENALTY, beam_search, greedy, penalty, teacher_forcing

FINAL, MOST_STEPS, MOST_LETTERS = 4, 999, 60
SCORED = 3  # decimals of a score
WIDTHS, ALPHAS = range(1, 9), (0.0, 0.3, LENGTH_PENALTY, 1.0, 2.0)

page = Page(__file__)
words = page.words
seen = translation_choices.ask(page, rows=False)
config, source = seen.config, torch.tensor([seen.read.ids])
for style in decoding_step.STYLE, predictions.STYLE:
    st.html(style)


def draw_teacher() -> Proof:
    """The decoder reads the right translation, and is asked for each of its tokens."""
    forced = seen.forced(seen.own)
    targets, favourites = forced.targets[0], forced.log_probabilities[0].argmax(-1)
    tell(
        words.teacher if seen.known else words.no_teacher,
        right=int((favourites == targets).sum()),
        count=len(targets),
        loss=number(float(-forced.of_targets.mean()), 3),
    )
    draw_step(seen.own, targets, "answer" if seen.known else "model")
    tokens = forced.trace.decoder.tokens
    return Proof(forced.trace.decoder.logits, seen.again(source, tokens), "nn.Transformer")


def draw_greedy() -> Proof:
    """The decoder reads what it has written itself."""
    chosen = torch.cat([step.chosen for step in seen.steps])
    reference = seen.known.pair.target[1:-1] if seen.known else None
    name = "no_reference" if reference is None else "same" if seen.written == reference else "different"
    judged = words.judged if seen.weights.run == cache.DEMONSTRATION else ""
    told = joined(page.language, words.greedy, getattr(words, name), judged)
    report = bundled(seen.pair).extra["report"]
    tell(
        told,
        sentence=shortened(seen.written),
        reference=shortened(reference or ()),
        share=f"{report['exact_match']:.1%}",
        count=report["sentences"],
    )
    draw_step(Row(seen.read.ids, seen.written[: config.context_length - 1]), chosen, "model")
    shown = torch.cat([step.probabilities for step in seen.steps])
    return Proof(shown, seen.again(source, seen.steps[-1].written)[0].softmax(-1), "nn.Transformer")


def shortened(ids: Sequence[int]) -> str:
    """A translation, as much of it as has room in a sentence."""
    sentence = seen.sentence_of(ids)
    return sentence if len(sentence) <= MOST_LETTERS else f"{sentence[:MOST_LETTERS]}…"


def tell(told: str, **values: Any) -> None:
    """Some sentences with numbers in them."""
    st.markdown(with_terms(told.format(**values), page.language), unsafe_allow_html=True)


def draw_step(given: Row, written: Tensor, origin: str) -> None:
    """The looked-at step. given: what the decoder reads, from the "answer" or the "model"; written: what follows each token
    it reads, (T,) int64.
    """
    forced, at = seen.forced(given), step_of(len(written))
    steps = decoded.steps(seen, forced.log_probabilities[0], written)
    weights = forced.trace.decoder.blocks[seen.block].cross_attention.weights[0, seen.head, at].tolist()
    looks = words.looks.format(block=seen.block + 1, head=seen.head + 1)
    line = words.origins.table()[origin]
    captions = decoding_step.Captions(looks, line["line"], words.would, line["told"], origin)
    pieces, begin = seen.words(given.source, seen.read.pieces), seen.words([BEGIN])[0]
    picture = decoding_step.decoding_step(pieces, weights, begin, steps, at, captions)
    clickable(picture, key="decoding_steps", on_pick=lambda part: state.put("decoding_step", part["place"]))
    logits, aim = forced.trace.decoder.logits[0, at], int(written[at])
    with st.container(key="decoding_list", horizontal=True, wrap=False, gap="large"):
        st.html(predictions.ranking(decoded.candidates(seen, logits, aim), words.list.heads), width="stretch")
        st.markdown(decoded.arithmetic(words, seen, logits, aim), width=330)


def step_of(count: int) -> int:
    """The looked-at step, and the buttons that go back and forth."""
    key = page.linked("step", 0, range(MOST_STEPS).__contains__)
    at = min(int(state.get(key)), count - 1)
    ways = page.controls.container(key="ways", horizontal=True, gap="xxsmall", width="content")
    for label, there in ((words.before, at - 1), (words.after, at + 1)):
        inside = 0 <= there < count
        ways.button(label, key=f"go_{there - at}", on_click=state.put, args=(key, there), disabled=not inside)
    return at


def draw_beam() -> Proof:
    """The tree of what was kept, and the scores of what is left."""
    alpha = select("alpha", ALPHAS, LENGTH_PENALTY)
    beams = seen.beams(int(select("width", WIDTHS, 4)), alpha)
    kept = beams[-1][:FINAL]
    st.html(f"<style>:root {{ --beam: {len(kept) + 2}; }}</style>")
    with st.container(key="beam"):
        titles = words.beam.step, words.beam.rank
        tree = beam_tree(beams, lambda id: seen.words([id])[0], seen.sentence_of, titles, page.theme)
        page.plot(tree, "beam_tree", beside_words=True)
        quotients = [(one.log_probability, penalty(len(one.ids), alpha)) for one in kept]
        places = decimals_for(truediv, quotients, SCORED)
        rows = [
            Candidate(
                seen.sentence_of(one.ids),
                str(len(one.ids)),
                decoded.decimals(total, places),
                decoded.decimals(divisor, places),
                decoded.decimals(one.score, SCORED),
            )
            for one, (total, divisor) in zip(kept, quotients, strict=True)
        ]
        st.html(beam_table(rows, words.beam.heads))
        best = kept[0]
        same = seen.written == tuple(id for id in best.ids if id != END)
        tell(joined(page.language, words.beam.same if same else words.beam.different, words.beam.note))
    again = seen.again(source, torch.tensor([[BEGIN, *best.ids[:-1]]]))[0].log_softmax(-1)
    shown = torch.tensor(best.log_probabilities)
    return Proof(shown, again[torch.arange(len(shown)), torch.tensor(best.ids)], "nn.Transformer")


def select(name: str, options: Sequence[float], default: float) -> float:
    """A number from a list, on the formula's line."""
    label: str = getattr(words.controls, name)
    chosen: float = page.controls.selectbox(
        label,
        options,
        format_func=lambda value: label.format(f"{value:,}".removesuffix(".0")),
        key=page.linked(name, default, options.__contains__),
        persist_state="session",
        label_visibility="collapsed",
        width=240,
    )
    return chosen


def draw_recipe() -> Proof:
    """What the paper trained with: smoothed labels and a learning rate that first rises."""
    share, warm_up = select("share", recipe.SHARES, 0.1), int(select("warm_up", recipe.WARM_UPS, 400))
    with st.container(key="recipe"):
        left, right = st.columns(2)
        with left:
            recipe.draw_smoothing(page, share, config.vocab_size)
        with right:
            recipe.draw_schedule(page, warm_up, config.d_model)
    return recipe.proof(share, config.vocab_size)


VIEWS: dict[str, tuple[Callable[[], Proof], Callable[..., Any]]] = {
    "teacher": (draw_teacher, teacher_forcing),
    "greedy": (draw_greedy, greedy),
    "beam": (draw_beam, beam_search),
    "recipe": (draw_recipe, smoothed_loss),
}
page.opening(size(source), f"{size(seen.steps[-1].probabilities)} {page.frame.axes.B} × {page.frame.axes.V}")
draw, function = VIEWS[page.view(*VIEWS)]
tokens, memory = seen.forced(seen.own).trace.decoder.tokens, seen.forced(seen.own).trace.encoder.memory
live = SimpleNamespace(inputs=tokens, ended=tokens, begin=tokens[:, :1], memory=memory, chosen=seen.steps[-1].chosen)
page.details(function, live, ["inputs", "chosen"], draw())
