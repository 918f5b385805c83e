"""A page's own controls under real hands."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.ui import catalog, text
from pages.ui.desk import HERE
from tests.browser.test_walk import SECONDS, query, settled, title
from tests.conftest import Serve

WORDS = text.words(HERE / "translation.toml", "en")


@pytest.fixture
def page(tab: Page, serve: Serve) -> Page:
    tab.goto(serve("app.py"))
    return tab


def field(page: Page, name: str) -> str:
    return f".st-key-own [name={name}]"


def opened(page: Page, link: str) -> None:
    page.goto(f"{page.url.split('?')[0].rstrip('/')}/{link}")
    settled(page, title(link.split("?")[0]))


def test_every_control_of_the_translator_changes_its_choice(page: Page) -> None:
    opened(page, "encoder_decoder?model=random")
    for name in ("N", "width"):
        page.locator(field(page, f"translation_{name}")).press("ArrowRight")
    expect(page).to_have_url(re.compile("N=3.*width=136|width=136.*N=3"), timeout=SECONDS)
    page.locator(field(page, "translation_cut")).press("Home")
    expect(page).to_have_url(re.compile("cut=1"), timeout=SECONDS)
    page.locator(field(page, "translation_start")).fill("41")
    expect(page).to_have_url(re.compile("start=41"), timeout=SECONDS)
    page.get_by_role("radio", name=WORDS.norm_names.pre).check()
    expect(page).to_have_url(re.compile("norm=pre"), timeout=SECONDS)
    page.get_by_role("radio", name=WORDS.pair_names.zh).check()
    expect(page).to_have_url(re.compile("pair=zh"), timeout=SECONDS)
    page.locator(field(page, "translation_at_block")).select_option(label="3")
    expect(page).to_have_url(re.compile("at_block=3"), timeout=SECONDS)
    page.get_by_role("button", name="umbrellas").click()
    expect(page.get_by_label(WORDS.sentence, exact=True)).to_have_value(re.compile("four umbrellas"), timeout=SECONDS)
    page.get_by_role("radio", name=WORDS.model_names.trained).check()
    expect(page.locator(field(page, "width"))).to_be_disabled(timeout=SECONDS)
    settled(page, title("encoder_decoder"))
    assert query(page)["pair"] == "zh"


def test_who_types_into_the_middle_of_a_sentence_stays_there_while_notes_come_and_go(page: Page) -> None:
    opened(page, "encoder_decoder?english=The+cat.")
    sentence = page.get_by_label(WORDS.sentence, exact=True)
    sentence.press("Home")
    for typed in ("Zyzzyva ", "and "):
        sentence.press_sequentially(typed, delay=30)
        expect(page).to_have_url(re.compile(typed.strip()), timeout=SECONDS)
        settled(page, title("encoder_decoder"))
    expect(page.locator(".st-key-own")).to_contain_text("“Zyzzyva”")
    expect(sentence).to_have_value("Zyzzyva and The cat.")
    expect(sentence).to_be_focused()


def test_numbers_are_read_as_they_are_typed_and_a_fault_stands_below_its_field(page: Page) -> None:
    opened(page, "three_words")
    words = catalog.entry("three_words").words("en").asked
    numbers = page.get_by_label("Wq", exact=True)
    numbers.fill("1 2 3\n4 5 6")
    alert = page.locator(".st-key-own [role=alert]").filter(has_text=re.compile("."))
    expect(alert).to_have_text(words.faults.height.format(wanted=3, found=2), timeout=SECONDS)
    assert numbers.evaluate("field => field.rows") == 2
    numbers.press_sequentially("\n7 8 9", delay=30)
    expect(page).to_have_url(re.compile("Wq="), timeout=SECONDS)
    expect(alert).to_have_count(0, timeout=SECONDS)
    expect(numbers).to_be_focused()
    page.locator(field(page, "three_words_seed")).fill("7")
    expect(numbers).not_to_have_value(re.compile("7 8 9"), timeout=SECONDS)
    assert numbers.evaluate("field => field.scrollHeight - field.clientHeight") <= 1


def test_a_desk_of_one_page_gives_way_to_that_of_the_next(page: Page) -> None:
    opened(page, "three_words")
    for name, control in (
        ("encoder_decoder", "translation_english"),
        ("cross_attention", "translation_at_head"),
        ("classification", "classification_text_en"),
        ("three_words", "three_words_rate"),
    ):
        page.get_by_role("link", name=title(name), exact=True).last.click()
        settled(page, title(name))
        expect(page.locator(field(page, control)).first).to_be_visible(timeout=SECONDS)
        expect(page.locator(".st-key-own .desk")).to_have_count(1)
