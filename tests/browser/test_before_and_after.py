"""What is chosen on the page of moments is in the address as soon as the picture shows it."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.ui import catalog
from tests.browser.test_walk import SECONDS, settled

Serve = Callable[[str], str]


@pytest.fixture
def page(browser: Browser, serve: Serve) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(f"{serve('app.py')}/before_and_after")
    settled(page, catalog.entry("before_and_after").words("en").title)
    yield page
    context.close()


def test_a_step_a_moment_and_a_head_reach_the_address(page: Page) -> None:
    scrubber = page.locator(".st-key-scrubber").get_by_role("slider")
    scrubber.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"[?&]step=\d+"), timeout=SECONDS)
    before = page.url
    scrubber.press("ArrowLeft")
    expect(page).not_to_have_url(before, timeout=SECONDS)
    page.locator(".st-key-before_and_after_beside").get_by_role("combobox").click()
    page.get_by_role("option").nth(3).click()
    expect(page).to_have_url(re.compile(r"[?&]beside=\d+"), timeout=SECONDS)
    picture = page.locator(".st-key-picture_after .nsewdrag").first
    box = picture.bounding_box()
    assert box
    page.mouse.click(box["x"] + 0.62 * box["width"], box["y"] + 0.62 * box["height"])
    expect(page).to_have_url(re.compile(r"[?&](block|head)=\d+"), timeout=SECONDS)
