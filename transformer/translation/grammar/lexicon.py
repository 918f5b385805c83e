"""The words of the grammars, read from assets/translation/lexicon.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parents[2] / "assets" / "translation" / "lexicon.toml"


@dataclass(frozen=True)
class Noun:
    """A noun: (singular, plural) of English and French; a Chinese noun has one form and its measure word."""

    name: str
    kind: str
    english: tuple[str, ...]
    french: tuple[str, ...]
    feminine: bool
    chinese: str
    measure: str
    mass: bool


@dataclass(frozen=True)
class Adjective:
    """An adjective: English (plain, comparative if there is one); the four French forms, and the one before a vowel.

    `chinese` follows 很, `attributive` stands before a noun, `denied` is what 不 cannot say. Nothing is too much so if
    it is `praise`.
    """

    english: tuple[str, ...]
    french: tuple[str, ...]
    chinese: str
    attributive: str
    denied: str
    before: bool
    colour: bool
    only_predicate: bool
    praise: bool
    fits: frozenset[str]


@dataclass(frozen=True)
class Verb:
    """A verb: English (base, third person, past, -ing); French (infinitive, je, tu, il, nous, ils, participle).

    `objects` and `at` say what it may be done to, and where. `goal` holds the prepositions of a verb of motion; its
    past is formed with être if `etre`.
    """

    name: str
    english: tuple[str, ...]
    french: tuple[str, ...]
    chinese: str
    modes: frozenset[str]
    objects: frozenset[str]
    recipient: bool
    goal: tuple[str, ...]
    at: tuple[str, ...]
    etre: bool


class Phrase(NamedTuple):
    """A fixed phrase in the three languages; `fits` says where it may be used."""

    english: str
    french: str
    chinese: str
    fits: frozenset[str]


@dataclass(frozen=True)
class Who:
    """A name or a pronoun. person: 0 je · 1 tu · 2 il, elle · 3 nous · 4 ils"""

    english: str
    french: str
    chinese: str
    person: int
    feminine: bool
    pronoun: bool

    @property
    def plural(self) -> bool:
        """Whether it stands for several; the persons are counted from 0, we is 3."""
        return self.person >= 3


class Lexicon(NamedTuple):
    """All words by name, in the order of the file."""

    nouns: Mapping[str, Noun]
    adjectives: Mapping[str, Adjective]
    verbs: Mapping[str, Verb]
    prepositions: Mapping[str, Phrase]
    times: Mapping[str, Phrase]
    who: Mapping[str, Who]


@cache
def lexicon() -> Lexicon:
    """The lexicon, read once."""
    with FILE.open("rb") as file:
        tables = tomllib.load(file)
    return Lexicon(
        {name: _noun(name, entry) for name, entry in tables["nouns"].items()},
        {name: _adjective(entry) for name, entry in tables["adjectives"].items()},
        {name: _verb(name, entry) for name, entry in tables["verbs"].items()},
        {name: _phrase(entry, "grounds") for name, entry in tables["prepositions"].items()},
        {name: _phrase(entry, "mode") for name, entry in tables["times"].items()},
        {name: _who(entry) for name, entry in tables["who"].items()},
    )


def _noun(name: str, entry: Mapping[str, Any]) -> Noun:
    gender, *french = entry["fr"].split("/")
    measure, chinese = entry["zh"].split("/")
    english = tuple(entry["en"].split("/"))
    return Noun(name, entry["kind"], english, tuple(french), gender == "f", chinese, measure, entry.get("mass", False))


def _adjective(entry: Mapping[str, Any]) -> Adjective:
    chinese, attributive, *denied = entry["zh"].split("/")
    return Adjective(
        tuple(entry["en"].split("/")),
        tuple(entry["fr"].split("/")),
        chinese,
        attributive,
        "".join(denied),
        entry.get("before", False),
        entry.get("colour", False),
        "only" in entry,
        entry.get("praise", False),
        frozenset(entry["fits"].split()),
    )


def _verb(name: str, entry: Mapping[str, Any]) -> Verb:
    return Verb(
        name,
        tuple(entry["en"].split("/")),
        tuple(entry["fr"].split("/")),
        entry["zh"],
        frozenset(entry["modes"].split()),
        frozenset(entry["objects"].split()),
        entry.get("recipient", False),
        tuple(entry["goal"].split("/")) if "goal" in entry else (),
        tuple(entry.get("at", "").split()),
        entry.get("etre", False),
    )


def _phrase(entry: Mapping[str, Any], where: str) -> Phrase:
    return Phrase(entry["en"], entry["fr"], entry["zh"], frozenset(entry[where].split()))


def _who(entry: Mapping[str, Any]) -> Who:
    feminine, pronoun = entry.get("feminine", False), entry.get("pronoun", False)
    return Who(entry["en"], entry["fr"], entry["zh"], entry["person"], feminine, pronoun)
