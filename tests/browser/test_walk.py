"""A person's walk through the whole app in a real Chromium, which may reach nothing but the app."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from pages.ui import catalog, text
from pages.ui.parts import FRAME
from tests.conftest import Serve

SECONDS = 20_000  # milliseconds
WINDOWS = [(1280, 800), (1920, 1080)]
HIDDEN_AT_REST = """async () => {  // how many px of the page are below and beside its window, once they stay the same
    const hidden = () => {
        const main = document.querySelector(".stMain");
        return [main.scrollHeight - main.clientHeight, document.documentElement.scrollWidth - window.innerWidth];
    };
    let found = hidden();
    for (let since = performance.now(); performance.now() - since < 300; ) {
        await new Promise(requestAnimationFrame);
        const now = hidden();
        if (String(now) !== String(found)) [found, since] = [now, performance.now()];
    }
    return found;
}"""


@pytest.fixture
def address(serve: Serve) -> str:
    return serve("app.py")


@pytest.fixture
def requests() -> list[str]:
    """Every address that the browser asked for."""
    return []


@pytest.fixture
def page(browser: Browser, address: str, requests: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()

    def note(request: Request) -> None:
        requests.append(request.url)

    page.on("request", note)
    yield page
    page.close()
    context.close()


def settled(page: Page, title: str) -> None:
    """Waits until the page with this title is drawn and the server is done with it."""
    expect(page.locator(".st-key-header h1")).to_contain_text(title, timeout=SECONDS)
    expect(page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')).to_be_visible(timeout=SECONDS)
    expect(page.locator(".stException, .refuted")).to_have_count(0)


def title(name: str, language: str = "en") -> str:
    return str(catalog.entry(name).words(language).title)


def card(page: Page) -> str:
    """The arithmetic that is written out beside the scores."""
    return page.locator(".st-key-scores .card").inner_text()


def query(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def move_slider(page: Page, name: str, steps: int) -> None:
    """Moves a slider with the keyboard, as a person without a mouse would."""
    thumb = page.locator(f".st-key-desk input[name={name}]")
    thumb.focus()
    for _ in range(abs(steps)):
        thumb.press("ArrowRight" if steps > 0 else "ArrowLeft")


def test_a_learner_walks_through_every_page(page: Page, address: str, requests: list[str]) -> None:
    page.goto(address)
    settled(page, title("home"))

    page.get_by_role("radio", name=text.words(FRAME, "en").weights_names.random).click()
    expect(page).to_have_url(re.compile("weights=random"), timeout=SECONDS)
    settled(page, title("home"))
    sentence = page.get_by_label(text.words(FRAME, "en").sentence, exact=True)
    sentence.fill("the cat sat on the mat because the mat was the best")
    sentence.press("Control+Enter")
    move_slider(page, "d_model", 4)
    expect(page).to_have_url(re.compile("d_model=96"), timeout=SECONDS)
    settled(page, title("home"))  # which heads there are to choose from follows from the width
    move_slider(page, "heads", 1)
    expect(page).to_have_url(re.compile("heads=6"), timeout=SECONDS)
    asked = {
        "weights": "random",
        "d_model": "96",
        "heads": "6",
        "text": "the cat sat on the mat because the mat was the best",
    }

    page.locator(".st-key-header h1").click()  # away from the controls, which need the arrow keys themselves
    for entry in catalog.WALK[1:]:
        page.keyboard.press("ArrowRight")
        settled(page, title(entry.name))
        assert urlparse(page.url).path == f"/{entry.name}"
        assert query(page).items() >= asked.items(), entry
    outside = [
        url
        for url in requests
        if urlparse(url).netloc != urlparse(address).netloc and not url.startswith(("data:", "blob:"))
    ]
    assert not outside


def test_a_clicked_cell_writes_its_arithmetic_and_survives_a_reload(page: Page, address: str) -> None:
    page.goto(f"{address}/scores?weights=random&d_model=24&heads=3&query=2&key=1&text=I%20love%20cats%20and%20dogs")
    settled(page, title("scores"))
    canvas = page.locator(".st-key-scores canvas.lit")
    expect(canvas).to_be_visible(timeout=SECONDS)
    canvas.focus()
    canvas.press("ArrowDown")
    canvas.press("Enter")
    expect(page).to_have_url(re.compile("query=3"), timeout=SECONDS)
    settled(page, title("scores"))
    expect(page.locator(".st-key-scores .card")).to_contain_text("·and")
    written = card(page)
    assert len(re.findall(r"\d\.\d", written)) >= 3 * 7  # two factors and a product for the largest terms
    page.reload()
    settled(page, title("scores"))
    assert query(page)["query"] == "3"
    expect(page.locator(".st-key-scores .card")).to_contain_text("·and")
    assert card(page) == written


def test_the_whole_app_changes_its_language(page: Page, address: str) -> None:
    page.goto(f"{address}/scores")
    settled(page, title("scores"))
    page.get_by_role("radio", name="中文").click()
    settled(page, title("scores", "zh"))
    assert query(page)["lang"] == "zh"
    page.locator(".st-key-header h1").click()  # away from the controls, which need the arrow keys themselves
    page.keyboard.press("ArrowLeft")
    settled(page, title(catalog.WALK[catalog.WALK.index(catalog.entry("scores")) - 1].name, "zh"))
    page.reload()
    settled(page, title(catalog.WALK[catalog.WALK.index(catalog.entry("scores")) - 1].name, "zh"))


def test_back_and_forth_bring_the_choices_of_their_links(page: Page, address: str) -> None:
    page.goto(f"{address}/scores?weights=random&text=I+love+cats&d_model=24&heads=3")
    settled(page, title("scores"))
    move_slider(page, "d_model", 1)  # 3 heads do not divide 32
    expect(page).to_have_url(re.compile("d_model=32"), timeout=SECONDS)
    settled(page, title("scores"))
    page.get_by_role("radio", name="中文").click()
    settled(page, title("scores", "zh"))
    for name in ("mask", "softmax"):
        page.get_by_role("link", name=title(name, "zh"), exact=True).click()
        settled(page, title(name, "zh"))
    move_slider(page, "d_model", 1)
    expect(page).to_have_url(re.compile("d_model=40"), timeout=SECONDS)
    for turn, name, d_model in (
        (page.go_back, "mask", 32),
        (page.go_back, "scores", 32),
        (page.go_forward, "mask", 32),
    ):
        turn()
        settled(page, title(name, "zh"))
        assert query(page).items() >= {"d_model": str(d_model), "lang": "zh", "weights": "random"}.items()
        expect(page.locator('[data-testid="stSidebar"]')).to_contain_text(f"d_model · {d_model}", timeout=SECONDS)
        expect(page.locator('[data-testid="stAlert"], .stException, .st-key-notices')).to_have_count(0)


def test_choices_stay_in_the_link_when_weights_are_switched(page: Page, address: str) -> None:
    asked = {"d_model": "40", "heads": "5", "seed": "7", "blocks": "3", "batch": "3"}
    page.goto(f"{address}/scores?" + "&".join(f"{name}={value}" for name, value in asked.items()))
    settled(page, title("scores"))
    for weights in (text.words(FRAME, "en").weights_names.random, text.words(FRAME, "en").weights_names.demonstration):
        page.get_by_role("radio", name=weights, exact=True).click()
        page.wait_for_timeout(1000)
        settled(page, title("scores"))
        for name in ("mask", "scores"):
            page.get_by_role("link", name=title(name), exact=True).click()
            settled(page, title(name))
            assert query(page).items() >= asked.items()


def test_an_impossible_link_on_a_cold_visit_is_mended_in_the_address_too(page: Page, address: str) -> None:
    page.goto(f"{address}/scores?weights=random&d_model=100&heads=7&block=9&blocks=2&lang=xx")
    settled(page, title("scores"))
    expect(page.locator(".st-key-notices")).to_be_visible()
    expect(page).to_have_url(re.compile("d_model=104"), timeout=SECONDS)
    asked = query(page)
    assert asked["block"] == "2"
    assert asked.get("lang", "en") == "en"
    assert 104 % int(asked.get("heads", 4)) == 0


def test_nothing_that_matters_needs_a_scroll(page: Page, address: str) -> None:
    page.goto(address)
    for entry in catalog.WALK:
        settled(page, title(entry.name))
        for width, height in WINDOWS:
            page.set_viewport_size({"width": width, "height": height})
            too_tall, too_wide = page.evaluate(HIDDEN_AT_REST)
            assert too_tall <= 40, f"{entry.name} is {too_tall} px too tall at {width} × {height}"
            assert too_wide <= 0, f"{entry.name} is {too_wide} px too wide at {width} × {height}"
        page.keyboard.press("ArrowRight")
