"""A vocabulary of whole words takes any text, and tells negation apart."""

import json

import pytest

from transformer.vocabulary import tokenizer_from_json
from transformer.words import UNKNOWN, WordTokenizer, bare, split_words

TOKENIZER = WordTokenizer.from_texts(["It was not bad.", "It wasn't bad, was it?", "不好看。"])


@pytest.mark.parametrize(
    "text",
    [
        "It wasn’t bad, I can't complain: don't!",
        "这部电影不好看，NT$5。abc好",
        "  hi  ",
        "cafe\u0301 naïve 🐱\n👩‍👧 x",
        "\ud800x",
        "<b>|endoftext|</b>",
    ],
)
def test_any_text_falls_into_words_and_back(text: str) -> None:
    tokens = TOKENIZER.encode(text)
    assert tokens.text == text
    assert len(tokens) > 0
    assert all(0 <= id < TOKENIZER.vocab_size for id in tokens.ids)


def test_nothing_has_no_tokens() -> None:
    assert len(TOKENIZER.encode("")) == len(TOKENIZER.encode(" \n\t ")) == 0


def test_a_negated_verb_is_two_words_and_a_chinese_character_is_one() -> None:
    assert [bare(word) for word in split_words("It wasn't, can't, DON’T; Kant isn't")] == [
        *("it", "was", "n't", ",", "ca", "n't", ",", "do", "n't", ";", "kant", "is", "n't")
    ]
    assert split_words("不好看，abc好") == ["不", "好", "看", "，", "abc", "好"]


def test_small_and_capital_letters_and_both_apostrophes_are_one_word() -> None:
    assert TOKENIZER.encode("IT WASN’T").ids == TOKENIZER.encode("it wasn't").ids
    assert UNKNOWN not in TOKENIZER.encode("it wasn't").ids


def test_words_of_no_training_text_share_one_row() -> None:
    ids = TOKENIZER.encode("it was marvellous ,").ids
    assert ids[2] == UNKNOWN and UNKNOWN not in (*ids[:2], ids[3])
    assert TOKENIZER.encode("splendid").ids == (UNKNOWN,)
    assert TOKENIZER.encode("splendid").pieces == ("splendid",)


def test_the_vocabulary_is_every_word_once_after_the_unknown() -> None:
    assert TOKENIZER.vocab_size == 1 + len({"it", "was", "not", "bad", ".", "n't", ",", "?", "不", "好", "看", "。"})
    assert TOKENIZER.undecodable == {UNKNOWN}


def test_it_is_stored_as_json() -> None:
    again = tokenizer_from_json(json.loads(json.dumps(TOKENIZER.to_json())))
    for text in ("It wasn't bad", "不好看", "what?"):
        assert again.encode(text) == TOKENIZER.encode(text)
