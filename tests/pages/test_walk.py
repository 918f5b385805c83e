"""Every page, in both languages, on configurations from the smallest to the largest: it draws, and its proof holds."""

from typing import Any

import pytest

from pages.ui import catalog, choices
from tests.pages.conftest import Open
from tests.pages.reading import proof

PUBLISHED = ".\nBy mastering the art of identifying underlying motivations and desires, we equip ourselves with"
REPEATED = "the cat sat on the mat because the mat was the best"
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "trained": {},
    "published": {"weights": "random", "text": PUBLISHED},
    "repeated": {"text": REPEATED, "head": 3, "block": 2},
    "one token": {"weights": "random", "text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
    "uneven": {"weights": "random", "d_model": 72, "heads": 12, "blocks": 3, "context": 13, "batch": 2, "row": 2},
    "chinese": {"weights": "random", "text": "我喜欢猫 🐱 ∩", "vocab": "compact", "corpus": "zh_classics"},
    "gpt2 ids": {"weights": "random", "vocab": "r50k_base", "d_model": 24, "heads": 3},
}


@pytest.mark.parametrize("language", choices.LANGUAGES)
@pytest.mark.parametrize("name", [entry.name for entry in catalog.WALK])
def test_page_draws_and_its_proof_holds(open_page: Open, name: str, language: str) -> None:
    walks = (
        catalog.entry(name).sidebar == "walk"
    )  # the others have no use for the sizes; their own tests vary what they use
    for label, configuration in CONFIGURATIONS.items() if walks else [("trained", {})]:
        app = open_page(name, lang=language, **configuration)
        told = [element.value for element in app.markdown] if name == "home" else [proof(app)]
        assert not [word for word in told if word.startswith("✗")], label
        assert any(word.startswith("✓") for word in told), label
        assert not app.error, label


@pytest.mark.parametrize("name", [entry.name for entry in catalog.WALK if "predict" in entry.words("en")])
def test_code_predict_and_try_open(open_page: Open, name: str) -> None:
    shown = {kind: open_page(name, lang="en", **{f"details_{name}": kind}) for kind in ("code", "predict", "try")}
    assert any("def " in block.value for block in shown["code"].code)
    answers = next(group for group in shown["predict"].get("button_group") if group.key == f"predict_{name}")
    assert len(answers.options) == len(catalog.entry(name).words("en").predict.options)
    assert len(shown["try"].markdown) == len(shown["code"].markdown) + 1


def test_a_page_is_told_in_one_language_only(open_page: Open) -> None:
    for entry in catalog.WALK:
        english, chinese = (open_page(entry.name, lang=language) for language in choices.LANGUAGES)
        assert entry.words("zh").title != entry.words("en").title
        assert [m.value for m in english.markdown] != [m.value for m in chinese.markdown]


@pytest.mark.parametrize("name", [entry.name for entry in catalog.WALK])
def test_the_largest_sizes_draw(open_page: Open, name: str) -> None:
    app = open_page(
        name,
        weights="random",
        d_model=512,
        heads=16,
        blocks=12,
        context=128,
        batch=8,
        text="word after " * 100,
        block=12,
        head=16,
    )
    assert app.session_state["_lesson"].tokens.shape == (8, 128)
