"""Classification as a task: labelled sentences in batches, their loss, and what simpler models make of the same ones."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, ClassVar, Literal, NamedTuple, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer.classification.bag_of_words import constant_guess, logistic_regression, naive_bayes, word_counts
from transformer.classification.labelled import (
    Labelled,
    LabelledSplit,
    Language,
    bundled,
    read_labelled,
    split_labelled,
)
from transformer.config import TrainingConfig
from transformer.data import seed_of
from transformer.tasks import device_of
from transformer.tokenizer import Tokenizer
from transformer.words import UNKNOWN, WordTokenizer

WORD_DROPOUT = 0.1
"""Share of the words that a batch hides as unknown ones, so that no single word is relied on, and the unknown row learns."""


class SentenceBatch(NamedTuple):
    """tokens: (B, T) int64, short sentences padded at the end; lengths: (B,) of the real tokens; labels: (B,)."""

    tokens: Tensor
    lengths: Tensor
    labels: Tensor


class EncodedSentence(NamedTuple):
    """A labelled sentence, its ids as far as the context reaches, and the number of its class."""

    example: Labelled
    ids: tuple[int, ...]
    label: int


@dataclass(frozen=True)
class ClassificationTask:
    """The class of a sentence.

    Attributes:
        tokenizer: its words are those of `train`.
        labels: the names of the classes, in the order of their numbers.
        train: sentences to learn from.
        held_out: sentences to be judged by.
    """

    family: ClassVar[str] = "classifier"

    tokenizer: Tokenizer
    labels: tuple[str, ...]
    train: tuple[EncodedSentence, ...] = field(repr=False)
    held_out: tuple[EncodedSentence, ...] = field(repr=False)

    @classmethod
    def of(cls, split: LabelledSplit, context_length: int, tokenizer: Tokenizer | None = None) -> Self:
        """Sentences longer than the context are judged by their beginning. A `tokenizer` saves making it again."""
        tokenizer = tokenizer or WordTokenizer.from_texts(example.text for example in split.train)
        labels = tuple(sorted({example.label for example in split.train}))

        def encoded(example: Labelled) -> EncodedSentence:
            ids = tokenizer.encode(example.text).ids[:context_length]
            return EncodedSentence(example, ids, labels.index(example.label))

        return cls(tokenizer, labels, *(tuple(map(encoded, part)) for part in split))

    @property
    def tokenizers(self) -> dict[str, Tokenizer]:
        """The one there is."""
        return {"text": self.tokenizer}

    def batches(self, training: TrainingConfig, drawn: int = 0) -> Iterator[SentenceBatch]:
        """Sentences at random, some of their words hidden."""
        for number in count(drawn):
            random = torch.Generator().manual_seed(seed_of(training.seed, "sentences", number))
            chosen = torch.randint(len(self.train), (training.batch_size,), generator=random).tolist()
            tokens, lengths, labels = batch([self.train[place] for place in chosen])
            hidden = torch.rand(tokens.shape, generator=random) < WORD_DROPOUT
            yield SentenceBatch(tokens.masked_fill(hidden, UNKNOWN), lengths, labels)

    def validation(self, training: TrainingConfig) -> list[SentenceBatch]:
        """The held-out sentences in their order."""
        size = training.batch_size
        shown = self.held_out[: training.eval_batches * size]
        return [batch(shown[start : start + size]) for start in range(0, len(shown), size)]

    def losses(self, model: nn.Module, batch: SentenceBatch, label_smoothing: float = 0.0) -> Tensor:
        """−ln of the probability that the model gives each sentence's class. (B,)"""
        tokens, lengths, labels = (part.to(device_of(model)) for part in batch)
        log_probabilities = model(tokens, lengths).float()
        return F.cross_entropy(log_probabilities, labels, reduction="none", label_smoothing=label_smoothing)

    def yardsticks(self, training: TrainingConfig) -> dict[str, float]:
        """`uniform`: every class is as likely. `constant`: as frequent as it was. `bag_of_words`: logistic regression."""
        shown = slice(training.eval_batches * training.batch_size)
        truth = self._truth[shown]
        losses = {
            name: float(F.nll_loss(self.simpler[name][shown], truth)) for name in ("constant", "logistic_regression")
        }
        return {
            "uniform": math.log(len(self.labels)),
            "constant": losses["constant"],
            "bag_of_words": losses["logistic_regression"],
        }

    def report(self, model: nn.Module) -> dict[str, Any]:
        """`accuracy` on the held-out `sentences`, that of simpler models, and `confusion`: [true class][decided class]."""
        judged = self.judged(model)
        return {
            "accuracy": accuracy(judged, self._truth),
            **{name: accuracy(simpler, self._truth) for name, simpler in self.simpler.items()},
            "sentences": len(self.held_out),
            "labels": list(self.labels),
            "confusion": confusion(self._truth, judged.argmax(-1), len(self.labels)).tolist(),
        }

    @torch.inference_mode()
    def judged(self, model: nn.Module) -> Tensor:
        """The model's log-probabilities for every held-out sentence. (N, C)"""
        tokens, lengths, _ = batch(self.held_out)
        return model(tokens.to(device_of(model)), lengths.to(device_of(model))).float().cpu()

    @cached_property
    def simpler(self) -> dict[str, Tensor]:
        """Log-probabilities of a constant guess and of two bags of words for every held-out sentence, (N, C) by name."""
        seen, new = (
            word_counts([known(s.ids) for s in part], self.tokenizer.vocab_size) for part in (self.train, self.held_out)
        )
        labels, classes = torch.tensor([sentence.label for sentence in self.train]), len(self.labels)
        return {
            "constant": constant_guess(labels, classes).expand(len(new), -1),
            "naive_bayes": naive_bayes(seen, labels, classes)(new),
            "logistic_regression": logistic_regression(seen, labels, classes)(new),
        }

    @cached_property
    def _truth(self) -> Tensor:
        """(N,) int64"""
        return torch.tensor([sentence.label for sentence in self.held_out])


@dataclass(frozen=True, kw_only=True)
class SentenceData:
    """What a classifier learns from, as JSON values.

    Attributes:
        language: of the sentences that come with the library; "own" stands for the learner's file.
        seed: which of the learner's own sentences are held out.
    """

    family: ClassVar[str] = "classifier"

    language: Language | Literal["own"] = "en"
    seed: int = 0

    def task(self, context_length: int, own: str = "", tokenizer: Tokenizer | None = None) -> ClassificationTask:
        """The class of these sentences.

        Raises:
            DataError: as `read_labelled`.
        """
        split = (
            split_labelled(read_labelled(own.encode()), seed=self.seed)
            if self.language == "own"
            else bundled(self.language)
        )
        return ClassificationTask.of(split, context_length, tokenizer)


def batch(sentences: Sequence[EncodedSentence]) -> SentenceBatch:
    """Sentences side by side, padded to the longest."""
    lengths = [len(sentence.ids) for sentence in sentences]
    tokens = torch.full((len(sentences), max(1, *lengths)), UNKNOWN)
    for row, sentence in enumerate(sentences):
        tokens[row, : lengths[row]] = torch.tensor(sentence.ids, dtype=torch.long)
    return SentenceBatch(tokens, torch.tensor(lengths), torch.tensor([sentence.label for sentence in sentences]))


def known(ids: Sequence[int]) -> list[int]:
    """The ids without those of unknown words, of which a bag of words knows nothing."""
    return [id for id in ids if id != UNKNOWN]


def accuracy(log_probabilities: Tensor, labels: Tensor) -> float:
    """The share of sentences whose likeliest class is the true one. (N, C), (N,)"""
    return float((log_probabilities.argmax(-1) == labels).float().mean())


def confusion(truth: Tensor, decided: Tensor, num_classes: int) -> Tensor:
    """How many sentences of each class (rows) were taken for each (columns). (N,), (N,) → (C, C) int64"""
    return torch.bincount(truth * num_classes + decided, minlength=num_classes**2).view(num_classes, num_classes)
