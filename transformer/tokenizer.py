"""Text to rows of an embedding table and back, for any string and without a network.

Byte pair encodings are those of `tiktoken`, whose ranks lie in `assets/tiktoken`; beside them stand plain characters,
and in `transformer.vocabulary` an encoding cut down to one corpus.
"""

import codecs
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import regex
import tiktoken

from transformer.tokens import UTF8_ERRORS, Tokens, spell, utf8

__all__ = [
    "BytePairTokenizer",
    "CharacterTokenizer",
    "Merge",
    "Tokenizer",
    "Tokens",
    "byte_pair_merges",
    "get_tokenizer",
    "merges",
    "single_bytes",
    "spell",
]

_RANK_FOLDER = Path(__file__).parent / "assets" / "tiktoken"
_RANK_FILES = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "r50k_base": "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4",
}
_LOADING = Lock()

# tiktoken would replace lone surrogates, and panics at a million spaces with a letter after them.
_ENCODED_APART = re.compile(r"([\ud800-\udfff]+|(?<!\s)\s{500000,})")


class Tokenizer(ABC):
    """Turns any string into rows of an embedding table, and rows back into the same string."""

    name: str
    base: str
    """The tokenizer whose ids `base_ids` gives: this one itself, unless its rows were picked from another."""
    vocab_size: int
    """The number of rows of the embedding table."""
    undecodable: frozenset[int]
    """Rows that stand for nothing; a sampler must never choose them."""

    def __init__(self, name: str, table: Sequence[bytes]) -> None:
        """`table` holds the bytes of each row, `b""` where a row stands for nothing."""
        self.name = self.base = name
        self.vocab_size = len(table)
        self.undecodable = frozenset(row for row, raw in enumerate(table) if not raw)
        self._table = tuple(table)

    @abstractmethod
    def _rows(self, text: str) -> list[int]: ...

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Data for `json`, from which `transformer.vocabulary.tokenizer_from_json` builds this tokenizer again."""

    def encode(self, text: str) -> Tokens:
        """The tokens of `text`. What looks like a special token (`<|endoftext|>`) is text like any other."""
        return self.tokens(self._rows(text))

    def tokens(self, ids: Iterable[int]) -> Tokens:
        """The tokens with these ids, in whatever order a model wrote them. Raises IndexError as `token_bytes`."""
        rows = tuple(ids)
        return Tokens.spelled(rows, tuple(map(self.token_bytes, rows)))

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; bytes that are no text become U+FFFD. Raises IndexError as `token_bytes`."""
        return b"".join(map(self.token_bytes, ids)).decode("utf-8", UTF8_ERRORS)

    def stream(self, ids: Iterable[int]) -> Iterator[str]:
        """Yields the text of `decode(ids)` while the ids arrive, each character once all its bytes are there."""
        decoder = codecs.getincrementaldecoder("utf-8")(UTF8_ERRORS)
        for id in ids:
            if text := decoder.decode(self.token_bytes(id)):
                yield text
        if text := decoder.decode(b"", final=True):
            yield text

    def token_bytes(self, id: int) -> bytes:
        """The bytes of one token, `b""` if it is undecodable. Raises IndexError if there is no such row."""
        if not 0 <= id < self.vocab_size:
            raise IndexError(f"{self.name} has no token {id}; its ids are 0 to {self.vocab_size - 1}")
        return self._table[id]

    def piece(self, id: int) -> str:
        """One token as `spell` writes it. Raises IndexError as `token_bytes`."""
        return spell(self.token_bytes(id))

    def base_ids(self, ids: Iterable[int]) -> tuple[int, ...]:
        """The ids of the same tokens in the tokenizer named `base`."""
        return tuple(ids)


class CharacterTokenizer(Tokenizer):
    """One token for each character of a corpus; any other is spelled in bytes, which have the first 256 rows."""

    def __init__(self, corpus: str) -> None:
        characters = sorted(set(re.sub(r"[\ud800-\udfff]", "", corpus)))
        super().__init__("characters", [*single_bytes(bytes(range(256))), *map(utf8, characters)])
        self._row_of = {character: row for row, character in enumerate(characters, start=256)}

    def _rows(self, text: str) -> list[int]:
        rows: list[int] = []
        for character in text:
            row = self._row_of.get(character)
            rows.extend(utf8(character) if row is None else (row,))
        return rows

    def to_json(self) -> dict[str, Any]:
        """The name and the corpus's characters in the order of their rows."""
        return {"name": self.name, "characters": "".join(self._row_of)}


@dataclass(frozen=True)
class Merge:
    """One step of byte pair encoding (Sennrich et al. 2016, section 3.2): two neighbouring parts become one."""

    before: tuple[bytes, ...]
    position: int
    """The pair is `before[position]` and `before[position + 1]`."""
    rank: int
    """The id of the token that the pair forms; no pair in `before` forms one with a lower id."""
    after: tuple[bytes, ...]


def single_bytes(raw: bytes) -> tuple[bytes, ...]:
    """The parts from which byte pair encoding starts."""
    return tuple(bytes([byte]) for byte in raw)


def byte_pair_merges(raw: bytes, ranks: Mapping[bytes, int], cuts: Collection[int] = ()) -> Iterator[Merge]:
    """Merge the pair of lowest rank, the leftmost of equals, until no two neighbours form a token.

    `ranks` holds the bytes of each token and its id; no pair is merged across a cut (an index into `raw`).
    """
    parts = single_bytes(raw)
    while True:
        pairs = [left + right for left, right in pairwise(parts)]
        ends = enumerate(accumulate(map(len, parts[:-1])))
        ranked = [(ranks[pairs[i]], i) for i, end in ends if end not in cuts and pairs[i] in ranks]
        if not ranked:
            return
        rank, position = min(ranked)
        after = (*parts[:position], pairs[position], *parts[position + 2 :])
        yield Merge(parts, position, rank, after)
        parts = after


class BytePairTokenizer(Tokenizer):
    """A byte pair encoding of `tiktoken`, with the encoding's ids as rows."""

    ranks: Mapping[bytes, int]
    """The bytes of each token and its id: of two merges, the one with the lower id comes first."""
    pattern: str
    """The regular expression that cuts a text into words, before any merge."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self.ranks = encoding._mergeable_ranks
        self.pattern = encoding._pat_str
        self._encoding = encoding
        table = [b""] * encoding.n_vocab
        for raw, id in self.ranks.items():
            table[id] = raw
        for text, id in encoding._special_tokens.items():
            table[id] = utf8(text)
        super().__init__(encoding.name, table)

    def _rows(self, text: str) -> list[int]:
        rows: list[int] = []
        for part in _ENCODED_APART.split(text):
            if "\ud800" <= part[:1] <= "\udfff":
                rows.extend(self.ranks[byte] for byte in single_bytes(utf8(part)))
            else:
                rows.extend(self._encoding.encode_ordinary(part))
        return rows

    def words(self, text: str) -> list[str]:
        """The words that the pattern cuts a text into; no merge reaches across two of them."""
        return regex.findall(self.pattern, text)

    def merges(self, word: str) -> list[Merge]:
        """The merges that lead from the bytes of `word` to its tokens, in order.

        No merge reaches across two tokens of the result; to forbid it changes no step of a word, and keeps the words of
        a longer text apart. Time and memory grow with the square of the length.
        """
        cuts = frozenset(accumulate(map(len, self.encode(word).bytes)))
        return list(byte_pair_merges(utf8(word), self.ranks, cuts))

    def to_json(self) -> dict[str, Any]:
        """The name alone: the ranks come with the library."""
        return {"name": self.name}


def get_tokenizer(name: str) -> BytePairTokenizer:
    """The tokenizer `cl100k_base` or `r50k_base` (GPT-2's), loaded once and shared by all threads.

    Raises ValueError for any other name.
    """
    if name not in _RANK_FILES:
        raise ValueError(f"there is no encoding {name!r}; choose one of {', '.join(_RANK_FILES)}")
    with _LOADING:
        return _load(name)


def merges(word: str, name: str = "cl100k_base") -> list[Merge]:
    """`BytePairTokenizer.merges` of the encoding with this name."""
    return get_tokenizer(name).merges(word)


@cache
def _load(name: str) -> BytePairTokenizer:
    with _offline(_RANK_FILES[name]):
        return BytePairTokenizer(tiktoken.get_encoding(name))


@contextmanager
def _offline(file: str) -> Iterator[None]:
    """Have tiktoken read this package's file, where it would download one: unless the user's own folder holds it."""
    chosen = os.environ.get("TIKTOKEN_CACHE_DIR")
    if chosen and Path(chosen, file).is_file():
        yield
        return
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_RANK_FOLDER)
    try:
        yield
    finally:
        if chosen is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = chosen
