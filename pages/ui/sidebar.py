"""The sidebar: the choices that all pages share, drawn once for every page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pages.ui import catalog, lesson, runs, state, text
from pages.ui.choices import CODES, DEFAULTS, SPANS, Span, heads_for
from pages.ui.desk import Control, Kind, desk
from pages.ui.lesson import Lesson
from pages.ui.text import Words

Line = Sequence[Control]
Choices = Mapping[str, Any]


def want(controls: str) -> None:
    """Says which controls the page has a use for, as in `catalog.Entry.sidebar`; a page may say so until it is drawn."""
    state.remember("wanted", controls)


def draw(words: Words, looked_at: Lesson, address: Mapping[str, str]) -> None:
    """Draws the controls that the page wants, and has the address written."""
    wanted, chosen = state.recall("wanted"), state.chosen()
    lines: list[Line] = [
        [_codes("lang", chosen, words.languages, "", "buttons")],
        [Control("switch", "hall", words.hall, chosen["hall"], hint=words.hall_help)],
    ]
    if wanted != "own":
        lines += _sentence(words, chosen)
    if wanted == "walk":
        lines += [_walked(words, looked_at), *_weights(words, chosen)]
        lines += [*_sizes(words, chosen, looked_at), _place(words, chosen, looked_at)]
    desk(lines, key="desk", on_change=_choose, address=address)


def _choose(name: str, value: Any) -> None:
    """Takes over what was changed; a choice that is not possible is repaired by `state.settle`."""
    phrases: dict[str, str] = catalog.frame_words(state.language()).phrases.table()
    if name == "preset" and str(value) in phrases:
        state.put("text", phrases[str(value)])
    elif name in DEFAULTS:
        state.put(name, value)


def _codes(name: str, chosen: Choices, names: Words, label: str, kind: Kind, codes: Sequence[str] = ()) -> Control:
    """A choice among codes, each with its name; all its codes unless some are given."""
    table = names.table()
    return Control(kind, name, label, chosen[name], [(code, table[code]) for code in codes or CODES[name]])


def _sentence(words: Words, chosen: Choices) -> list[Line]:
    examples = list(words.presets.table().items())
    return [
        [Control("text", "text", words.sentence, chosen["text"], hint=words.invite)],
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


def _weights(words: Words, chosen: Choices) -> list[Line]:
    """Where the weights come from; random ones leave the vocabulary open."""
    walkable = runs.walkable()
    lines: list[Line] = [
        [
            _codes(
                "weights",
                chosen,
                words.weights_names,
                words.weights,
                "buttons",
                CODES["weights"][: 3 if walkable else 2],
            )
        ]
    ]
    if chosen["weights"] == "run":
        shown = chosen["run"] if chosen["run"] in walkable else next(iter(walkable))
        lines.append([Control("select", "run", words.run, shown, list(walkable.items()))])
    if chosen["weights"] == "random":
        lines.append([_codes("vocab", chosen, words.codes, words.vocabulary, "select")])
        lines.append([_codes("corpus", chosen, words.codes, words.corpus, "select")])
    return lines


def _sizes(words: Words, chosen: Choices, looked_at: Lesson) -> list[Line]:
    """The sizes; trained weights lock theirs."""
    sizes, context, locked = looked_at.config, SPANS["context"], chosen["weights"] != "random"
    names, seed = words.sizes, SPANS["seed"]
    heads = [(number, str(number)) for number in heads_for(sizes.d_model)]
    shape = [
        _slider("d_model", names, sizes.d_model, _range(SPANS["d_model"]), locked),
        _slider("heads", names, sizes.num_heads, heads, locked),
        _slider("blocks", names, sizes.num_blocks, _range(SPANS["blocks"]), locked),
    ]
    trained = lesson.imposed_config(chosen["weights"], chosen["run"])
    longest = min(context.high, trained.context_length) if trained else context.high
    reach = _range(replace(context, low=min(context.low, longest), high=longest))
    rest = [
        _slider("context", names, chosen["context"], reach),
        _slider("batch", names, chosen["batch"], _range(SPANS["batch"])),
        Control("number", "seed", names.seed, chosen["seed"], _range(seed)),
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


def _place(words: Words, chosen: Choices, looked_at: Lesson) -> Line:
    """Which block, head and row of the batch the pictures show."""
    sizes = looked_at.config
    limits = {"block": sizes.num_blocks, "head": sizes.num_heads, "row": looked_at.batch_size}
    return [
        Control("select", name, getattr(words.place, name), chosen[name], [(n, str(n)) for n in range(1, most + 1)])
        for name, most in limits.items()
    ]
