"""A vocabulary of whole words: for small labelled data, where a word should be one row and any other word none of them."""

import unicodedata
from collections.abc import Iterable
from typing import Any, Self

import regex

from transformer.tokenizer import Tokenizer, Tokens
from transformer.tokens import utf8

UNKNOWN = 0
"""The row of every word that is not in the vocabulary."""

_LETTERS = r"[\p{L}\p{M}\p{N}--\p{Han}]+"
_NOT = r"(?i:n['’]t)\b"  # to ignore case only here makes the whole several times as fast
_WORD = rf"\p{{Han}}|{_LETTERS}?(?={_NOT})|{_NOT}|['’]\p{{L}}+|{_LETTERS}|\S"
_TOKEN = regex.compile(rf"(?V1)\s*(?:{_WORD})(?:\s+$)?")


class WordTokenizer(Tokenizer):
    """One token for each word, each mark, and each Chinese character; small and capital letters are one.

    "wasn't" is "was" and "n't", so that every negated verb shares one row of its own. A token's bytes are as they were
    typed, with the white space before it; its row knows the bare word.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(dict.fromkeys(words))
        super().__init__("words", [b"", *map(utf8, self._words)])
        self._row_of = {word: row for row, word in enumerate(self._words, start=1)}

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Self:
        """A vocabulary of every word that occurs in the texts, in alphabetical order."""
        return cls(sorted({word for text in texts for word in map(bare, split_words(text))}))

    def _rows(self, text: str) -> list[int]:
        return [self._row_of.get(bare(word), UNKNOWN) for word in split_words(text)]

    def encode(self, text: str) -> Tokens:
        """The tokens of any text; words that are not in the vocabulary have the row `UNKNOWN`, and their own bytes."""
        return Tokens.spelled(self._rows(text), [utf8(word) for word in split_words(text)])

    def to_json(self) -> dict[str, Any]:
        """The name and the words in the order of their rows, from 1."""
        return {"name": self.name, "words": list(self._words)}


def split_words(text: str) -> list[str]:
    """The text in words, each with the white space before it; the last also with that behind it."""
    return _TOKEN.findall(text)


def bare(word: str) -> str:
    """A word as the vocabulary knows it: without white space, in small composed letters, with a straight apostrophe."""
    return unicodedata.normalize("NFC", word.strip()).casefold().replace("’", "'")
