"""Sentences with a label each: those that come with the library, and those that people bring."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple, get_args

from transformer.columns import two_columns
from transformer.data import seed_of
from transformer.user_text import DataError
from transformer.words import bare, split_words

Language = Literal["en", "zh"]

FOLDER = Path(__file__).parents[1] / "assets" / "classification"
HEADINGS = {"label", "class", "sentiment", "text", "sentence", "review", "标签", "类别", "句子", "文本", "评论"}
MOST_SENTENCES = 20_000
"""Of a file; what is more is left out."""
MOST_LABELS = 8
FEWEST_OF_LABEL = 5


class Labelled(NamedTuple):
    """A sentence and the name of its class."""

    label: str
    text: str


class LabelledSplit(NamedTuple):
    """Sentences to learn from and sentences to be judged by; none is in both."""

    train: tuple[Labelled, ...]
    held_out: tuple[Labelled, ...]


@cache
def bundled(language: Language) -> LabelledSplit:
    """Short reviews written for this library, half of them positive, split by whoever wrote them.

    Raises:
        ValueError: there are none in that language.
    """
    if language not in get_args(Language):
        raise ValueError(f"there are no sentences in {language!r}; there are {', '.join(get_args(Language))}")
    files = (FOLDER / f"{language}_{part}.tsv" for part in ("train", "held_out"))
    return LabelledSplit(*(read_labelled(file.read_bytes()) for file in files))


def read_labelled(raw: bytes) -> tuple[Labelled, ...]:
    """The sentences of a file with two columns: in each line a label and a sentence, or a sentence and its label.

    The label is the column that says fewer different things. A line of headings is left out, and so is a sentence that
    occurred before.

    Raises:
        DataError: as `two_columns`; `few_labels` and `many_labels`, with how many `labels` there are and how many are
            `needed` or the `most`; `few_sentences`, with the `label` that has too few, its `sentences` and how many are
            `needed`.
    """
    cells = [(line.first, line.second) for line in two_columns(raw, "label")]
    if cells and {cell.casefold() for cell in cells[0]} <= HEADINGS:
        del cells[0]
    first, second = (len({row[column] for row in cells}) for column in (0, 1))
    label, text = (0, 1) if first <= second else (1, 0)
    found: dict[tuple[str, ...], Labelled] = {}
    for row in cells[:MOST_SENTENCES]:
        found.setdefault(spoken(row[text]), Labelled(row[label], row[text]))
    examples = tuple(found.values())
    check_labels(Counter(example.label for example in examples))
    return examples


def check_labels(counts: Counter[str]) -> None:
    """Raises DataError as `read_labelled` unless there are a few labels with some sentences each."""
    if len(counts) < 2:
        raise DataError("few_labels", labels=len(counts), needed=2)
    if len(counts) > MOST_LABELS:
        raise DataError("many_labels", labels=len(counts), most=MOST_LABELS)
    label, sentences = counts.most_common()[-1]
    if sentences < FEWEST_OF_LABEL:
        raise DataError("few_sentences", label=label, sentences=sentences, needed=FEWEST_OF_LABEL)


def spoken(text: str) -> tuple[str, ...]:
    """The words of a sentence; equal for sentences that a model cannot tell apart."""
    return tuple(map(bare, split_words(text)))


def split_labelled(examples: Iterable[Labelled], held_out: float = 0.2, seed: int = 0) -> LabelledSplit:
    """Holds out the same share of every label, chosen by the seed; at least one sentence of each."""
    of_label: dict[str, list[Labelled]] = {}
    for example in examples:
        of_label.setdefault(example.label, []).append(example)
    train, judged = list[Labelled](), list[Labelled]()
    for number, label in enumerate(sorted(of_label)):
        shuffled = of_label[label]
        Random(seed_of(seed, "held-out sentences", number)).shuffle(shuffled)
        cut = max(1, round(held_out * len(shuffled)))
        judged += shuffled[:cut]
        train += shuffled[cut:]
    return LabelledSplit(tuple(train), tuple(judged))
