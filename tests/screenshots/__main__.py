"""Starts the app and takes README's pictures, each from one link."""

from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, chromium
from tests.serving import serve

HERE = Path(__file__).parent


class Shot(NamedTuple):
    """A picture's name, the link it shows, and the theme."""

    name: str
    link: str
    theme: Literal["light", "dark"]


SHOTS = [
    Shot("home", "", "light"),
    Shot("scores", "scores?query=4&key=3", "light"),
    Shot("softmax", "softmax?lang=zh&query=9&key=8", "dark"),
    Shot("cross_attention", "cross_attention?view=alignment", "light"),
]


def main() -> None:
    """Writes the pictures beside this file."""
    with serve() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for shot in SHOTS:
            page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=shot.theme)
            page.goto(f"{address}/{shot.link}")
            page.locator(".proven, .st-key-proven").wait_for()
            page.wait_for_timeout(1500)
            page.screenshot(path=HERE / f"{shot.name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
