"""What surrounds every page: choices that survive, links that are repaired, words in two languages."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import catalog, choices, lesson, text
from pages.ui.parts import FRAME
from tests.pages.conftest import ROOT, Open
from tests.pages.reading import component, controls


def open_link(**query: str) -> AppTest:
    """The start page as a link opens it."""
    app = AppTest.from_file(str(ROOT / "pages/ui/frame.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def notices(app: AppTest) -> str:
    """All that the page says."""
    return "\n".join(element.value for element in app.markdown)


@pytest.mark.parametrize(
    ("asked", "name", "shown"),
    [
        ({"d_model": "100", "weights": "random"}, "d_model", 104),
        ({"d_model": "9999", "weights": "random"}, "d_model", 512),
        ({"d_model": "wide", "weights": "random"}, "d_model", 64),
        ({"d_model": "64", "heads": "5", "weights": "random"}, "heads", 4),
        ({"d_model": "40", "heads": "16", "weights": "random"}, "heads", 10),
        ({"heads": "-3", "weights": "random"}, "heads", 1),
        ({"blocks": "2", "block": "9", "weights": "random"}, "block", 2),
        ({"blocks": "0", "weights": "random"}, "blocks", 1),
        ({"head": "77"}, "head", lambda: lesson.demonstration_config().num_heads),
        ({"row": "7", "batch": "3"}, "row", 3),
        ({"batch": "1000000000000"}, "batch", 8),
        ({"context": "128"}, "context", lambda: lesson.demonstration_config().context_length),
        ({"context": "3"}, "context", 8),
        ({"seed": "-1"}, "seed", 0),
        ({"lang": "fr"}, "lang", "en"),
        ({"weights": "stolen"}, "weights", "demonstration"),
        ({"vocab": "p50k", "weights": "random"}, "vocab", "cl100k_base"),
        ({"corpus": "hamlet", "weights": "random"}, "corpus", "persuasion"),
    ],
)
def test_an_impossible_link_is_repaired_and_says_how(asked: dict[str, str], name: str, shown: Any) -> None:
    shown = shown() if callable(shown) else shown
    app = open_link(**asked)
    assert app.session_state["choices"][name] == shown
    sentence = getattr(text.words(FRAME, "en").repairs, name).format(asked=asked[name], shown=shown)
    assert sentence in notices(app)


def test_a_link_that_picks_what_is_not_there_says_what_is_picked() -> None:
    app = open_link(text="I love cats", query="50", key="1", dim="999")
    said = notices(app)
    repairs = text.words(FRAME, "en").repairs
    assert repairs.query.format(asked=50, shown=app.session_state["_lesson"].length - 1) in said
    assert repairs.dim.format(asked=999, shown=lesson.demonstration_config().d_model - 1) in said
    assert repairs.key.format(asked=1, shown=1) not in said
    app.run()
    assert repairs.query.format(asked=50, shown=2) not in notices(app)


def test_a_text_longer_than_a_link_can_carry_is_cut_and_says_so() -> None:
    app = open_link(text="猫" * 20_000)
    assert 5_000 < len(app.session_state["choices"]["text"]) < 6_000
    assert text.words(FRAME, "en").repairs.text in notices(app)


@pytest.mark.parametrize("language", choices.LANGUAGES)
def test_a_repair_is_told_in_the_readers_language(language: str) -> None:
    app = open_link(lang=language, blocks="2", block="9", weights="random")
    assert text.words(FRAME, language).repairs.block.format(asked="9", shown="2") in notices(app)


def test_a_possible_link_is_taken_as_it_is() -> None:
    asked = {"lang": "zh", "weights": "random", "d_model": "96", "heads": "12", "blocks": "3", "context": "40"}
    app = open_link(**asked, batch="2", seed="7", block="3", head="12", row="2", text="I love cats", query="2", key="0")
    for name, value in asked.items():
        assert str(app.session_state["choices"][name]) == value
    assert app.session_state["choices"]["text"] == "I love cats"
    assert (app.session_state["choices"]["query"], app.session_state["choices"]["key"]) == (2, 0)
    assert not [element for element in app.markdown if "repair" in str(element.key or "")]


def test_a_selection_that_no_longer_exists_moves_to_the_nearest_and_says_so(open_page: Open) -> None:
    app = open_page("home", weights="random", d_model=64, heads=8, blocks=6, block=6, head=8, row=4)
    (
        app.session_state["choices"]["blocks"],
        app.session_state["choices"]["heads"],
        app.session_state["choices"]["batch"],
    ) = 2, 4, 3
    app.run()
    assert not app.exception
    assert [app.session_state["choices"][name] for name in ("block", "head", "row")] == [2, 4, 3]
    repairs = text.words(FRAME, "en").repairs
    for name, asked, shown in (("block", 6, 2), ("head", 8, 4), ("row", 4, 3)):
        assert getattr(repairs, name).format(asked=asked, shown=shown) in notices(app)


def test_heads_follow_a_width_they_do_not_divide(open_page: Open) -> None:
    app = open_page("home", weights="random", d_model=64, heads=16)
    app.session_state["choices"]["d_model"] = 72
    app.run()
    assert app.session_state["choices"]["heads"] == 12
    assert not app.exception


def test_every_head_count_offered_divides_the_width() -> None:
    for d_model in range(8, 513, 8):
        offered = choices.heads_for(d_model)
        assert offered[0] == 1
        assert max(offered) <= 16
        assert all(d_model % heads == 0 for heads in offered)


@pytest.mark.parametrize("sentence", ["", None])
def test_an_empty_sentence_invites_one(open_page: Open, sentence: str | None) -> None:
    app = open_page("scores", text=sentence or "")
    assert [info.value for info in app.info] == [text.words(FRAME, "en").invite]


@pytest.mark.parametrize(
    "sentence",
    [
        "   ",
        "a\x00b",
        "\ud800 lone",
        "<|endoftext|> and <|fim_prefix|>",
        "我喜欢猫 🐱 ∩",
        "word " * 2000,
        "<script>alert(1)</script> **bold** $x$ :smile: [a](b)",
    ],
)
@pytest.mark.parametrize("weights", choices.WEIGHTS)
def test_any_sentence_walks(open_page: Open, sentence: str, weights: str) -> None:
    for vocabulary in choices.VOCABULARIES if weights == "random" else ["cl100k_base"]:
        app = open_page("scores", text=sentence, weights=weights, vocab=vocabulary)
        assert not app.info


def test_what_does_not_fit_the_context_is_counted(open_page: Open) -> None:
    app = open_page("home", text="word " * 2000, context=20, weights="random")
    words = text.words(FRAME, "en")
    total = len(app.session_state["_lesson"].sentence)
    assert words.left_out.format(length=20, left_out=total - 20, total=total) == controls(app)["walked"]["value"]


def test_trained_weights_lock_their_sizes_and_give_them_back(open_page: Open) -> None:
    app = open_page("home", weights="random", d_model=128, heads=8, blocks=7)
    assert app.session_state["_lesson"].config.d_model == 128
    app.session_state["choices"]["weights"] = "demonstration"
    app.run()
    sizes = lesson.demonstration_config()
    shown = controls(app)
    assert {name: control["value"] for name, control in shown.items() if control["locked"]} == {
        "d_model": sizes.d_model,
        "heads": sizes.num_heads,
        "blocks": sizes.num_blocks,
    }
    assert shown["locked"]["value"] == text.words(FRAME, "en").locked
    assert app.session_state["_lesson"].config == sizes
    app.session_state["choices"]["weights"] = "random"
    app.run()
    assert [app.session_state["choices"][name] for name in ("d_model", "heads", "blocks")] == [128, 8, 7]


def test_every_choice_survives_a_walk_through_all_pages(open_page: Open) -> None:
    choices = {
        "weights": "random",
        "lang": "zh",
        "vocab": "characters",
        "corpus": "zh_classics",
        "text": "我喜欢猫，猫也喜欢我",
        "d_model": 48,
        "heads": 6,
        "blocks": 3,
        "context": 9,
        "batch": 2,
        "seed": 11,
        "block": 3,
        "head": 5,
        "row": 2,
        "query": 6,
        "key": 1,
        "dim": 13,
    }
    app = open_page("home", **choices)
    for entry in [*catalog.WALK[1:], catalog.WALK[0]]:
        app.switch_page(str(entry.script)).run()
        assert not app.exception, entry
        assert {name: app.session_state["choices"][name] for name in choices} == choices, entry


@pytest.mark.parametrize("language", choices.LANGUAGES)
def test_language_and_hall_stand_first_on_every_page(open_page: Open, language: str) -> None:
    app = open_page("home", lang=language)
    for entry in catalog.WALK:
        app.switch_page(str(entry.script)).run()
        lines = component(app, "desk")["lines"]
        assert [[control["name"] for control in line] for line in lines[:2]] == [["lang"], ["hall"]], entry


def test_the_next_button_turns_the_page_whatever_is_in_the_link(open_page: Open) -> None:
    app = open_page("home", hall=True, lang="zh", d_model=96, weights="random")
    app.session_state["_turn"] = component(app, "header")["next"]["page"]["name"]
    app.run()
    assert not app.exception
    assert catalog.WALK[1].words("zh").lead[:6] in "".join(element.value for element in app.markdown)
    assert (app.session_state["choices"]["hall"], app.session_state["choices"]["d_model"]) == (True, 96)


def test_the_first_row_is_the_sentence_and_the_others_are_windows_of_the_corpus(open_page: Open) -> None:
    read = open_page("home", weights="random", text="the cat sat on the mat", batch=3, context=12)
    looked_at = read.session_state["_lesson"]
    assert looked_at.tokens.shape == (3, 6)
    assert looked_at.tokenizer.decode(looked_at.tokens[0].tolist()) == "the cat sat on the mat"
    assert looked_at.targets[0, -1] == lesson.UNKNOWN
    assert looked_at.tokens[:, 1:].equal(looked_at.targets[:, :-1])
    austen = looked_at.tokenizer.encode(catalog_text("persuasion")).ids
    row = [*looked_at.tokens[2].tolist(), looked_at.targets[2, -1].item()]
    assert any(list(austen[start : start + 7]) == row for start in range(len(austen)))


def catalog_text(corpus: str) -> str:
    from transformer.data import corpus_text

    return corpus_text(corpus)
