"""What sessions share: models, what they make of tokens, corpora and their tokenizers. Never to be changed by a visit."""

from collections.abc import Callable, Hashable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from pages.ui.bounded_cache import BoundedCache, size_of
from pages.ui.choices import VOCABULARIES
from transformer import GPT, BlockTrace, EmbeddingTrace, ModelConfig, Tokenizer, Tokens, get_tokenizer
from transformer import checkpoint as checkpoints
from transformer import demonstration as demonstration_run
from transformer.data import CORPORA, corpus_text, corpus_windows
from transformer.encoder_decoder import EncoderDecoder
from transformer.next_token import Guesses, Losses, NextToken, guesses, next_token, token_losses
from transformer.ngrams import BigramModel
from transformer.residual_stream import ResidualStream, follow
from transformer.runs.plans import TextData
from transformer.runs.run import Run
from transformer.tokenizer import CharacterTokenizer
from transformer.vocabulary import CompactTokenizer

DEMONSTRATION = "demonstration"
MODEL_BYTES = 1 << 30
TRACE_BYTES = 1 << 29


class Source(NamedTuple):
    """Where a model's weights come from: a run, after a step, or a seed and a configuration.

    `run` is DEMONSTRATION, a run's folder, or nothing.
    """

    config: ModelConfig
    seed: int
    run: str = ""
    step: int = 0

    @property
    def trained(self) -> bool:
        """Whether the weights have learned anything."""
        return bool(self.run)


_models = BoundedCache(MODEL_BYTES)
_traces = BoundedCache(TRACE_BYTES)


@cache
def demonstration() -> checkpoints.Checkpoint:
    """The bundled trained run: its model, its tokenizer and the losses it reached."""
    return checkpoints.load(demonstration_run.FOLDER)


def checkpoint(run: str, step: int) -> checkpoints.Checkpoint:
    """The weights of DEMONSTRATION, or of the run in a folder as they were when it had come to this step."""
    if run == DEMONSTRATION:
        return demonstration()
    found: checkpoints.Checkpoint = _models.get(
        (run, step), lambda: Run(Path(run)).load(), lambda loaded: size_of(loaded.model)
    )
    return found


def kept_model(run: str, step: int) -> GPT:
    """The model of the run in a folder as it was kept after a step, one of the run's `checkpoints()`."""
    made: GPT = _models.get((run, "kept", step), lambda: Run(Path(run)).load(step).model)
    return made


def first_seed(run: str) -> int:
    """The seed of the weights that a run began with."""
    return int(demonstration().extra["seed"]) if run == DEMONSTRATION else Run(Path(run)).plan.training.seed


@lru_cache(maxsize=64)
def tokenizer(vocabulary: str, corpus: str) -> Tokenizer:
    """A vocabulary by its code, or that of a run; "compact" and "characters" are made from a corpus."""
    if vocabulary == DEMONSTRATION:
        return demonstration().tokenizer
    if vocabulary not in VOCABULARIES:
        stored = Run(Path(vocabulary)).tokenizer
        assert stored is not None, f"{vocabulary} has never started"
        return stored
    if vocabulary == "compact":
        return CompactTokenizer.from_corpus(corpus_text(corpus))
    if vocabulary == "characters":
        return CharacterTokenizer(corpus_text(corpus))
    return get_tokenizer(vocabulary)


@lru_cache(maxsize=64)  # of texts that a link can carry (choices.MOST_LINK)
def encoded(vocabulary: str, corpus: str, text: str) -> Tokens:
    """A text in the tokens of `tokenizer`."""
    return tokenizer(vocabulary, corpus).encode(text)


@lru_cache(maxsize=16)
def corpus_ids(vocabulary: str, corpus: str) -> Tensor:
    """A corpus, or the text of the run in a folder, as the rows of a vocabulary. (N,) int64"""
    if corpus in CORPORA:
        text = corpus_text(corpus)
    else:
        run = Run(Path(corpus))
        data = run.plan.data
        assert isinstance(data, TextData), f"{corpus} has read no text"
        text = "\n\n".join(data.texts(run.own))
    return torch.tensor(tokenizer(vocabulary, corpus).encode(text).ids)


@lru_cache(maxsize=256)
def windows(vocabulary: str, corpus: str, count: int, length: int, seed: int) -> Tensor:
    """Random windows of a corpus, the same for the same seed. (count, length) int64"""
    return corpus_windows(corpus_ids(vocabulary, corpus), count, length, seed)


def model(source: Source) -> GPT:
    """The model in eval mode; shared, so never to be changed."""
    if source.trained:
        return checkpoint(source.run, source.step).model
    made: GPT = _models.get(source, lambda: GPT(source.config, source.seed))
    return made


def embedding(source: Source, tokens: Tensor) -> EmbeddingTrace:
    """What enters the first block. tokens: (B, T)"""
    return kept((source, _key(tokens)), lambda: model(source).embed(tokens))


def block_trace(source: Source, tokens: Tensor, block: int) -> BlockTrace:
    """One block's forward pass. tokens: (B, T); block counts from zero."""
    return kept((source, _key(tokens), block), lambda: model(source).trace_block(tokens, block))


def last_output(source: Source, tokens: Tensor) -> Tensor:
    """What leaves the last block, by the fast path. tokens: (B, T) → (B, T, D)"""

    def through_blocks() -> Tensor:
        made = model(source)
        x = made.embed(tokens).embeddings
        for block in made.blocks:
            x = block(x, is_causal=True)
        return x

    return kept((source, _key(tokens), "last output"), through_blocks)


def residual_stream(source: Source, tokens: Tensor) -> ResidualStream:
    """One row's way through all blocks. tokens: (1, T)"""
    return kept((source, _key(tokens), "stream"), lambda: follow(model(source), tokens))


def said_after(source: Source, tokens: Tensor, position: int) -> NextToken:
    """What the model says after one token of a row. tokens: (1, T) → N = 1"""
    return kept(
        (source, _key(tokens), "said", position),
        lambda: next_token(model(source), last_output(source, tokens)[0, position, None]),
    )


def lens(source: Source, tokens: Tensor, position: int, watched: int, count: int) -> Guesses:
    """What the model would say after one token of a row if it stopped at the start, or after any block. tokens: (1, T)"""
    states = residual_stream(source, tokens).after_blocks
    return kept(
        (source, _key(tokens), "lens", position, watched, count),
        lambda: guesses(model(source), states[:, position], watched, count),
    )


def losses(source: Source, tokens: Tensor, targets: Tensor) -> Losses:
    """The loss of each target in a row; −1 stands for one that nobody knows. tokens, targets: (1, T) → (N,) each"""
    known = targets[0] >= 0
    return kept(
        (source, _key(tokens), _key(targets)),
        lambda: token_losses(model(source), last_output(source, tokens)[0, known], targets[0, known]),
    )


def encoder_decoder(config: ModelConfig, seed: int) -> EncoderDecoder:
    """The paper's own model before its first step; shared, so never to be changed."""
    made: EncoderDecoder = _models.get((EncoderDecoder.family, config, seed), lambda: EncoderDecoder(config, seed))
    return made


def kept(key: Hashable, make: Callable[[], Any], size: Callable[[Any], int] = size_of) -> Any:
    """What a model makes of tokens, made by `make` without gradients when it is not kept. `size` counts its bytes."""

    def without_gradients() -> Any:
        with torch.no_grad():
            return make()

    return _traces.get(key, without_gradients, size)


@lru_cache(maxsize=8)
def bigrams(vocabulary: str, corpus: str) -> BigramModel:
    """The model to beat: it has counted the demonstration's training text, or else the whole corpus."""
    if vocabulary == DEMONSTRATION:
        ids = demonstration_run.task(demonstration().tokenizer).text.train
    else:
        ids = corpus_ids(vocabulary, corpus)
    return BigramModel.fit(ids, tokenizer(vocabulary, corpus).vocab_size)


def _key(tokens: Tensor) -> Hashable:
    return tokens.shape, tokens.numpy().tobytes()
