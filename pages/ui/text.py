"""Words. They live in .toml files beside what they belong to, in [en] and [zh] with the same keys."""

import html
import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pages.ui.choices import LANGUAGES

GLOSSARY = Path(__file__).with_name("glossary.toml")
TERM = re.compile(r"\[\[(\w+)(?:\|([^\]]*))?\]\]")


class Words:
    """One language of a .toml file. `words.lead`; tables nest: `words.predict.question`."""

    def __init__(self, table: dict[str, Any], source: str) -> None:
        self._table, self._source = table, source

    def __getattr__(self, key: str) -> Any:
        try:
            value = self._table[key]
        except KeyError:
            raise AttributeError(f"{self._source} has no words for {key!r}") from None
        return Words(value, f"{self._source}.{key}") if isinstance(value, dict) else value

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def get(self, key: str, otherwise: Any = None) -> Any:
        """The value of a key that not every file has."""
        return getattr(self, key) if key in self else otherwise

    def table(self) -> dict[str, Any]:
        """The words as a plain dictionary, for a component."""
        return dict(self._table)


@cache
def _load(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def words(path: Path, language: str) -> Words:
    """The words of a .toml file in one language; what stands above the languages (a formula) is part of both."""
    whole = _load(path)
    shared = {key: value for key, value in whole.items() if key not in LANGUAGES}
    return Words({**shared, **whole[language]}, f"{path.name} [{language}]")


def joined(language: str, *sentences: str) -> str:
    """Sentences one after another, empty ones left out; between Chinese ones there is no space."""
    return ("" if language == "zh" else " ").join(filter(None, sentences))


def number(value: float, digits: int = 4) -> str:
    """A number as people write it: significant digits and a true minus sign."""
    return f"{value:.{digits}g}".replace("-", "−")


def token(piece: str, space: str = "") -> str:
    """A token with its white space visible. space: what stands beside a lone space, whose dot looks like a full stop."""
    if piece == " " and space:
        return f"· {space}"
    if piece.startswith("⟨"):
        return piece  # bytes in hex, which are no text
    return piece.replace(" ", "·").replace("\n", "⏎").replace("\t", "⇥").replace("\r", "␍").replace("\0", "␀")


@lru_cache(maxsize=1024)
def with_terms(text: str, language: str) -> str:
    """Markdown in which [[term]] or [[term|as written here]] becomes a word that explains itself on hover."""
    glossary = _load(GLOSSARY)[language]
    seen: set[str] = set()

    def explain(match: re.Match[str]) -> str:
        entry = glossary[match[1]]
        shown = html.escape(match[2] or entry["word"])
        if match[1] in seen:
            return shown
        seen.add(match[1])
        return f'<abbr tabindex="0" title="{html.escape(entry["meaning"])}">{shown}</abbr>'

    return TERM.sub(explain, text)
