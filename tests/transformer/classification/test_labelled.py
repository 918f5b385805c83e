"""Labelled sentences: the bundled ones are what they are said to be, and files are read or refused with a reason."""

from collections import Counter

import pytest

from transformer.classification.labelled import Labelled, Language, bundled, read_labelled, split_labelled, spoken
from transformer.user_text import DataError

GOOD = [f"very good number {n}" for n in range(6)]
BAD = [f"very bad number {n}" for n in range(7)]
EXAMPLES = [*(Labelled("+", text) for text in GOOD), *(Labelled("-", text) for text in BAD)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_half_of_the_bundled_sentences_are_positive_in_each_part(language: Language) -> None:
    for part, least in zip(bundled(language), (400, 100), strict=True):
        counts = Counter(example.label for example in part)
        assert set(counts) == {"negative", "positive"}
        assert counts["negative"] == counts["positive"] >= least // 2
        assert all(3 <= len(example.text) <= 120 for example in part)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_sentence_is_in_both_parts_not_even_nearly(language: Language) -> None:
    train, held_out = bundled(language)
    learned = [frozenset(filter(str.isalnum, spoken(example.text))) for example in train]
    for example in held_out:
        words = frozenset(filter(str.isalnum, spoken(example.text)))
        assert all(len(words & other) < 0.85 * len(words | other) for other in learned), example.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_negation_and_mixed_sentences_are_on_both_sides_of_both_parts(language: Language) -> None:
    marks = {"en": ({"not", "n't", "never"}, {"but", "although"}), "zh": ({"不", "没"}, {"但", "却"})}[language]
    for part in bundled(language):
        for label in ("negative", "positive"):
            texts = [set(spoken(example.text)) for example in part if example.label == label]
            for words in marks:
                assert sum(bool(words & text) for text in texts) >= 5


def test_there_are_no_sentences_in_other_languages() -> None:
    with pytest.raises(ValueError, match=r"^there are no sentences in 'fr'; there are en, zh$"):
        bundled("fr")  # type: ignore[arg-type]


@pytest.mark.parametrize("separator", ["\t", ","])
@pytest.mark.parametrize("headings", ["", "label{}text\n"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["label first", "text first"])
def test_a_file_has_two_columns_in_either_order(separator: str, headings: str, order: tuple[int, int]) -> None:
    lines = [separator.join(example[place] for place in order) for example in EXAMPLES]
    file = headings.format(separator) + "\n".join(lines) + "\n\n"
    assert read_labelled(file.encode("utf-8-sig")) == tuple(EXAMPLES)


def test_commas_inside_quotes_belong_to_the_sentence() -> None:
    file = "".join(f'{label},"well, {text}"\n' for label, text in EXAMPLES)
    assert read_labelled(file.encode())[0] == Labelled("+", "well, very good number 0")


def test_a_sentence_that_occurs_again_is_left_out() -> None:
    file = "".join(f"{label}\t{text}\n" for label, text in [*EXAMPLES, Labelled("-", "VERY good number 0")])
    assert read_labelled(file.encode()) == tuple(EXAMPLES)


@pytest.mark.parametrize(
    ("file", "code", "values"),
    [
        (b"", "empty", {}),
        (b"\x00\x01\x02", "binary", {}),
        (b"+\tgood one\n-\tbad\none more\n", "label_columns", {"line": 3, "columns": 1}),
        (b"+,good, or not\n-,bad\n", "label_columns", {"line": 1, "columns": 3}),
        (b'+,good\n"-,bad\n+,fair', "label_columns", {"line": 3, "columns": 1}),
        (b"+\tgood one\n\tbad one\n", "label_blank", {"line": 2}),
        ("".join(f"+\t{text}\n" for text in GOOD).encode(), "few_labels", {"labels": 1, "needed": 2}),
        ("".join(f"{n % 9}\tsentence {n}\n" for n in range(90)).encode(), "many_labels", {"labels": 9, "most": 8}),
        (
            "".join(f"{e.label}\t{e.text}\n" for e in EXAMPLES[:10]).encode(),
            "few_sentences",
            {"label": "-", "sentences": 4, "needed": 5},
        ),
    ],
)
def test_a_file_that_nothing_can_be_learned_from_is_refused_with_a_reason(
    file: bytes, code: str, values: dict[str, int | str]
) -> None:
    with pytest.raises(DataError) as refused:
        read_labelled(file)
    assert (refused.value.code, refused.value.values) == (code, values)


def test_the_same_share_of_every_label_is_held_out_and_nothing_is_lost() -> None:
    train, held_out = split_labelled(EXAMPLES, held_out=0.3, seed=3)
    assert sorted(train + held_out) == sorted(EXAMPLES)
    assert Counter(example.label for example in held_out) == {"+": 2, "-": 2}
    assert split_labelled(EXAMPLES, held_out=0.3, seed=3) == (train, held_out)
    assert split_labelled(EXAMPLES, held_out=0.3, seed=4) != (train, held_out)
