"""Sentences and their translations: made by the grammars, or brought by whoever wants to learn other ones."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from random import Random
from typing import Literal, NamedTuple, get_args

from transformer.bilingual import key, spaced, split_words
from transformer.columns import Line, two_columns
from transformer.data import seed_of
from transformer.translation.grammar.chinese import chinese
from transformer.translation.grammar.english import english
from transformer.translation.grammar.french import french
from transformer.translation.grammar.meaning import Meaning, Word
from transformer.translation.grammar.speaker import speak
from transformer.user_text import DataError

Target = Literal["fr", "zh"]
LANGUAGES: Mapping[Target, Callable[[Meaning], list[Word]]] = {"fr": french, "zh": chinese}
HEADINGS = {"source", "target", "english", "french", "chinese", "en", "fr", "zh", "英语", "法语", "中文", "汉语"}
MOST_PAIRS = 50_000
"""Of a file; what is more is left out."""


class Pair(NamedTuple):
    """A sentence and its translation.

    `links` are the tokens that translate each other, (source token, target token); a grammar knows them, a file does not.
    """

    source: str
    target: str
    links: frozenset[tuple[int, int]] = frozenset()


class PairSplit(NamedTuple):
    """Pairs to learn from and pairs to be judged by: no sentence of either language is in both."""

    train: tuple[Pair, ...]
    held_out: tuple[Pair, ...]


@cache
def grammar_pairs(target: Target, count: int, seed: int = 0) -> tuple[Pair, ...]:
    """`count` different English sentences with their translations, the same for the same seed.

    Raises:
        ValueError: no grammar speaks that language.
    """
    if target not in LANGUAGES:
        raise ValueError(f"no grammar speaks {target!r}; there are {', '.join(get_args(Target))}")
    random, found = Random(seed_of(seed, "sentence pairs", 0)), dict[str, Pair]()
    while len(found) < count:
        meaning = speak(random)
        pair = paired(english(meaning), LANGUAGES[target](meaning))
        found.setdefault(pair.source, pair)
    return tuple(found.values())


def paired(source: list[Word], target: list[Word]) -> Pair:
    """Two sentences of one meaning: tokens are linked where their words share a role."""
    ours, theirs = token_roles(source), token_roles(target)
    links = {(i, j) for i, roles in enumerate(ours) for j, others in enumerate(theirs) if not roles.isdisjoint(others)}
    return Pair(sentence(source), sentence(target), frozenset(links))


def token_roles(said: list[Word]) -> list[frozenset[str]]:
    """The roles of every token; a Chinese word has one for each character."""
    return [word.roles for word in said for _ in split_words(word.text)]


def sentence(said: list[Word]) -> str:
    """The words as a text."""
    return "".join(spaced(word.text for word in said))


def read_pairs(raw: bytes) -> tuple[Pair, ...]:
    """The pairs of a file with two columns, a sentence and its translation in each line; headings are left out.

    Raises:
        DataError: as `two_columns`; `few_pairs`, with how many `pairs` and how many are `needed`.
    """
    lines = (line for line in two_columns(raw, "pair") if not are_headings(line))
    found = dict.fromkeys(Pair(line.first, line.second) for line in lines)
    if len(found) < 2:
        raise DataError("few_pairs", pairs=len(found), needed=2)
    return tuple(found)[:MOST_PAIRS]


def are_headings(line: Line) -> bool:
    """Whether a file's first line says what its columns are."""
    return line.number == 1 and {line.first.casefold(), line.second.casefold()} <= HEADINGS


def split_pairs(pairs: Iterable[Pair], held_out: float = 0.1, seed: int = 0) -> PairSplit:
    """Holds out a share of the pairs, chosen by the seed, whose every word also occurs among those to learn from.

    Pairs that share a sentence stay together. Where words are too rare, fewer are held out; at least one is, so that
    there is something to be judged by.
    """
    groups = list(families(pairs))
    wanted = max(1, round(held_out * sum(map(len, groups))))
    Random(seed_of(seed, "held-out pairs", 0)).shuffle(groups)
    left = Counter(word for group in groups for pair in group for word in vocabulary(pair))
    train, judged = list[Pair](), list[Pair]()
    for group in groups:
        gone = Counter(word for pair in group for word in vocabulary(pair))
        if len(judged) + len(group) <= wanted and all(left[word] > gone[word] for word in gone):
            judged += group
            left.subtract(gone)
        else:
            train += group
    if not judged and len(train) > 1:
        judged.append(train.pop())
    return PairSplit(tuple(train), tuple(judged))


def families(pairs: Iterable[Pair]) -> Iterable[list[Pair]]:
    """Pairs that share a source or a target, together."""
    parents: dict[tuple[str, str], tuple[str, str]] = {}

    def root(node: tuple[str, str]) -> tuple[str, str]:
        while (parent := parents.setdefault(node, node)) != node:
            parents[node] = parents[parent]
            node = parents[node]
        return node

    every = list(pairs)
    for pair in every:
        parents[root(("source", text_key(pair.source)))] = root(("target", text_key(pair.target)))
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in every:
        groups.setdefault(root(("source", text_key(pair.source))), []).append(pair)
    return groups.values()


def text_key(text: str) -> str:
    """Equal for sentences that the model cannot tell apart."""
    return " ".join(map(key, split_words(text)))


def vocabulary(pair: Pair) -> set[str]:
    """The words of both sentences."""
    return {key(word) for word in (*split_words(pair.source), *split_words(pair.target))}
