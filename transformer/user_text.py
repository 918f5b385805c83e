"""Texts that people bring: read whatever program wrote them, or refused with a reason that any language can word."""

import codecs
import re

BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1a\x1b")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")


class DataError(ValueError):
    """Data that nothing can be learned from: a code for programs, values to fill into a sentence."""

    def __init__(self, code: str, **values: int | str) -> None:
        self.code = code
        self.values = values
        super().__init__(" ".join([code.replace("_", " "), *(f"{name}={value}" for name, value in values.items())]))


def decode(raw: bytes) -> str:
    """The text of a file, its lines ended by `\\n`.

    UTF-8 is what most files are; UTF-16 says so in its first bytes. What is neither is GB18030 if it decodes as such and
    does not look Western, or else Windows' Latin-1.

    Raises:
        DataError: `binary`; `empty`, also where there is nothing but white space; `one_word`.
    """
    text = _decoded(raw).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise DataError("empty")
    if len(text) < 100 and len(text.split()) == 1 and text.isascii():
        raise DataError("one_word")
    return text


def _decoded(raw: bytes) -> str:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if raw.startswith(mark):
            try:
                return raw.decode(encoding)
            except UnicodeDecodeError as error:
                raise DataError("binary") from error
    if any(byte in _CONTROL for byte in set(raw)):
        raise DataError("binary")
    for encoding in ("utf-8", *(() if _looks_western(raw) else ("gb18030",)), "cp1252", "latin-1"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("Latin-1 reads every byte")


def _looks_western(raw: bytes) -> bool:
    """Whether bytes beyond ASCII are few and stand alone, as letters with accents do; Chinese characters are pairs."""
    runs = _BEYOND_ASCII.findall(raw)
    beyond = sum(map(len, runs))
    return beyond < 0.3 * len(raw) and beyond < 3 * len(runs)
