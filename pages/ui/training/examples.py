"""What there is to say about sentence pairs or labelled sentences before a run learns from them."""

from collections.abc import Sequence
from typing import NamedTuple

from transformer.classification.task import ClassificationTask
from transformer.runs.plans import Data
from transformer.translation.task import TranslationTask

SHOWN = 12  # pairs or sentences of a sample


class Examples(NamedTuple):
    """Pairs or labelled sentences as a run would read them.

    Attributes:
        rows: of the vocabulary, V.
        train, held_out: examples to learn from and to be judged by.
        classes: of labelled sentences; 0 for pairs.
        sample: the first ones to learn from: source and target, or label and sentence.
    """

    rows: int
    train: int
    held_out: int
    classes: int
    sample: Sequence[tuple[str, str]]

    @property
    def sizes(self) -> dict[str, int]:
        """What the examples decide of a model."""
        return {"vocab_size": self.rows} | ({"num_classes": self.classes} if self.classes else {})

    @property
    def outcomes(self) -> int:
        """What a guess is among."""
        return self.classes or self.rows


def read(data: Data, own: str, context_length: int) -> Examples:
    """Reads data as a run would. Raises DataError if there is nothing to learn from."""
    task = data.task(context_length, own)
    assert isinstance(task, TranslationTask | ClassificationTask), f"{data} is no data of examples"
    classes, sample = 0, list[tuple[str, str]]()
    if isinstance(task, TranslationTask):
        sample = [(each.pair.source, each.pair.target) for each in task.train[:SHOWN]]
    else:
        classes = len(task.labels)
        half = [[s.example for s in task.train if s.label == label][: -(-SHOWN // classes)] for label in range(classes)]
        sample = [(example.label, example.text) for group in zip(*half, strict=False) for example in group]
    return Examples(task.tokenizer.vocab_size, len(task.train), len(task.held_out), classes, sample)
