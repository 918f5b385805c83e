"""Chooses who and what a sentence is about."""

from functools import cache
from random import Random

from transformer.translation.grammar.lexicon import Adjective, Noun, Who, lexicon
from transformer.translation.grammar.meaning import NUMBERS, Determiner, Nominal, Thing

OWNERS: tuple[Determiner, ...] = ("my", "your", "his", "her")
KNOWN: tuple[Determiner, ...] = ("the", "the", "this", "that", *OWNERS)
BEINGS = ("person", "kin", "friend")
FIGURES = ("animal", "thing", "readable", "letter", "clothing", "machine", "food", "person")
PRONOUN_WEIGHTS = (3, 3, 2, 2, 4, 3)
"""I, you, he, she, we, they: those whose verbs have forms of their own more often."""


def person(random: Random, pronouns: bool = True) -> Nominal:
    """Somebody: a pronoun, a name, or a noun."""
    choice = random.random()
    if choice < 0.5 and pronouns:
        return random.choices(somebody(pronoun=True), PRONOUN_WEIGHTS)[0]
    if choice < 0.6:
        return random.choice(names())
    noun = random.choice(nouns(*BEINGS))
    if noun.kind == "person":
        return adorned(random, thing(random, noun, ("the", "the", "the", "this", "that")), 0.25)
    return thing(random, noun, OWNERS)


def names() -> tuple[Who, ...]:
    """Those who are not pronouns."""
    return somebody(pronoun=False)


@cache
def somebody(*, pronoun: bool) -> tuple[Who, ...]:
    """All pronouns, or all names."""
    return tuple(who for who in lexicon().who.values() if who.pronoun == pronoun)


@cache
def nouns(*kinds: str) -> tuple[Noun, ...]:
    """The nouns of some kinds."""
    return tuple(noun for noun in lexicon().nouns.values() if noun.kind in kinds)


def thing(random: Random, noun: Noun, choices: tuple[Determiner, ...]) -> Thing:
    """A noun with one of the determiners; relatives belong to somebody and there is one of each."""
    if noun.mass:
        return Thing(noun, "the")
    if noun.kind == "kin":
        return Thing(noun, random.choice(OWNERS))
    if noun.kind == "person":
        choices = tuple(one for one in choices if one not in OWNERS)
    determiner = random.choice(choices)
    several = determiner in ("some", "many", *NUMBERS)
    return Thing(noun, determiner, several or (determiner != "a" and random.random() < 0.25))


def figure(random: Random) -> Noun:
    """A noun that can stand or lie somewhere."""
    return random.choice(nouns(*FIGURES))


def fitting(subject: Nominal) -> tuple[Adjective, ...]:
    """The adjectives that make sense of the subject."""
    return fitting_any("who") if isinstance(subject, Who) else fitting_any(subject.noun.kind, subject.noun.name)


@cache
def fitting_any(*kinds: str) -> tuple[Adjective, ...]:
    """The adjectives that make sense of any of these kinds or names of nouns."""
    return tuple(adjective for adjective in lexicon().adjectives.values() if not adjective.fits.isdisjoint(kinds))


def adorned(random: Random, plain: Thing, chance: float) -> Thing:
    """Perhaps with an adjective; after a possessive Chinese likes only short ones."""
    choices = [a for a in fitting(plain) if not a.only_predicate]
    if plain.determiner in OWNERS:
        choices = [a for a in choices if len(a.attributive) == 1 or (a.colour and plain.noun.kind != "animal")]
    if random.random() >= chance or not choices or plain.content or plain.noun.kind in ("kin", "friend"):
        return plain
    return Thing(plain.noun, plain.determiner, plain.plural, random.choice(choices))


def coloured(random: Random, plain: Thing) -> Thing:
    """Perhaps with a colour, which leaves room for anything to be said of it."""
    colours = [a for a in fitting(plain) if a.colour]
    odd = plain.determiner in OWNERS and plain.noun.kind == "animal"
    if random.random() >= 0.35 or len(colours) < 2 or odd:
        return plain
    return Thing(plain.noun, plain.determiner, plain.plural, random.choice(colours))
