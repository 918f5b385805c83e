"""From logits to text: a distribution is shaped and cut, a token is drawn from it, and all begins again."""

import codecs
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures import token_strip, written
from pages.figures.chances import chances, head
from pages.figures.curves import Axis, Curve, curves
from pages.figures.kv_cache import kv_cache, passes
from pages.figures.sentence import code
from pages.matrix.clicks import clickable
from pages.ui import cache, catalog, chosen_token, state, text, writing
from pages.ui.chosen_token import share
from pages.ui.lesson import walk as walk_tokens
from pages.ui.parts import Page, Proof
from transformer import MultiHeadAttention
from transformer.arithmetic import operations_with_cache, operations_without_cache
from transformer.lessons.generation_times import generation_times
from transformer.sampling import Candidate, Generated, distribution, generate, next_logits
from transformer.tokens import UTF8_ERRORS

TICK, AT_ONCE, BUSY = 0.3, 6, 0.15  # seconds between looks; tokens written at each, and seconds spent on them
ON_CARD, LISTED = 8, 8
LENGTHS = (1, 16, 32, 64, 128, 256)

page = Page(__file__)
lesson, words = page.lesson, page.words
model, tokenizer, context = lesson.model, lesson.tokenizer, lesson.config.context_length
pictured = writing.prompt_of(lesson)
rows = f"{lesson.config.vocab_size:,}"


def card(candidates: Sequence[Candidate], token: int | None, note: str) -> dict[str, Any]:
    """What the card of a token says: the most probable ones, with the model's own probability and that of the draw."""
    told = [(lesson.label(each.token), f"{share(each.own)} → {share(each.probability)}") for each in candidates]
    lit = next((place for place, each in enumerate(candidates) if each.token == token), None)
    return {"facts": told, "lit": lit, "note": note}


def written_tokens(made: Sequence[Generated]) -> list[written.Written]:
    """The tokens so far, each with its card."""
    shown_tokens = []
    for each in made:
        also = Candidate(each.token, each.own, each.probability)
        shown = [*each.candidates[:ON_CARD], *[also] * (each.token not in [c.token for c in each.candidates[:ON_CARD]])]
        note = words.card.drawn.format(rank=f"{each.rank:,}", rows=rows)
        told = share(each.probability)
        shown_tokens.append(
            written.Written(lesson.label(each.token), each.probability, told, **card(shown, each.token, note))
        )
    return shown_tokens


def draw_coming(prompt: tuple[int, ...]) -> str:
    """What may come next, while nothing is written: the likeliest tokens one by one, the others together; and the cut."""
    own, kept = chosen.logits.softmax(-1), chosen.kept
    best = own.topk(min(LISTED, len(own))).indices
    lines = [
        coming_line(lesson.label(token), own[token], chosen.final[token], bool(kept[token])) for token in best.tolist()
    ]
    others = torch.ones_like(kept).index_fill(0, best, False)
    for name, rest in (("more", others & kept), ("cut", others & ~kept)):
        if count := int(rest.sum()):
            name_of = words.coming.table()[name].format(n=f"{count:,}")
            lines.append(coming_line(name_of, own[rest].sum(), chosen.final[rest].sum(), name == "more", one=False))
    told = words.coming
    return written.coming(tokenizer.decode(prompt), lines, (told.token, told.own, told.final))


def coming_line(name: str, own: Tensor, final: Tensor, kept: bool, *, one: bool = True) -> written.Coming:
    """A line of what may come, with its two probabilities in words."""
    shares = float(own), float(final)
    return written.Coming(name, *shares, (share(shares[0]), share(shares[1])), kept, one)


def draw_writing() -> None:
    """The text; while it goes on, Streamlit calls this again and again."""
    begun = writing.current()
    going = begun is not None and begun.going
    if begun and going:
        begun.go_on(AT_ONCE, BUSY)
        if not begun.going:
            st.rerun()  # the button and the clock are not this function's
    made, prompt = (begun.tokens, writing.asked_of(begun).prompt) if begun else ([], pictured)
    tokens = [each.token for each in made]
    picked = writing.picked(len(tokens))
    raw = b"".join(map(tokenizer.token_bytes, tokens))
    whole = codecs.getincrementaldecoder("utf-8")(UTF8_ERRORS).decode(raw, final=not going)
    labels = [lesson.label(token) for token in prompt]
    prose = tokenizer.decode(prompt), whole
    picture = written.written(labels, written_tokens(made), picked, prose, going=going) if made else draw_coming(prompt)
    clickable(picture, key="written", on_pick=lambda part: writing.pick(part["place"]))
    draw_walk((*prompt, *tokens[:picked])[-context:], tokens, picked)


def draw_walk(before: tuple[int, ...], tokens: list[int], picked: int) -> None:
    """Where the forward pass that made the picked token can be walked. before: what it read"""
    with st.container(key="walk", horizontal=True, vertical_alignment="center"):
        if not tokens or not before:
            st.markdown(words.walk.later if before else words.walk.nothing.format(rows=rows))
            return
        label = words.walk.label.format(token=code(lesson.label(tokens[picked])), n=len(before))
        st.markdown(label, width="content")
        for name, label in words.walk.pages.table().items():
            if st.button(label, key=f"walk_{name}", on_click=walk, args=(before,)):
                state.turn_to(catalog.links()[name])


def walk(before: tuple[int, ...]) -> None:
    """Makes the tokens that a forward pass read the sentence that every page walks; the text stays."""
    writing.keep_while_walked(before)
    walk_tokens(lesson, before)
    state.put("context", max(len(before), lesson.context_length))
    state.put("query", len(before) - 1)


def draw_choice() -> None:
    """The distribution of the next token, with the cut; one token worked out below."""
    tokens = head(chosen).tolist()
    labels = [lesson.label(token) for token in tokens]
    with page.controls:
        place = st.selectbox(
            words.token,
            range(len(tokens)),
            format_func=lambda n: f"{n + 1}: {labels[n]}",
            key=f"{page.name}_token",
            label_visibility="collapsed",
            width=170,
        )
    token = tokens[place]
    with st.container(key="choosing"):
        page.plot(
            chances(chosen, labels, chosen_token.names_of_cut(page, asked, chosen, tokens), place, page.theme),
            "chances",
            beside_words=True,
        )
    chosen_token.tell(page, asked, chosen, token, code(labels[place]))


def counted_in(unit: int, operations: int) -> str:
    """Operations in millions, or in the unit that the language counts in."""
    count = operations / unit
    return f"{count:,.0f}" if count >= 100 else text.number(count, 3)


def draw_cache() -> None:
    """What is computed at each step, as a picture, and what that takes: counted, and measured when asked."""
    length, unit = max(lesson.length, 1), int(words.cache.unit)
    counted, output = {}, length * operations_with_cache(lesson.config, 1, 1).logits
    for name, count in (("plain", operations_without_cache), ("cached", operations_with_cache)):
        total = sum(count(lesson.config, 1, n).total for n in range(1, length + 1))
        cells = passes(length, length + 1, cache=name == "cached")
        computed = f"{int((cells == 2).sum()):,}"
        counted[name] = words.cache.table()[name].format(passes=computed, operations=counted_in(unit, total))
    panels = [(counted[name], passes(length, context, cache=name == "cached")) for name in counted]
    axes = page.frame.axes.T, words.cache.step
    with st.container(key="remembering"):
        left, right = st.columns([3, 2], gap="medium")
        with left:
            page.plot(kv_cache(panels, lesson.labels, axes, page.theme), "kv_cache")
        with right:
            told = draw_times()
    full = words.cache.full if length == context else ""
    colors = words.cache.colors.format(output=counted_in(unit, output))
    with st.container(key="computed"):
        st.markdown(text.joined(page.language, colors, full, told), unsafe_allow_html=True)


def draw_times() -> str:
    """What one more token takes over length, with both ways: operations, or once it was measured, time. Returns what that says."""
    sizes, longest = replace(lesson.config, context_length=LENGTHS[-1]), LENGTHS[-1]
    with page.controls:
        st.button(words.cache.measure, key="measure", on_click=state.remember, args=("timed", sizes))
    if state.recall("timed") == sizes:
        times = generation_times(sizes, LENGTHS)
        plain, cached = ([seconds * 1000 for seconds in each] for each in (times.plain, times.cached))
        told = words.cache.measured.format(n=longest, factor=text.number(plain[-1] / cached[-1], 2))
        told = text.joined(page.language, told, words.cache.same if times.same else words.cache.differ)
        up = words.cache.milliseconds
    else:
        both = operations_without_cache, operations_with_cache
        plain, cached = ([count(sizes, 1, n).total / int(words.cache.unit) for n in LENGTHS] for count in both)
        told, up = "", words.cache.operations
    names = words.cache.table()
    drawn = [
        Curve(names["without"], LENGTHS, plain, "neutral", "dash"),
        Curve(names["with"], LENGTHS, cached, "weight"),
    ]
    across = Axis(names["length"], ticks=LENGTHS[2:], symbol="n")
    page.plot(curves(drawn, across, Axis(up), page.theme, mark=longest), "times", beside_words=True)
    return told


def prove_choice() -> Proof:
    """The final distribution anew, by PyTorch's softmax over what is kept."""
    allowed = chosen.logits.masked_fill(~chosen.kept, -torch.inf)
    if asked.temperature:
        return Proof(chosen.final, F.softmax(allowed / asked.temperature, 0), "F.softmax in float64")
    return Proof(chosen.final, F.one_hot(allowed.argmax(), len(allowed)), "torch.argmax")


def prove_cache() -> Proof:
    """The next token's logits from the last token and what is remembered, against those of the whole pass."""
    remembered = next_logits(model, pictured[:-1])[1]
    return Proof(next_logits(model, pictured, remembered)[0], logits, "GPT.forward")


if pictured:
    logits = cache.said_after(lesson.source, lesson.pictured, len(pictured) - 1).logits[0]
else:
    logits, _ = next_logits(model, pictured)
VIEWS = "write", "choose", "cache"
if page.viewed(*VIEWS) == "cache":
    page.opening(formula=words.cache_formula)
else:
    page.opening(page.shape_of(lesson.pictured[0], "T"), page.shape_of(logits, "V"))
view = page.view(*VIEWS)
st.html(token_strip.STYLE)
st.html(written.STYLE)
if view == "cache":
    draw_cache()
    page.details(MultiHeadAttention.extend, None, [], prove_cache())
else:
    asked = writing.ask(page)
    chosen = distribution(logits, **asdict(asked), forbidden=tokenizer.undecodable)
    if view == "choose":
        draw_choice()
        page.details(distribution, chosen, ["scaled", "probabilities", "kept"], prove_choice())
    else:
        begun = writing.current()
        st.fragment(draw_writing, run_every=TICK if begun and begun.going else None)()
        page.details(generate, chosen, [], prove_choice())
