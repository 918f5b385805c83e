"""Matrices and words as people type them."""

import pytest

from transformer.lessons.written import (
    NotUnderstood,
    read_matrix,
    read_related,
    read_sentence,
    read_words,
    shared_places,
    written,
)

ROWS = ((1.0, -2.5), (0.0, 3e-5), (4.0, 1000.0))


@pytest.mark.parametrize(
    "text",
    [
        "1 -2.5\n0 3e-5\n4 1000",
        "[[1, -2.5],\n [0, 3e-5],\n [4, 1000]]",
        "\n1\t−2.5\n\n0，3e-5；\n（4 1000）\n\n",
    ],
    ids=["plain", "as in code", "typed in Chinese"],
)
def test_a_matrix_is_read_however_its_numbers_are_set_apart(text: str) -> None:
    assert read_matrix(text, 2) == read_matrix(text, 2, 3) == ROWS


def test_what_is_written_is_read_back() -> None:
    assert read_matrix(written(ROWS), 2, 3) == ROWS


@pytest.mark.parametrize(
    "text, fault, line",
    [
        ("1 2 3\n4 x 6\n7 8 9", "number", 2),
        ("1 2 3\n4 nan 6\n7 8 9", "number", 2),
        ("1 2 3\n4 5 inf\n7 8 9", "number", 2),
        ("1 2 3\n\n4 5\n7 8 9", "width", 3),
        ("1 2 3", "height", 0),
        ("", "height", 0),
        ("1 2 3\n4 5 6\n7 8 -1001", "large", 3),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text: str, fault: str, line: int) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read_matrix(text, 3, 3)
    assert (caught.value.fault, caught.value.line) == (fault, line)


def test_words_come_with_their_numbers() -> None:
    assert read_sentence("I 1 2\nlove: 4, 5\n\n“cats” [7, 8]", 2) == [("I", (1, 2)), ("love", (4, 5)), ("cats", (7, 8))]


def test_a_word_has_one_row_wherever_and_however_it_is_written() -> None:
    first, second = read_words("apple 5 5 1\nfruit 9 1 1\n\nApple\nInc. 1 9 1", 3)
    assert first[0] == ("apple", (5, 5, 1))
    assert second[0] == ("Apple", (5, 5, 1))
    assert shared_places([first, second]) == [0, 0]


def test_words_without_numbers_get_the_same_ones_every_time() -> None:
    once, again = read_sentence("I love dogs", 3), read_sentence("dogs\nlove I", 3)
    assert dict(once) == dict(again)
    assert len(once) == 3
    assert all(0 <= number <= 9 for _, row in once for number in row)


@pytest.mark.parametrize(
    "text, fault",
    [
        ("a 1 2\nb 3", "width"),
        ("a 1 2\nb 3 x", "number"),
        ("a 1 2\nA 2 1", "twice"),
        ("a 1 2", "words"),
        ("", "words"),
        ("a b c d e f g", "words"),
    ],
)
def test_words_that_cannot_be_read_say_why(text: str, fault: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read_sentence(text, 2)
    assert caught.value.fault == fault


@pytest.mark.parametrize("text", ["apple fruit", "apple fruit\n\npear tree"])
def test_related_sentences_share_a_word(text: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read_related(text, 3)
    assert caught.value.fault == "shared"
    assert shared_places(read_related("big apple\n\napple tree\n\nAPPLE pie", 3)) == [1, 0, 0]
