"""What a learner brought is still there after a reload, until a run has begun with it or they remove it, and is theirs alone."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import runs
from pages.ui.training import drafts
from tests.pages.conftest import Open
from tests.pages.training.opened import LEARNER, OWN, ROOT, Desk, app_error, opened, said, words
from tests.pages.training.test_families import LABELLED, PAIRS

BROUGHT: dict[str, tuple[dict[str, Any], str, str]] = {
    "gpt": ({"train_data.corpora": "own", "train_data.tokenizer": "characters"}, "train_own_paste", OWN),
    "encoder_decoder": (
        {"train_learns": "english_to_french", "train_data.source": "own_file"},
        "train_own_encoder_decoder_paste",
        PAIRS,
    ),
    "classifier": (
        {"train_learns": "sentiment_en", "train_data.source": "own_file"},
        "train_own_classifier_paste",
        LABELLED,
    ),
}
each_family = pytest.mark.parametrize("family", BROUGHT)


def brought(open_page: Open, family: str) -> AppTest:
    """The page after the learner has pasted something."""
    choices, key, text = BROUGHT[family]
    app = opened(open_page, **choices)
    app.text_area(key=key).set_value(text).run()
    assert not app.exception
    return app


def reloaded(open_page: Open, family: str, learner: str = LEARNER) -> AppTest:
    """The page that a reload shows: the link is all that the browser brings, and the cookie."""
    return open_page("train", _learner=learner, **BROUGHT[family][0])


def is_offered(app: AppTest) -> bool:
    """Whether a run could begin with what was brought."""
    assert not app.exception
    return "begin_run" in {button.key for button in app.button}


@each_family
def test_a_text_brought_and_not_begun_survives_a_reload(open_page: Open, desk: Desk, family: str) -> None:
    brought(open_page, family)
    app = reloaded(open_page, family)
    assert words().own.kept.format(characters=f"{len(BROUGHT[family][2]):,}") in said(app)
    app.button(key="begin_run").click().run()
    assert desk.started[-1][0].own == BROUGHT[family][2]


@each_family
def test_another_learner_never_sees_it(open_page: Open, family: str) -> None:
    brought(open_page, family)
    assert not is_offered(reloaded(open_page, family, "ba9876543210"))
    for other in BROUGHT.keys() - {family}:
        assert not is_offered(reloaded(open_page, other))


@each_family
def test_a_run_that_began_with_it_keeps_it_and_no_second_copy_stays(open_page: Open, family: str) -> None:
    brought(open_page, family).button(key="begin_run").click().run()
    assert not [path for path in runs.ROOT.rglob("*") if path.name.startswith((".draft", "draft"))]
    assert not is_offered(reloaded(open_page, family))


def test_a_run_that_did_not_begin_with_it_leaves_it(open_page: Open, desk: Desk) -> None:
    app = brought(open_page, "gpt")
    app.selectbox(key="train_learns").set_value("sentiment_zh").run()
    app.button(key="begin_run").click().run()
    assert desk.started and is_offered(reloaded(open_page, "gpt"))


@each_family
def test_what_is_removed_is_gone_for_good(open_page: Open, family: str) -> None:
    brought(open_page, family).button(key="forget_own").click().run()
    assert not is_offered(reloaded(open_page, family))


def test_what_cannot_be_read_leaves_the_last_one(open_page: Open) -> None:
    app = brought(open_page, "gpt")
    app.text_area(key="train_own_paste").set_value("\x00\x01").run()
    assert app_error(app) == words().failures.binary
    assert is_offered(reloaded(open_page, "gpt"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_too_long_is_refused_with_a_sentence(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setattr(drafts, "MOST_BYTES", len(OWN) - 1)
    app = opened(open_page, lang=language, **BROUGHT["gpt"][0])
    app.text_area(key="train_own_paste").set_value(OWN).run()
    assert app_error(app) == words(language).failures.too_large.format(megabytes=0)
    assert not is_offered(reloaded(open_page, "gpt"))


def test_a_full_disk_is_told_and_takes_nothing_away(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(drafts, "replace_files", refuse)
    app = brought(open_page, "gpt")
    assert app_error(app) == words().failures.disk_full
    assert is_offered(app)


def test_a_draft_changed_by_hand_breaks_nothing(open_page: Open) -> None:
    brought(open_page, "gpt")
    path: Path = next(runs.ROOT.rglob("draft_*"))
    path.write_bytes(b"\xff\xfe words and words " * 30)
    assert not reloaded(open_page, "gpt").exception


def test_as_much_can_be_brought_as_the_server_lets_through() -> None:
    served = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["server"]["maxUploadSize"]
    assert served * 2**20 == drafts.MOST_BYTES
