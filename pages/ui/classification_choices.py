"""The sidebar of the classification page: sentence, weights, and the language that was learned."""

from collections.abc import Sequence
from typing import get_args

from pages.ui import cache, runs, state
from pages.ui.classified import FAMILY, Classified, Weights
from pages.ui.desk import Control, Line
from pages.ui.page_desk import MOST_CHARACTERS, linked_control, page_desk
from pages.ui.parts import Page
from transformer.classification.labelled import Language

EXAMPLES, SHORT = 4, 24
TRAINED, UNTRAINED, RUN = "trained", "untrained", "run"


def ask(page: Page) -> Classified:
    """Draws the page's controls in the sidebar; their values are part of the link."""
    weights, lines = _weights(page)
    if not weights.of_a_run:
        learned = _choice(page, "learned", f"learned_{page.language}", get_args(Language), page.language)
        lines = [[learned], *lines]
        weights = Weights(learned.value, weights.run)
    sentence, examples = _sentence(page, weights)
    seen = Classified(weights, weights.tokenizer.encode(sentence.value))
    page_desk([[sentence], [examples], *_told(page, seen), *lines])
    return seen


def _weights(page: Page) -> tuple[Weights, list[Line]]:
    """Bundled weights in the page's language, or those of a run in its own."""
    known, name, of_run = runs.walkable(FAMILY), f"{page.name}_model", f"{page.name}_of_run"
    link = state.recall("link")
    asked, id = link.get("model", state.get(name)), link.get("of_run", state.get(of_run) or next(iter(known), ""))
    found = _found(str(id)) if asked == RUN else None
    offered = TRAINED, UNTRAINED, *([RUN] if known else [])
    chosen = _choice(page, "weights", "model", offered, TRAINED, offered if found else offered[:2])
    lines: list[Line] = [[chosen]]
    if asked == RUN and not found:
        lines.append([Control("note", "gone", value=page.words.gone)])
        state.put(of_run, "")
    if chosen.value != RUN or found is None:
        return Weights(page.language, cache.DEMONSTRATION if chosen.value == TRAINED else ""), lines
    state.put(of_run, id)
    # without a default, so that a link always names the run
    lines.append([linked_control(page.name, "select", "of_run", page.words.run, "", known)])
    return found, lines


def _found(id: str) -> Weights | None:
    """The newest weights of the run with this id, which may come from a link; None if it has none to look at."""
    run = runs.find(id)
    try:
        if run is None or run.plan.data.family != FAMILY or (step := run.latest_step()) is None:
            return None
        weights = Weights(str(run.plan.data.language), str(run.folder), step)  # type: ignore[attr-defined]
        return weights if weights.model and weights.task else None
    except (OSError, ValueError):
        return None  # a folder that somebody has edited


def _choice(
    page: Page, label: str, name: str, codes: Sequence[str], default: str, possible: Sequence[str] | None = None
) -> Control:
    table = getattr(page.words, f"{label}_names").table()
    offered = {code: table[code] for code in codes}
    return linked_control(page.name, "buttons", name, getattr(page.words, label), default, offered, possible=possible)


def _sentence(page: Page, weights: Weights) -> tuple[Control, Control]:
    """The sentence, and examples; a learner's own sentences are their own examples."""
    words, language = page.words, weights.language
    if language in get_args(Language):
        presets: dict[str, str] = words.presets.table()[language]
    else:
        presets = {_short(s.example.text): s.example.text for s in weights.task.held_out[:EXAMPLES]}
    default = next(iter(presets.values()))[:MOST_CHARACTERS]
    sentence = linked_control(page.name, "text", f"text_{language}", words.sentence, default, hint=words.invite)
    offered = [(example, name) for name, example in presets.items()]
    return sentence, Control("phrases", sentence.name, words.examples, options=offered)


def _told(page: Page, seen: Classified) -> list[Line]:
    """Which words are unknown, and how much of the sentence does not fit."""
    length, total, words = len(seen.read), len(seen.sentence), page.words
    unknown = words.unknown.format(words=" ".join(f"“{word}”" for word in seen.unknown)) if seen.unknown else ""
    left_out = words.left_out.format(length=length, total=total, left_out=total - length) if length < total else ""
    return [[Control("note", "unknown", value=unknown)], [Control("note", "left_out", value=left_out)]]


def _short(sentence: str) -> str:
    """A sentence as the label of a button: its beginning."""
    return sentence if len(sentence) <= SHORT else f"{sentence[: SHORT - 1].rstrip()}…"
