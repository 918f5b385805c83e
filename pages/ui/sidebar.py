"""The sidebar: the choices that all pages share, drawn once for every page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pages.ui import catalog, lesson, runs, state, text
from pages.ui.choices import CODES, DEFAULTS, SPANS, Span, heads_for
from pages.ui.desk import Control, Kind, desk
from pages.ui.lesson import Lesson
from pages.ui.text import Words
from transformer import ModelConfig

Line = Sequence[Control]


def current_sizes() -> ModelConfig:
    """The sizes in force: the trained run's or the sliders'. The vocabulary plays no part."""
    imposed = lesson.imposed_config(state.get("weights"), state.get("run"))
    return imposed or ModelConfig(
        vocab_size=1,
        context_length=SPANS["context"].high,
        d_model=state.get("d_model"),
        num_heads=state.get("heads"),
        num_blocks=state.get("blocks"),
    )


def want(controls: str) -> None:
    """Says which controls the page has a use for, as in `catalog.Entry.sidebar`; a page may say so until it is drawn."""
    state.remember("wanted", controls)


def draw(words: Words, looked_at: Lesson) -> None:
    """Draws the controls that the page wants."""
    wanted = state.recall("wanted")
    lines: list[Line] = [[_codes("lang", words.languages, "", "buttons")]]
    if wanted != "own":
        lines += _sentence(words)
    if wanted == "walk":
        lines += [_walked(words, looked_at), *_weights(words), *_sizes(words), _place(words)]
    lines.append([Control("switch", "hall", words.hall, state.get("hall"), hint=words.hall_help)])
    desk(lines, key="desk", on_change=_choose)


def _choose(name: str, value: Any) -> None:
    """Takes over what was changed; a choice that is not possible is repaired by `state.settle`."""
    phrases: dict[str, str] = catalog.frame_words(state.language()).presets.table()
    if name == "preset" and str(value) in phrases:
        state.put("text", phrases[str(value)])
    elif name in DEFAULTS:
        state.put(name, value)


def _codes(name: str, names: Words, label: str, kind: Kind, codes: Sequence[str] = ()) -> Control:
    """A choice among codes, each with its name; all its codes unless some are given."""
    table = names.table()
    return Control(kind, name, label, state.get(name), [(code, table[code]) for code in codes or CODES[name]])


def _sentence(words: Words) -> list[Line]:
    examples = [(name, name) for name in words.presets.table()]
    return [
        [Control("text", "text", words.sentence, state.get("text"), hint=words.invite)],
        [Control("phrases", "preset", words.examples, options=examples)],
    ]


def _walked(words: Words, looked_at: Lesson) -> Line:
    """How much of the sentence the pictures show."""
    told = ""
    if looked_at.length:
        sentence = words.left_out if looked_at.left_out else words.walked
        total = looked_at.length + looked_at.left_out
        told = sentence.format(length=looked_at.length, left_out=looked_at.left_out, total=total)
        if any(label.startswith("⟨") for label in looked_at.labels):
            told = text.joined(state.language(), told, words.single_byte)
    return [Control("note", "walked", value=told)]


def _weights(words: Words) -> list[Line]:
    """Where the weights come from; random ones leave the vocabulary open."""
    walkable = runs.walkable()
    lines: list[Line] = [
        [_codes("weights", words.weights_names, words.weights, "buttons", CODES["weights"][: 3 if walkable else 2])]
    ]
    if state.get("weights") == "run":
        shown = state.get("run") if state.get("run") in walkable else next(iter(walkable))
        lines.append([Control("select", "run", words.run, shown, list(walkable.items()))])
    if state.get("weights") == "random":
        lines.append([_codes("vocab", words.codes, words.vocabulary, "select")])
        lines.append([_codes("corpus", words.codes, words.corpus, "select")])
    return lines


def _sizes(words: Words) -> list[Line]:
    """The sizes; trained weights lock theirs."""
    sizes, context, locked = current_sizes(), SPANS["context"], state.get("weights") != "random"
    names, seed = words.sizes, SPANS["seed"]
    heads = [(number, str(number)) for number in heads_for(sizes.d_model)]
    shape = [
        _slider("d_model", names, sizes.d_model, _range(SPANS["d_model"]), locked),
        _slider("heads", names, sizes.num_heads, heads, locked),
        _slider("blocks", names, sizes.num_blocks, _range(SPANS["blocks"]), locked),
    ]
    longest = min(context.high, sizes.context_length)
    reach = _range(replace(context, low=min(context.low, longest), high=longest))
    rest = [
        _slider("context", names, state.get("context"), reach),
        _slider("batch", names, state.get("batch"), _range(SPANS["batch"])),
        Control("number", "seed", names.seed, state.get("seed"), _range(seed)),
    ]
    return [
        shape[:2],
        [shape[2], rest[0]],
        rest[1:],
        *([[Control("note", "locked", value=words.locked)]] if locked else []),
    ]


def _slider(
    name: str, names: Words, value: int, options: range | Sequence[tuple[int, str]], locked: bool = False
) -> Control:
    return Control("slider", name, getattr(names, name), value, options, locked=locked)


def _range(span: Span) -> range:
    return range(span.low, span.high + 1, span.step)


def _place(words: Words) -> Line:
    """Which block, head and row of the batch the pictures show."""
    sizes = current_sizes()
    limits = {"block": sizes.num_blocks, "head": sizes.num_heads, "row": state.get("batch")}
    return [
        Control("select", name, getattr(words.place, name), state.get(name), [(n, str(n)) for n in range(1, most + 1)])
        for name, most in limits.items()
    ]
