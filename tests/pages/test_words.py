"""Words: the same keys, formulas and blanks in all languages, and every term in the glossary."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pages.ui import catalog, text
from pages.ui.choices import LANGUAGES

PAGES = Path(__file__).parents[2] / "pages"
FILES = sorted(PAGES.rglob("*.toml"))
GLOSSARY = tomllib.loads((PAGES / "ui/glossary.toml").read_text(encoding="utf-8"))


def flat(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested table with dotted keys."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return found


def name(path: Path) -> str:
    return path.relative_to(PAGES).as_posix()


@pytest.mark.parametrize("language", LANGUAGES[1:])
@pytest.mark.parametrize("path", FILES, ids=name)
def test_all_languages_have_the_same_keys_and_blanks(path: Path, language: str) -> None:
    words = tomllib.loads(path.read_text(encoding="utf-8"))
    first, other = flat(words[LANGUAGES[0]]), flat(words[language])
    assert list(first) == list(other)
    for key, value in first.items():
        assert type(value) is type(other[key]), key
        for one, two in zip(*(v if isinstance(v, list) else [v] for v in (value, other[key])), strict=True):
            if isinstance(one, str):
                blanks = [set(re.findall(r"\{(\w*)[^}]*\}", words)) for words in (one, two)]
                assert blanks[0] == blanks[1], key
                assert bool(one) == bool(two), key


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_linked_term_is_in_the_glossary(path: Path) -> None:
    for language in LANGUAGES:
        for value in flat(tomllib.loads(path.read_text(encoding="utf-8"))[language]).values():
            for term in text.TERM.findall(str(value)):
                assert term[0] in GLOSSARY[language]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_chinese_words_are_chinese(path: Path) -> None:
    """A long text in [zh] without Chinese characters was forgotten."""
    for key, value in flat(tomllib.loads(path.read_text(encoding="utf-8"))["zh"]).items():
        if isinstance(value, str) and len(value) > 60 and "presets" not in key:
            assert re.search(r"[\u4e00-\u9fff]", value), key


@pytest.mark.parametrize("path", FILES, ids=name)
def test_english_words_are_english(path: Path) -> None:
    for key, value in flat(tomllib.loads(path.read_text(encoding="utf-8"))["en"]).items():
        if key.startswith("presets.") or key.endswith((".zh", ".zh_classics")):
            continue  # a sentence to be walked, and what is called by its own name
        assert not re.search("[\u4e00-\u9fff]", str(value)), key


def test_every_page_has_words_and_a_short_name_for_the_map() -> None:
    for entry in catalog.WALK:
        for language in LANGUAGES:
            words = entry.words(language)
            assert words.title
            assert 0 < len(words.short) <= 8
            if entry.name != "home":
                assert len(words.lead.split()) <= 75
                assert words.predict.answer in range(len(words.predict.options))


def test_a_term_explains_itself_once_and_escapes_what_it_shows() -> None:
    shown = text.with_terms("[[query]] meets [[key|a <key>]], then [[query]]", "en")
    assert shown.count("<abbr") == 2
    assert "a &lt;key&gt;</abbr>" in shown
    assert shown.endswith("then query")


PARTS = {
    "en": {
        "more": {"… {n} more terms", "… {n} smaller weights"},
        "maximum": {"largest score of the row"},
        "sum": {"sum of the exponentials"},
    },
    "zh": {"more": {"…… 其余 {n} 项", "…… 其余 {n} 个小权重"}, "maximum": {"这一行的最大值"}, "sum": {"指数之和"}},
}


def cards(table: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables that are the words of a card, however deep they lie."""
    inner = [card for value in table.values() if isinstance(value, dict) for card in cards(value)]
    return [*inner, *([table] if {"title", "total"} <= table.keys() else [])]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_part_of_a_card_has_one_name_on_all_pages(path: Path, language: str) -> None:
    for card in cards(tomllib.loads(path.read_text(encoding="utf-8"))[language]):
        asked = [part for part in ("more", "maximum") if part in card] + ["sum"] * ("maximum" in card)
        for part in asked:
            assert card[part] in PARTS[language][part], card["title"]
        assert not re.search(r"\bdim\b", card["title"]), card["title"]
