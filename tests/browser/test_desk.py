"""The shared controls under real hands: a mouse, a keyboard, and a hand that is quicker than the server."""

import re
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Page, expect

from pages.ui import catalog, text
from pages.ui.choices import SPANS
from pages.ui.parts import FRAME
from tests.browser.test_walk import SECONDS, query, settled, title
from tests.conftest import Serve

WORDS = text.words(FRAME, "en")


@pytest.fixture
def page(tab: Page, serve: Serve) -> Page:
    tab.goto(f"{serve('app.py')}/scores?weights=random&text=I+love+cats")
    settled(tab, title("scores"))
    return tab


def field(page: Page, name: str) -> str:
    return f".st-key-desk [name={name}]"


def test_every_control_changes_its_choice(page: Page) -> None:
    changed = {"vocab": "compact", "corpus": "zh_classics", "block": "2", "head": "3", "row": "4"}
    for name, value in changed.items():
        label = getattr(WORDS.codes, value) if value in WORDS.codes.table() else value
        page.locator(field(page, name)).select_option(label=label)
        expect(page).to_have_url(re.compile(f"{name}={value}"), timeout=SECONDS)
    for name in ("d_model", "blocks", "context", "batch"):
        page.locator(field(page, name)).press("ArrowRight")
        span = SPANS[name]
        expect(page).to_have_url(re.compile(f"{name}={span.default + span.step}"), timeout=SECONDS)
        changed[name] = str(span.default + span.step)
    page.locator(field(page, "heads")).press("Home")
    expect(page).to_have_url(re.compile("heads=1"), timeout=SECONDS)
    page.locator(field(page, "seed")).fill("41")
    expect(page).to_have_url(re.compile("seed=41"), timeout=SECONDS)
    page.get_by_role("button", name="我喜欢猫").click()
    expect(page.get_by_label(WORDS.sentence, exact=True)).to_have_value("我喜欢猫", timeout=SECONDS)
    page.get_by_role("switch").check()
    expect(page).to_have_url(re.compile("hall=true|hall=True"), timeout=SECONDS)
    page.get_by_role("radio", name=WORDS.weights_names.demonstration).check()
    expect(page.locator(field(page, "d_model"))).to_be_disabled(timeout=SECONDS)
    settled(page, title("scores"))
    del changed["head"]  # with one head there is no third
    assert query(page).items() >= changed.items() - {("row", "4")} | {("seed", "41"), ("text", "我喜欢猫")}


def test_a_sentence_walks_as_it_is_typed_and_no_letter_is_lost(page: Page) -> None:
    sentence = page.get_by_label(WORDS.sentence, exact=True)
    sentence.fill("")
    sentence.press_sequentially("one word after another, quicker than any server answers", delay=60)
    expect(page).to_have_url(re.compile("answers"), timeout=SECONDS)
    expect(sentence).to_have_value("one word after another, quicker than any server answers")
    expect(sentence).to_be_focused()
    expect(page.locator(".st-key-desk .note")).to_contain_text(re.compile(r"\d"))


def test_who_types_in_the_middle_of_a_sentence_stays_there(page: Page) -> None:
    sentence = page.get_by_label(WORDS.sentence, exact=True)
    sentence.press("Home")
    for word in ("Do ", "you ", "say "):
        sentence.press_sequentially(word, delay=30)
        expect(page).to_have_url(re.compile(word.strip()), timeout=SECONDS)
        settled(page, title("scores"))
    expect(sentence).to_have_value("Do you say I love cats")


def test_quick_steps_of_a_slider_all_count(page: Page) -> None:
    slider = page.locator(field(page, "d_model"))
    for _ in range(6):
        slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("d_model=112"), timeout=SECONDS)
    settled(page, title("scores"))
    expect(page.locator('[data-testid="stSidebar"]')).to_contain_text("d_model · 112")


def test_arrow_keys_in_the_controls_turn_no_page(page: Page) -> None:
    for control in ("batch", "seed", "row", "text"):
        page.locator(field(page, control)).press("ArrowRight")
        page.wait_for_timeout(500)
        assert urlparse(page.url).path == "/scores", control
    settled(page, title("scores"))
    page.locator(".st-key-header h1").click()
    page.keyboard.press("ArrowRight")
    settled(page, catalog.entry("scaling").words("en").title)


def test_a_number_out_of_reach_is_never_sent(page: Page) -> None:
    seed = page.locator(field(page, "seed"))
    seed.fill("123456")
    seed.press("Enter")
    page.wait_for_timeout(1000)
    assert "seed" not in query(page)
    seed.fill("12")
    expect(page).to_have_url(re.compile("seed=12"), timeout=SECONDS)


def test_what_is_below_a_picture_opens_and_closes(page: Page) -> None:
    code, tried = (page.locator(".st-key-foot").get_by_text(getattr(WORDS.details, name)) for name in ("code", "try"))
    shown = page.locator("[data-testid='stCode']")
    code.click()
    expect(shown).to_contain_text("scores = queries @ keys", timeout=SECONDS)
    tried.click()
    expect(shown).to_have_count(0, timeout=SECONDS)
    code.click()
    expect(shown).to_have_count(1, timeout=SECONDS)
    code.click()
    expect(shown).to_have_count(0, timeout=SECONDS)
