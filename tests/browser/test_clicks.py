"""Pieces of text that are clicked: the choice is in the link, seen, and kept."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import Serve

SECONDS = 20_000  # milliseconds
SENTENCE = "?weights=random&text=I%20love%20cats%20and%20dogs&seed=3&batch=3"


@pytest.fixture
def page(tab: Page) -> Page:
    return tab


@pytest.fixture
def address(serve: Serve) -> str:
    return serve("app.py")


def opened(page: Page, link: str) -> None:
    page.goto(link)
    page.locator("[data-listens]").wait_for(timeout=SECONDS)


def picked(page: Page) -> str:
    return page.locator(".strip .picked > .piece").inner_text()


def test_a_clicked_piece_stays_chosen_on_the_next_page_and_after_a_reload(page: Page, address: str) -> None:
    opened(page, f"{address}/tokenization{SENTENCE}")
    page.locator(".strip .token").nth(2).click()
    expect(page).to_have_url(re.compile("query=2"), timeout=SECONDS)
    expect(page.locator(".strip .token").nth(2)).to_have_class(re.compile("picked"))
    page.mouse.move(5, 5)
    expect(page.locator(".strip .picked > .card")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".line.looked .here .input .piece")).to_have_text("·cats", timeout=SECONDS)
    page.reload()
    expect(page.locator(".line.looked .here .input .piece")).to_have_text("·cats", timeout=SECONDS)


def test_enter_chooses_the_focused_piece_and_leaves_the_focus_there(page: Page, address: str) -> None:
    opened(page, f"{address}/tokenization{SENTENCE}")
    page.locator(".strip .token").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("query=1"), timeout=SECONDS)
    expect(page.locator(".strip .token").nth(1)).to_be_focused()
    assert picked(page) == "·love"


def test_a_clicked_cell_of_the_batch_chooses_its_row_and_its_place(page: Page, address: str) -> None:
    opened(page, f"{address}/batch{SENTENCE}")
    page.locator(".line").nth(1).locator(".cell").nth(3).click()
    expect(page).to_have_url(re.compile("query=3"), timeout=SECONDS)
    expect(page).to_have_url(re.compile("row=2"))
    expect(page.locator(".line.looked > .name b")).to_have_text("2")
    page.locator(".st-key-formula [role=radio]").nth(1).click()
    page.locator('.lessons [data-place="1"] .so_far').click()
    expect(page).to_have_url(re.compile("query=1"), timeout=SECONDS)
