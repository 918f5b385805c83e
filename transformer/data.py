"""Corpora, what of them is held out, and the windows a model learns from."""

import re
import zlib
from pathlib import Path
from typing import NamedTuple, Self

import torch
from torch import Tensor


class Corpus(NamedTuple):
    """A text that comes with the library.

    Attributes:
        file: its name in assets/corpora.
        language: as in ISO 639-1.
        wrapped: its paragraphs are broken into lines of equal length, as on a printed page.
    """

    file: str
    language: str
    wrapped: bool


CORPORA = {
    "persuasion": Corpus("austen_persuasion.txt", "en", wrapped=True),
    "northanger_abbey": Corpus("austen_northanger_abbey.txt", "en", wrapped=True),
    "pride_and_prejudice": Corpus("austen_pride_and_prejudice.txt", "en", wrapped=True),
    "zh_classics": Corpus("zh_classics.txt", "zh", wrapped=False),
}


class Split(NamedTuple):
    """Tokens to learn from and tokens to be judged by, both (N,) int64."""

    train: Tensor
    validation: Tensor


class Windows(NamedTuple):
    """Inputs and targets, both (B, T) int64: `targets` holds what follows each input, one token later in the text."""

    inputs: Tensor
    targets: Tensor


def corpus_text(*names: str) -> str:
    """The texts of CORPORA so named, one after the other, each paragraph in one line.

    A model that has read wrapped lines expects a line break where a sentence gets long, and says so instead of a word.

    Raises:
        ValueError: no corpus has that name.
    """
    return "\n\n".join(map(_text, names))


def _text(name: str) -> str:
    if name not in CORPORA:
        raise ValueError(f"there is no corpus {name!r}; there are {', '.join(CORPORA)}")
    corpus = CORPORA[name]
    text = (Path(__file__).parent / "assets" / "corpora" / corpus.file).read_text(encoding="utf-8")
    return re.sub(r"(?<=\S)\n(?=\S)", " ", text) if corpus.wrapped else text


def split(*texts: Tensor, held_out: float = 0.1) -> Split:
    """Holds out the end of each text, so that no text is judged by what was read in it. texts: (N,) int64 each"""
    cuts = [len(ids) - round(len(ids) * held_out) for ids in texts]
    train = torch.cat([ids[:cut] for ids, cut in zip(texts, cuts, strict=True)])
    validation = torch.cat([ids[cut:] for ids, cut in zip(texts, cuts, strict=True)])
    return Split(train, validation)


def windows(ids: Tensor, starts: Tensor, length: int) -> Windows:
    """Cuts a window at each start. ids: (N,) int64, starts: (B,) int64 → inputs and targets (B, T), T = length"""
    spans = ids[starts[:, None] + torch.arange(length + 1)]
    return Windows(spans[:, :-1], spans[:, 1:])


def evaluation_windows(ids: Tensor, length: int, count: int | None = None) -> Windows:
    """Fixed windows side by side, none overlapping: `count` of them, spread evenly, or all. ids: (N,) int64

    Raises:
        ValueError: the text is shorter than a window.
    """
    starts = torch.arange(room(ids, length)).mul(length)[: (len(ids) - 1) // length]
    if count is not None and count < len(starts):
        starts = starts[torch.arange(count) * len(starts) // count]
    return windows(ids, starts, length)


def corpus_windows(ids: Tensor, count: int, length: int, seed: int) -> Tensor:
    """Windows at random places that follow from the seed; more of them leave the first ones as they are.

    Returns: (count, length) int64.
    Raises:
        ValueError: the text is shorter than a window.
    """
    return windows(ids, random_starts(ids, count, length, seed), length).inputs


class Batches:
    """An endless iterator of random windows.

    Batch number n follows from the seed and n alone: whoever notes `drawn` can go on from there,
    `Batches(ids, batch_size, length, seed, drawn)`, as if nothing had happened.

    Raises:
        ValueError: the text is shorter than a window.
    """

    def __init__(self, ids: Tensor, batch_size: int, length: int, seed: int = 0, drawn: int = 0) -> None:
        room(ids, length)
        self.ids = ids
        self.batch_size = batch_size
        self.length = length
        self.seed = seed
        self.drawn = drawn

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Windows:
        """Inputs and targets, (B, T) each."""
        seed = seed_of(self.seed, "batch", self.drawn)
        self.drawn += 1
        return windows(self.ids, random_starts(self.ids, self.batch_size, self.length, seed), self.length)


def random_starts(ids: Tensor, count: int, length: int, seed: int) -> Tensor:
    """Places where a window and the token after it fit. (count,) int64"""
    return torch.randint(room(ids, length), (count,), generator=torch.Generator().manual_seed(seed))


def room(ids: Tensor, length: int) -> int:
    """How many places a window can start at."""
    places = len(ids) - length
    if places < 1:
        raise ValueError(f"a text of {len(ids)} tokens holds no window of {length} and its next token")
    return places


def seed_of(seed: int, purpose: str, number: int) -> int:
    """A random stream of its own for each purpose and each time, so that none depends on what was drawn before."""
    return zlib.crc32(f"{seed} {purpose} {number}".encode())
