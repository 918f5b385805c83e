"""Steps under a hand that is quicker than the server."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.ui import catalog
from tests.browser.test_walk import SECONDS, settled
from tests.conftest import Serve

WORDS = catalog.entry("three_words").words("en")


@pytest.fixture
def page(tab: Page, serve: Serve) -> Page:
    tab.goto(f"{serve('app.py')}/three_words?view=gradient")
    settled(tab, WORDS.title)
    return tab


def test_every_quick_click_is_ten_steps(page: Page) -> None:
    ten = page.get_by_role("button", name=WORDS.asked.ten, exact=True)
    ten.evaluate("button => { for (let click = 0; click < 5; click++) button.click() }")
    for _ in range(7):
        ten.click(delay=0)
    page.get_by_role("button", name=WORDS.asked.one, exact=True).click()
    expect(page).to_have_url(re.compile("steps=121"), timeout=SECONDS)
    settled(page, WORDS.title)
    expect(page.get_by_text(f"{WORDS.asked.steps} · 121")).to_be_visible()


def test_clicks_go_on_from_where_the_slider_is_and_back_to_the_start(page: Page) -> None:
    slider = page.get_by_role("slider", name=WORDS.asked.steps, exact=True)
    slider.press("End")
    expect(page).to_have_url(re.compile("steps=200"), timeout=SECONDS)
    page.get_by_role("button", name=WORDS.asked.ten, exact=True).click()
    slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile("steps=199"), timeout=SECONDS)
    page.get_by_role("button", name=WORDS.asked.back, exact=True).click()
    expect(page).not_to_have_url(re.compile("steps="), timeout=SECONDS)
    page.get_by_role("button", name=WORDS.asked.one, exact=True).click()
    expect(page).to_have_url(re.compile("steps=1(&|$)"), timeout=SECONDS)
