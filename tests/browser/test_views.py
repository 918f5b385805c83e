"""The choice of a page's picture stays under the pointer while one picture after another is chosen."""

import pytest
from playwright.sync_api import Browser, expect

from pages.ui import catalog
from tests.conftest import Serve

SECONDS = 20_000  # milliseconds
DONE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
HOME, *PAGES = catalog.WALK
WITH_VIEWS = [entry.name for entry in PAGES if entry.words("en").get("views")]


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return serve("app.py")


@pytest.mark.parametrize("name", WITH_VIEWS)
def test_pictures_are_chosen_in_one_place(browser: Browser, address: str, name: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    try:
        page.goto(f"{address}/{name}")
        choices = page.locator(".st-key-formula [role=radio]")
        expect(choices.first).to_be_visible(timeout=SECONDS)
        lefts = set()
        for place in range(choices.count()):
            choices.nth(place).click()
            expect(choices.nth(place)).to_have_attribute("aria-checked", "true", timeout=SECONDS)
            expect(page.locator(DONE)).to_be_visible(timeout=SECONDS)
            box = choices.first.bounding_box()
            assert box
            lefts.add(round(box["x"]))
        assert max(lefts) - min(lefts) <= 1
    finally:
        page.close()
