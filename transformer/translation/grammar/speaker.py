"""Chooses what to say: meanings that make sense, from a stream of random numbers."""

from functools import cache
from random import Random

from transformer.translation.grammar.lexicon import Adjective, Verb, Who, lexicon
from transformer.translation.grammar.meaning import (
    Act,
    Degree,
    Describe,
    Determiner,
    Exist,
    Frequency,
    Locate,
    Meaning,
    Mode,
    Nominal,
    Report,
    Thing,
    Where,
)
from transformer.translation.grammar.nominals import (
    BEINGS,
    KNOWN,
    adorned,
    coloured,
    figure,
    fitting,
    fitting_any,
    names,
    nouns,
    person,
    thing,
)
from transformer.translation.grammar.surroundings import LARGE, UNKNOWN, matching, objects, somewhere


def speak(random: Random) -> Meaning:
    """One meaning."""
    kinds = (describe, act, act_of_motion, locate, exist, where, report)
    return random.choices(kinds, (25, 42, 7, 7, 8, 3, 10))[0](random)


def describe(random: Random) -> Meaning:
    """Somebody or something is so, or more so than another."""
    said = description(random)
    question = not said.degree and not said.negative and askable(said.subject) and random.random() < 0.25
    return Meaning(said, question, random.random() < 0.5)


def description(random: Random) -> Describe:
    """A person and what can be said of it; or something that can be said, and a thing it can be said of."""
    if random.random() < 0.45:
        subject = person(random)
        taken = subject.adjective if isinstance(subject, Thing) else None
        return with_degree(random, subject, random.choice([a for a in fitting(subject) if a is not taken]))
    adjective = random.choice(said_of_things())
    noun = random.choice([noun for noun in matching(adjective.fits) if noun.kind not in BEINGS])
    subject = thing(random, noun, KNOWN)
    return with_degree(random, subject if adjective.colour else coloured(random, subject), adjective)


@cache
def said_of_things() -> tuple[Adjective, ...]:
    """The adjectives that make sense of something that is nobody."""
    things = [noun for noun in lexicon().nouns.values() if noun.kind not in BEINGS]
    return fitting_any(*{kind for noun in things for kind in (noun.kind, noun.name)})


def with_degree(random: Random, subject: Nominal, adjective: Adjective) -> Describe:
    """Very, too, not, or more than another; a colour has no degree."""
    if adjective.colour or adjective is lexicon().adjectives["delicious"]:
        return Describe(subject, adjective, negative=random.random() < 0.3)
    if len(adjective.english) > 1 and random.random() < 0.25:
        return Describe(subject, adjective, "more", than=rival(random, subject))
    degree: Degree = random.choice(("", "", "", "", "very", "very" if adjective.praise else "too"))
    return Describe(subject, adjective, degree, not degree and random.random() < 0.4)


def rival(random: Random, subject: Nominal) -> Nominal:
    """Something of the same kind to compare with."""
    if isinstance(subject, Who) or subject.noun.kind in BEINGS:
        return random.choice([who for who in names() if who is not subject])
    if subject.adjective is not None:
        colours = [a for a in fitting(subject) if a.colour and a is not subject.adjective]
        return Thing(subject.noun, "the", subject.plural, random.choice(colours))
    noun = random.choice(nouns(subject.noun.kind))
    others: tuple[Determiner, ...] = ("the", "this", "that", "my", "your")
    return thing(random, noun, tuple(one for one in others if one != subject.determiner))


def act(random: Random) -> Meaning:
    """Somebody does something."""
    verb = random.choice(transitive())
    mode = one_mode(random, verb)
    subject = person(random)
    negative = mode != "habit" and not verb.recipient and random.random() < 0.25
    question = not negative and not verb.recipient and askable(subject) and random.random() < 0.2
    frequency: Frequency = random.choice(FREQUENCIES) if mode == "habit" else ""
    if frequency == "never":
        question = False
    plain = negative or question or frequency == "never"
    thing = objects(random, verb, mode, subject, plain)
    recipient = person(random, pronouns=False) if verb.recipient else None
    place = time = None
    if verb.at and mode != "state" and random.random() < 0.25:
        place = Thing(lexicon().nouns[one := random.choice(verb.at)], "the", one == "shop")
    if not frequency and (mode == "habit" or random.random() < 0.4):
        time = random.choice([t for t in lexicon().times.values() if mode in t.fits] or [None])
    said = Act(subject, verb, mode, thing, negative, frequency, recipient, place, time)
    return Meaning(said, question, random.random() < 0.5)


@cache
def transitive() -> tuple[Verb, ...]:
    """The verbs that are done to something."""
    return tuple(verb for verb in lexicon().verbs.values() if verb.objects)


def act_of_motion(random: Random) -> Meaning:
    """Somebody goes somewhere, or comes back."""
    verb = lexicon().verbs[random.choices(("go", "come_back"), (3, 2))[0]]
    mode = one_mode(random, verb)
    subject = person(random)
    negative = mode != "habit" and random.random() < 0.25
    frequency: Frequency = random.choice(FREQUENCIES) if mode == "habit" else ""
    question = not negative and frequency != "never" and askable(subject) and random.random() < 0.2
    noun = random.choice(nouns("place", "shops"))
    time = None
    if not frequency and (mode == "habit" or random.random() < 0.4):
        time = random.choice([t for t in lexicon().times.values() if mode in t.fits])
    goal = Thing(noun, "the", noun.kind == "shops")
    said = Act(subject, verb, mode, None, negative, frequency, None, goal, time)
    return Meaning(said, question, random.random() < 0.5)


def locate(random: Random) -> Meaning:
    """Something is somewhere."""
    said = location(random)
    question = not said.negative and askable(said.subject) and random.random() < 0.25
    return Meaning(said, question, random.random() < 0.5)


def location(random: Random) -> Locate:
    """Where somebody or something is."""
    subject = person(random) if random.random() < 0.3 else thing(random, figure(random), KNOWN)
    large = isinstance(subject, Who) or subject.noun.kind in BEINGS or subject.noun.name in LARGE
    return Locate(subject, *somewhere(random, large, subject), random.random() < 0.25)


def exist(random: Random) -> Meaning:
    """Something is there, or nothing."""
    noun = figure(random)
    negative = random.random() < 0.25
    question = not negative and random.random() < 0.25
    here = thing(random, noun, ("a", "some") if negative or question else UNKNOWN)
    if not negative and not question:
        here = adorned(random, here, 0.35)
    large = noun.kind == "person" or noun.name in LARGE
    return Meaning(Exist(here, *somewhere(random, large, here), negative), question, False)


def where(random: Random) -> Meaning:
    """Where is it?"""
    subject = person(random, pronouns=False) if random.random() < 0.35 else thing(random, figure(random), KNOWN)
    return Meaning(Where(subject))


def report(random: Random) -> Meaning:
    """Somebody says, thinks or knows something."""
    verb = random.choice([v for v in lexicon().verbs.values() if "that" in v.modes])
    said = location(random) if random.random() < 0.3 else description(random)
    reporter = person(random)
    while reporter in names() and reporter is said.subject:
        reporter = person(random)
    return Meaning(Report(reporter, verb, said), short=random.random() < 0.5)


def askable(subject: Nominal) -> bool:
    """Nobody asks what they themselves do."""
    return subject.person not in (0, 3)


def one_mode(random: Random, verb: Verb) -> Mode:
    """A mode that the verb has; sorted, so that the seed decides."""
    modes: list[Mode] = [mode for mode in MODES if mode in verb.modes]
    return random.choices(modes, [MODES[mode] for mode in modes])[0]


FREQUENCIES: tuple[Frequency, ...] = ("often", "never", "")
MODES: dict[Mode, int] = {"state": 1, "habit": 3, "progressive": 3, "past": 3, "future": 2, "want": 2}
"""How often each occurs: in French the first three are one, the present."""
