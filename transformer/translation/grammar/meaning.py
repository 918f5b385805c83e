"""What a sentence says, before any language says it."""

from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from transformer.translation.grammar.lexicon import Adjective, Noun, Phrase, Verb, Who

Determiner = Literal[
    "the", "a", "some", "this", "that", "my", "your", "his", "her", "our", "two", "three", "four", "many", "generic"
]
Mode = Literal["state", "habit", "progressive", "past", "future", "want"]
Frequency = Literal["", "often", "never"]
Degree = Literal["", "very", "too", "more"]

POSSESSIVES: tuple[Determiner, ...] = ("my", "your", "his", "her", "our")
NUMBERS: tuple[Determiner, ...] = ("two", "three", "four")


@dataclass(frozen=True)
class Thing:
    """A noun with what goes with it; `content` is the tea of a cup of tea."""

    noun: Noun
    determiner: Determiner
    plural: bool = False
    adjective: Adjective | None = None
    content: Noun | None = None

    @property
    def person(self) -> int:
        """As in `Who`."""
        return 4 if self.plural else 2

    @property
    def feminine(self) -> bool:
        """Its grammatical gender in French."""
        return self.noun.feminine


Nominal = Thing | Who


@dataclass(frozen=True)
class Describe:
    """The red car is (not) fast; too fast; faster `than` the blue car."""

    subject: Nominal
    adjective: Adjective
    degree: Degree = ""
    negative: bool = False
    than: Nominal | None = None


@dataclass(frozen=True)
class Act:
    """She bought a hat at the market yesterday; Paul goes to the park every day; I gave a book to the girl.

    `place` is where it happens, or for a verb of motion its goal. `frequency` never denies as `negative` does.
    """

    subject: Nominal
    verb: Verb
    mode: Mode
    object: Nominal | None = None
    negative: bool = False
    frequency: Frequency = ""
    recipient: Nominal | None = None
    place: Thing | None = None
    time: Phrase | None = None

    @property
    def denied(self) -> bool:
        """Nothing of the kind happens: English says any, French de, and Chinese leaves the number out."""
        return self.negative or self.frequency == "never"


@dataclass(frozen=True)
class Locate:
    """The key is (not) on the table."""

    subject: Nominal
    preposition: Phrase
    ground: Thing
    negative: bool = False


@dataclass(frozen=True)
class Exist:
    """There is a cat under the table; there is no cat."""

    thing: Thing
    preposition: Phrase
    ground: Thing
    negative: bool = False


@dataclass(frozen=True)
class Where:
    """Where is my key?"""

    subject: Nominal


@dataclass(frozen=True)
class Report:
    """He says that the car is too expensive."""

    subject: Nominal
    verb: Verb
    said: Describe | Locate


Clause = Describe | Act | Locate | Exist | Where | Report


@dataclass(frozen=True)
class Meaning:
    """A whole sentence. `short`: English writes "doesn't" where it could write "does not"."""

    clause: Clause
    question: bool = False
    short: bool = False

    @property
    def asks(self) -> bool:
        """It ends with a question mark: what is put as a question, and where something is."""
        return self.question or isinstance(self.clause, Where)


class Word(NamedTuple):
    """A word of a sentence and the parts of the meaning it stands for: words that share one translate each other."""

    text: str
    roles: frozenset[str] = frozenset()


def words(text: str, *roles: str) -> list[Word]:
    """Every word of a phrase, with the same roles."""
    return list(_words(text, roles))


@cache
def _words(text: str, roles: tuple[str, ...]) -> tuple[Word, ...]:
    """The same phrases are said thousands of times."""
    return tuple(Word(word, frozenset(roles)) for word in text.split())
