"""What the grammars say, checked against sentences a speaker wrote, and against what no speaker ever writes."""

import re

import pytest

from transformer.bilingual import split_words
from transformer.translation.grammar.chinese import chinese
from transformer.translation.grammar.english import english
from transformer.translation.grammar.french import french
from transformer.translation.grammar.lexicon import lexicon
from transformer.translation.grammar.meaning import Act, Describe, Exist, Locate, Meaning, Report, Thing, Where
from transformer.translation.sentence_pairs import grammar_pairs, paired, sentence

NOUNS, ADJECTIVES, VERBS, PREPOSITIONS, TIMES, WHO = lexicon()


def the(noun: str, adjective: str = "", *, plural: bool = False, determiner: str = "the", content: str = "") -> Thing:
    return Thing(NOUNS[noun], determiner, plural, ADJECTIVES.get(adjective), NOUNS.get(content))  # type: ignore[arg-type]


SPOKEN = [
    (
        Describe(the("car", "red"), ADJECTIVES["fast"]),
        "The red car is fast.",
        "La voiture rouge est rapide.",
        "红色的汽车很快。",
    ),
    (
        Describe(the("shirt", plural=True, determiner="this"), ADJECTIVES["white"], negative=True),
        "These shirts are not white.",
        "Ces chemises ne sont pas blanches.",
        "这些衬衫不是白色的。",
    ),
    (
        Describe(WHO["she"], ADJECTIVES["tall"], "more", than=WHO["Anna"]),
        "She is taller than Anna.",
        "Elle est plus grande qu'Anna.",
        "她比安娜高。",
    ),
    (
        Describe(the("magazine", determiner="my"), ADJECTIVES["interesting"], negative=True),
        "My magazine is not interesting.",
        "Ma revue n'est pas intéressante.",
        "我的杂志没意思。",
    ),
    (
        Describe(the("horse", "black", plural=True), ADJECTIVES["aged"], "too"),
        "The black horses are too old.",
        "Les chevaux noirs sont trop vieux.",
        "黑色的马太老了。",
    ),
    (
        Act(WHO["I"], VERBS["buy"], "past", the("car", determiner="a"), True, time=TIMES["yesterday"]),
        "I did not buy a car yesterday.",
        "Je n'ai pas acheté de voiture hier.",
        "我昨天没买汽车。",
    ),
    (
        Act(WHO["I"], VERBS["like"], "state", the("orange", plural=True, determiner="generic")),
        "I like oranges.",
        "J'aime les oranges.",
        "我喜欢橙子。",
    ),
    (
        Act(WHO["we"], VERBS["draw"], "progressive", the("tree", "old", determiner="a")),
        "We are drawing an old tree.",
        "Nous dessinons un vieil arbre.",
        "我们正在画一棵旧树。",
    ),
    (
        Act(WHO["they"], VERBS["have"], "state", the("house", "small", plural=True, determiner="some")),
        "They have some small houses.",
        "Ils ont de petites maisons.",
        "他们有一些小房子。",
    ),
    (
        Act(WHO["Paul"], VERBS["have"], "state", the("dog", determiner="a"), True),
        "Paul does not have a dog.",
        "Paul n'a pas de chien.",
        "保罗没有狗。",
    ),
    (
        Act(WHO["Alice"], VERBS["drink"], "past", the("cup", plural=True, determiner="two", content="tea")),
        "Alice drank two cups of tea.",
        "Alice a bu deux tasses de thé.",
        "爱丽丝喝了两杯茶。",
    ),
    (
        Act(WHO["he"], VERBS["drink"], "want", the("water", determiner="some"), time=TIMES["today"]),
        "He wants to drink some water today.",
        "Il veut boire de l'eau aujourd'hui.",
        "他今天想喝一些水。",
    ),
    (
        Act(WHO["you"], VERBS["read"], "habit", the("novel", plural=True, determiner="some"), frequency="never"),
        "You never read novels.",
        "Tu ne lis jamais de romans.",
        "你从来不看小说。",
    ),
    (
        Act(WHO["Anna"], VERBS["go"], "past", place=the("hospital")),
        "Anna went to the hospital.",
        "Anna est allée à l'hôpital.",
        "安娜去了医院。",
    ),
    (
        Act(the("girl", plural=True), VERBS["come_back"], "past", place=the("market")),
        "The girls came back from the market.",
        "Les filles sont revenues du marché.",
        "女孩们从市场回来了。",
    ),
    (
        Act(WHO["she"], VERBS["give"], "past", the("book", determiner="a"), recipient=the("boy")),
        "She gave a book to the boy.",
        "Elle a donné un livre au garçon.",
        "她给了那个男孩一本书。",
    ),
    (
        Act(WHO["she"], VERBS["give"], "future", the("key"), recipient=the("student", plural=True)),
        "She is going to give the key to the students.",
        "Elle va donner la clé aux étudiants.",
        "她打算把那把钥匙给那些学生。",
    ),
    (
        Locate(the("cat", determiner="his"), PREPOSITIONS["next_to"], the("bed")),
        "His cat is next to the bed.",
        "Son chat est à côté du lit.",
        "他的猫在床旁边。",
    ),
    (
        Exist(the("bird", plural=True, determiner="many"), PREPOSITIONS["under"], the("tree")),
        "There are many birds under the tree.",
        "Il y a beaucoup d'oiseaux sous l'arbre.",
        "树下面有很多鸟。",
    ),
    (
        Exist(the("apple", determiner="a"), PREPOSITIONS["in"], the("box"), True),
        "There is no apple in the box.",
        "Il n'y a pas de pomme dans la boîte.",
        "盒子里没有苹果。",
    ),
    (
        Report(WHO["Paul"], VERBS["say"], Describe(WHO["I"], ADJECTIVES["tired"])),
        "Paul says that I am tired.",
        "Paul dit que je suis fatigué.",
        "保罗说我很累。",
    ),
    (Where(the("orange", determiner="my")), "Where is my orange?", "Où est mon orange\u202f?", "我的橙子在哪里？"),
]

ASKED = [
    (
        Act(WHO["she"], VERBS["buy"], "past", the("hat", "blue", determiner="this")),
        "Did she buy this blue hat?",
        "Est-ce qu'elle a acheté ce chapeau bleu\u202f?",
        "她买这顶蓝色的帽子了吗？",
    ),
    (
        Exist(the("egg", plural=True, determiner="some"), PREPOSITIONS["on"], the("table")),
        "Are there any eggs on the table?",
        "Est-ce qu'il y a des œufs sur la table\u202f?",
        "桌子上有鸡蛋吗？",
    ),
    (
        Describe(the("apple", determiner="your"), ADJECTIVES["fresh"]),
        "Is your apple fresh?",
        "Est-ce que ta pomme est fraîche\u202f?",
        "你的苹果新鲜吗？",
    ),
]


@pytest.mark.parametrize(
    ("meaning", "spoken"), [(Meaning(c), s) for c, *s in SPOKEN] + [(Meaning(c, question=True), s) for c, *s in ASKED]
)
def test_a_meaning_is_said_as_a_speaker_says_it(meaning: Meaning, spoken: list[str]) -> None:
    assert [sentence(language(meaning)) for language in (english, french, chinese)] == spoken


def test_english_has_a_long_and_a_short_way_to_deny() -> None:
    clause = Act(WHO["he"], VERBS["like"], "state", the("tea", determiner="generic"), True)
    assert sentence(english(Meaning(clause, short=True))) == "He doesn't like tea."
    assert (
        sentence(english(Meaning(Describe(WHO["I"], ADJECTIVES["sad"], negative=True), short=True))) == "I am not sad."
    )


def test_what_shares_a_meaning_is_linked_wherever_it_stands() -> None:
    meaning = Meaning(Locate(the("car", "red"), PREPOSITIONS["behind"], the("house"), True), short=True)
    french_pair, chinese_pair = (paired(english(meaning), language(meaning)) for language in (french, chinese))
    assert linked(*french_pair) == {
        "The La",
        "red rouge",
        "car voiture",
        "isn't n'",
        "isn't est",
        "isn't pas",
        "behind derrière",
        "the la",
        "house maison",
        ". .",
    }
    assert {"red 红", "red 色", "car 汽", "car 车", "isn't 不", "isn't 在", "behind 后", "house 房"} <= linked(
        *chinese_pair
    )


def linked(source: str, target: str, links: frozenset[tuple[int, int]]) -> set[str]:
    ours, theirs = ([word.strip() for word in split_words(text)] for text in (source, target))
    return {f"{ours[i]} {theirs[j]}" for i, j in links}


NEVER_WRITTEN = {
    "en": [r"\ba [aeiou]", r"\ban [^aeiou]", r"\b(\w+) \1\b(?<!that that)", r"\b(he|she) (do|are) ", r"  | [.?]"],
    "fr": [
        r"\b(le|la|je|ne|de|que|ma|ta|sa) [aeiouyhéêœ]",
        r"\b(à|de) les?\b",
        r"\b(beau|nouveau|vieux|ce) [aeiouhéêœ](?!st\b)(?!t\b)",
        r"\bpas (un|une|des|du)\b",
        r"\b(une|cette|la|ma|ta|sa) (\w+ )?(grand|petit|nouveau|bon|beau|vieux) ",
        r"\bdes (grande?|petite?|belle|nouvelle|vieille|bonne|jeune)s\b",
        r"\bn' |' |[^\u202f]\?|  ",
    ],
    "zh": [r"[A-Za-z ]", r"很不|不没|没不|没.*了[。？]$", r"一[^些]{3,}?两", r"的的", r"[二]", r"\?|\."],
}


@pytest.mark.parametrize("language", NEVER_WRITTEN)
def test_nobody_ever_writes(language: str) -> None:
    texts = [
        pair.source if language == "en" else pair.target
        for pair in grammar_pairs("zh" if language == "zh" else "fr", 2500)
    ]
    for pattern in NEVER_WRITTEN[language]:
        found = [text for text in texts if re.search(pattern, text, re.IGNORECASE if language != "zh" else 0)]
        assert not found, (pattern, found[:3])


@pytest.mark.parametrize("name", NOUNS)
def test_a_counted_chinese_noun_has_its_measure_word(name: str) -> None:
    noun = NOUNS[name]
    if not noun.mass and noun.kind not in ("cup", "glass"):
        clause = Exist(Thing(noun, "two", True), PREPOSITIONS["behind"], the("door"))
        assert sentence(chinese(Meaning(clause))).endswith(f"有两{noun.measure}{noun.chinese}。")


def test_every_word_of_the_lexicon_is_used() -> None:
    said = {
        word.strip() for pair in grammar_pairs("fr", 6000) for text in pair[:2] for word in split_words(text.lower())
    }
    for noun in NOUNS.values():
        assert noun.french[0] in said or noun.french[1] in said, noun
    for adjective in ADJECTIVES.values():
        assert said & set(adjective.french), adjective
    for verb in VERBS.values():
        assert said & set(verb.french), verb
