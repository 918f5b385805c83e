"""What is written around a matrix can be read: measured on the ink that the browser really draws."""

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page, expect
from torch import Tensor

from pages.figures.palette import BACKGROUNDS, CHALK, INK, Theme
from tests.conftest import Serve

RECORDER = Path(__file__).with_name("drawn_texts.js")
SCENES = ["weighted", "mix", "mask", "crowd", "chinese", "lookup", "many", "part", "stacked"]
IN_CELLS = [INK, CHALK, "#000000"]  # numbers, whose ground is their cell
SMALLEST = 12  # px at 1280
Look = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    context.add_init_script(path=RECORDER)
    yield context.new_page()
    context.close()


@pytest.fixture
def look(page: Page, serve: Serve) -> Look:
    """Every text of a scene; of the one that is open, in a window of another width, if none is named."""
    canvas = page.locator("canvas.lit[data-revision]")

    def look(scene: str = "", width: int = 1280, cell: str = "6,2") -> list[dict[str, Any]]:
        before = "" if scene else str(canvas.get_attribute("data-revision"))
        page.set_viewport_size({"width": width, "height": 800})
        if scene:
            page.goto(f"{serve('tests/browser/matrix_scenes.py')}/?scene={scene}&cell={cell}")
            canvas.wait_for()
        expect(canvas).not_to_have_attribute("data-revision", before)
        texts: list[dict[str, Any]] = page.evaluate("drawnTexts()")
        return [text for text in texts if text["text"].strip()]

    return look


def overlap(one: Tensor, other: Tensor) -> float:
    """How far two boxes reach into each other along the direction in which they do so least. Corners (4, 2) each."""
    sides = torch.stack([box[k] - box[0] for box in (one, other) for k in (1, 3)])
    directions = sides / sides.norm(dim=1, keepdim=True).clamp(min=1e-6)
    (low, high), (low_too, high_too) = ((p.amin(0), p.amax(0)) for p in (one @ directions.T, other @ directions.T))
    return float((torch.minimum(high, high_too) - torch.maximum(low, low_too)).min())


def collisions(texts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    boxes = [torch.tensor(text["corners"]) for text in texts]
    pairs = combinations(zip(texts, boxes, strict=True), 2)
    return [(a["text"], b["text"]) for (a, box), (b, box_too) in pairs if overlap(box, box_too) > 0.3]


@pytest.mark.parametrize("scene", SCENES)
def test_no_text_touches_another_and_none_is_small(look: Look, scene: str) -> None:
    for texts in (look(scene), look(width=900), look(width=1920)):
        assert texts
        assert collisions(texts) == []
        assert min(text["size"] for text in texts) >= SMALLEST


@pytest.mark.parametrize("row, column", [(9, 5), (18, 19)])
def test_where_names_are_thinned_out_the_lit_one_stands_all_the_same(look: Look, row: int, column: int) -> None:
    texts = look("crowd", 1180, f"{row},{column}")
    names = [text["text"] for text in texts if "universal" in text["text"]]
    assert len(names) < 20 + 2 * 20  # rows of the first matrix, columns of both
    assert names.count(f"·universal{column:02}") == 1 + 2
    assert collisions(texts) == []


def test_a_part_says_of_what_and_so_does_its_product(look: Look) -> None:
    texts = {text["text"] for text in look("part")}
    said = " ".join(texts)
    assert "5 × 16 of 1,040 columns" in said
    assert "12 × 16 of 1,040 columns" in said
    assert "12 × 5" in said
    assert {"32", "40"} <= texts  # its columns keep their numbers


def test_a_weight_too_small_for_one_decimal_leaves_its_cell_empty(look: Look) -> None:
    texts = [text["text"] for text in look("shares")]
    assert texts.count("0.3") == texts.count("1.0") == 12 * 8
    assert "0.0" not in texts


def luminance(color: Tensor) -> float:
    """WCAG 2, relative luminance of (r, g, b) from 0 to 1."""
    linear = torch.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(linear @ torch.tensor([0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("theme", BACKGROUNDS)
def test_names_stand_out_from_their_ground(look: Look, page: Page, theme: Theme) -> None:
    def channels(color: str) -> Tensor:
        return torch.tensor([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255

    page.emulate_media(color_scheme=theme)
    for scene in ("part", "many"):
        for text in (one for one in look(scene) if one["color"] not in IN_CELLS):
            low, high = sorted((luminance(channels(text["color"])), luminance(channels(BACKGROUNDS[theme]))))
            assert (high + 0.05) / (low + 0.05) >= 4.5, text
    page.emulate_media(color_scheme="light")
