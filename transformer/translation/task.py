"""Translation as a task: sentence pairs in batches of equal lengths, their loss, and whole sentences got right."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple, Self

import torch
from torch import Tensor, nn

from transformer.bilingual import BilingualTokenizer, split_words
from transformer.config import TrainingConfig
from transformer.cross_entropy import cross_entropy
from transformer.data import seed_of
from transformer.encoder_decoder import BEGIN, END, PADDING, EncoderDecoder, padded
from transformer.ngrams import BigramModel
from transformer.tasks import device_of
from transformer.tokenizer import Tokenizer
from transformer.translation.decoding import allowed, greedy_ids
from transformer.translation.sentence_pairs import (
    LANGUAGES,
    MOST_PAIRS,
    Pair,
    Target,
    grammar_pairs,
    read_pairs,
    split_pairs,
)
from transformer.user_text import DataError

PAIRS = 7000
"""Sentence pairs that a grammar makes for a run, the held-out ones among them."""
JUDGED = 400
"""Held-out sentences that a report is about,"""
JUDGED_TOGETHER = 100
"""so many at a time;"""
EXAMPLES = 6
"""and of those that it shows, so many as they come, and as many that went wrong."""


class PairBatch(NamedTuple):
    """source: (B, S), target: (B, T + 1) int64, targets between `BEGIN` and `END`; short ones end with `PADDING`."""

    source: Tensor
    target: Tensor


class EncodedPair(NamedTuple):
    """A pair with its ids, the target's between `BEGIN` and `END`."""

    pair: Pair
    source: tuple[int, ...]
    target: tuple[int, ...]


@dataclass(frozen=True)
class TranslationTask:
    """Sentences of one language into those of another.

    Attributes:
        tokenizer: of both languages; its words are those of `train`.
        train: pairs to learn from.
        held_out: pairs to be judged by.
    """

    family: ClassVar[str] = "encoder_decoder"

    tokenizer: BilingualTokenizer
    train: tuple[EncodedPair, ...] = field(repr=False)
    held_out: tuple[EncodedPair, ...] = field(repr=False)

    @classmethod
    def of(
        cls, pairs: Sequence[Pair], context_length: int, seed: int = 0, tokenizer: BilingualTokenizer | None = None
    ) -> Self:
        """Splits the pairs by the seed; those that do not fit the context are left out.

        A `tokenizer` saves making it again.

        Raises:
            DataError: `few_pairs`, with how many `pairs` fit and how many are `needed`.
        """
        fitting = [pair for pair in pairs if fits(pair, context_length)]
        if len(fitting) < 2:
            raise DataError("few_pairs", pairs=len(fitting), needed=2)
        train, held_out = split_pairs(fitting, seed=seed)
        words = tokenizer or BilingualTokenizer.from_texts(text for pair in train for text in pair[:2])
        return cls(words, *(tuple(encoded(pair, words) for pair in part) for part in (train, held_out)))

    @property
    def tokenizers(self) -> dict[str, BilingualTokenizer]:
        """One for both languages."""
        return {"text": self.tokenizer}

    def batches(self, training: TrainingConfig, drawn: int = 0) -> Iterator[PairBatch]:
        """Every pair once in each round, with others of about its length, in an order that follows from the seed."""
        rounds = math.ceil(len(self.train) / training.batch_size)

        @lru_cache(maxsize=1)
        def plan(round_number: int) -> list[list[EncodedPair]]:
            random, order = Random(seed_of(training.seed, "pairs", round_number)), list(self.train)
            random.shuffle(order)
            order.sort(key=lambda pair: (len(pair.target), len(pair.source)))
            groups = [order[i : i + training.batch_size] for i in range(0, len(order), training.batch_size)]
            random.shuffle(groups)
            return groups

        for number in count(drawn):
            yield batch(plan(number // rounds)[number % rounds])

    def validation(self, training: TrainingConfig) -> list[PairBatch]:
        """Held-out pairs, (B, S) and (B, T + 1) each."""
        pairs = self.held_out[: training.eval_batches * training.batch_size]
        return [batch(pairs[i : i + training.batch_size]) for i in range(0, len(pairs), training.batch_size)]

    def losses(self, model: nn.Module, batch: PairBatch, label_smoothing: float = 0.0) -> Tensor:
        """−ln of the probability that the model gives each target token, the true ones before it given. (N,)"""
        source, target = (part.to(device_of(model)) for part in batch)
        logits, wanted = model(source, target[:, :-1]).float().flatten(0, 1), target[:, 1:].flatten()
        return cross_entropy(logits, wanted, label_smoothing)[wanted != PADDING]  # (B·T, V) → (N,)

    def yardsticks(self, training: TrainingConfig) -> dict[str, float]:
        """`uniform`: every token is as likely as any other. `bigram`: the target token before decides."""
        seen = torch.tensor([id for pair in self.train for id in pair.target])
        bigram = BigramModel.fit(seen, self.tokenizer.vocab_size)
        shown = [pair.target for pair in self.held_out[: training.eval_batches * training.batch_size]]
        inputs = torch.tensor([id for target in shown for id in target[:-1]])
        targets = torch.tensor([id for target in shown for id in target[1:]])
        return {"uniform": math.log(self.tokenizer.vocab_size), "bigram": bigram.loss(inputs, targets)}

    def report(self, model: nn.Module) -> dict[str, Any]:
        """The share of held-out sentences that greedy decoding translates word for word as the pair does, and examples.

        `exact_match` of `sentences`; `examples` with `source`, `reference`, `translation`, and whether it is `exact`:
        the first ones, and the first that went wrong.
        """
        assert isinstance(model, EncoderDecoder)
        exact = self.exact(model)
        wrong = [place for place, right in enumerate(exact) if not right and place >= EXAMPLES]
        shown = [*range(min(EXAMPLES, len(exact))), *wrong[:EXAMPLES]]
        pairs = [self.held_out[place] for place in shown]
        longest = max(len(pair.target) for pair in pairs)
        source = padded(pair.source for pair in pairs).to(device_of(model))
        examples = [
            {
                "source": pair.source,
                "reference": pair.target,
                "translation": self.tokenizer.decode(written),
                "exact": exact[place],
            }
            for place, (pair, *_), written in zip(shown, pairs, greedy_ids(model, source, longest + 4), strict=True)
        ]
        return {"exact_match": sum(exact) / len(exact), "sentences": len(exact), "examples": examples}

    @torch.no_grad()
    def exact(self, model: EncoderDecoder) -> list[bool]:
        """Whether greedy decoding would write the translation that each of the held-out pairs has.

        It would if every true token is the most probable one after the true ones before it, which one pass can tell.
        """
        found: list[bool] = []
        for start in range(0, len(self.held_out[:JUDGED]), JUDGED_TOGETHER):
            source, target = batch(self.held_out[:JUDGED][start : start + JUDGED_TOGETHER])
            logits = model(source.to(device_of(model)), target[:, :-1].to(device_of(model)))
            right = allowed(logits).argmax(-1).cpu() == target[:, 1:]
            found += (right | (target[:, 1:] == PADDING)).all(-1).tolist()
        return found


@dataclass(frozen=True, kw_only=True)
class PairData:
    """What a translation is learned from, as JSON values.

    Attributes:
        target: the language that a grammar translates English into; "own" stands for the learner's file.
        pairs: how many a grammar makes.
        seed: of the pairs that a grammar makes, and of which are held out.
    """

    family: ClassVar[str] = "encoder_decoder"

    target: Target | Literal["own"] = "fr"
    pairs: int = PAIRS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.target not in (*LANGUAGES, "own"):
            raise ValueError(f"target is {self.target!r}; it must be one of {', '.join(LANGUAGES)}, own")
        if not 2 <= self.pairs <= MOST_PAIRS:
            raise ValueError(f"pairs is {self.pairs}; it must be between 2 and {MOST_PAIRS}")

    def task(self, context_length: int, own: str = "", tokenizer: Tokenizer | None = None) -> TranslationTask:
        """Translation as these pairs have it.

        Raises:
            DataError: as `read_pairs`; `few_pairs`, too, if fewer than two fit the context.
        """
        pairs = read_pairs(own.encode()) if self.target == "own" else grammar_pairs(self.target, self.pairs, self.seed)
        stored = tokenizer if isinstance(tokenizer, BilingualTokenizer) else None
        return TranslationTask.of(pairs, context_length, self.seed, stored)


def source_of(tokenizer: Tokenizer, text: str, context_length: int) -> Tensor:
    """Any text as a source: as many of its tokens as the context holds, or `PADDING` if it has none. (1, S) int64"""
    return padded([tokenizer.encode(text).ids[:context_length] or (PADDING,)])


def translate(model: EncoderDecoder, tokenizer: Tokenizer, text: str) -> str:
    """What greedy decoding makes of a text."""
    source = source_of(tokenizer, text, model.config.context_length).to(device_of(model))
    return tokenizer.decode(greedy_ids(model, source)[0])


def fits(pair: Pair, context_length: int) -> bool:
    """Whether both sentences have words, and the source, and the target with its end, have room."""
    source, target = (len(split_words(text)) for text in pair[:2])
    return 0 < source <= context_length and 0 < target < context_length


def encoded(pair: Pair, tokenizer: BilingualTokenizer) -> EncodedPair:
    """A pair and its ids."""
    return EncodedPair(pair, tokenizer.encode(pair.source).ids, (BEGIN, *tokenizer.encode(pair.target).ids, END))


def batch(pairs: Sequence[EncodedPair]) -> PairBatch:
    """Pairs side by side."""
    return PairBatch(padded(pair.source for pair in pairs), padded(pair.target for pair in pairs))
