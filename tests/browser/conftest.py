"""A real Chromium for the tests that look at pixels.

Without a browser these tests skip and say so; where CI is set they fail instead.
"""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NO_BROWSER = "These tests drive a real browser and found none: `apt-get install chromium` provides it."


def chromium() -> str | None:
    """The path of an installed Chromium or Chrome."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole session."""
    found = chromium()
    if found is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(NO_BROWSER)
        pytest.skip(NO_BROWSER)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def kept_tab(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as context:
        yield context.new_page()


@pytest.fixture
def tab(kept_tab: Page) -> Page:
    """An empty tab that has loaded the app before, so that it opens within half a second; its visitor is always the same."""
    kept_tab.goto("about:blank")
    kept_tab.set_viewport_size({"width": 1280, "height": 800})
    kept_tab.emulate_media(color_scheme="light")
    kept_tab.mouse.move(0, 0)
    return kept_tab
