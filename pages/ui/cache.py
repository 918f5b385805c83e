"""What sessions share: frozen, and bounded in bytes, so that sixty students fit beside one lecturer."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from transformer import GPT, BlockTrace, EmbeddingTrace, ModelConfig, Tokenizer, get_tokenizer
from transformer import checkpoint as checkpoints
from transformer.data import corpus_text, corpus_windows
from transformer.tokenizer import CharacterTokenizer
from transformer.trace import nbytes
from transformer.vocabulary import CompactTokenizer

DEMONSTRATION = Path(checkpoints.__file__).parent / "assets" / "demonstration"
MODEL_BYTES = 1 << 30
TRACE_BYTES = 1 << 29


class BoundedCache:
    """Keeps the most recently used values within a number of bytes; a value is made once, however many ask for it.

    The newest value stays even if it alone is larger than the bound.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """The value of a key, made by `make` when it is not kept; `size` counts its bytes."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    return self._kept[key][0]
            value = make()
            with self._lock:
                self._kept[key] = value, size(value)
                self._making.pop(key, None)
                while self.bytes > self._most_bytes and len(self._kept) > 1:
                    self._kept.popitem(last=False)
            return value

    @property
    def bytes(self) -> int:
        """Bytes kept now."""
        return sum(size for _, size in self._kept.values())


class Source(NamedTuple):
    """Where a model's weights come from: the bundled run, or a seed and a configuration."""

    config: ModelConfig
    seed: int
    trained: bool


_models = BoundedCache(MODEL_BYTES)
_traces = BoundedCache(TRACE_BYTES)


@cache
def demonstration() -> checkpoints.Checkpoint:
    """The bundled trained run: its model, its tokenizer and the losses it reached."""
    return checkpoints.load(DEMONSTRATION)


@cache
def tokenizer(vocabulary: str, corpus: str) -> Tokenizer:
    """A vocabulary by its code; "compact" and "characters" are made from a corpus, "demonstration" is the bundled run's."""
    if vocabulary == "demonstration":
        return demonstration().tokenizer
    if vocabulary == "compact":
        return CompactTokenizer.from_corpus(corpus_text(corpus))
    if vocabulary == "characters":
        return CharacterTokenizer(corpus_text(corpus))
    return get_tokenizer(vocabulary)


@cache
def corpus_ids(vocabulary: str, corpus: str) -> Tensor:
    """A corpus as the rows of a vocabulary. (N,) int64"""
    return torch.tensor(tokenizer(vocabulary, corpus).encode(corpus_text(corpus)).ids)


@lru_cache(maxsize=256)
def windows(vocabulary: str, corpus: str, count: int, length: int, seed: int) -> Tensor:
    """Random windows of a corpus, the same for the same seed. (count, length) int64"""
    return corpus_windows(corpus_ids(vocabulary, corpus), count, length, seed)


def model(source: Source) -> GPT:
    """The model in eval mode; shared, so never to be changed."""
    if source.trained:
        return demonstration().model
    made: GPT = _models.get(source, lambda: GPT(source.config, source.seed), _model_bytes)
    return made


def embedding(source: Source, tokens: Tensor) -> EmbeddingTrace:
    """What enters the first block. tokens: (B, T)"""
    return _trace((source, _key(tokens)), lambda: model(source).embed(tokens))


def block_trace(source: Source, tokens: Tensor, block: int) -> BlockTrace:
    """One block's forward pass. tokens: (B, T); block counts from zero."""
    return _trace((source, _key(tokens), block), lambda: model(source).trace_block(tokens, block))


def _trace(key: Hashable, make: Callable[[], Any]) -> Any:
    def without_gradients() -> Any:
        with torch.no_grad():
            return make()

    return _traces.get(key, without_gradients, nbytes)


def _key(tokens: Tensor) -> Hashable:
    return tokens.shape, tokens.numpy().tobytes()


def _model_bytes(built: GPT) -> int:
    return sum(parameter.nbytes for parameter in built.parameters())
