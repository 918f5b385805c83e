"""A compact vocabulary cuts its corpus as its base does, and merges follow the definition of byte pair encoding."""

from itertools import pairwise
from pathlib import Path

import pytest

import transformer
from transformer.tokenizer import byte_pair_merges, get_tokenizer, merges
from transformer.vocabulary import CompactTokenizer

CORPORA = Path(transformer.__file__).parent / "assets" / "corpora"
PERSUASION, NORTHANGER, PRIDE, CLASSICS = (
    (CORPORA / f"{name}.txt").read_text(encoding="utf-8")
    for name in ("austen_persuasion", "austen_northanger_abbey", "austen_pride_and_prejudice", "zh_classics")
)


@pytest.fixture(scope="module")
def compact() -> CompactTokenizer:
    return CompactTokenizer.from_corpus(PERSUASION)


def plain_byte_pair_encoding(word: str, ranks: dict[bytes, int]) -> list[tuple[int, int]]:
    """Position and rank of each merge, by the definition: over and over the lowest pair, the leftmost first."""
    parts, steps = [bytes([byte]) for byte in word.encode()], []
    while pairs := [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]:
        rank, position = min(pairs)
        parts[position : position + 2] = [parts[position] + parts[position + 1]]
        steps.append((position, rank))
    return steps


@pytest.mark.parametrize("name", ["cl100k_base", "r50k_base"])
@pytest.mark.parametrize(
    "word", [" motivations", "underlying", " Rapport", "aaaaaaa", "antidisestablishmentarianism", "我喜欢猫"]
)
def test_merges_of_a_word_are_those_of_the_definition_and_end_in_its_tokens(name: str, word: str) -> None:
    tokenizer = get_tokenizer(name)
    steps = merges(word, name)
    assert [(step.position, step.rank) for step in steps] == plain_byte_pair_encoding(word, dict(tokenizer.ranks))
    assert steps[-1].after == tokenizer.encode(word).bytes
    for step, following in pairwise(steps):
        assert step.after == following.before
    for step in steps:
        assert step.before[step.position] + step.before[step.position + 1] == tokenizer.token_bytes(step.rank)


@pytest.mark.parametrize(
    "text",
    ["Chapter 1: Building Rapport and Capturing", "don't", "two  words\n", "🐱 <|endoftext|>", "\ud83d\ude00 the"],
)
def test_merges_of_a_text_keep_its_words_apart(text: str) -> None:
    tokenizer = get_tokenizer("cl100k_base")
    assert merges(text)[-1].after == tokenizer.encode(text).bytes


def test_a_single_byte_needs_no_merge() -> None:
    assert merges("") == merges("a") == []


@pytest.mark.parametrize(
    ("corpus", "rows", "distinct"),
    [(PERSUASION, 9_680, 7_760), (PERSUASION + NORTHANGER + PRIDE, 14_271, 12_363), (CLASSICS, 967, 769)],
    ids=["Persuasion", "three novels", "Chinese classics"],
)
def test_a_compact_vocabulary_cuts_its_corpus_as_its_base_does(corpus: str, rows: int, distinct: int) -> None:
    base, compact = get_tokenizer("cl100k_base"), CompactTokenizer.from_corpus(corpus)
    tokens, expected = compact.encode(corpus), base.encode(corpus)
    assert tokens.bytes == expected.bytes
    assert compact.base_ids(tokens.ids) == expected.ids
    assert (compact.vocab_size, len(set(tokens.ids))) == (rows, distinct)
    assert compact.base == base.name and compact.undecodable == frozenset()


@pytest.mark.parametrize("base", ["cl100k_base", "r50k_base"])
def test_compact_rows_are_in_rank_order_and_begin_with_the_bytes(base: str) -> None:
    compact = CompactTokenizer.from_corpus(CLASSICS, base)
    rows = range(compact.vocab_size)
    base_ids = compact.base_ids(rows)
    assert base_ids == tuple(sorted(set(base_ids))) and base_ids[:256] == tuple(range(256))
    assert list(map(get_tokenizer(base).token_bytes, base_ids)) == list(map(compact.token_bytes, rows))


def test_words_foreign_to_a_compact_vocabulary_fall_into_known_pieces(compact: CompactTokenizer) -> None:
    assert compact.encode(" motivations").pieces == (" mot", "iv", "ations")


def test_a_cap_drops_the_rarest_tokens_and_keeps_the_way_to_the_others(compact: CompactTokenizer) -> None:
    base = get_tokenizer("cl100k_base")
    uncapped = set(compact.base_ids(range(compact.vocab_size)))
    smaller: set[int] = set()
    for max_rows in (256, 259, 1000, 4321):
        capped = CompactTokenizer.from_corpus(PERSUASION, max_rows=max_rows)
        kept = set(capped.base_ids(range(capped.vocab_size)))
        assert max_rows - 10 <= len(kept) <= max_rows
        assert smaller <= kept <= uncapped
        assert kept >= {merge.rank for id in kept for merge in byte_pair_merges(base.token_bytes(id), base.ranks)}
        smaller = kept
    assert capped.encode(" the Elliot").pieces == (" the", " Elliot")


def test_a_vocabulary_without_room_for_the_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 256 rows"):
        CompactTokenizer.from_corpus("a", max_rows=255)
    with pytest.raises(ValueError, match="must hold the 256 single bytes"):
        CompactTokenizer(get_tokenizer("cl100k_base"), [1, 300])
