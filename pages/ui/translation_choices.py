"""The sidebar of the encoder–decoder's pages: sentence, languages, weights, sizes, and what is looked at."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

import streamlit as st
import torch
from torch import Tensor

from pages.ui import cache, runs, state, text
from pages.ui.choices import heads_for
from pages.ui.desk import Control, Line
from pages.ui.page_desk import linked_control, page_desk
from pages.ui.parts import Page
from pages.ui.text import Words
from pages.ui.translation import OWN, Translation, bundled, task, tokenizer, translator
from transformer import ModelConfig
from transformer.translation.demonstration import CONTEXT_LENGTH
from transformer.translation.sentence_pairs import Target

FAMILY, PREFIX, RUN = "encoder_decoder", "translation", "run"
WEIGHTS = ("trained", "random", RUN)
MOST_SEED, EXAMPLES = 9999, 5
BLOCKS, WIDTHS = range(1, 7), range(8, 513, 8)
SIZES = {"N": 2, "width": 128, "cut": 4}  # of random weights, as those of the bundled translators
NORMS = ("post", "pre")
UNPICKED, PICKED = -1, {"asker": -1, "asked": -1, "number": 3}
CONTENT = 4  # letters; shorter words are mostly articles and the like


class Learned(NamedTuple):
    """What the weights have learned: the pair of languages, and the run and its step as in `cache.Source`."""

    pair: str
    run: str
    step: int


def ask(page: Page, *, rows: bool) -> Translation:
    """`choose`, and the place that is looked at. rows: whether the page looks at one of the two rows of a batch.

    Without a sentence the page ends here, with its invitation.
    """
    chosen, lines = _asked(page)
    place = _place(_words(page), chosen.pair, chosen.weights, rows)
    page_desk([*lines, place])
    if not chosen.read:
        st.info(page.words.invite)
        st.stop()
    at = [control.value - 1 for control in place]
    return replace(chosen, block=at[0], head=at[1], row=at[2] if rows else 0)


def choose(page: Page) -> Translation:
    """Draws the controls, whose values all pages with this sidebar share, and which are part of the link."""
    chosen, lines = _asked(page)
    page_desk(lines)
    return chosen


def _asked(page: Page) -> tuple[Translation, list[Line]]:
    """What is asked for, and the controls that ask it."""
    words = _words(page)
    weights, lines = _weights(words)
    learned, pair = _learned(words, weights, page.language)
    sentence, examples = _sentence(words, learned)
    config, seed, sizes = _sizes(words, learned)
    source = cache.Source(config, seed, learned.run, learned.step)
    read = tokenizer(learned.pair, learned.run).encode(sentence.value)
    chosen = Translation(learned.pair, source, read, block=0, head=0, row=0)
    return chosen, [[sentence], [examples], *_told(words, chosen), *lines, *pair, *sizes]


def _words(page: Page) -> Words:
    return text.words(Path(__file__).with_name("translation.toml"), page.language)


def linked(name: str, default: Any, allowed: Callable[[Any], bool]) -> str:
    """The key of a control that these pages share (`state.linked`)."""
    return state.linked(PREFIX, name, default, allowed)


def picked(name: str, limit: int) -> int:
    """The picked "asker", "asked" or "number" (of a token), as long as the picture has it; `UNPICKED` if nobody has."""
    return min(int(state.get(linked(name, PICKED[name], range(UNPICKED, 10**4).__contains__))), limit - 1)


def picked_pair(weights: Tensor, askers: Sequence[str], sought: Sequence[str], asked: Sequence[str]) -> tuple[int, int]:
    """The picked asker and asked. What nobody has picked is where a content word finds most.

    weights: (T, S), NaN where hidden. askers, asked: their tokens; sought: what each asker is to find, itself or the next.
    """
    row, column = picked("asker", len(askers)), picked("asked", len(asked))
    if UNPICKED not in (row, column):
        return row, column
    told = torch.tensor([[end.isalpha() and end != start for end in asked] for start in askers])
    weighed = weights.nan_to_num(0.0) * torch.where(told, 1.0, 0.01)
    if row == UNPICKED:
        long = [place for place, word in enumerate(sought) if word.isalpha() and len(word) >= CONTENT]
        some = long or [place for place, word in enumerate(sought) if word.isalpha()] or [0]
        row = max(some, key=lambda place: float(weighed[place].max()))
    return row, int(weighed[row].argmax()) if column == UNPICKED else column


def _choice(
    words: Words, name: str, codes: Sequence[str], default: str, possible: Sequence[str] | None = None
) -> Control:
    """A choice among codes. possible: those that can be had now; all if it is not given."""
    table = getattr(words, f"{name}_names").table()
    offered = {code: table[code] for code in codes}
    return linked_control(PREFIX, "buttons", name, getattr(words, name), default, offered, possible=possible)


def _weights(words: Words) -> tuple[str, list[Line]]:
    """The kind of weights; a run's is named by every link, and that there is none of that name is told."""
    known, link, key = runs.walkable(FAMILY), state.recall("link"), f"{PREFIX}_learned"
    asked = link.get("model", state.get(f"{PREFIX}_model"))
    id = str(link.get("learned", state.get(key)) or next(iter(known), ""))
    there = id in known and _loads(id)
    weights = _choice(words, "model", WEIGHTS if known else WEIGHTS[:2], WEIGHTS[0], WEIGHTS if there else WEIGHTS[:2])
    lines: list[Line] = [[weights]]
    if asked == RUN and not there:
        lines.append([Control("note", "gone", value=words.gone)])
        state.put(key, "")
    if weights.value == RUN:
        state.put(key, id)
        lines.append([linked_control(PREFIX, "select", "learned", words.run, "", known)])
    return str(weights.value), lines


def _loads(id: str) -> bool:
    """Whether a run has weights that can be looked at, and what it learned from."""
    found = runs.find(id)
    try:
        if found is None or (step := found.latest_step()) is None:
            return False
        return bool(cache.checkpoint(str(found.folder), step) and task(OWN, str(found.folder)))
    except (OSError, ValueError):
        return False  # a folder that somebody has edited


def _learned(words: Words, weights: str, language: str) -> tuple[Learned, list[Line]]:
    """What the weights have learned. A run has its own pair of languages."""
    if weights == RUN and (found := runs.find(state.get(f"{PREFIX}_learned"))) and runs.readable(found):
        target = str(found.plan.data.target)  # type: ignore[attr-defined]
        return Learned(target, str(found.folder), runs.latest_step(found) or 0), []
    pair = _choice(words, "pair", get_args(Target), "zh" if language == "zh" else "fr")
    return Learned(pair.value, cache.DEMONSTRATION if weights == WEIGHTS[0] else "", 0), [[pair]]


def _sentence(words: Words, learned: Learned) -> tuple[Control, Control]:
    """The sentence, and examples that were kept aside while the model learned."""
    if learned.run in ("", cache.DEMONSTRATION):
        examples: dict[str, str] = words.examples.table()
    else:
        held_out = task(learned.pair, learned.run).held_out[:EXAMPLES]
        examples = {known.pair.source: known.pair.source for known in held_out}
    default = next(iter(examples.values()))
    sentence = linked_control(PREFIX, "text", "english", words.sentence, default, hint=words.invite)
    offered = [(example, name) for name, example in examples.items()]
    return sentence, Control("phrases", sentence.name, words.phrases, options=offered)


def _told(words: Words, asked: Translation) -> list[Line]:
    """What becomes of the sentence: how much of it is read, what is unknown, whether its translation is."""
    read, total = len(asked.read), len(asked.sentence)
    left_out = words.left_out.format(read=read, total=total) if read < total else ""
    known = ""
    if asked.unknown:
        known = words.unknown.format(words=" ".join(f"“{word}”" for word in asked.unknown))
    elif read:
        known = words.new if asked.known is None else words.held_out if asked.known.held_out else words.seen
    return [[Control("note", "left_out", value=left_out)], [Control("note", "known", value=known)]]


def _sizes(words: Words, learned: Learned) -> tuple[ModelConfig, int, list[Line]]:
    """The sizes and the seed; trained weights lock theirs."""
    if learned.run:
        source = cache.Source(ModelConfig(vocab_size=1), 0, learned.run, learned.step)
        config = translator(learned.pair, source).config
        return config, 0, _locked(words, config)
    blocks, width = _slider(words, "N", BLOCKS), _slider(words, "width", WIDTHS)
    heads = _slider(words, "cut", heads_for(width.value))
    norm = _choice(words, "norm", NORMS, NORMS[0])
    seed = linked_control(PREFIX, "number", "start", words.seed, 0, range(MOST_SEED + 1))
    config = ModelConfig(
        vocab_size=tokenizer(learned.pair, learned.run).vocab_size,
        context_length=CONTEXT_LENGTH,
        d_model=width.value,
        num_heads=heads.value,
        num_blocks=blocks.value,
        norm_first=norm.value == "pre",
    )
    return config, seed.value, [[width, heads], [blocks, seed], [norm]]


def _slider(words: Words, name: str, options: Sequence[int]) -> Control:
    return linked_control(PREFIX, "slider", name, getattr(words.sizes, name), SIZES[name], options)


def _locked(words: Words, config: ModelConfig) -> list[Line]:
    """The sizes as the weights have them."""
    heads = [(number, str(number)) for number in heads_for(config.d_model)]
    norm = words.locked_norms.table()[NORMS[config.norm_first]]
    return [
        [
            Control("slider", "width", words.sizes.width, config.d_model, WIDTHS, locked=True),
            Control("slider", "cut", words.sizes.cut, config.num_heads, heads, locked=True),
        ],
        [Control("slider", "N", words.sizes.N, config.num_blocks, BLOCKS, locked=True)],
        [Control("note", "locked", value=words.locked.format(norm))],
    ]


def _place(words: Words, pair: str, source: cache.Source, rows: bool) -> Line:
    """The block, the head and the row of the batch that are looked at; trained weights begin with the best aligned head."""
    block, head = best_place(pair) if source.run == cache.DEMONSTRATION else (0, 0)
    limits = {"at_block": (source.config.num_blocks, block + 1), "at_head": (source.config.num_heads, head + 1)}
    if rows:
        limits["at_row"] = 2, 1
    return [
        linked_control(PREFIX, "select", name, getattr(words.place, name), default, range(1, most + 1))
        for name, (most, default) in limits.items()
    ]


def best_place(pair: str) -> tuple[int, int]:
    """The block and the head of a bundled translator that align best."""
    accuracies: list[list[float]] = bundled(pair).extra["alignment"]
    places = ((block, head) for block, heads in enumerate(accuracies) for head in range(len(heads)))
    return max(places, key=lambda place: accuracies[place[0]][place[1]])
