"""A text is read whatever program wrote it, and what is none is refused by name."""

import pytest

from transformer.data import corpus_text
from transformer.user_text import DataError, decode

FRENCH = "L'été dernier, à Noël, le garçon naïf mangeait une crème brûlée – où ? « déjà vu »"
GERMAN = "Größe, Übergröße und so weiter: öffentliche Ämter"
CHINESE = "我喜欢猫，也喜欢狗。\n他们在家里。"
MIXED = "He said 你好世界 and went home, 再见 everyone."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "gbk", "gb2312"])
@pytest.mark.parametrize("text", [CHINESE, MIXED, CHINESE * 50, "plain English, and nothing else"])
def test_chinese_is_read_in_every_encoding_that_is_used_for_it(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
@pytest.mark.parametrize("text", [FRENCH, GERMAN, FRENCH * 30])
def test_letters_with_accents_are_read_in_every_encoding_that_is_used_for_them(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_all_of_the_classics_come_back() -> None:
    classics = corpus_text("zh_classics")
    assert decode(classics.encode("gb18030")) == classics


def test_lines_end_in_one_way() -> None:
    assert decode(b"a b\r\nc\rd\n") == "a b\nc\nd\n"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"word\n", "one_word"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "binary"),
        (b"PK\x03\x04\x14\x00", "binary"),
        (b"%PDF-1.4 \x00\x01\x02", "binary"),
        (b"\xff\xfe\x00\xd8\x00", "binary"),
    ],
)
def test_what_is_no_text_is_refused_by_name(raw: bytes, code: str) -> None:
    with pytest.raises(DataError) as refused:
        decode(raw)
    assert refused.value.code == code


def test_what_looks_like_a_special_token_is_text() -> None:
    assert decode("一 <|endoftext|> <|fim_prefix|>".encode()) == "一 <|endoftext|> <|fim_prefix|>"


def test_the_error_names_its_values_for_whoever_reads_it_unworded() -> None:
    assert str(DataError("too_short", tokens=3, needed=34)) == "too short tokens=3 needed=34"
