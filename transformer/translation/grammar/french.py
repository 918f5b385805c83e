"""Meanings in French: agreement, negation, elision, contraction."""

from transformer.translation.grammar.lexicon import Adjective, Noun, Who, lexicon
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

QUESTION_MARK = "\u202f?"
"""A narrow space, which does not break, stands before it."""

DEGREES = {"": "", "very": "très", "too": "trop", "more": "plus"}
FREQUENCIES = {"": "", "often": "souvent", "never": "jamais"}
NUMBERS = {"two": "deux", "three": "trois", "four": "quatre"}
POSSESSIVES = {"my": "m", "your": "t", "his": "s", "her": "s"}
CONTRACTIONS = {("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des"}
ELIDED = {"le", "la", "je", "ne", "de", "que"}


def french(meaning: Meaning) -> list[Word]:
    """The words of the sentence, its mark among them; the first is not yet capitalised."""
    asked = words("est-ce que", "question") if meaning.question else []
    mark = [Word(QUESTION_MARK, frozenset({"mark"}))] if meaning.asks else words(".", "mark")
    return euphonic(asked + clause(meaning.clause)) + mark


def euphonic(said: list[Word]) -> list[Word]:
    """Elision before a vowel, and the contractions of à and de with le and les."""
    parts: list[Word] = []
    for index, word in enumerate(said):
        following = said[index + 1].text if index + 1 < len(said) else ""
        if word.text in ELIDED and vowel(following):
            word = Word(word.text[:-1] + "'", word.roles)
        if parts and (contracted := CONTRACTIONS.get((parts[-1].text, word.text))):
            word = Word(contracted, parts.pop().roles | word.roles)
        parts.append(word)
    return parts


def vowel(word: str) -> bool:
    """A word begins with the sound of one. No h in the lexicon is aspirated."""
    return word[:1].lower() in set("aeiouyhéèêœàâîô")


def clause(said: Clause, at: str = "") -> list[Word]:
    """The clause; `at` keeps the roles of a clause inside another apart from those outside."""
    match said:
        case Describe():
            return finite(said.subject, be(said.subject, at), [], said.negative, at) + description(said, at)
        case Act():
            return act(said, at)
        case Locate():
            head = finite(said.subject, be(said.subject, at), [], said.negative, at)
            return head + place(said.preposition.french, said.ground, at)
        case Exist():
            ne, pas = negation(said.negative, at)
            exist = f"{at}exist"
            thing = nominal(said.thing, f"{at}thing", denied=said.negative)
            head = words("il", exist) + ne + words("y a", exist) + pas
            return head + thing + place(said.preposition.french, said.ground, at)
        case Where():
            return words("où", "where") + be(said.subject, "") + nominal(said.subject, "subject")
        case Report():
            verb = words(said.verb.french[1 + said.subject.person], "verb")
            return finite(said.subject, verb, [], False, "") + words("que", "that") + clause(said.said, "said ")


def description(said: Describe, at: str) -> list[Word]:
    """Très rapide; plus rapide que la voiture bleue."""
    who = said.subject
    adjective = words(agree(said.adjective, who.feminine, who.plural), f"{at}adjective")
    than = words("que", f"{at}than") + nominal(said.than, f"{at}than thing") if said.than else []
    return words(DEGREES[said.degree], f"{at}degree") + adjective + than


def act(said: Act, at: str) -> list[Word]:
    """Subject, verb with its negation, object, recipient, place, time."""
    conjugated, main = predicate(said, at)
    frequency = words(FREQUENCIES[said.frequency], f"{at}frequency")
    if said.frequency == "never":
        parts = nominal(said.subject, f"{at}subject") + words("ne", f"{at}frequency") + conjugated + frequency
    else:
        parts = finite(said.subject, conjugated, frequency, said.negative, at)
    parts += main
    if said.object is not None:
        parts += nominal(said.object, f"{at}object", denied=said.denied)
    if said.recipient is not None:
        parts += words("à", f"{at}to") + nominal(said.recipient, f"{at}recipient")
    if said.place is not None:
        parts += place(said.verb.goal[1] if said.verb.goal else "à", said.place, at)
    return parts + (words(said.time.french, f"{at}time") if said.time else [])


def predicate(said: Act, at: str) -> tuple[list[Word], list[Word]]:
    """The conjugated verb, and the participle or infinitive after it."""
    verbs, person, who = lexicon().verbs, said.subject.person, said.subject
    infinitive, participle = said.verb.french[0], said.verb.french[-1]
    mode, verb = f"{at}mode", f"{at}verb"
    match said.mode:
        case "past" if said.verb.etre:
            agreed = participle + "e" * who.feminine + "s" * who.plural
            return words(verbs["be"].french[1 + person], mode), words(agreed, verb)
        case "past":
            return words(verbs["have"].french[1 + person], mode), words(participle, verb)
        case "future":
            return words(verbs["go"].french[1 + person], mode), words(infinitive, verb)
        case "want":
            return words(verbs["want"].french[1 + person], mode), words(infinitive, verb)
        case _:
            return words(said.verb.french[1 + person], verb), []


def finite(subject: Nominal, verb: list[Word], adverb: list[Word], negative: bool, at: str) -> list[Word]:
    """Subject and conjugated verb, between ne and pas if it is denied."""
    ne, pas = negation(negative, at)
    return nominal(subject, f"{at}subject") + ne + verb + pas + adverb


def negation(negative: bool, at: str) -> tuple[list[Word], list[Word]]:
    """Ne and pas, or nothing."""
    return (words("ne", f"{at}not"), words("pas", f"{at}not")) if negative else ([], [])


def be(subject: Nominal, at: str) -> list[Word]:
    """Être in the present."""
    return words(lexicon().verbs["be"].french[1 + subject.person], f"{at}be")


def place(preposition: str, ground: Thing, at: str) -> list[Word]:
    """Sous la table."""
    return words(preposition, f"{at}preposition") + nominal(ground, f"{at}ground")


def nominal(who: Nominal, slot: str, denied: bool = False) -> list[Word]:
    """A name, or determiner, noun and adjective; where it is denied, de takes the place of un, une and des."""
    if isinstance(who, Who):
        return words(who.french, f"{slot} noun")
    noun = words(who.noun.french[who.plural], f"{slot} noun")
    if who.adjective is not None:
        before_vowel = who.adjective.before and vowel(noun[0].text)
        adjective = words(agree(who.adjective, who.feminine, who.plural, before_vowel), f"{slot} adjective")
        noun = adjective + noun if who.adjective.before else noun + adjective
    if who.content is not None:
        noun += words("de", f"{slot} of") + words(who.content.french[0], f"{slot} content")
    return words(determiner(who, noun[0].text, denied), f"{slot} determiner") + noun


def agree(adjective: Adjective, feminine: bool, plural: bool, before_vowel: bool = False) -> str:
    """The form of an adjective; nouveau, vieux and beau have one more, before a vowel."""
    if before_vowel and not feminine and not plural and len(adjective.french) > 4:
        return adjective.french[4]
    return adjective.french[2 * plural + feminine]


def determiner(who: Thing, following: str, denied: bool) -> str:
    """Les, cette, mon, beaucoup de; des becomes de before an adjective."""
    noun, plural = who.noun, who.plural
    match who.determiner:
        case "a" | "some" if denied:
            return "de"
        case "a":
            return "une" if noun.feminine else "un"
        case "some" if not plural:
            return f"de {article(noun, False)}"
        case "some":
            return "de" if who.adjective is not None and who.adjective.before else "des"
        case "this" | "that":
            return "ces" if plural else "cette" if noun.feminine else "cet" if vowel(following) else "ce"
        case "our":
            return "nos" if plural else "notre"
        case "my" | "your" | "his" | "her":
            ending = "es" if plural else "a" if noun.feminine and not vowel(following) else "on"
            return POSSESSIVES[who.determiner] + ending
        case "two" | "three" | "four":
            return NUMBERS[who.determiner]
        case "many":
            return "beaucoup de"
        case _:
            return article(noun, plural)


def article(noun: Noun, plural: bool) -> str:
    """Le, la or les."""
    return "les" if plural else "la" if noun.feminine else "le"
