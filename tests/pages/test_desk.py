"""The controls as the server sees them: what a browser sends can be anything."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pages.ui.choices import DEFAULTS
from pages.ui.page_desk import MOST_CHARACTERS
from tests.conftest import Serve
from tests.serving import Visitor


@pytest.fixture
def address(serve: Serve) -> str:
    return serve("app.py")


@pytest.fixture
def visitor(address: str) -> Iterator[Visitor]:
    with Visitor(address, "scores", "weights=random&text=I+love+cats") as visitor:
        visitor.run()
        yield visitor


def test_what_is_chosen_is_shown(visitor: Visitor) -> None:
    chosen = {"d_model": 96, "heads": 6, "blocks": 3, "block": 2, "head": 5, "batch": 2, "row": 2, "seed": 7}
    visitor.choose(**chosen)
    visitor.run()
    assert {name: visitor.controls[name]["value"] for name in chosen} == chosen


def test_a_phrase_is_put_in_as_the_sentence(visitor: Visitor) -> None:
    visitor.choose(text="half a sen", preset="我喜欢猫")
    visitor.run()
    assert visitor.controls["text"]["value"] == "我喜欢猫"


def test_every_message_is_answered_so_that_the_browser_can_let_go(visitor: Visitor) -> None:
    before = visitor.answered
    visitor.choose(seed=3)
    visitor.run()
    assert visitor.answered > before


@pytest.mark.parametrize(
    "choices",
    [
        {"d_model": 10**30},
        {"d_model": -1.5, "heads": [], "blocks": None, "context": {}, "batch": "x", "seed": True},
        {"text": None},
        {"text": 12},
        {"text": "\ud800 half a character \x00"},
        {"lang": ["en"], "weights": {"a": 1}, "vocab": 3, "corpus": None, "hall": "perhaps"},
        {"preset": "no such phrase"},
        {"preset": ["no", "phrase"]},
        {"query": "nowhere", "run": "../../etc/passwd", "weights": "run"},
        {"choices": 1, "_lesson": 2, "": 3},
    ],
)
def test_nothing_a_browser_sends_breaks_a_page(visitor: Visitor, choices: dict[str, Any]) -> None:
    visitor.choose(**choices)
    visitor.run()
    assert not visitor.exceptions
    assert all(isinstance(visitor.controls[name]["value"], type(DEFAULTS[name])) for name in ("text", "seed", "batch"))
    visitor.choose(seed=8)
    visitor.run()
    assert visitor.controls["seed"]["value"] == 8
    assert not visitor.exceptions


def own(visitor: Visitor) -> dict[str, Any]:
    """A page's own controls by name, as the sidebar shows them."""
    drawn = [control for line in _own(visitor)["lines"] for control in line]
    return {control["name"]: control for control in reversed(drawn)}  # the phrases of a text stand below it


def choose_own(visitor: Visitor, **choices: Any) -> None:
    """Moves a page's own controls."""
    visitor.set("own", {"asked": {"number": _own(visitor)["answered"] + 1, "choices": choices}})


def _own(visitor: Visitor) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(visitor.elements["own"].bytes)
    return shown


def address_of(visitor: Visitor) -> str:
    """What the page writes into the browser's address."""
    return str(json.loads(visitor.elements["desk"].bytes)["address"]["query"])


PAGES = {
    "encoder_decoder": {"translation_width": 96, "translation_cut": 6, "translation_N": 3, "translation_start": 7},
    "classification": {"classification_learned_en": "zh", "classification_model": "untrained"},
    "why_attention": {"why_attention_gain": 2, "why_attention_bias": 5},
    "three_words": {"three_words_rate": 1, "three_words_divided": False, "three_words_words": "a 1 0 2\nb"},
}
LINKS = {"encoder_decoder": "model=random", "why_attention": "view=gradient"}  # where these can be chosen


@pytest.mark.parametrize("name", PAGES)
def test_what_is_chosen_on_a_page_of_its_own_is_shown_and_linked(address: str, name: str) -> None:
    with Visitor(address, name, LINKS.get(name, "")) as visitor:
        visitor.run()
        for key, value in PAGES[name].items():  # the heads that can be chosen follow from the width
            choose_own(visitor, **{key: value})
            visitor.run()
        link = address_of(visitor)
    assert {key: own(visitor)[key]["value"] for key in PAGES[name]} == PAGES[name]
    with Visitor(address, name, link) as visitor:
        visitor.run()
        assert {key: own(visitor)[key]["value"] for key in PAGES[name]} == PAGES[name]


@pytest.mark.parametrize("value", [None, "", "x", -1, 10**30, 1.5, True, [], ["en"], {}, {"a": 1}, "\ud800 half"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_a_browser_sends_breaks_a_page_of_its_own(address: str, name: str, value: Any) -> None:
    with Visitor(address, name, LINKS.get(name, "")) as visitor:
        visitor.run()
        shown = own(visitor)
        choose_own(visitor, **dict.fromkeys([*shown, "choices", "_lesson", "lang", ""], value))
        visitor.run()
        assert not visitor.exceptions
        for key, control in own(visitor).items():
            if key in shown and control["kind"] not in ("text", "numbers", "switch", "note", "alert"):
                assert control["value"] == shown[key]["value"] or control["value"] == value
                assert type(control["value"]) is type(shown[key]["value"])


def test_a_sentence_is_full_when_it_cannot_hold_more_and_says_so(address: str) -> None:
    with Visitor(address, "encoder_decoder", "pair=fr") as visitor:
        visitor.run()
        assert not own(visitor)["translation_english_full"]["value"]
        choose_own(visitor, translation_english="The cat. " * 300)
        visitor.run()
        assert own(visitor)["translation_english"]["value"] == ("The cat. " * 300)[:MOST_CHARACTERS]
        assert "2,000" in own(visitor)["translation_english_full"]["value"]
        _, phrases = (one for line in _own(visitor)["lines"] for one in line if one["name"] == "translation_english")
        choose_own(visitor, translation_english=phrases["options"][3][0])
        visitor.run()
        assert own(visitor)["translation_english"]["value"] == phrases["options"][3][0]
        assert not own(visitor)["translation_english_full"]["value"]


def test_a_link_with_a_longer_sentence_is_cut_in_the_address_too(address: str) -> None:
    with Visitor(address, "classification", "text_en=" + "good+" * 900) as visitor:
        visitor.run()
        assert own(visitor)["classification_text_en_full"]["value"]
        assert len(own(visitor)["classification_text_en"]["value"]) == MOST_CHARACTERS
        assert len(address_of(visitor)) < MOST_CHARACTERS + 99


def test_no_line_comes_or_goes_while_one_types(address: str) -> None:
    def names(visitor: Visitor) -> list[str]:
        return [control["name"] for line in _own(visitor)["lines"] for control in line]

    for name, key in (("encoder_decoder", "translation_english"), ("three_words", "three_words_Wq")):
        with Visitor(address, name) as visitor:
            visitor.run()
            before = names(visitor)
            for typed in ("The", "The zyzzyva", "", "x" * 3000, "word " * 90):
                choose_own(visitor, **{key: typed})
                visitor.run()
                assert names(visitor) == before


def test_locked_sizes_cannot_be_changed(address: str) -> None:
    with Visitor(address, "encoder_decoder") as visitor:
        visitor.run()
        shown = own(visitor)["width"]
        choose_own(visitor, width=8, translation_width=8)
        visitor.run()
        assert own(visitor)["width"] == shown
        assert "width" not in address_of(visitor)
