"""What an act is done to, and what stands where: nouns that make sense beside others."""

from functools import cache
from random import Random

from transformer.translation.grammar.lexicon import Noun, Phrase, Verb, lexicon
from transformer.translation.grammar.meaning import NUMBERS, Determiner, Mode, Nominal, Thing
from transformer.translation.grammar.nominals import KNOWN, OWNERS, adorned, names, thing

UNKNOWN: tuple[Determiner, ...] = ("a", "a", "some", "many", *NUMBERS)
LARGE = {"horse", "cow"}
SMALL = {"table", "chair", "bed", "box"}
CONTENTS = {"cup": ("tea", "coffee"), "glass": ("water", "milk"), "bottle": ("water", "milk")}


@cache
def matching(wanted: frozenset[str]) -> tuple[Noun, ...]:
    """The nouns whose kind or name is wanted."""
    return tuple(noun for noun in lexicon().nouns.values() if noun.kind in wanted or noun.name in wanted)


def objects(random: Random, verb: Verb, mode: Mode, subject: Nominal, plain: bool) -> Nominal:
    """What it is done to. `plain`: denied or asked, so that numbers and adjectives would be odd."""
    if "who" in verb.objects and random.random() < 0.4:
        return random.choice([who for who in names() if who is not subject])
    itself = subject.noun if isinstance(subject, Thing) else None
    noun = random.choice([noun for noun in matching(verb.objects) if noun is not itself])
    if noun.kind == "drink" and verb.name != "like" and not plain and mode != "habit" and random.random() < 0.8:
        container = random.choice([name for name, contents in CONTENTS.items() if noun.name in contents])
        number: Determiner = random.choice(("a", "a", "two", "three"))
        return Thing(lexicon().nouns[container], number, number != "a", content=noun)
    if verb.name == "like" and (noun.mass or random.random() < 0.6):
        return Thing(noun, "generic", not noun.mass)
    if noun.kind in ("kin", "friend"):
        return thing(random, noun, OWNERS)
    if noun.mass:
        return Thing(noun, "some")
    if mode == "habit":
        return thing(random, noun, ("the", "this")) if noun.kind == "person" else Thing(noun, "some", True)
    return adorned(random, thing(random, noun, determiners(verb, noun, plain)), 0.0 if plain else 0.35)


def determiners(verb: Verb, noun: Noun, plain: bool) -> tuple[Determiner, ...]:
    """What may stand before the object."""
    if verb.name == "like":
        return "this", "that", *OWNERS
    if verb.name == "have":
        return ("a", "some") if plain else UNKNOWN
    if noun.kind == "person":
        return ("the", "this", "that") if plain else ("the", "the", "this", "that", "a", "two", "three")
    return ("a", "a", "some", "the", "this", *OWNERS) if plain else (*UNKNOWN, *KNOWN)


def somewhere(random: Random, large: bool, figure: Nominal) -> tuple[Phrase, Thing]:
    """A preposition and what stands there; people and horses are not found in a box."""
    preposition, name = random.choice(places(figure.noun.name if isinstance(figure, Thing) else "", large))
    determiner: Determiner = random.choice(("the", "the", "the", "this", "my"))
    return preposition, adorned(random, Thing(lexicon().nouns[name], determiner), 0.15)


@cache
def places(taken: str, large: bool) -> tuple[tuple[Phrase, str], ...]:
    """Every preposition with each noun that it fits, but for the noun that is `taken`."""
    return tuple(
        (preposition, ground)
        for preposition in lexicon().prepositions.values()
        for ground in sorted(preposition.fits)
        if ground != taken and not (large and ground in SMALL)
    )
