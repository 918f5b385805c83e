"""From a key press to changed pixels, in a real Chromium."""

from playwright.sync_api import Page, sync_playwright

from pages.ui import catalog
from tests.benchmark.table import milliseconds, table
from tests.browser.conftest import FLAGS, chromium
from tests.serving import serve

ROUNDS = 30
SCENES = {
    "4 heads × 16×16": "weights=random&text=" + "word%20after%20" * 60,
    "12 heads × 64×64": "weights=random&d_model=384&heads=12&context=64&text=" + "word%20after%20" * 60,
}
# Resolves with the ms from the next key press to the first frame after the picture's own pixels have changed.
WATCH = """
() => {
  const canvas = [...document.querySelectorAll("*")].flatMap((e) => [...(e.shadowRoot ?? e).querySelectorAll("canvas.still")])[0];
  const pen = canvas.getContext("2d");
  const sum = () => {
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    let total = 0;
    for (let k = 0; k < data.length; k += 397) total += data[k] * ((k % 251) + 1);
    return total;
  };
  window.changed = new Promise((done) => {
    const before = sum();
    let start = 0;
    addEventListener("keydown", () => (start = performance.now()), { capture: true, once: true });
    const look = () => {
      if (start && sum() !== before) requestAnimationFrame(() => done(performance.now() - start));
      else requestAnimationFrame(look);
    };
    look();
  });
}
"""


def measure() -> str:
    """A table over the scenes, on the softmax page with all heads."""
    rows = []
    with serve() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for name, query in SCENES.items():
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(f"{address}/softmax?{query}")
            page.get_by_role("radio", name=catalog.entry("softmax").words("en").views.heads).click()
            page.locator(".st-key-weights_of_heads canvas").first.wait_for()
            rows.append([name, *milliseconds(presses(page))])
            page.close()
        browser.close()
    return table("From key press to pixels in Chromium, ms", ["scene", "p50", "p95"], rows)


def presses(page: Page) -> list[float]:
    """Seconds from pressing an arrow key on the seed, which changes every weight, until the picture changed.

    The seeds are visited once before, so that making their models is not part of it.
    """
    seed = page.locator(".st-key-desk input[name=seed]")
    seed.focus()
    seconds = []
    for turn in range(ROUNDS + 4):
        page.evaluate(WATCH)
        seed.press("ArrowUp" if turn % 2 == 0 else "ArrowDown")
        seconds.append(float(page.evaluate("window.changed")) / 1000)
        page.wait_for_timeout(150)
    return seconds[4:]
