"""Any string comes back equal, ids and row counts are the published ones, and nothing is ever downloaded."""

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from pathlib import Path

import pytest

import transformer
from transformer import tokenizer as tokenizer_module
from transformer.tokenizer import (
    BytePairTokenizer,
    CharacterTokenizer,
    Tokenizer,
    get_tokenizer,
    spell,
)
from transformer.vocabulary import CompactTokenizer, tokenizer_from_json

PACKAGE = Path(transformer.__file__).parent
RANKS = PACKAGE / "assets" / "tiktoken"
PERSUASION = (PACKAGE / "assets" / "corpora" / "austen_persuasion.txt").read_text(encoding="utf-8")
CLASSICS = (PACKAGE / "assets" / "corpora" / "zh_classics.txt").read_text(encoding="utf-8")

CHAPTER = "Chapter 1: Building Rapport and Capturing"
CHAPTER_IDS = (26072, 220, 16, 25, 17283, 23097, 403, 323, 17013, 1711)
MASTERING = ".\nBy mastering the art of identifying underlying motivations and desires, we equip ourselves with"
MASTERING_IDS = (627, 1383, 88861, 279, 1989, 315, 25607, 16940, 65931, 323, 32097, 11, 584, 26458, 13520, 449)
NASTY = [
    "",
    " ",
    "\n",
    "\r\n\t  \n",
    "\x00",
    "a\x00b",
    CHAPTER,
    MASTERING,
    "<|endoftext|>",
    "before <|fim_prefix|><|endofprompt|> after",
    "我喜欢猫 🐱 ∩",
    "👩‍👩‍👧‍👦🇫🇷👍🏽",
    "e\u0301 Å ﬁ ß İ",
    "\ufeffשלום\u200f",
    "\ud800a",
    "a\udfff",
    "\ud83d\ude00",
    "🐱\udc31猫\ud83d",
    "\ufffd\uffff\U0010ffff",
    "the cat sat on the mat because the mat was the best",
    "don't I'LL 12345 x=1;",
    "word " * 2500,
    "猫" * 3000,
]


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, Tokenizer]:
    return {
        "cl100k": get_tokenizer("cl100k_base"),
        "r50k": get_tokenizer("r50k_base"),
        "characters": CharacterTokenizer(PERSUASION),
        "compact": CompactTokenizer.from_corpus(PERSUASION),
        "compact r50k": CompactTokenizer.from_corpus(CLASSICS, base="r50k_base"),
        "capped": CompactTokenizer.from_corpus(PERSUASION, max_rows=700),
    }


def assert_whole(tokenizer: Tokenizer, text: str) -> None:
    tokens = tokenizer.encode(text)
    assert tokenizer.decode(tokens.ids) == tokens.text == "".join(tokenizer.stream(tokens.ids)) == text
    assert b"".join(tokens.bytes) == text.encode("utf-8", "surrogatepass")
    assert tokens.bytes == tuple(map(tokenizer.token_bytes, tokens.ids))
    assert tokens.pieces == tuple(map(tokenizer.piece, tokens.ids))
    assert tokens == tokenizer.tokens(tokens.ids)
    assert all(0 <= row < tokenizer.vocab_size for row in tokens.ids)
    assert not tokenizer.undecodable & set(tokens.ids)

    character_of_byte = [index for index, c in enumerate(text) for _ in c.encode("utf-8", "surrogatepass")]
    begins = [0, *accumulate(map(len, tokens.bytes))][: len(tokens)]
    assert tokens.offsets == tuple(character_of_byte[byte] for byte in begins)

    assert [token for group in tokens.groups for token in group] == list(range(len(tokens)))
    for group in tokens.groups:
        b"".join(tokens.bytes[group.start : group.stop]).decode("utf-8", "surrogatepass")


@pytest.mark.parametrize("name", ["cl100k", "r50k", "characters", "compact", "compact r50k", "capped"])
def test_any_string_comes_back_equal(tokenizers: dict[str, Tokenizer], name: str) -> None:
    dice = random.Random(name)
    alphabets = [(0, 0x80), (0, 0x800), (0x4E00, 0xA000), (0xD7F0, 0xE010), (0x1F300, 0x1FAFF), (0, 0x110000)]
    for text in NASTY:
        assert_whole(tokenizers[name], text)
    for _ in range(300):
        choices = dice.choices(alphabets, k=dice.randrange(20))
        assert_whole(tokenizers[name], "".join(chr(dice.randrange(*alphabet)) for alphabet in choices))


def test_a_million_spaces_before_a_letter_come_back_equal() -> None:
    text = " " * 1_200_000 + "a"
    assert get_tokenizer("cl100k_base").encode(text).text == text


def test_published_ids_of_cl100k() -> None:
    tokenizer = get_tokenizer("cl100k_base")
    assert tokenizer.encode(CHAPTER).ids == CHAPTER_IDS
    assert " | ".join(tokenizer.encode(CHAPTER).pieces) == (
        "Chapter |   | 1 | : |  Building |  Rap | port |  and |  Capt | uring"
    )
    assert tokenizer.encode(MASTERING).ids == MASTERING_IDS
    assert tokenizer.decode(MASTERING_IDS) == MASTERING


def test_tables_have_the_published_sizes_and_gaps() -> None:
    cl100k, r50k = get_tokenizer("cl100k_base"), get_tokenizer("r50k_base")
    assert (cl100k.vocab_size, r50k.vocab_size) == (100_277, 50_257)
    assert cl100k.undecodable == {100_256, *range(100_261, 100_276)}
    assert r50k.undecodable == frozenset()
    assert cl100k.decode([100_256, 9906, 100_275]) == "Hello"
    assert cl100k.piece(100_256) == "⟨⟩"


def test_special_tokens_are_decoded_but_never_encoded() -> None:
    for name, id, text in [("cl100k_base", 100_258, "<|fim_prefix|>"), ("r50k_base", 50_256, "<|endoftext|>")]:
        tokenizer = get_tokenizer(name)
        assert tokenizer.decode([id]) == tokenizer.piece(id) == "".join(tokenizer.stream([id])) == text
        assert id not in tokenizer.encode(text).ids


@pytest.mark.parametrize("id", [-1, 100_277])
def test_an_id_without_a_row_is_refused(id: int) -> None:
    with pytest.raises(IndexError, match="its ids are 0 to 100276"):
        get_tokenizer("cl100k_base").decode([id])


def test_parts_of_characters_show_their_bytes_and_form_groups() -> None:
    tokens = get_tokenizer("cl100k_base").encode("猫 🐱 the")
    assert tokens.pieces == ("⟨E7⟩", "⟨8C⟩", "⟨AB⟩", "⟨20 F0 9F⟩", "⟨90⟩", "⟨B1⟩", " the")
    assert tokens.offsets == (0, 0, 0, 1, 2, 2, 3)
    assert tokens.groups == (range(3), range(3, 6), range(6, 7))
    assert spell(b"\xed\xa0\x80") == "⟨ED A0 80⟩"


def test_first_keeps_the_beginning_and_no_more_than_there_is() -> None:
    tokens = get_tokenizer("cl100k_base").encode(CHAPTER)
    assert tokens.first(3).ids == CHAPTER_IDS[:3] and tokens.first(3).text == "Chapter 1"
    assert tokens.first(11) == tokens and len(tokens.first(0)) == 0


def test_a_stream_never_shows_half_a_character() -> None:
    tokenizer = get_tokenizer("cl100k_base")
    text = "a我🐱\ud800猫"
    arriving = tokenizer.stream(iter(tokenizer.encode(text).ids))
    assert list(arriving) == list(text)


def test_a_stream_of_random_tokens_joins_to_their_decoding() -> None:
    dice = random.Random(17)
    for name in ("cl100k_base", "r50k_base"):
        tokenizer = get_tokenizer(name)
        broken = [tokenizer.encode(c).ids[0] for c in "猫🐱∩\ud800"] + list(range(128, 256))
        for _ in range(200):
            ids = [
                dice.choice(broken) if dice.random() < 0.7 else dice.randrange(tokenizer.vocab_size) for _ in "x" * 9
            ]
            assert "".join(tokenizer.stream(ids)) == tokenizer.decode(ids) == tokenizer.tokens(ids).text


def test_characters_of_the_corpus_have_a_row_and_others_their_bytes() -> None:
    tokenizer = CharacterTokenizer("猫cab\ud800")
    assert tokenizer.vocab_size == 256 + 4
    assert tokenizer.encode("a猫").ids == (256, 259)
    assert tokenizer.encode("é").ids == (0xC3, 0xA9)
    assert tokenizer.encode("d").pieces == ("d",)


def test_every_tokenizer_survives_json(tokenizers: dict[str, Tokenizer]) -> None:
    for tokenizer in tokenizers.values():
        again = tokenizer_from_json(json.loads(json.dumps(tokenizer.to_json())))
        assert (again.name, again.base, again.vocab_size) == (tokenizer.name, tokenizer.base, tokenizer.vocab_size)
        for text in NASTY:
            assert again.encode(text) == tokenizer.encode(text)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="choose one of cl100k_base, r50k_base"):
        get_tokenizer("p50k_base")


def test_threads_share_one_tokenizer() -> None:
    tokenizer_module._load.cache_clear()
    with ThreadPoolExecutor(32) as threads:
        loaded = list(threads.map(get_tokenizer, ["cl100k_base", "r50k_base"] * 32))
    assert len({id(tokenizer) for tokenizer in loaded}) == 2
    assert all(isinstance(tokenizer, BytePairTokenizer) for tokenizer in loaded)


OFFLINE = """
import os, socket, sys, tiktoken
class Blocked(socket.socket):
    def __init__(self, *args, **kwargs):
        raise AssertionError("a socket was opened")
socket.socket = Blocked
from transformer.tokenizer import _load, get_tokenizer
for folder in (None, "", sys.argv[1]):
    if folder is not None:
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
    _load.cache_clear()
    tiktoken.registry.ENCODINGS.clear()
    print(get_tokenizer("cl100k_base").encode("Chapter 1").ids, get_tokenizer("r50k_base").encode("Chapter 1").ids)
    assert os.environ.get("TIKTOKEN_CACHE_DIR") == folder
"""


def test_encodings_load_without_a_network_whatever_the_cache_setting(tmp_path: Path) -> None:
    without_cache = {name: value for name, value in os.environ.items() if "CACHE_DIR" not in name}
    environment = without_cache | {"PYTHONPATH": str(PACKAGE.parent), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", OFFLINE, str(tmp_path / "empty")]
    printed = subprocess.run(command, check=True, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert printed.stdout.splitlines() == ["(26072, 220, 16) (14126, 352)"] * 3
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_the_users_own_is_used_if_it_holds_the_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with tokenizer_module._offline(file):
        assert os.environ["TIKTOKEN_CACHE_DIR"] == str(RANKS)
    (tmp_path / file).write_bytes((RANKS / file).read_bytes())
    with tokenizer_module._offline(file):
        assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path)


def test_the_cache_setting_is_restored_even_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    with pytest.raises(RuntimeError), tokenizer_module._offline("anything"):
        raise RuntimeError
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


@pytest.mark.parametrize("name", ["cl100k_base", "r50k_base"])
def test_within_a_word_the_pair_with_the_lowest_id_merges_first_until_none_is_left(name: str) -> None:
    tokenizer = get_tokenizer(name)
    for word in tokenizer.words("100069 1234 3.14159 2026-11-29 1817; underlying motivations 我喜欢猫 🐱"):
        for step in tokenizer.merges(word):
            pairs = [tokenizer.ranks.get(left + right) for left, right in pairwise(step.before)]
            assert step.rank == min(rank for rank in pairs if rank is not None)
        left = tokenizer.encode(word).bytes
        assert not any(one + other in tokenizer.ranks for one, other in pairwise(left))
