"""What is looked at: one model, one batch whose first row is the learner's sentence, and the place picked in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from pages.ui import cache, runs, state, text
from pages.ui.choices import DEFAULTS, Repair
from transformer import GPT, AttentionTrace, BlockTrace, EmbeddingTrace, ModelConfig, Tokenizer, Tokens
from transformer.residual_stream import ResidualStream

UNKNOWN = -1  # the target of a last token after which the sentence says nothing


@dataclass(frozen=True)
class Lesson:
    """A reading of all shared choices. Counts from zero.

    Attributes:
        source: where the weights come from.
        vocabulary, corpus: what names the tokenizer and the text of the other rows.
        sentence: all tokens of the learner's sentence, before it is cut to the context.
        context_length: most tokens that are walked.
        batch_size, seed: rows of the batch, and the seed that chooses weights and windows.
        block, head, row: what is looked at.
    """

    source: cache.Source
    vocabulary: str
    corpus: str
    sentence: Tokens
    context_length: int
    batch_size: int
    seed: int
    block: int
    head: int
    row: int

    @property
    def config(self) -> ModelConfig:
        """The model's sizes."""
        return self.source.config

    @property
    def model(self) -> GPT:
        """The live model."""
        return cache.model(self.source)

    @property
    def before_training(self) -> cache.Source:
        """The same model as it was before it learned anything."""
        return cache.Source(self.config, cache.first_seed(self.source.run) if self.source.trained else self.seed)

    @property
    def tokenizer(self) -> Tokenizer:
        """The live tokenizer."""
        return cache.tokenizer(self.vocabulary, self.corpus)

    @property
    def length(self) -> int:
        """Tokens in a row of the batch, T."""
        return min(len(self.sentence), self.context_length)

    @property
    def left_out(self) -> int:
        """Tokens of the sentence that the context has no room for."""
        return len(self.sentence) - self.length

    @cached_property
    def _windows(self) -> Tensor:
        """The rows and the token after each. (B, T + 1) int64"""
        own = [*self.sentence.ids[: self.length + 1], UNKNOWN][: self.length + 1]
        others = cache.windows(self.vocabulary, self.corpus, self.batch_size - 1, self.length + 1, self.seed)
        return torch.cat([torch.tensor([own]), others])

    @property
    def tokens(self) -> Tensor:
        """The batch. (B, T) int64"""
        return self._windows[:, :-1]

    @property
    def targets(self) -> Tensor:
        """The same windows one token later; `UNKNOWN` where the sentence ends. (B, T) int64"""
        return self._windows[:, 1:]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The pictured row's tokens, white space visible."""
        return self.labels_of(self.row)

    def labels_of(self, row: int) -> tuple[str, ...]:
        """The tokens of a row of the batch, white space visible."""
        piece = self.tokenizer.piece
        return tuple(text.token(piece(token)) for token in self.tokens[row].tolist())

    def label(self, token: int) -> str:
        """A token id as it is written on the page; nothing for an unknown one."""
        return "" if token == UNKNOWN else text.token(self.tokenizer.piece(token))

    @property
    def embedding(self) -> EmbeddingTrace:
        """What enters the first block."""
        return cache.embedding(self.source, self.tokens)

    @property
    def block_trace(self) -> BlockTrace:
        """The looked-at block's forward pass."""
        return cache.block_trace(self.source, self.tokens, self.block)

    @property
    def attention(self) -> AttentionTrace:
        """The looked-at block's attention."""
        return self.block_trace.attention

    @property
    def pictured(self) -> Tensor:
        """The pictured row alone. (1, T) int64"""
        return self.tokens[self.row, None]

    @property
    def stream(self) -> ResidualStream:
        """The pictured row's way through all blocks."""
        return cache.residual_stream(self.source, self.pictured)

    def picked(self, name: str, limit: int) -> int:
        """The picked "query", "key" or "dim", as long as the picture has it."""
        return min(int(state.get(name)), limit - 1)


def current() -> Lesson:
    """The lesson of this run, as the frame read it."""
    read_by_frame: Lesson = state.recall("lesson")
    return read_by_frame


def read() -> Lesson:
    """Reads the lesson that the choices ask for. They must be possible (pages.ui.state.settle)."""
    chosen = state.chosen()
    run, step = chosen_run(chosen["weights"], chosen["run"])
    vocabulary = run or chosen["vocab"]
    corpus = "persuasion" if run == cache.DEMONSTRATION else run or chosen["corpus"]
    tokenizer = cache.tokenizer(vocabulary, corpus)
    config = imposed_config(chosen["weights"], chosen["run"]) or chosen_config(tokenizer, chosen)
    asked = Lesson(
        source=cache.Source(config, chosen["seed"], run, step),
        vocabulary=vocabulary,
        corpus=corpus,
        sentence=_sentence(vocabulary, corpus, chosen["text"]),
        context_length=chosen["context"],
        batch_size=chosen["batch"],
        seed=chosen["seed"],
        block=chosen["block"] - 1,
        head=chosen["head"] - 1,
        row=chosen["row"] - 1,
    )
    state.remember("lesson", asked)
    return asked


def walk(asked: Lesson, ids: Sequence[int]) -> None:
    """Makes these tokens the sentence that every page walks, cut as they are; to be called in a callback."""
    written = asked.tokenizer.tokens(ids)
    state.put("text", written.text)
    state.put("row", 1)
    state.remember("written", (asked.vocabulary, asked.corpus, written))


def _sentence(vocabulary: str, corpus: str, sentence: str) -> Tokens:
    """The learner's text in tokens. What a model wrote stays cut as it was written, until the text or the vocabulary changes."""
    *cut_by, written = state.recall("written", (None, None, None))
    if written and cut_by == [vocabulary, corpus] and written.text == sentence:
        return written
    return cache.encoded(vocabulary, corpus, sentence)


def out_of_reach(asked: Lesson) -> list[Repair]:
    """What a link picked that this sentence or model does not have; the pictures show the last there is."""
    limits = {"query": asked.length, "key": asked.length, "dim": asked.config.d_model}
    picked = {
        name: state.get(name)
        for name, limit in limits.items()
        if state.get(name) not in (DEFAULTS[name], *range(limit))
    }
    return [Repair(name, str(number), str(limits[name] - 1)) for name, number in picked.items()]


def chosen_run(weights: str, id: str) -> tuple[str, int]:
    """Where trained weights come from, as in `cache.Source`: a run and its step; ("", 0) where there are none."""
    if weights == cache.DEMONSTRATION:
        return cache.DEMONSTRATION, 0
    found = runs.find(id or next(iter(runs.walkable()), "")) if weights == "run" else None
    step = runs.latest_step(found) if found and runs.readable(found) else None
    return (str(found.folder), step) if found and step is not None else ("", 0)


def imposed_config(weights: str, id: str) -> ModelConfig | None:
    """The sizes that trained weights impose; None where there are none to impose any, or none that a walk could use."""
    run, step = chosen_run(weights, id)
    if not run:
        return None
    try:
        model = cache.checkpoint(run, step).model
    except (OSError, ValueError):
        return None
    return model.config if isinstance(model, GPT) else None


def demonstration_config() -> ModelConfig:
    """The sizes of the bundled trained run."""
    return cache.demonstration().model.config


def chosen_config(tokenizer: Tokenizer, chosen: Mapping[str, Any]) -> ModelConfig:
    """The sizes that the sliders ask for."""
    return ModelConfig(
        vocab_size=tokenizer.vocab_size,
        context_length=chosen["context"],
        d_model=chosen["d_model"],
        num_heads=chosen["heads"],
        num_blocks=chosen["blocks"],
    )
