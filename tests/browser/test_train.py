"""A learner trains a model in a real browser: starts, leaves, comes back, reloads, stops, and walks what was trained."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlparse

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from pages.ui import catalog
from tests import serving
from tests.browser.test_walk import settled, title
from transformer.gpt import GPT
from transformer.runs.run import Run, runs_in

SECONDS = 60_000  # milliseconds
OWN = "she hoped to be wise and reasonable in time; but alas! alas! she must confess to herself that she was not wise yet. "
QUERY, KEY = 7, 4
BEFORE = catalog.WALK[catalog.WALK.index(catalog.entry("train")) - 1].name
TINY = {
    "data.corpora": "own",
    "data.tokenizer": "characters",
    "model.d_model": "32",
    "model.num_blocks": "1",
    "model.context_length": "16",
    "training.max_steps": "900000",
    "training.eval_interval": "50",
    "text": "she hoped to be",
    "query": str(QUERY),
    "key": str(KEY),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the runs of these learners are."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TRANSFORMER_RUNS", str(root))
        with serving.serve() as address:
            yield address


@pytest.fixture
def page(browser: Browser, root: Path) -> Iterator[Page]:
    """A new learner's; what it trains is stopped at the end, so that the next learner need not wait."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(SECONDS)
    yield page
    context.close()
    for run in begun(root):
        run.ask("stop")


@pytest.fixture
def only_run(root: Path) -> Callable[[], Run]:
    """only_run() is the one run that was begun in this test."""
    before = begun(root)

    def only_run() -> Run:
        (run,) = begun(root) - before
        return run

    return only_run


def begun(root: Path) -> set[Run]:
    """The runs of all learners."""
    return {run for folder in root.glob("learners/*") for run in runs_in(folder)}


def steering(page: Page) -> str:
    """The line with the run's name, its state and its progress."""
    return page.locator(".st-key-steering").inner_text()


def held_out_loss(page: Page) -> float:
    """The loss on held-out text that is worked out, once there is one."""
    worked = page.locator(".st-key-worked")
    expect(worked).to_contain_text("On held-out text", timeout=SECONDS)
    return float(re.findall(r"the loss is ([\d.]+)", worked.inner_text())[0])


def comes_to_be(state: str, page: Page) -> None:
    """Waits for a run's state; for a moment the line that tells it can be there twice, as it was and as it is."""
    line = page.locator(".st-key-steering")
    expect(line.filter(has_text=state).first).to_be_visible(timeout=SECONDS)
    expect(line).to_have_count(1, timeout=SECONDS)


def across(page: Page) -> list[str]:
    """What is written along the axes of the curves."""
    return page.locator(".st-key-learning svg .grid text").all_text_contents()


def zoom(page: Page) -> None:
    """Drags over a part of the curves."""
    box = page.locator(".st-key-learning svg").bounding_box()
    assert box
    page.mouse.move(box["x"] + 80, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 120, steps=4)
    page.mouse.up()


def test_curves_stay_where_they_are_while_they_grow(page: Page, address: str) -> None:
    start(page, address)
    first = held_out_loss(page)
    picture = page.locator(".st-key-learning svg").element_handle()
    whole = across(page)
    zoom(page)
    near = across(page)
    assert near != whole
    page.wait_for_function(
        "first => !document.querySelector('.st-key-worked').innerText.includes(first)", arg=f"{first:.3f}"
    )
    assert across(page)[: len(near) // 3] == near[: len(near) // 3]  # the loss's own axes; those below grow
    assert picture.evaluate("element => element.isConnected")  # drawn further, not anew
    page.locator(".st-key-learning svg").dblclick(position={"x": 150, "y": 60})
    assert set(whole) & set(across(page))
    page.locator(".st-key-run_stop button").click()
    comes_to_be("stopped", page)
    step, loss = pick_a_point(page)  # of a curve that grows no more: it would be drawn in wider means
    expect(page.locator(".st-key-worked")).to_contain_text(step, timeout=SECONDS)
    expect(page.locator(".st-key-worked")).to_contain_text(f"{loss:.3f}"[:4])


def pick_a_point(page: Page) -> tuple[str, float]:
    """Clicks a point of the thin curve; its step and its loss, as the picture says them."""
    svg = page.locator(".st-key-learning svg")
    x, y = map(float, svg.locator("polyline").first.get_attribute("points").split()[5].split(","))  # type: ignore[union-attr]
    svg.hover(position={"x": x, "y": y})
    step, loss = re.findall(r"([\d,]+): ([\d.]+)", page.locator(".st-key-learning output").inner_text())[0]
    svg.click(position={"x": x, "y": y})
    return step, float(loss)


def open_form(page: Page, address: str, settings: dict[str, str]) -> None:
    """The page of a run that can be begun as soon as there is a text."""
    page.goto(f"{address}/train?" + "&".join(f"{name}={value}" for name, value in settings.items()))
    settled(page, title("train"))


def start(page: Page, address: str, settings: dict[str, str] = TINY) -> None:
    """Brings a text and starts a run that takes a while."""
    open_form(page, address, settings)
    bring(page, OWN * 20)
    page.locator(".st-key-begin_run button").click()
    comes_to_be("learning", page)


def bring(page: Page, text: str) -> None:
    """Pastes a text to learn from."""
    paste = page.get_by_label(re.compile("paste"))
    paste.fill(text)
    paste.press("Control+Enter")


def test_a_learner_trains_leaves_returns_reloads_stops_and_walks(
    page: Page, address: str, only_run: Callable[[], Run]
) -> None:
    start(page, address)
    run = only_run()
    assert f"run={run.id}" in page.url
    first = held_out_loss(page)
    page.wait_for_function(  # the loss falls, and the page shows it without being touched
        "first => Number(document.querySelector('.st-key-worked').innerText.match(/loss is ([0-9.]+)/)?.[1] ?? 99) < first",
        arg=first - 0.1,
    )

    page.locator(".st-key-header button.back").click()
    settled(page, title(BEFORE))
    step = run.metrics().steps[-1].step
    page.locator(".st-key-header button.next").click()
    comes_to_be("learning", page)
    assert run.metrics().steps[-1].step > step  # it went on by itself

    expect(page).to_have_url(re.compile("view=watch"), timeout=SECONDS)
    page.reload()
    comes_to_be("learning", page)
    assert only_run().id == run.id

    page.locator(".st-key-run_stop button").click()
    comes_to_be("stopped", page)
    assert run.status().name == "stopped"
    assert not run.is_held()
    stopped_at = run.metrics().steps[-1].step
    assert stopped_at == run.latest_step()
    assert f"{stopped_at:,}" in steering(page)

    page.locator(".st-key-walk_run button").click()
    settled(page, title("home"))
    assert "weights=run" in page.url
    page.goto(f"{address}/softmax?{urlparse(page.url).query}")
    settled(page, title("softmax"))
    written = page.locator(".st-key-softmax .card")
    expect(written).to_contain_text(catalog.entry("softmax").words("en").readout.total)
    (shown,) = re.findall(r"weight\s*=?\s*([\d.]+)", written.inner_text())
    assert float(shown) == pytest.approx(weight(run, QUERY, KEY), abs=1e-4)


def test_what_is_chosen_while_it_learns_is_in_the_address_at_once(page: Page, address: str) -> None:
    start(page, address, {**TINY, "model.num_blocks": "2"})
    held_out_loss(page)
    for name in ("block", "head"):
        page.locator(f".st-key-train_look_{name}").get_by_role("combobox").click()
        page.get_by_role("option", name=f"{name.capitalize()} 2").click()
        expect(page).to_have_url(re.compile(f"look_{name}=2"))
    page.locator(".st-key-train_look_block").get_by_role("combobox").click()
    page.get_by_role("option", name="Block 1").click()
    expect(page).not_to_have_url(re.compile("look_block"))
    pick_a_point(page)
    expect(page).to_have_url(re.compile(r"(?=.*line=batch)(?=.*at=\d+)"))
    comes_to_be("learning", page)
    page.locator(".st-key-run_stop button").click()
    comes_to_be("stopped", page)
    page.reload()
    expect(page.locator(".st-key-worked")).to_contain_text("On the batch", timeout=SECONDS)


def test_a_text_that_was_brought_survives_a_reload(page: Page, address: str) -> None:
    open_form(page, address, TINY)
    bring(page, OWN * 20)
    kept = f"{len(OWN * 20):,} characters of yours"
    expect(page.get_by_text(kept)).to_be_visible(timeout=SECONDS)
    page.reload()
    expect(page.get_by_text(kept)).to_be_visible(timeout=SECONDS)
    page.locator(".st-key-forget_own button").click()
    expect(page.get_by_text(kept)).not_to_be_visible(timeout=SECONDS)


def weight(run: Run, query: int, key: int) -> float:
    """A weight of the first head, from the run's own checkpoint."""
    model, tokenizer, _ = run.load()
    assert isinstance(model, GPT)
    tokens = torch.tensor([tokenizer.encode(TINY["text"]).ids])
    with torch.no_grad():
        return float(model.trace_block(tokens, 0).attention.weights[0, 0, query, key])
