"""What is chosen on the page of moments is in the address as soon as the picture shows it."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.ui import catalog
from tests.browser.test_walk import SECONDS, settled
from tests.conftest import Serve


@pytest.fixture
def page(tab: Page, serve: Serve) -> Page:
    tab.goto(f"{serve('app.py')}/before_and_after")
    settled(tab, catalog.entry("before_and_after").words("en").title)
    return tab


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
