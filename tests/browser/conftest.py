"""A real Chromium and a real server for the tests that look at pixels.

Without a browser these tests skip and say so; where CI is set they fail instead.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests import serving

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

Serve = Callable[[str], str]


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
def serve() -> Iterator[Serve]:
    """serve("app.py") starts `streamlit run` on that script of the project, once, and returns its address."""
    addresses: dict[str, str] = {}
    with ExitStack() as running:

        def start(script: str) -> str:
            if script not in addresses:
                addresses[script] = running.enter_context(serving.serve(serving.ROOT / script))
            return addresses[script]

        yield start
