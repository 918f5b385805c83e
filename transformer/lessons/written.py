"""Small matrices and word lists as people type them: a row a line, numbers apart by spaces or commas, brackets or none."""

import math
import re
import zlib
from collections.abc import Sequence
from typing import Literal

from transformer.lessons.single_head import Rows

Sentence = list[tuple[str, tuple[float, ...]]]
Fault = Literal["number", "width", "height", "large", "twice", "words", "shared"]
LARGEST = 1000.0
PUNCTUATION = re.compile(r"""[\s,;，；、\[\](){}（）"“”:：]+""")


class NotUnderstood(ValueError):
    """What was typed cannot be read.

    fault: "number" (`found` is none), "width" (line `line` has `found` numbers instead of `wanted`), "height" (there are
    `found` lines), "large" (`found` is beyond ±1000), "twice" (the word `found` has two different rows), "words" (there are
    `found` words instead of two to six), "shared" (`found` sentences do not share a word).
    """

    def __init__(self, fault: Fault, found: object, *, line: int = 0, wanted: int = 0) -> None:
        super().__init__(f"{fault}: {found!r} in line {line}; wanted {wanted}")
        self.fault, self.found, self.line, self.wanted = fault, found, line, wanted


def read_matrix(text: str, width: int, height: int | None = None) -> Rows:
    """The numbers of a matrix. Empty lines do not count.

    Raises:
        NotUnderstood: unless each line has `width` numbers and, if it is given, there are `height` lines.
    """
    lines = [(place, fields) for place, fields in enumerate(map(_fields, text.splitlines()), 1) if fields]
    if height is not None and len(lines) != height:
        raise NotUnderstood("height", len(lines), wanted=height)
    return tuple(_numbers(fields, width, place) for place, fields in lines)


def read_words(text: str, width: int, most: int = 6) -> list[Sentence]:
    """Sentences of words with their embeddings: a word and its numbers a line, or several words without numbers.

    An empty line begins the next sentence. A word stands for one row wherever it occurs, however it is capitalised. Without
    numbers it takes the row it has in another line, or else one that follows from its letters.

    Raises:
        NotUnderstood: a line has some numbers but not `width`, a word has two rows, or a sentence is not two to `most`
            words long.
    """
    table: dict[str, tuple[float, ...]] = {}
    sentences: list[list[str]] = [[]]
    for place, line in enumerate(text.splitlines(), 1):
        fields = _fields(line)
        if not fields:
            sentences += [[]] * bool(sentences[-1])
            continue
        if not any(map(_is_number, fields[1:])):
            sentences[-1] += fields
            continue
        word, numbers = fields[0], _numbers(fields[1:], width, place)
        if table.setdefault(word.casefold(), numbers) != numbers:
            raise NotUnderstood("twice", word, line=place)
        sentences[-1].append(word)
    found = [sentence for sentence in sentences if sentence] or [[]]
    for sentence in found:
        if not 2 <= len(sentence) <= most:
            raise NotUnderstood("words", len(sentence), wanted=most)
    return [[(word, table.get(word.casefold()) or spelled_row(word, width)) for word in words] for words in found]


def read_sentence(text: str, width: int) -> Sentence:
    """A single sentence as `read_words` reads it; empty lines mean nothing."""
    return read_words("\n".join(filter(str.strip, text.splitlines())), width)[0]


def read_related(text: str, width: int) -> list[Sentence]:
    """Two sentences or more that share a word, as `read_words` reads them.

    Raises:
        NotUnderstood: also when there is one sentence, or no word that is in all.
    """
    found = read_words(text, width)
    if len(found) < 2 or not shared_places(found):
        raise NotUnderstood("shared", len(found))
    return found


def shared_places(sentences: Sequence[Sentence]) -> list[int]:
    """Where each sentence has the first word of the first one that all have, or [] if they share none."""
    folded = [[word.casefold() for word, _ in sentence] for sentence in sentences]
    shared = next((word for word in folded[0] if all(word in other for other in folded)), None)
    return [] if shared is None else [other.index(shared) for other in folded]


def spelled_row(word: str, width: int) -> tuple[float, ...]:
    """Whole numbers from 0 to 9 that follow from a word's letters, so that the same word always has the same row."""
    letters = word.casefold()
    return tuple(float(zlib.crc32(f"{letters} {column}".encode()) % 10) for column in range(width))


def written(rows: Sequence[Sequence[float]]) -> str:
    """A matrix as `read_matrix` reads it, numbers as short as they can be."""
    return "\n".join(" ".join(f"{number:g}" for number in row) for row in rows)


def _fields(line: str) -> list[str]:
    return [field for field in PUNCTUATION.split(line.replace("−", "-")) if field]


def _is_number(field: str) -> bool:
    try:
        return math.isfinite(float(field))
    except ValueError:
        return False


def _numbers(fields: Sequence[str], width: int, line: int) -> tuple[float, ...]:
    if len(fields) != width:
        raise NotUnderstood("width", len(fields), line=line, wanted=width)
    return tuple(_number(field, line) for field in fields)


def _number(field: str, line: int) -> float:
    if not _is_number(field):
        raise NotUnderstood("number", field, line=line)
    if abs(float(field)) > LARGEST:
        raise NotUnderstood("large", field, line=line)
    return float(field)
