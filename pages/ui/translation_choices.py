"""The sidebar of the encoder–decoder's pages: sentence, languages, weights, sizes, and what is looked at."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import streamlit as st

from pages.figures.sentence import code
from pages.ui import cache, runs, state, text
from pages.ui.choices import heads_for
from pages.ui.parts import Page
from pages.ui.text import Words
from pages.ui.translation import OWN, Translation, bundled, task, tokenizer, translator
from transformer import ModelConfig
from transformer.sentence_pairs import Target
from transformer.translation_demonstration import CONTEXT_LENGTH

FAMILY, PREFIX, RUN = "encoder_decoder", "translation", "run"
WEIGHTS = ("trained", "random", RUN)
MOST_BLOCKS, MOST_CHARACTERS, MOST_SEED, EXAMPLES = 6, 2000, 9999, 5
WIDTHS = range(8, 513, 8)
SIZES = {"N": 2, "width": 128, "cut": 4}  # of random weights, as those of the bundled translators
NORMS = ("post", "pre")
PICKED = {"asker": 1, "asked": 2, "number": 3}


def ask(page: Page, *, rows: bool) -> Translation:
    """`choose`, and the place that is looked at. rows: whether the page looks at one of the two rows of a batch."""
    chosen = choose(page)
    with st.sidebar, st.container(key="translation_place"):
        block, head, row = _place(_words(page), chosen.pair, chosen.weights, rows)
    return replace(chosen, block=block, head=head, row=row)


def choose(page: Page) -> Translation:
    """Draws the controls, whose values all pages with this sidebar share, and which are part of the link."""
    words = _words(page)
    with st.sidebar, st.container(key="translation"):
        places = st.container(), st.container()
        weights = _weights(words)
        pair, run, step = _learned(words, weights, page.language)
        with places[0]:
            typed = _sentence(words, pair, run)
        source = cache.Source(_sizes(words, pair, run, step), _seed(words) if not run else 0, run, step)
        chosen = Translation(pair, source, tokenizer(pair, run).encode(typed), block=0, head=0, row=0)
        with places[1]:
            _told(words, chosen)
    return chosen


def _words(page: Page) -> Words:
    return text.words(Path(__file__).with_name("translation.toml"), page.language)


def linked(name: str, default: Any, allowed: Callable[[Any], bool]) -> str:
    """The key of a control that these pages share (`state.linked`)."""
    return state.linked(PREFIX, name, default, allowed)


def picked(name: str, limit: int) -> int:
    """The picked "asker", "asked" or "number" (of a token), as long as the picture has it."""
    return min(int(state.get(linked(name, PICKED[name], range(10**4).__contains__))), limit - 1)


def _choice(words: Words, name: str, codes: Sequence[str], default: str, *, possible: int | None = None) -> str:
    """A choice among codes. possible: how many of them can be had now; all if it is not given."""
    table = getattr(words, f"{name}_names").table()
    chosen = st.segmented_control(
        getattr(words, name),
        codes,
        format_func=table.__getitem__,
        required=True,
        key=linked(name, default, codes[:possible].__contains__),
        persist_state="session",
        width="stretch",
    )
    return str(chosen)


def _weights(words: Words) -> str:
    """The kind of weights; a run's is named by every link, and that there is none of that name is told."""
    known, link, key = runs.walkable(FAMILY), state.recall("link"), f"{PREFIX}_learned"
    asked = link.get("model", state.get(f"{PREFIX}_model"))
    id = str(link.get("learned", state.get(key)) or next(iter(known), ""))
    there = id in known and _loads(id)
    offered = WEIGHTS if known else WEIGHTS[:2]
    weights = _choice(words, "model", offered, WEIGHTS[0], possible=3 if there else 2)
    if asked == RUN and not there:
        st.caption(words.gone)
        state.put(key, "")
    if weights == RUN:
        state.put(key, id)
        linked("learned", "", known.__contains__)
        st.selectbox(words.run, list(known), format_func=known.__getitem__, key=key, persist_state="session")
    return weights


def _loads(id: str) -> bool:
    """Whether a run has weights that can be looked at, and what it learned from."""
    found = runs.find(id)
    try:
        if found is None or (step := found.latest_step()) is None:
            return False
        return bool(cache.checkpoint(str(found.folder), step) and task(OWN, str(found.folder)))
    except (OSError, ValueError):
        return False  # a folder that somebody has edited


def _learned(words: Words, weights: str, language: str) -> tuple[str, str, int]:
    """The pair of languages, and the run and its step as in `cache.Source`. A run has its own pair."""
    if weights == RUN and (found := runs.find(state.get(f"{PREFIX}_learned"))) and runs.readable(found):
        return str(found.plan.data.target), str(found.folder), runs.latest_step(found) or 0  # type: ignore[attr-defined]
    pair = _choice(words, "pair", get_args(Target), "zh" if language == "zh" else "fr")
    return pair, cache.DEMONSTRATION if weights == WEIGHTS[0] else "", 0


def _sentence(words: Words, pair: str, run: str) -> str:
    """The sentence, and examples that were kept aside while the model learned."""
    if run in ("", cache.DEMONSTRATION):
        examples: dict[str, str] = words.examples.table()
    else:
        examples = {known.pair.source: known.pair.source for known in task(pair, run).held_out[:EXAMPLES]}
    key, example = linked("english", next(iter(examples.values())), _is_text), "translation_example"
    typed = st.text_area(
        words.sentence, key=key, height=68, placeholder=words.invite, max_chars=MOST_CHARACTERS, persist_state="session"
    )

    def take() -> None:
        if state.get(example) is not None:
            state.put(key, examples[state.get(example)])
            state.put(example, None)

    with st.container(key="preset"):
        st.pills(words.sentence, list(examples), key=example, on_change=take, label_visibility="collapsed")
    return str(typed)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _told(words: Words, asked: Translation) -> None:
    """What becomes of the sentence: how much of it is read, what is unknown, whether its translation is."""
    read, total = len(asked.read), len(asked.sentence)
    if read < total:
        st.caption(words.left_out.format(read=read, total=total))
    if asked.unknown:
        st.caption(words.unknown.format(words=" ".join(map(code, asked.unknown))))
    elif read:
        told = words.new if asked.known is None else words.held_out if asked.known.held_out else words.seen
        st.caption(told)


def _sizes(words: Words, pair: str, run: str, step: int) -> ModelConfig:
    """The sizes; trained weights lock theirs."""
    if run:
        config = translator(pair, cache.Source(ModelConfig(vocab_size=1), 0, run, step)).config
        locked = {"N": config.num_blocks, "width": config.d_model, "cut": config.num_heads}
        with st.container(key="sizes", horizontal=True):
            for name, value in locked.items():
                label = getattr(words.sizes, name).format(value)
                st.slider(
                    label, 0, 2 * value, value, key=f"translation_locked_{name}", disabled=True, help=words.locked
                )
        st.caption(words.norm_locked.format(words.norm_names.table()[NORMS[config.norm_first]]))
        return config
    with st.container(key="sizes", horizontal=True):
        blocks, width = _slider(words, "N", range(1, MOST_BLOCKS + 1)), _slider(words, "width", WIDTHS)
        heads = _slider(words, "cut", heads_for(width))
    return ModelConfig(
        vocab_size=tokenizer(pair, run).vocab_size,
        context_length=CONTEXT_LENGTH,
        d_model=width,
        num_heads=heads,
        num_blocks=blocks,
        norm_first=_choice(words, "norm", NORMS, NORMS[0]) == "pre",
    )


def _slider(words: Words, name: str, options: Sequence[int]) -> int:
    key = linked(name, SIZES[name], options.__contains__)
    label = getattr(words.sizes, name).format(state.get(key))
    return int(st.select_slider(label, options, key=key, persist_state="session"))


def _seed(words: Words) -> int:
    key = linked("start", 0, range(MOST_SEED + 1).__contains__)
    return int(st.number_input(words.seed, 0, MOST_SEED, key=key, persist_state="session"))


def _place(words: Words, pair: str, source: cache.Source, rows: bool) -> tuple[int, int, int]:
    """The block, the head and the row of the batch that are looked at; trained weights begin with the best aligned head."""
    block, head = best_place(pair) if source.run == cache.DEMONSTRATION else (0, 0)
    limits = {"at_block": (source.config.num_blocks, block + 1), "at_head": (source.config.num_heads, head + 1)}
    if rows:
        limits["at_row"] = 2, 1
    with st.container(key="place", horizontal=True):
        chosen = [
            st.selectbox(
                getattr(words.place, name),
                range(1, most + 1),
                key=linked(name, default, range(1, most + 1).__contains__),
                persist_state="session",
            )
            for name, (most, default) in limits.items()
        ]
    at = [int(place) - 1 for place in chosen]
    return at[0], at[1], at[2] if rows else 0


def best_place(pair: str) -> tuple[int, int]:
    """The block and the head of a bundled translator that align best."""
    accuracies: list[list[float]] = bundled(pair).extra["alignment"]
    places = ((block, head) for block, heads in enumerate(accuracies) for head in range(len(heads)))
    return max(places, key=lambda place: accuracies[place[0]][place[1]])
