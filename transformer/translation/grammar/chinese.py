"""Meanings in Chinese: measure words, 了 and 没, what comes before the verb and what after."""

from transformer.translation.grammar.lexicon import Phrase, Who
from transformer.translation.grammar.meaning import (
    POSSESSIVES,
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

OWNERS = {"my": "我", "your": "你", "his": "他", "her": "她", "our": "我们"}
DEFINITE = ("the", "this", "that", *POSSESSIVES)
NUMBERS = {"a": "一", "two": "两", "three": "三", "four": "四"}
FREQUENCIES = {"": "", "often": "经常", "never": "从来 不"}
MODES = {"progressive": "正在", "future": "打算", "want": "想"}
DENIED_MODES = {"progressive": "没 在", "past": "没", "future": "不 打算", "want": "不 想"}


def chinese(meaning: Meaning) -> list[Word]:
    """The words of the sentence, its mark among them."""
    asked = words("吗", "question") if meaning.question else []
    return clause(meaning.clause, meaning.question) + asked + words("？" if meaning.asks else "。", "mark")


def clause(said: Clause, question: bool, at: str = "") -> list[Word]:
    """The clause; `at` keeps the roles of a clause inside another apart from those outside."""
    match said:
        case Describe():
            return describe(said, question, at)
        case Act():
            return act(said, question, at)
        case Locate():
            no = words("不" if said.negative else "", f"{at}not")
            return (
                nominal(said.subject, f"{at}subject")
                + no
                + words("在", f"{at}be")
                + place(said.preposition, said.ground, at)
            )
        case Exist():
            no = words("没" if said.negative else "", f"{at}not")
            thing = nominal(said.thing, f"{at}thing", after=True, bare=said.negative or question)
            return place(said.preposition, said.ground, at) + no + words("有", f"{at}exist") + thing
        case Where():
            return nominal(said.subject, "subject") + words("在", "be") + words("哪里", "where")
        case Report():
            return (
                nominal(said.subject, "subject") + words(said.verb.chinese, "verb") + clause(said.said, False, "said ")
            )


def describe(said: Describe, question: bool, at: str) -> list[Word]:
    """很快, 不快, 太快了, 比蓝色的汽车快, 是红色的."""
    subject = nominal(said.subject, f"{at}subject", after=lacks_sign(said.subject))
    adjective = words(said.adjective.chinese, f"{at}adjective")
    no = words("不" if said.negative else "", f"{at}not")
    if said.adjective.colour:
        return subject + no + words("是", f"{at}be") + adjective + words("的", f"{at}adjective")
    if said.than is not None:
        than = nominal(said.than, f"{at}than thing", after=lacks_sign(said.than))
        return subject + words("比", f"{at}than", f"{at}degree") + than + adjective
    if said.negative and said.adjective.denied:
        return subject + words(said.adjective.denied, f"{at}adjective", f"{at}not")
    if said.negative or question:
        return subject + no + adjective
    degree = {"": words("很", f"{at}be"), "very": words("非常", f"{at}degree"), "too": words("太", f"{at}degree")}
    return subject + degree[said.degree] + adjective + words("了" if said.degree == "too" else "", f"{at}degree")


def lacks_sign(who: Nominal) -> bool:
    """A thing that nothing marks as known: said of it, 很重 would be said of its kind. 红色的 or 们 are such marks."""
    return isinstance(who, Thing) and who.adjective is None and not (who.plural and who.noun.kind == "person")


def act(said: Act, question: bool, at: str) -> list[Word]:
    """Subject, time, frequency, mode, place, verb, recipient, object: what is denied or asked for has no number.

    What is known and given away comes before the verb, with 把.
    """
    subject = nominal(said.subject, f"{at}subject")
    time = words(said.time.chinese if said.time else "", f"{at}time")
    frequency = words(FREQUENCIES[said.frequency], f"{at}frequency")
    le = words("了" if said.mode == "past" and not said.negative else "", f"{at}mode")
    head = subject + time + frequency + mode(said, at)
    if said.verb.goal:
        return head + motion(said, le, question, at)
    bare = said.denied or question or said.mode == "habit"
    thing = nominal(said.object, f"{at}object", after=True, bare=bare) if said.object else []
    verb, where = words(said.verb.chinese, f"{at}verb"), location(said, at)
    if said.recipient is None:
        return head + where + (verb + thing + le if question else verb + le + thing)
    recipient = nominal(said.recipient, f"{at}recipient", after=True)
    if isinstance(said.object, Thing) and said.object.determiner in DEFINITE:
        return head + where + words("把", f"{at}to") + thing + verb + le + recipient
    return head + where + verb + le + recipient + thing


def mode(said: Act, at: str) -> list[Word]:
    """What stands before the verb for its time or its denial."""
    if not said.negative:
        return words(MODES.get(said.mode, ""), f"{at}mode")
    no = "没" if said.verb.name == "have" else DENIED_MODES.get(said.mode, "不")
    first, *rest = no.split()
    return words(first, f"{at}not") + words(" ".join(rest), f"{at}mode")


def motion(said: Act, le: list[Word], question: bool, at: str) -> list[Word]:
    """去了公园, and in a question 去公园了; 从公园回来了 in both."""
    goal = nominal(said.place, f"{at}ground") if said.place else []
    verb = words(said.verb.chinese, f"{at}verb")
    if said.verb.goal[2]:
        return words(said.verb.goal[2], f"{at}preposition") + goal + verb + le
    return verb + goal + le if question else verb + le + goal


def location(said: Act, at: str) -> list[Word]:
    """在公园; 正在 and 没在 already end with 在."""
    if said.place is None:
        return []
    at_place = "" if said.mode == "progressive" else "在"
    return words(at_place, f"{at}preposition") + nominal(said.place, f"{at}ground")


def place(preposition: Phrase, ground: Thing, at: str) -> list[Word]:
    """桌子下面."""
    return nominal(ground, f"{at}ground") + words(preposition.chinese, f"{at}preposition")


def nominal(who: Nominal, slot: str, after: bool = False, bare: bool = False) -> list[Word]:
    """A name, or determiner, measure word, adjective and noun.

    What is known, unless it is somebody, needs nothing before the verb; `after` it, it is 那 with a measure word.
    `bare` leaves 一 and 一些 out.
    """
    if isinstance(who, Who):
        return words(who.chinese, f"{slot} noun")
    owned = who.determiner in POSSESSIVES
    counted = {f"{slot} determiner", f"{slot} noun"} if who.content else {f"{slot} determiner"}
    parts = words(determiner(who, after, bare), *counted)
    if who.adjective is not None:
        attributive = who.adjective.attributive.rstrip("的") if owned else who.adjective.attributive
        parts += words(attributive, f"{slot} adjective")
    if who.content is not None:
        return parts + words(who.content.chinese, f"{slot} content")
    several = who.plural and (
        who.noun.kind == "friend" if owned else who.noun.kind == "person" and who.determiner == "the" and not after
    )
    return parts + words(who.noun.chinese + "们" * several, f"{slot} noun")


def determiner(who: Thing, after: bool, bare: bool) -> str:
    """A number or a pointing word with the measure word of the noun."""
    measure = "些" if who.plural else who.noun.measure
    match who.determiner:
        case "the":
            pointed = after or (who.noun.kind == "person" and not who.plural)
            return f"那{measure}" if pointed and not who.noun.mass else ""
        case "that":
            return f"那{measure}"
        case "this":
            return f"这{measure}"
        case "a":
            return "" if bare else f"一{measure}"
        case "some":
            return "" if bare else "一些"
        case "two" | "three" | "four":
            return NUMBERS[who.determiner] + who.noun.measure
        case "many":
            return "很多"
        case "generic":
            return ""
        case owner:
            return OWNERS[owner] + ("" if who.noun.kind == "kin" else "的")
