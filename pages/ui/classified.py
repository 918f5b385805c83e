"""The sentence of the classification page, the classifier that reads it, and what it makes of it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pages.ui import cache, text
from transformer.classification import demonstration as bundled
from transformer.classification.circulating import changed_by_padding, changed_by_place
from transformer.classification.labelled import Language
from transformer.classification.task import ClassificationTask, batch
from transformer.classifier import Classifier
from transformer.runs.run import Run
from transformer.tokenizer import Tokenizer, Tokens
from transformer.trace import ClassifierTrace
from transformer.words import UNKNOWN

MOST_PADDING = 2
FAMILY = "classifier"


@dataclass(frozen=True)
class Weights:
    """Where a classifier comes from.

    Attributes:
        language: of the sentences that it learned from; "own" stands for a learner's file.
        run: `cache.DEMONSTRATION`, a run's folder, or nothing: it has learned nothing yet.
        step: of the run, after which the weights are looked at.
    """

    language: str
    run: str
    step: int = 0

    @property
    def of_a_run(self) -> bool:
        """Whether somebody trained it here."""
        return self.run not in ("", cache.DEMONSTRATION)

    @property
    def model(self) -> Classifier:
        """The classifier; shared, so never to be changed."""
        if self.of_a_run:
            model: Classifier = cache.checkpoint(self.run, self.step).model
            return model
        return bundled.demonstration(self._language).model if self.run else bundled.untrained(self._language)

    @property
    def task(self) -> ClassificationTask:
        """What it learns, and what it is judged by."""
        return _task(self.run) if self.of_a_run else bundled.demonstration(self._language).task

    @property
    def tokenizer(self) -> Tokenizer:
        """Its words."""
        return cache.tokenizer(self.run, self.run) if self.of_a_run else self.task.tokenizer

    @property
    def report(self) -> tuple[int, dict[str, Any]]:
        """How it does on held-out sentences, and after which step that was noted."""
        if not self.of_a_run:
            return self.step, self._once("report", lambda: bundled.report(self._language, bool(self.run)))
        noted: tuple[int, dict[str, Any]] | None = self._once("noted", lambda: _last_report(self.run))
        return noted or (self.step, self._once("report", lambda: self.task.report(self.model)))

    @property
    def unsteady(self) -> tuple[int, int]:
        """How many held-out sentences circulating code decides now this way, now that: by place and by padding."""
        counts: tuple[int, int] = self._once("unsteady", self._unsteady)
        return counts

    def _unsteady(self) -> tuple[int, int]:
        if not self.of_a_run:
            return bundled.unsteady(self._language, bool(self.run))
        tokens, lengths, _ = batch(self.task.held_out)
        rows = min(bundled.BATCH, self.model.config.context_length)  # circulating code needs a position for each
        return changed_by_place(self.model, tokens, lengths, rows), changed_by_padding(self.model, tokens, lengths)

    @property
    def _language(self) -> Language:
        return "zh" if self.language == "zh" else "en"

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        """Made once, however many sessions ask for it."""
        key: Hashable = (FAMILY, self, name)
        return cache.kept(key, make, lambda made: 1024)


@lru_cache(maxsize=8)
def _task(run: str) -> ClassificationTask:
    learned = Run(Path(run)).task()
    assert isinstance(learned, ClassificationTask), f"{run} is no classifier"
    return learned


def _last_report(run: str) -> tuple[int, dict[str, Any]] | None:
    reports = Run(Path(run)).metrics().reports
    return reports[-1] if reports else None


@dataclass(frozen=True)
class Classified:
    """A reading of the page's choices.

    Attributes:
        weights: where the classifier comes from.
        sentence: all tokens of the learner's sentence, before it is cut to the context.
    """

    weights: Weights
    sentence: Tokens

    @property
    def model(self) -> Classifier:
        """The classifier; shared, so never to be changed."""
        return self.weights.model

    @property
    def task(self) -> ClassificationTask:
        """What it learned, and what it is judged by."""
        return self.weights.task

    @property
    def read(self) -> Tokens:
        """The tokens that the context has room for."""
        return self.sentence.first(self.model.config.context_length)

    @property
    def tokens(self) -> Tensor:
        """(T,) int64"""
        return torch.tensor(self.read.ids)

    @property
    def labels(self) -> list[str]:
        """The tokens as they are written on the page."""
        return [text.token(piece.strip()) for piece in self.read.pieces]

    @property
    def unknown(self) -> list[str]:
        """Those that the vocabulary does not hold, each once."""
        return list(dict.fromkeys(label for label, id in zip(self.labels, self.read.ids, strict=True) if id == UNKNOWN))

    @property
    def padding(self) -> int:
        """Tokens of padding that are drawn beside the sentence, as far as the context has room."""
        return min(MOST_PADDING, self.model.config.context_length - len(self.tokens))

    @cached_property
    def trace(self) -> ClassifierTrace:
        """The forward pass of a batch of one, with its padding."""
        padded = torch.cat([self.tokens, torch.full((self.padding,), UNKNOWN)])[None]
        with torch.no_grad():
            return self.model.trace(padded, torch.tensor([len(self.tokens)]))

    @property
    def decided(self) -> int:
        """The likeliest class."""
        return int(self.trace.log_probabilities[0].argmax())
