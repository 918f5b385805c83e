"""The shared controls as the server sees them: what a browser sends can be anything."""

from collections.abc import Iterator
from typing import Any

import pytest

from pages.ui.choices import DEFAULTS
from tests.serving import Visitor, serve


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve() as address:
        yield address


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
