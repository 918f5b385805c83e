"""Words, marks and characters of two languages in one vocabulary, and sentences made of them again."""

import json

import pytest

from transformer.bilingual import SPECIAL, UNKNOWN, BilingualTokenizer
from transformer.encoder_decoder import BEGIN, END, PADDING
from transformer.translation.sentence_pairs import grammar_pairs
from transformer.vocabulary import tokenizer_from_json

TEXTS = (
    "The teacher isn't here.",
    "Paul says that I am Paul.",
    "Est-ce qu'elle aime l'arbre\u202f?",
    "Aujourd'hui, j'aime Paul.",
    "这辆汽车很快。",
    "Is it red?",
)


@pytest.fixture(scope="module")
def tokenizer() -> BilingualTokenizer:
    return BilingualTokenizer.from_texts(TEXTS)


@pytest.mark.parametrize("text", TEXTS)
def test_a_sentence_comes_back(tokenizer: BilingualTokenizer, text: str) -> None:
    tokens = tokenizer.encode(text)
    assert UNKNOWN not in tokens.ids
    assert tokens.text == text and tokenizer.decode(tokens.ids) == text
    assert tokenizer.tokens(tokens.ids).text == "".join(tokenizer.stream(tokens.ids)) == text


@pytest.mark.parametrize("target", ["fr", "zh"])
def test_every_sentence_of_the_grammars_comes_back(target: str) -> None:
    texts = [text for pair in grammar_pairs(target, 1500) for text in pair[:2]]  # type: ignore[arg-type]
    tokenizer = BilingualTokenizer.from_texts(texts)
    assert [tokenizer.decode(tokenizer.encode(text).ids) for text in texts] == texts


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The teacher isn't here.", ["The", "teacher", "isn't", "here", "."]),
        ("Est-ce qu'elle n’aime pas l'arbre ?", ["Est-ce", "qu'", "elle", "n’", "aime", "pas", "l'", "arbre", "?"]),
        ("aujourd'hui", ["aujourd'hui"]),
        ("这辆car很快。", ["这", "辆", "car", "很", "快", "。"]),
        ("l'", ["l'"]),
        ("2,5 € 🙂", ["2", ",", "5", "€", "🙂"]),
        ("", []),
    ],
)
def test_words_are_cut_as_both_languages_want_it(tokenizer: BilingualTokenizer, text: str, pieces: list[str]) -> None:
    assert list(tokenizer.encode(text).pieces) == pieces


@pytest.mark.parametrize(
    "text",
    ["The zèbre, 斑马!", "  The\n teacher ", "\ud800", "🙂🙂", "x" * 5000, "<s></s>", "e\u0301te\u0301", "\u202f?", ""],
)
def test_any_text_has_tokens_that_keep_it(tokenizer: BilingualTokenizer, text: str) -> None:
    tokens = tokenizer.encode(text)
    assert tokens.text == text
    assert all(0 <= id < tokenizer.vocab_size and id not in (PADDING, BEGIN, END) for id in tokens.ids)
    assert [
        text[offset:].startswith(raw.decode("utf-8", "surrogatepass"))
        for offset, raw in zip(tokens.offsets, tokens.bytes, strict=True)
    ] == [True] * len(tokens)


def test_an_unknown_word_shows_itself_and_has_the_row_of_all_unknown_words(tokenizer: BilingualTokenizer) -> None:
    tokens = tokenizer.encode("The zebra says it.")
    assert tokens.pieces[1] == "zebra" and [id == UNKNOWN for id in tokens.ids] == [False, True, False, False, False]


def test_small_and_capital_letters_and_all_apostrophes_are_one(tokenizer: BilingualTokenizer) -> None:
    assert tokenizer.encode("THE TEACHER ISN’T").ids == tokenizer.encode("the teacher isn't").ids


def test_a_name_keeps_its_capital_and_a_sentence_begins_with_one(tokenizer: BilingualTokenizer) -> None:
    ids = tokenizer.encode("that paul is i. it is").ids
    assert tokenizer.decode(ids) == "That Paul is I. It is"
    assert [tokenizer.piece(id) for id in ids[:2]] == ["that", "Paul"]


def test_a_french_mark_is_not_the_english_one(tokenizer: BilingualTokenizer) -> None:
    english, french = tokenizer.encode("it?").ids[-1], tokenizer.encode("aime ?").ids[-1]
    assert english != french
    assert tokenizer.decode([tokenizer.encode("aime").ids[0], french]) == "Aime\u202f?"


def test_rows_that_are_no_words_have_names_and_write_nothing(tokenizer: BilingualTokenizer) -> None:
    assert [tokenizer.piece(row) for row in SPECIAL] == ["<pad>", "<s>", "</s>", "<unk>"]
    assert tokenizer.undecodable == set(SPECIAL)
    (red,) = tokenizer.encode("red").ids
    assert tokenizer.decode([BEGIN, red, END, PADDING]) == "Red"


def test_json_brings_it_back(tokenizer: BilingualTokenizer) -> None:
    again = tokenizer_from_json(json.loads(json.dumps(tokenizer.to_json())))
    assert again.vocab_size == tokenizer.vocab_size
    assert all(again.encode(text) == tokenizer.encode(text) for text in TEXTS)
