"""The tokenization page: pieces, ids and bytes are the real ones, and joined they are the text."""

import re
from collections.abc import Iterator

import pytest
import tiktoken
from streamlit.testing.v1 import AppTest

from pages.ui import cache, text
from tests.pages.conftest import Open
from tests.pages.markup import picture
from tests.pages.reading import proof
from transformer import get_tokenizer

PUBLISHED = ".\nBy mastering the art of identifying underlying motivations and desires, we equip ourselves with"
PUBLISHED_IDS = [627, 1383, 88861, 279, 1989, 315, 25607, 16940, 65931, 323, 32097, 11, 584, 26458, 13520, 449]
CHAPTER = "Chapter 1: Building Rapport and Capturing"
CHAPTER_IDS = [26072, 220, 16, 25, 17283, 23097, 403, 323, 17013, 1711]
HARD = ["我喜欢猫 🐱 ∩", "<|endoftext|><|fim_prefix|>", "a\0b", "<b>&amp;</b> <script>alert(1)</script>", "  \t\r\n "]
CL100K = {"weights": "random", "vocab": "cl100k_base"}


def retyped(app: AppTest, sentences: list[str]) -> Iterator[str]:
    """Types one sentence after another and yields it once its page is drawn and proved."""
    for sentence in sentences:
        app.session_state["choices"]["text"] = sentence
        app.run()
        assert not app.exception, sentence
        assert proof(app).startswith("✓"), sentence
        yield sentence


def drawn_ids(app: AppTest) -> list[int]:
    return [int(token.one("id").text) for token in picture(app).all("token")]


def drawn_bytes(app: AppTest) -> bytes:
    """The bytes on all cards, in order: the last fact of each."""
    return b"".join(bytes.fromhex(token.one("card").all("dd")[-1].text) for token in picture(app).all("token"))


@pytest.mark.parametrize(("sentence", "ids"), [(PUBLISHED, PUBLISHED_IDS), (CHAPTER, CHAPTER_IDS)], ids=["16", "10"])
def test_the_published_sentences_have_the_published_ids(open_page: Open, sentence: str, ids: list[int]) -> None:
    assert drawn_ids(open_page("tokenization", text=sentence, **CL100K)) == ids


@pytest.mark.parametrize("vocab", ["cl100k_base", "r50k_base"])
def test_ids_are_those_of_tiktoken(open_page: Open, vocab: str) -> None:
    app = open_page("tokenization", weights="random", vocab=vocab)
    get_tokenizer(vocab)  # from here on tiktoken finds the ranks without a network
    for sentence in retyped(app, HARD):
        assert drawn_ids(app) == tiktoken.get_encoding(vocab).encode(sentence, disallowed_special=())


@pytest.mark.parametrize("vocab", ["cl100k_base", "r50k_base", "compact", "characters"])
def test_no_vocabulary_loses_a_byte(open_page: Open, vocab: str) -> None:
    app = open_page("tokenization", weights="random", vocab=vocab, corpus="zh_classics")
    for sentence in retyped(app, HARD):
        assert drawn_bytes(app) == sentence.encode()


def test_white_space_is_visible_and_markup_is_text(open_page: Open) -> None:
    app = open_page("tokenization", text="<b> x\n\ty", **CL100K)
    shown = "".join(token.one("piece").text for token in picture(app).all("token"))
    assert shown == "<b>·x⏎⇥y"
    assert not picture(app).all("b")


def test_tokens_that_share_a_character_stand_under_one_bracket(open_page: Open) -> None:
    app = open_page("tokenization", text="我喜 🐱 ∩", **CL100K)
    brackets = [(len(whole.all("token")), whole.children[-1].text) for whole in picture(app).all("whole")]
    assert brackets == [(2, "喜"), (3, "·🐱"), (2, "·∩")]


def test_rows_of_the_compact_vocabulary_show_the_id_they_were_picked_from(open_page: Open) -> None:
    app = open_page("tokenization")
    lesson = app.session_state["_lesson"]
    tokens = picture(app).all("token")
    assert [int(token.one("id").text) for token in tokens] == list(lesson.sentence.ids)
    base = [int(token.one("small").text) for token in tokens]
    assert base == list(lesson.tokenizer.base_ids(lesson.sentence.ids))
    assert get_tokenizer("cl100k_base").decode(base) == lesson.sentence.text
    assert not picture(open_page("tokenization", **CL100K)).all("small")


def test_both_numbers_under_a_piece_are_named(open_page: Open) -> None:
    app = open_page("tokenization", query=4)
    token, key = picture(app).all("token")[4], picture(app).one("key")
    said = app.session_state["_lesson"].tokenizer
    assert key.one("large").text == token.one("id").text
    assert key.one("less").text == token.one("small").text
    assert said.base in key.text
    assert not picture(open_page("tokenization", **CL100K)).all("key")


def test_pieces_that_the_model_reads_can_be_clicked_and_tell_their_place(open_page: Open) -> None:
    tokens = picture(open_page("tokenization", context=11)).all("token")
    places = [token.attributes.get("data-place") for token in tokens]
    assert places == [str(place) if place < 11 else None for place in range(len(tokens))]


def test_only_what_fits_the_context_is_listed_for_the_model(open_page: Open) -> None:
    app = open_page("tokenization", context=11)
    lesson = app.session_state["_lesson"]
    assert lesson.left_out > 0
    tokens = picture(app).all("token")
    assert ["outside" in token.classes for token in tokens] == [place >= 11 for place in range(len(tokens))]
    assert [int(number) for number in re.findall(r"\d+", picture(app).one("ids").text)] == list(
        lesson.sentence.ids[:11]
    )


def test_the_picked_token_is_explained_when_none_is_pointed_at(open_page: Open) -> None:
    for query, place in ((3, 3), (500, 15)):
        tokens = picture(open_page("tokenization", query=query)).all("token")
        assert [at for at, token in enumerate(tokens) if "picked" in token.classes] == [place]


def test_encodings_are_compared_by_their_own_counts(open_page: Open) -> None:
    app = open_page("tokenization", tokenization_view="encodings", text="I love cats 🐱", **CL100K)
    rows = picture(app).one("encodings").children
    codes = ["compact", "cl100k_base", "r50k_base", "characters"]
    for code, row in zip(codes, rows, strict=True):
        tokenizer = cache.tokenizer(code, "persuasion")
        assert int(row.one("count").text) == len(tokenizer.encode("I love cats 🐱"))
        assert row.text.count(f"{tokenizer.vocab_size:,}") == 1
        assert ("own" in row.classes) == (code == "cl100k_base")
    assert "100,277" in rows[1].text


def test_a_word_is_merged_in_the_order_of_the_real_ranks(open_page: Open) -> None:
    app = open_page("tokenization", tokenization_view="merges", text="my motivations", **CL100K)
    merges = get_tokenizer("cl100k_base").merges(" motivations")
    steps = picture(app).all("step")[1:]
    for merge, step in zip(merges, steps, strict=False):
        parts = [child.text for child in step.children if "piece" in child.classes]
        assert parts == [text.token(part.decode()) for part in merge.before]
        lit = [child.text for child in step.children if {"left", "right"} & set(child.classes)]
        assert lit == parts[merge.position : merge.position + 2]
        assert int(step.one("rank").text) == merge.rank
        chosen = step.one("card").one("lit").text
        assert chosen == " + ".join(lit)
    assert steps[-1].text == "·motivations"
    assert [merge.rank for merge in merges][-1] == tiktoken.get_encoding("cl100k_base").encode(" motivations")[0]


@pytest.mark.parametrize("vocab", ["cl100k_base", "compact", "characters"])
def test_any_sentence_can_be_merged(open_page: Open, vocab: str) -> None:
    app = open_page("tokenization", tokenization_view="merges", weights="random", vocab=vocab)
    for _ in retyped(app, [*HARD, "word" * 400, "x"]):
        columns = re.search(r"--columns:(\d+)", str(picture(app).one("stairs").attributes["style"]))
        assert columns and 0 < int(columns[1]) <= 40


def test_a_chosen_word_gives_way_when_the_sentence_loses_it(open_page: Open) -> None:
    app = open_page("tokenization", tokenization_view="merges", text="one two")
    app.selectbox(key="tokenization_word").set_value(" two").run()
    assert picture(app).all("step")[-1].text == "·two"
    app.session_state["choices"]["text"] = "three four"
    app.run()
    assert not app.exception
    assert picture(app).all("step")[-1].text == "three"


def test_a_pair_without_an_id_is_explained(open_page: Open) -> None:
    drawn = picture(open_page("tokenization", tokenization_view="merges", text="acknowledged", **CL100K))
    cards = drawn.all("card")
    assert cards
    for card in cards:
        assert ("–" in [fact.text for fact in card.children[1].children]) == ("–:" in card.children[-1].text)


def test_where_the_byte_pair_encodings_agree_the_page_says_so(open_page: Open) -> None:
    for sentence, agree in {"It is a truth": True, "It is a 🐱": False}.items():
        app = open_page("tokenization", tokenization_view="encodings", text=sentence, **CL100K)
        assert any("first three encodings agree" in element.value for element in app.markdown) == agree


@pytest.mark.parametrize("view", ["pieces", "encodings", "merges"])
def test_a_long_text_is_cut_in_the_picture_only(open_page: Open, view: str) -> None:
    app = open_page("tokenization", tokenization_view=view, text="word after " * 3000, context=128, **CL100K)
    assert len(app.get("html")[-1].proto.body) < 400_000
    assert proof(app).startswith("✓")


def test_a_table_has_one_row_more_than_its_largest_id(open_page: Open) -> None:
    app = open_page("tokenization", details_tokenization="try", **CL100K)
    told = " ".join(element.value for element in app.markdown)
    assert "100,276" in told
    assert "100,277" in told
