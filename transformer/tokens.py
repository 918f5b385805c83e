"""A text cut into tokens: their ids, their bytes, and how to write a token that is only a part of a character."""

import builtins
import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

UTF8_ERRORS = "surrogatepass_or_replace"
"""How bytes are read as text here: lone surrogates come back as they were, what is no text becomes U+FFFD."""

_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


def _surrogatepass_or_replace(error: UnicodeError) -> tuple[str | bytes, int]:
    try:
        return codecs.lookup_error("surrogatepass")(error)
    except UnicodeError:
        return codecs.lookup_error("replace")(error)


codecs.register_error(UTF8_ERRORS, _surrogatepass_or_replace)


def utf8(text: str) -> bytes:
    """The text in UTF-8, a lone surrogate as the three bytes it would have."""
    return text.encode("utf-8", "surrogatepass")


def spell(raw: bytes) -> str:
    """The text that the bytes stand for, or the bytes in hex where they are no text: `"⟨F0 9F⟩"`."""
    try:
        return raw.decode("utf-8") if raw else "⟨⟩"
    except UnicodeDecodeError:
        return f"⟨{raw.hex(' ').upper()}⟩"


def _begins_inside_character(raw: bytes) -> bool:
    return bool(raw) and raw[0] in _CONTINUATION_BYTES


@dataclass(frozen=True)
class Tokens:
    """A tokenized text. All four tuples have one entry for each token."""

    ids: tuple[int, ...]
    """The row of each token in the embedding table."""
    pieces: tuple[str, ...]
    """Each token as `spell` writes it: its text, or its bytes in hex if it holds only a part of a character."""
    bytes: tuple[builtins.bytes, ...]
    """The exact bytes of each token; joined, they are the text in UTF-8."""
    offsets: tuple[int, ...]
    """The index in the text of the character in which each token begins."""

    @classmethod
    def spelled(cls, ids: Sequence[int], raws: Sequence[builtins.bytes]) -> "Tokens":
        """The tokens with these ids and these bytes."""
        begun = accumulate((len(raw.translate(None, _CONTINUATION_BYTES)) for raw in raws), initial=0)
        offsets = (max(0, count - _begins_inside_character(raw)) for raw, count in zip(raws, begun, strict=False))
        return cls(tuple(ids), tuple(map(spell, raws)), tuple(raws), tuple(offsets))

    def __len__(self) -> int:
        return len(self.ids)

    def first(self, count: int) -> "Tokens":
        """The first `count` tokens; all of them if there are fewer."""
        return Tokens(self.ids[:count], self.pieces[:count], self.bytes[:count], self.offsets[:count])

    @cached_property
    def text(self) -> str:
        """The text, read as `UTF8_ERRORS` says."""
        return b"".join(self.bytes).decode("utf-8", UTF8_ERRORS)

    @cached_property
    def groups(self) -> tuple[range, ...]:
        """Ranges of neighbouring tokens, as short as they can be with whole characters in each."""
        starts = [token for token, raw in enumerate(self.bytes) if token == 0 or not _begins_inside_character(raw)]
        return tuple(range(start, stop) for start, stop in pairwise([*starts, len(self)]))
