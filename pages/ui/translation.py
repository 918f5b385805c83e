"""The sentence of the encoder–decoder's pages, the translator that reads it, and the batch of two that it stands in."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor

from pages.ui import cache, text
from transformer import ModelConfig, Tokenizer, Tokens
from transformer.bilingual import UNKNOWN
from transformer.checkpoint import Checkpoint
from transformer.encoder_decoder import END, EncoderDecoder, padded
from transformer.runs.run import Run
from transformer.torch_twin import twin_logits
from transformer.trace import EncoderDecoderTrace, nbytes
from transformer.translation import demonstration as translation_demonstration
from transformer.translation.decoding import (
    DecodingStep,
    Hypothesis,
    TeacherForcing,
    beam_search,
    greedy,
    teacher_forcing,
)
from transformer.translation.sentence_pairs import Target, text_key
from transformer.translation.task import EncodedPair, TranslationTask

OWN = "own"
"""The pair of languages of a run on the learner's file."""
FEW_MORE = 2
"""Tokens by which the other sentence of the batch is longer, if it can be, so that there is padding to see."""


class Known(NamedTuple):
    """A sentence of the data with its translation, and whether it was kept aside while the model learned."""

    pair: EncodedPair
    held_out: bool


class Row(NamedTuple):
    """A sentence and a translation of it as ids, without `BEGIN` and `END`."""

    source: tuple[int, ...]
    target: tuple[int, ...]


@dataclass(frozen=True)
class Translation:
    """A reading of the pages' choices. Counts from zero.

    Attributes:
        pair: the language that English is translated into, or `OWN`.
        weights: where they come from.
        sentence: all tokens of the learner's sentence, before it is cut to the context.
        block, head, row: what is looked at; row 0 of the batch is the learner's sentence.
    """

    pair: str
    weights: cache.Source
    sentence: Tokens
    block: int
    head: int
    row: int

    @property
    def config(self) -> ModelConfig:
        """The model's sizes."""
        return self.weights.config

    @property
    def of_a_run(self) -> bool:
        """Whether somebody trained it here."""
        return self.weights.run not in ("", cache.DEMONSTRATION)

    @property
    def model(self) -> EncoderDecoder:
        """The translator; shared, so never to be changed."""
        return translator(self.pair, self.weights)

    @property
    def task(self) -> TranslationTask:
        """What there is to learn, and what was kept aside."""
        return task(self.pair, self.weights.run)

    @property
    def tokenizer(self) -> Tokenizer:
        """Of both languages."""
        return tokenizer(self.pair, self.weights.run)

    @property
    def read(self) -> Tokens:
        """The tokens that the context has room for."""
        return self.sentence.first(self.config.context_length)

    @property
    def unknown(self) -> list[str]:
        """Words that the vocabulary does not hold, each once."""
        found = zip(self.read.pieces, self.read.ids, strict=True)
        return list(dict.fromkeys(piece for piece, id in found if id == UNKNOWN))

    @property
    def known(self) -> Known | None:
        """The sentence in the data, if it is there."""
        return known_sentences(self.pair, self.weights.run).get(text_key(self.sentence.text))

    @property
    def steps(self) -> tuple[DecodingStep, ...]:
        """Greedy decoding of the sentence."""
        steps: tuple[DecodingStep, ...] = self._kept(
            ("greedy", self.read.ids), lambda: tuple(greedy(self.model, padded([self.read.ids]))), _steps_bytes
        )
        return steps

    @property
    def written(self) -> tuple[int, ...]:
        """What greedy decoding has written, without `END`."""
        return tuple(id for step in self.steps if (id := int(step.chosen)) != END)

    @cached_property
    def own(self) -> Row:
        """The sentence and the translation that the decoder is given: the data's, or else what the model wrote."""
        given = self.known.pair.target[1:-1] if self.known else self.written
        return Row(self.read.ids, given[: self.config.context_length - 1])

    @cached_property
    def other(self) -> Row:
        """Another sentence for the batch: one kept aside that is a little longer on both sides, if there is one."""
        rows = [Row(pair.source, pair.target[1:-1]) for pair in self.task.held_out]
        source, target = (len(side) + FEW_MORE for side in self.own)
        longer = [row for row in rows if len(row.source) >= source and len(row.target) >= target]
        return min(longer or rows, key=lambda row: len(row.source) + len(row.target))

    @property
    def both(self) -> TeacherForcing:
        """The batch of two."""
        return self.forced(self.own, self.other)

    def forced(self, *rows: Row) -> TeacherForcing:
        """Teacher forcing of some rows."""
        sources, targets = ([row.source for row in rows], [row.target for row in rows])
        made: TeacherForcing = self._kept(
            ("forced", rows),
            lambda: teacher_forcing(self.model, padded(sources), padded(targets)),
            lambda forced: nbytes(forced.trace) + forced.log_probabilities.nbytes,
        )
        return made

    @property
    def trace(self) -> EncoderDecoderTrace:
        """Of the batch of two."""
        return self.both.trace

    def again(self, source: Tensor, target: Tensor) -> Tensor:
        """The logits of a batch by PyTorch's own `nn.Transformer`. (B, S), (B, T) → (B, T, V)"""
        ids = str(source.tolist()), str(target.tolist())
        logits: Tensor = self._kept(
            ("twin", ids), lambda: twin_logits(self.model, source, target), lambda made: made.nbytes
        )
        return logits

    def beams(self, width: int, length_penalty: float) -> tuple[tuple[Hypothesis, ...], ...]:
        """Beam search of the sentence, token after token."""
        found: tuple[tuple[Hypothesis, ...], ...] = self._kept(
            ("beam", self.read.ids, width, length_penalty),
            lambda: tuple(beam_search(self.model, padded([self.read.ids]), width, length_penalty)),
            lambda beams: 1024 * sum(map(len, beams)),
        )
        return found

    @property
    def sources(self) -> list[str]:
        """The pictured row's source tokens, padding included, as they are written on the page."""
        return self.words(self.trace.encoder.tokens[self.row].tolist(), self.read.pieces if self.row == 0 else ())

    @property
    def inputs(self) -> list[str]:
        """What the decoder reads in the pictured row: the beginning, the translation, padding."""
        return self.words(self.trace.decoder.tokens[self.row].tolist())

    @property
    def outputs(self) -> list[str]:
        """What should follow each token that the decoder reads in the pictured row."""
        return self.words(self.both.targets[self.row].tolist())

    def words(self, ids: Sequence[int], typed: Sequence[str] = ()) -> list[str]:
        """Tokens as they are written on the page; the first ones as they were typed."""
        pieces = *typed, *map(self.tokenizer.piece, ids[len(typed) :])
        return [text.token(piece) for piece in pieces]

    def sentence_of(self, ids: Sequence[int]) -> str:
        """Tokens as a text for people."""
        return self.tokenizer.decode(id for id in ids if id != END)

    def _kept(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        return cache.kept((self.pair, self.weights, key), make, size)


def translator(pair: str, weights: cache.Source) -> EncoderDecoder:
    """The bundled translator of a pair of languages, a run's, or one that has learned nothing."""
    if not weights.run:
        return cache.encoder_decoder(weights.config, weights.seed)
    found = bundled(pair) if weights.run == cache.DEMONSTRATION else cache.checkpoint(weights.run, weights.step)
    model: EncoderDecoder = found.model
    return model


def tokenizer(pair: str, run: str) -> Tokenizer:
    """Of both languages."""
    return bundled(pair).tokenizer if run in ("", cache.DEMONSTRATION) else cache.tokenizer(run, run)


@lru_cache(maxsize=8)
def task(pair: str, run: str) -> TranslationTask:
    """What the run in a folder has learned from; or the bundled translator of a pair, which a random one could learn, too."""
    if run in ("", cache.DEMONSTRATION):
        return translation_demonstration.task(_language(pair))
    learned = Run(Path(run)).task()
    assert isinstance(learned, TranslationTask), f"{run} has learned no translation"
    return learned


@lru_cache(maxsize=8)
def known_sentences(pair: str, run: str) -> dict[str, Known]:
    """Every sentence of the data by what its tokens are."""
    data = task(pair, run)
    parts = (data.train, False), (data.held_out, True)
    return {text_key(pair.pair.source): Known(pair, held_out) for part, held_out in parts for pair in part}


def bundled(pair: str) -> Checkpoint:
    """The bundled translator of a pair of languages, and what was noted beside it: its `report` and its `alignment`."""
    return translation_demonstration.demonstration(_language(pair))


def _language(pair: str) -> Target:
    return "zh" if pair == "zh" else "fr"


def _steps_bytes(steps: Sequence[DecodingStep]) -> int:
    tensors = ((step.written, step.probabilities, *step.cross_weights) for step in steps)
    return sum(tensor.nbytes for step in tensors for tensor in step)
