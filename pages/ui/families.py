"""The three families of models on the first page: what each is made of, what it reads and what it says to it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import nn

from pages.figures import model_picture
from pages.figures.model_picture import Part, sizes
from pages.ui import cache, catalog, classification_choices, state, translation, translation_choices
from pages.ui.parts import Page
from pages.ui.translation import Translation
from transformer.classification import demonstration as classification_demonstration

GUESSES, CLASSES = 2, 2  # as many as there is room for


class Shown(NamedTuple):
    """A model at work.

    Attributes:
        model: the live one.
        blocks: how often its blocks stand on each other.
        picture: its stages by part; `axes`: how long each axis is here.
        learned, computed: numbers and floating-point operations by part, in the same order.
        tokens: the learner's sentence.
        guesses: what it says to it, each with its probability; or `written`: a text.
        start: the page to begin with.
        weights: the choice that says which weights these are, its value now, and the one to change to.
        facts: about these weights, for the sentence that tells of them.
    """

    model: nn.Module
    blocks: int
    picture: Mapping[str, Part]
    axes: Mapping[str, int]
    learned: Mapping[str, int]
    computed: Mapping[str, int]
    tokens: Sequence[str]
    guesses: Sequence[tuple[str, float]]
    written: str
    start: str
    weights: tuple[str, str, str]
    facts: Mapping[str, Any]


def gpt(page: Page) -> Shown | None:
    """The model of the walk, and the likeliest tokens after the sentence."""
    lesson, config = page.lesson, page.lesson.config
    batch, length = lesson.tokens.shape
    said = cache.said_after(lesson.source, lesson.tokens[:1], lesson.length - 1)
    chances, ids = said.probabilities[0].topk(GUESSES)
    shown = str(state.get("weights"))
    return Shown(
        lesson.model,
        config.num_blocks,
        model_picture.picture(config),
        sizes(config, B=batch, T=length, N=length),
        model_picture.parameter_counts(config),
        model_picture.operation_counts(config, batch, length),
        lesson.labels_of(0),
        list(zip(map(lesson.label, ids.tolist()), chances.tolist(), strict=True)),
        "",
        catalog.WALK[1].name,
        ("weights", shown, "demonstration" if shown == "random" else "random"),
        {"step": lesson.source.step} if shown == "run" else cache.demonstration().extra,
    )


def encoder_decoder(page: Page) -> Shown | None:
    """The translator of the paper's pages, with their sentence; None if it is empty."""
    seen = translation_choices.choose(page)
    if not seen.read:
        return None
    config, trace = seen.config, seen.trace
    (batch, source), target = trace.encoder.tokens.shape, trace.decoder.tokens.size(1)
    shown = "random" if not seen.weights.run else "run" if seen.of_a_run else "trained"
    return Shown(
        seen.model,
        config.num_blocks,
        model_picture.translator_picture(config),
        sizes(config, B=batch, S=source, T=target, N=len(seen.read)),
        model_picture.translator_parameters(config),
        model_picture.translator_operations(config, batch, source, target),
        seen.words(seen.read.ids, seen.read.pieces),
        (),
        seen.sentence_of(seen.written),
        "encoder_decoder",
        ("translation_model", shown, "trained" if shown == "random" else "random"),
        _about_translator(seen) if shown == "trained" else {"step": seen.weights.step},
    )


def _about_translator(seen: Translation) -> dict[str, Any]:
    """What the bundled translator reached."""
    found = translation.bundled(seen.pair).extra
    return {"step": found["training"]["max_steps"], **told(found["report"])}


def classifier(page: Page) -> Shown | None:
    """The classifier of its page, with that page's sentence; None if the sentence is empty."""
    own = Page(str(catalog.entry("classification").script))
    seen = classification_choices.ask(own)
    if not len(seen.tokens):
        return None
    config, (batch, length) = seen.model.config, seen.trace.tokens.shape
    names = [own.words.classes_names.table().get(label, label) for label in seen.task.labels]
    chances = seen.trace.log_probabilities[0].exp().tolist()
    shown = "untrained" if not seen.weights.run else "run" if seen.weights.of_a_run else "trained"
    step = seen.weights.step if shown == "run" else classification_demonstration.TRAINING.max_steps
    return Shown(
        seen.model,
        config.num_blocks,
        model_picture.classifier_picture(config),
        sizes(config, B=batch, T=length, N=len(seen.tokens), C=config.num_classes),
        model_picture.classifier_parameters(config),
        model_picture.classifier_operations(config, batch, length),
        seen.labels,
        sorted(zip(names, chances, strict=True), key=lambda guess: -guess[1])[:CLASSES],
        "",
        "classification",
        ("classification_model", shown, "trained" if shown == "untrained" else "untrained"),
        {"step": step, "train": len(seen.task.train), **(told(seen.weights.report[1]) if shown == "trained" else {})},
    )


def told(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report whose shares are written as people say them, all with the same digits: they stand in one sentence."""
    return {name: f"{value:.1%}" if isinstance(value, float) else value for name, value in report.items()}


FAMILIES: dict[str, Callable[[Page], Shown | None]] = {
    "gpt": gpt,
    "encoder_decoder": encoder_decoder,
    "classifier": classifier,
}
