"""One vocabulary for the sentences of two languages: a row for each word, each Chinese character, each mark."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Self

import regex

from transformer.encoder_decoder import BEGIN, END, PADDING
from transformer.tokenizer import Tokenizer, Tokens
from transformer.tokens import UTF8_ERRORS, utf8

UNKNOWN = 3
"""The row of every word that the vocabulary does not hold."""

SPECIAL = {PADDING: "<pad>", BEGIN: "<s>", END: "</s>", UNKNOWN: "<unk>"}

_NARROW_SPACE = "\u202f"
_LETTERS = r"[[\p{L}\p{M}\p{N}]--\p{Han}]+"
# l'arbre: an article and a noun. To ignore case only here makes the whole twice as fast.
_ELIDED = r"(?i:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’](?=\p{L}|$)"
_TOKEN = regex.compile(rf"(?V1)\s*(?:\p{{Han}}|{_ELIDED}|{_LETTERS}(?:['’-]{_LETTERS})*|\S)(?:\s+$)?")
_NO_SPACE_BEFORE = regex.compile(r"[.,…!?;:%)\]}»”。，！？；：、）》\u202f]")
_NO_SPACE_AFTER = regex.compile(r".*(?:['’]|[(\[{«“（《])", regex.DOTALL)
_CHINESE = regex.compile(r"[\p{Han}。，！？；：、（）《》]")
_STOPS = frozenset(".!?。！？")


class BilingualTokenizer(Tokenizer):
    """One token for each word, Chinese character and mark; what French elides ("l'arbre") is a token of its own ("l'").

    Small and capital letters are one. A token's bytes are as they were typed, with the white space before it; those that
    a model writes are spaced and capitalised as their language wants it. A French mark keeps the space before it, which
    makes it another row than the English one. Any text can be encoded: a word without a row has the row `UNKNOWN`, and
    keeps its piece and its bytes.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)
        super().__init__("bilingual", [*[b""] * len(SPECIAL), *map(utf8, self._words)])
        self._row_of = {key(word): row for row, word in enumerate(self._words, start=len(SPECIAL))}

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Self:
        """A vocabulary of every word in the texts, in alphabetical order.

        A word is spelled as it was inside sentences: with a capital if it always had one (Paul), and else without.
        """
        seen: dict[str, Counter[str]] = {}
        for text in texts:
            spelled = [normal(raw) for raw in split_words(text)]
            for before, word in pairwise([".", *spelled]):
                inside = before not in _STOPS
                seen.setdefault(key(word), Counter())[word if inside else word[:1].lower() + word[1:]] += inside
        return cls(seen[one].most_common(1)[0][0] for one in sorted(seen))

    def _rows(self, text: str) -> list[int]:
        rows = self._row_of
        return [rows.get(key(word)) or rows.get(key(word.strip()), UNKNOWN) for word in split_words(text)]

    def encode(self, text: str) -> Tokens:
        """The tokens of any text, without `BEGIN` and `END`. A piece is the word as typed, without white space."""
        raws = split_words(text)
        offsets = accumulate(map(len, raws), initial=0)
        return Tokens(
            tuple(self._rows(text)), tuple(map(str.strip, raws)), tuple(map(utf8, raws)), tuple(offsets)[: len(raws)]
        )

    def tokens(self, ids: Iterable[int]) -> Tokens:
        """The tokens with these ids, spaced and capitalised as a sentence; rows that are no words have no bytes."""
        rows = tuple(ids)
        raws = list(spaced([self.token_bytes(row).decode() for row in rows]))
        offsets = tuple(accumulate(map(len, raws), initial=0))[: len(raws)]
        return Tokens(rows, tuple(map(self.piece, rows)), tuple(map(utf8, raws)), offsets)

    def decode(self, ids: Iterable[int]) -> str:
        """The sentence."""
        return b"".join(self.tokens(ids).bytes).decode("utf-8", UTF8_ERRORS)

    def stream(self, ids: Iterable[int]) -> Iterator[str]:
        """Yields the text of `decode(ids)` word by word."""
        yield from spaced(self.token_bytes(row).decode() for row in ids)

    def piece(self, id: int) -> str:
        """A word, or the name of a row that is none: `<s>`."""
        return SPECIAL.get(id) or self.token_bytes(id).decode().strip()

    def to_json(self) -> dict[str, Any]:
        """The name and the words in the order of their rows."""
        return {"name": self.name, "words": list(self._words)}


@lru_cache(maxsize=2**15)
def split_words(text: str) -> tuple[str, ...]:
    """The text in words, each with the white space before it; the last also with that behind it."""
    return tuple(_TOKEN.findall(text))


def normal(raw: str) -> str:
    """A word in composed letters, with a straight apostrophe and without white space, but that before a French mark."""
    word = unicodedata.normalize("NFC", raw).replace("’", "'")
    mark = word.strip()
    return _NARROW_SPACE + mark if mark in {"?", "!", ";", ":", "»"} and word[:1].isspace() else mark


@lru_cache(maxsize=2**15)
def key(raw: str) -> str:
    """What words must share to share a row."""
    return normal(raw).casefold()


def spaced(words: Iterable[str]) -> Iterator[str]:
    """Words as a sentence has them: a space before each but where their languages have none, a capital at its start."""
    before = ""
    for word in words:
        start = word and (not before or before in _STOPS)
        yield " " * apart(before, word) + (word[:1].upper() + word[1:] if start else word)
        before = word or before


@lru_cache(maxsize=2**15)
def apart(before: str, word: str) -> bool:
    """Whether a space stands between two words; there is none beside nothing."""
    if not before or not word or _NO_SPACE_BEFORE.match(word) or _NO_SPACE_AFTER.fullmatch(before):
        return False
    return not (_CHINESE.match(word) and _CHINESE.fullmatch(before[-1:]))
