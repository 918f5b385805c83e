"""Meanings in English."""

from transformer.translation.grammar.lexicon import Who
from transformer.translation.grammar.meaning import (
    Act,
    Clause,
    Describe,
    Exist,
    Locate,
    Meaning,
    Nominal,
    Report,
    Thing,
    Where,
    Word,
    words,
)

BE = ("am", "are", "is", "are", "are")
"""By person."""


def english(meaning: Meaning) -> list[Word]:
    """The words of the sentence, its mark among them; the first is not yet capitalised."""
    return [*clause(meaning.clause, meaning.question, meaning.short), *words("?" if meaning.asks else ".", "mark")]


def clause(said: Clause, question: bool, short: bool, at: str = "") -> list[Word]:
    """The clause; `at` keeps the roles of a clause inside another apart from those outside."""
    match said:
        case Describe():
            head = finite(said.subject, be(said.subject, at), said.negative, question, short, at)
            return head + description(said, at)
        case Act():
            return act(said, question, short, at)
        case Locate():
            head = finite(said.subject, be(said.subject, at), said.negative, question, short, at)
            return head + place(said.preposition.english, said.ground, at)
        case Exist():
            there, verb = words("there", f"{at}exist"), words(BE[said.thing.person], f"{at}exist")
            thing = nominal(said.thing, f"{at}thing", denied=question)
            if said.negative:
                thing = [*words("no", f"{at}not"), *thing[1:]]
            start = verb + there if question else there + verb
            return start + thing + place(said.preposition.english, said.ground, at)
        case Where():
            return [*words("where", "where"), *words(BE[said.subject.person], "be"), *nominal(said.subject, "subject")]
        case Report():
            verb = words(said.verb.english[third(said.subject)], "verb")
            that = words("that", "that")
            return nominal(said.subject, "subject") + verb + that + clause(said.said, False, short, "said ")


def description(said: Describe, at: str) -> list[Word]:
    """Very fast; faster than the blue car."""
    role = f"{at}adjective"
    if said.than is not None:
        than = [*words("than", f"{at}than"), *nominal(said.than, f"{at}than thing")]
        return [*words(said.adjective.english[1], role, f"{at}degree"), *than]
    return [*words(said.degree, f"{at}degree"), *words(said.adjective.english[0], role)]


def act(said: Act, question: bool, short: bool, at: str) -> list[Word]:
    """Subject, auxiliary, frequency, verb, object, recipient, place, time."""
    auxiliary, main = predicate(said, said.negative or question, at)
    head = finite(said.subject, auxiliary, said.negative, question, short, at)
    parts = [*head, *words(said.frequency, f"{at}frequency"), *main]
    if said.object is not None:
        bare = said.mode == "habit"
        parts += nominal(said.object, f"{at}object", denied=said.denied or question, bare=bare)
    if said.recipient is not None:
        parts += [*words("to", f"{at}to"), *nominal(said.recipient, f"{at}recipient")]
    if said.place is not None:
        parts += place(said.verb.goal[0] if said.verb.goal else "at", said.place, at)
    if said.time is not None:
        parts += words(said.time.english, f"{at}time")
    return parts


def predicate(said: Act, supported: bool, at: str) -> tuple[list[Word], list[Word]]:
    """The auxiliary, if there is one, and the verb. `supported`: what is denied or asked needs one, do if no other."""
    base, present, past, ing = said.verb.english
    mode, verb = f"{at}mode", f"{at}verb"
    do = words("does" if third(said.subject) else "do", mode)
    match said.mode:
        case "progressive":
            return be(said.subject, at, "mode"), words(ing, verb)
        case "future":
            return be(said.subject, at, "mode"), words("going to", mode) + words(base, verb)
        case "past":
            return (words("did", mode), words(base, verb)) if supported else ([], words(past, verb, mode))
        case "want":
            want = words("wants" if third(said.subject) and not supported else "want", mode)
            return do if supported else [], want + words("to", mode) + words(base, verb)
        case _:
            shown = base if supported or not third(said.subject) else present
            return do if supported else [], words(shown, verb)


def finite(subject: Nominal, auxiliary: list[Word], negative: bool, question: bool, short: bool, at: str) -> list[Word]:
    """Subject and auxiliary, in the order of a statement or of a question."""
    who = nominal(subject, f"{at}subject")
    if question:
        return auxiliary + who
    if not negative:
        return who + auxiliary
    if short and auxiliary[0].text != "am":
        return [*who, Word(f"{auxiliary[0].text}n't", auxiliary[0].roles | {f"{at}not"})]
    return [*who, *auxiliary, *words("not", f"{at}not")]


def be(subject: Nominal, at: str, role: str = "be") -> list[Word]:
    """Am, are or is."""
    return words(BE[subject.person], f"{at}{role}")


def third(subject: Nominal) -> bool:
    """The verb takes an s."""
    return subject.person == 2


def place(preposition: str, ground: Nominal, at: str) -> list[Word]:
    """Under the table."""
    return [*words(preposition, f"{at}preposition"), *nominal(ground, f"{at}ground")]


def nominal(who: Nominal, slot: str, denied: bool = False, bare: bool = False) -> list[Word]:
    """A name, or determiner, adjective and noun; `denied` turns some into any, `bare` leaves it out."""
    if isinstance(who, Who):
        return words(who.english, f"{slot} noun")
    noun = words(who.noun.english[who.plural], f"{slot} noun")
    if who.adjective is not None:
        noun = words(who.adjective.english[0], f"{slot} adjective") + noun
    if who.content is not None:
        noun += [*words("of", f"{slot} of"), *words(who.content.english[0], f"{slot} content")]
    return words(determiner(who, noun[0].text, denied, bare), f"{slot} determiner") + noun


def determiner(who: Thing, following: str, denied: bool, bare: bool) -> str:
    """The, an, these, any."""
    match who.determiner:
        case "generic":
            return ""
        case "some":
            return "" if bare else "any" if denied else "some"
        case "a":
            return "an" if following[0] in "aeiou" else "a"
        case "this":
            return "these" if who.plural else "this"
        case "that":
            return "those" if who.plural else "that"
        case plain:
            return plain
