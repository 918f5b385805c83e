"""The clickable matrix in a real browser: what is lit, said and sent, and the pixels themselves."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.matrix_examples import (
    EPSILON,
    HEAD_SIZE,
    LENGTH,
    TOKENS,
    folded,
    gain,
    ids,
    keys,
    masked,
    normed,
    queries,
    scores,
    shift,
    unit_bias,
    unit_input,
    unit_weights,
    units,
    weights,
)
from tests.conftest import Serve

SCRIPT = "tests/browser/matrix_scenes.py"
Open = Callable[..., "Scene"]


class Scene:
    """A page with one scene, and the hand and the eye of its reader."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.canvas = page.locator("canvas.lit[data-revision]")
        self.canvas.wait_for()

    @property
    def boxes(self) -> list[dict[str, Any]]:
        boxes: list[dict[str, Any]] = self.canvas.evaluate("canvas => canvas.boxes")
        return boxes

    @property
    def lights(self) -> list[dict[str, Any]]:
        lights: list[dict[str, Any]] = self.canvas.evaluate("canvas => canvas.lights")
        return lights

    def at(self, matrix: int, row: int, column: int) -> Any:
        """The middle of a cell on the canvas, in px."""
        box = self.boxes[matrix]
        return {"x": box["x"] + (column + 0.5) * box["cellWidth"], "y": box["y"] + (row + 0.5) * box["cellHeight"]}

    def point(self, matrix: int, row: int, column: int) -> None:
        self.canvas.hover(position=self.at(matrix, row, column))
        expect(self.canvas).to_have_attribute("data-point", f"{matrix},{row},{column}")

    def text(self, part: str) -> str:
        return re.sub(r"[\n\u00a0]", " ", self.page.locator(f".card .{part}").inner_text())

    def numbers(self, part: str) -> list[float]:
        """The numbers of a part of the card, the true minus sign read as a minus."""
        return [float(n) for n in re.findall(r"[-+]?\d+\.?\d*", self.text(part).replace("−", "-"))]

    def pixels(self) -> Image.Image:
        return Image.open(io.BytesIO(self.canvas.screenshot())).convert("RGB")


@pytest.fixture
def open_scene(tab: Page, serve: Serve) -> Open:
    def open_scene(scene: str, theme: Any = "light", width: int = 1280, **query: str) -> Scene:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=theme)
        asked = "&".join(f"{name}={value}" for name, value in {"scene": scene, **query}.items())
        tab.goto(f"{serve(SCRIPT)}/?{asked}")
        return Scene(tab)

    return open_scene


def test_a_cell_reads_query_row_times_key_column(open_scene: Open) -> None:
    scene = open_scene("product")
    scene.point(2, 6, 1)
    assert scene.text("title") == "because asks, cat answers"
    operands = [number for k in range(HEAD_SIZE) for number in (queries[6, k], keys[1, k], queries[6, k] * keys[1, k])]
    torch.testing.assert_close(torch.tensor(scene.numbers("lines")), torch.stack(operands), rtol=1e-2, atol=1e-4)
    assert scene.numbers("number") == pytest.approx([float(scores[6, 1])], rel=1e-3)
    assert float(scores[6, 1]) != pytest.approx(float(scores[1, 6]), rel=0.1)


def test_repeated_tokens_keep_every_row_and_column(open_scene: Open) -> None:
    scene = open_scene("product")
    assert [(box["rows"], box["columns"]) for box in scene.boxes] == [
        (LENGTH, HEAD_SIZE),
        (HEAD_SIZE, LENGTH),
        (LENGTH, LENGTH),
    ]
    scene.point(2, 4, 10)
    assert scene.text("title") == "the₄ asks, the₁₀ answers"
    assert TOKENS[4] == TOKENS[10] == "the"


def test_the_card_keeps_its_height(open_scene: Open) -> None:
    places = {"product": [(2, 0, 0), (0, 3, 2), (1, 4, 9)], "mask": [(1, 0, 9), (1, 9, 0), (0, 5, 5)]}
    for name, cells in places.items():
        scene = open_scene(name)
        heights = set()
        for cell in cells:
            scene.point(*cell)
            heights.add(scene.page.locator(".card").bounding_box()["height"])  # type: ignore[index]
        assert len(heights) == 1


def test_a_click_reaches_the_server_and_outlives_the_rerun(open_scene: Open) -> None:
    scene = open_scene("product")
    scene.canvas.evaluate("canvas => { canvas.marked = true }")
    scene.canvas.click(position=scene.at(2, 9, 3))
    expect(scene.page.get_by_text("chosen: 9, 3")).to_be_visible()
    scene.page.mouse.move(5, 5)
    expect(scene.canvas).to_have_attribute("data-point", "2,9,3")
    expect(scene.canvas).to_have_attribute("data-selected", "9,3")
    assert scene.canvas.evaluate("canvas => canvas.marked")
    scene.page.reload()
    expect(scene.canvas).to_have_attribute("data-selected", "9,3")


def test_an_operand_chooses_its_row_or_column_and_keeps_the_other(open_scene: Open) -> None:
    scene = open_scene("product")
    scene.canvas.click(position=scene.at(0, 3, 1))
    expect(scene.page.get_by_text("chosen: 3, 2")).to_be_visible()
    scene.canvas.click(position=scene.at(1, 4, 11))
    expect(scene.page.get_by_text("chosen: 3, 11")).to_be_visible()


def test_the_keyboard_walks_chooses_and_returns(open_scene: Open) -> None:
    scene = open_scene("product")
    scene.canvas.focus()
    for key, place in {"ArrowRight": "2,6,3", "ArrowDown": "2,7,3", "Home": "2,7,0", "ArrowLeft": "0,7,4"}.items():
        scene.page.keyboard.press(key)
        expect(scene.canvas).to_have_attribute("data-point", place)
    scene.page.keyboard.press("Escape")
    expect(scene.canvas).to_have_attribute("data-point", "2,6,2")
    scene.page.keyboard.press("End")
    scene.page.keyboard.press("Enter")
    expect(scene.page.get_by_text("chosen: 6, 11")).to_be_visible()
    assert scene.page.evaluate("document.activeElement.shadowRoot.activeElement.className") == "lit"
    assert "because asks, best answers. score" in scene.page.locator(".spoken").inner_text()
    expect(scene.page.get_by_text("not turned")).to_be_visible()
    scene.canvas.blur()
    scene.page.keyboard.press("ArrowRight")
    expect(scene.page.get_by_text("turned", exact=True)).to_be_visible()


def test_masked_cells_carry_no_colour_and_numbers_do(open_scene: Open) -> None:
    for theme in ("light", "dark"):
        scene = open_scene("mask", theme)
        scene.page.mouse.move(5, 5)
        box, picture = scene.boxes[1], scene.pixels()

        def saturation(row: int, column: int, box: Any = box, picture: Any = picture) -> int:
            left, top = box["x"] + column * box["cellWidth"], box["y"] + row * box["cellHeight"]
            inner = (int(left + 4), int(top + 4), int(left + box["cellWidth"] - 4), int(top + box["cellHeight"] - 4))
            return max(max(pixel) - min(pixel) for _, pixel in picture.crop(inner).getcolors(4096))

        past = [(row, column) for row in range(LENGTH) for column in range(row + 1)]
        strong = max(past, key=lambda at: abs(float(masked[at])))
        assert saturation(*strong) > 60
        assert all(saturation(row, column) < 24 for row in (0, 4, 9) for column in (row + 1, LENGTH - 1))


def test_the_mask_says_why(open_scene: Open) -> None:
    scene = open_scene("mask")
    scene.point(1, 3, 8)
    assert (scene.text("reason"), scene.text("number")) == ("in the future", "−∞")
    scene.point(1, 8, 3)
    assert scene.text("reason") == "not in the future"
    assert scene.numbers("number") == pytest.approx([float(scores[8, 3])], rel=1e-3)


def test_softmax_shows_its_maximum_its_sum_and_its_quotient(open_scene: Open) -> None:
    scene = open_scene("softmax")
    scene.point(1, 9, 4)
    row = masked[9, :10]
    numbers = scene.numbers("lines")
    assert numbers[0] == pytest.approx(float(row.max()), rel=1e-3)
    power, whole = float((row[4] - row.max()).exp()), float((row - row.max()).exp().sum())
    assert numbers[-3:] == pytest.approx([power, whole, power / whole], rel=1e-3)
    assert scene.numbers("number") == pytest.approx([float(weights[9, 4])], rel=1e-3)


def test_a_weighted_sum_names_its_largest_weights_first(open_scene: Open) -> None:
    scene = open_scene("weighted")
    scene.point(2, 8, 3)
    shown = scene.page.locator(".card .lines .label").all_inner_texts()
    largest = weights[8, :9].argsort(descending=True)[:3].tolist()
    assert [re.sub("[₀-₉]", "", name) for name in shown[:3]] == [TOKENS[k] for k in largest]
    assert scene.numbers("number") == pytest.approx([float(weights[8] @ keys[:, 3])], rel=1e-3)


def test_a_row_is_written_out_as_a_mix_of_rows(open_scene: Open) -> None:
    scene = open_scene("mix")
    scene.point(2, 0, 3)
    shown = scene.page.locator(".card .lines .label").all_inner_texts()
    largest = weights[8].argsort(descending=True)[:3].tolist()
    assert [re.sub("[₀-₉]", "", name) for name in shown[:3]] == [TOKENS[k] for k in largest]
    said = scene.page.locator(".card .lines .value").all_inner_texts()
    total = sum(float(number.replace("−", "-")) for number in said)
    assert total == pytest.approx(float(weights[8] @ keys[:, 3]), abs=5e-3)
    assert scene.numbers("number") == pytest.approx([float(weights[8] @ keys[:, 3])], rel=1e-3)
    scene.point(1, 4, 3)
    assert scene.numbers("number") == pytest.approx([float(keys[4, 3])], rel=1e-3)


def test_a_sum_adds_the_same_cell_of_each_matrix(open_scene: Open) -> None:
    scene = open_scene("sum")
    scene.point(1, 7, 2)
    shown = torch.tensor(scene.numbers("lines") + scene.numbers("number"))
    a, b = queries[7, 2], keys[7, 2]
    torch.testing.assert_close(shown, torch.stack([a, b, a + b]), rtol=1e-3, atol=1e-4)


def test_stacked_matrices_stand_under_one_another_right_of_their_signs(open_scene: Open) -> None:
    boxes = open_scene("stacked").boxes
    assert len({box["x"] for box in boxes}) == 1
    assert boxes[0]["x"] > 40
    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)


def test_lines_that_end_together_put_a_sum_under_what_it_sums_up(open_scene: Open) -> None:
    factors, rows, total = open_scene("mix").boxes
    assert total["x"] == pytest.approx(rows["x"])
    assert rows["x"] > factors["x"]
    assert total["cellWidth"] == rows["cellWidth"]
    assert total["y"] > rows["y"] + rows["rows"] * rows["cellHeight"]


def test_one_cell_of_many_matrices_is_listed_two_to_a_line(open_scene: Open) -> None:
    scene = open_scene("multiples")
    scene.point(0, 1, 2)
    rows = [line.bounding_box()["y"] for line in scene.page.locator(".lines.paired .label").all()]  # type: ignore[index]
    assert len(rows) == 10
    assert len(set(rows)) == 5
    listed = scene.page.locator(".card .lines .value").all_inner_texts()
    shown = torch.tensor([float(number.replace("−", "-")) for number in listed])
    torch.testing.assert_close(shown, scores[1, 2] * torch.arange(1, 11), rtol=1e-3, atol=1e-4)


def test_a_folded_rows_cell_is_called_by_its_place_in_the_row(open_scene: Open) -> None:
    scene = open_scene("folded")
    scene.point(0, 2, 1)
    assert scene.text("title") == "dimension 13"


def test_layer_norms_parts_follow_from_all_numbers_of_the_token(open_scene: Open) -> None:
    scene = open_scene("norm")
    scene.point(3, 2, 1)
    mean, variance = folded.mean(), folded.var(correction=0)
    normalised = (folded[2, 1] - mean) / (variance + EPSILON).sqrt()
    parts = torch.stack([folded[2, 1], mean, variance + EPSILON, normalised, gain[2, 1], shift[2, 1]])
    said = scene.page.locator(".card .lines .value").all_inner_texts()
    shown = torch.tensor([float(number.replace("−", "-")) for number in said])
    torch.testing.assert_close(shown, parts, rtol=1e-3, atol=1e-4)
    assert scene.numbers("number") == pytest.approx([float(normed[2, 1])], rel=1e-3)


@pytest.mark.parametrize("fires", [True, False])
def test_a_hidden_unit_shows_its_sum_before_the_activation(open_scene: Open, fires: bool) -> None:
    scene = open_scene("unit")
    before = unit_input @ unit_weights + unit_bias
    row, column = ((before > 0.5) if fires else (before < -0.5)).nonzero()[0].tolist()
    scene.point(2, row, column)
    said = scene.page.locator(".card .lines .value").all_inner_texts()
    listed = [float(number.replace("−", "-")) for number in said]
    assert len(listed) == 10  # seven terms and the rest, the bias, the sum
    assert sum(listed[:-1]) == pytest.approx(listed[-1], rel=1e-2, abs=1e-2)
    assert listed[-1] == pytest.approx(float(before[row, column]), rel=1e-3)
    assert scene.numbers("number") == pytest.approx([float(units[row, column])], rel=1e-3)


def test_a_narrow_matrix_beside_a_wide_one_can_be_read(open_scene: Open) -> None:
    wide, narrow = open_scene("narrow").boxes
    assert wide["cellWidth"] < 4
    assert narrow["cellWidth"] >= 30
    assert narrow["x"] >= wide["x"] + wide["columns"] * wide["cellWidth"]


def test_a_cell_lights_the_same_cell_elsewhere(open_scene: Open) -> None:
    scene = open_scene("sum")
    scene.point(1, 7, 2)
    assert scene.lights == [{"rows": [7], "column": 2, "bar": "cell"}] * 3


def test_a_products_cell_lights_its_row_and_its_column(open_scene: Open) -> None:
    scene = open_scene("product")
    scene.point(2, 6, 1)
    row, column = {"rows": [6], "column": None, "bar": "row"}, {"rows": [], "column": 1, "bar": "column"}
    assert scene.lights == [row, column, {"rows": [6], "column": 1, "bar": "cross"}]
    scene.point(0, 9, 3)
    assert scene.lights == [{"rows": [9], "column": 3, "bar": "row"}, None, {"rows": [9], "column": None, "bar": "row"}]


def test_a_softmax_lights_its_whole_row(open_scene: Open) -> None:
    scene = open_scene("softmax")
    scene.point(1, 9, 4)
    assert scene.lights[0] == {"rows": [9], "column": None, "bar": "row"}


def test_a_table_row_lights_every_token_that_was_looked_up_there(open_scene: Open) -> None:
    scene = open_scene("lookup")
    scene.point(1, 4, 2)
    assert scene.lights[0] == {"rows": [ids[4]], "column": 2, "bar": "cell"}
    scene.point(0, ids[4], 2)
    assert scene.lights[1]["rows"] == [k for k, token in enumerate(TOKENS) if token == "the"]
    assert scene.text("title") == "the₀ asks, 2 answers"


def test_a_transposed_matrix_lights_the_mirrored_cell(open_scene: Open) -> None:
    scene = open_scene("transposed")
    scene.point(0, 8, 3)
    assert scene.lights[1] == {"rows": [3], "column": 8, "bar": "cell"}
    scene.point(1, 4, 10)
    assert scene.lights[0] == {"rows": [10], "column": 4, "bar": "cell"}


def test_small_multiples_share_coordinates_through_their_offsets(open_scene: Open) -> None:
    scene = open_scene("cut")
    scene.point(0, 5, 4)
    assert scene.lights[1:] == [None, {"rows": [5], "column": 1, "bar": "cell"}]


def test_zero_is_the_background_of_either_theme(open_scene: Open) -> None:
    cells = [(row, column) for row in range(LENGTH) for column in range(LENGTH)]
    smallest, *_, largest = sorted(cells, key=lambda at: abs(float(scores[at])))
    for theme, ground in {"light": (255, 255, 255), "dark": (17, 20, 24)}.items():
        scene = open_scene("product", theme)
        picture, box = scene.pixels(), scene.boxes[2]

        def difference(row: int, column: int, box: Any = box, picture: Any = picture, ground: Any = ground) -> int:
            corner = (box["x"] + column * box["cellWidth"] + 5, box["y"] + row * box["cellHeight"] + 5)
            pixel = picture.getpixel(tuple(map(int, corner)))
            return max(abs(seen - empty) for seen, empty in zip(pixel, ground, strict=True))

        assert difference(*smallest) < 24
        assert difference(*largest) > 90


def test_the_picture_follows_a_change_of_theme(open_scene: Open) -> None:
    scene = open_scene("product")
    light = scene.pixels()
    scene.page.emulate_media(color_scheme="dark")
    expect(scene.canvas).not_to_have_attribute("data-revision", "1")
    dark = scene.pixels()
    assert sum(light.getpixel((2, 2))[:3]) > 700 > 100 > sum(dark.getpixel((2, 2))[:3])  # type: ignore[index]


def test_the_picture_follows_the_window_and_the_card_moves_below(open_scene: Open) -> None:
    scene = open_scene("product")
    before, card = scene.boxes[2], scene.page.locator(".card")
    assert card.bounding_box()["x"] > before["x"] + before["columns"] * before["cellWidth"]  # type: ignore[index]
    scene.page.set_viewport_size({"width": 700, "height": 900})
    expect(scene.page.locator(".scene.narrow")).to_be_visible()
    after, frame = scene.boxes[2], scene.canvas.bounding_box()
    assert frame is not None
    assert after["x"] + after["columns"] * after["cellWidth"] <= frame["width"] <= 700
    assert card.bounding_box()["y"] >= frame["y"] + frame["height"]  # type: ignore[index]
    scene.point(2, 11, 11)


def test_a_picture_of_a_given_height_grows_with_the_root_font(open_scene: Open) -> None:
    scene = open_scene("product", width=1920, height="400")
    before = scene.boxes[2]["cellHeight"]
    scene.page.add_style_tag(content="html { font-size: 24px !important }")
    expect(scene.canvas).not_to_have_attribute("data-revision", "1")
    assert scene.boxes[2]["cellHeight"] > before


def test_a_picture_without_a_height_follows_the_window(open_scene: Open) -> None:
    scene = open_scene("product")
    before = scene.canvas.bounding_box()["height"]  # type: ignore[index]
    scene.page.set_viewport_size({"width": 1280, "height": 700})
    expect(scene.canvas).not_to_have_attribute("data-revision", "1")
    assert 100 <= before - scene.canvas.bounding_box()["height"] <= 260  # type: ignore[index]


def test_numbers_of_ten_and_more_are_written_without_decimals_where_these_have_no_room(open_scene: Open) -> None:
    scene = open_scene("tens")
    (box,) = scene.boxes
    assert 29 < box["cellWidth"] < 37  # room for −9.9 and −12, none for −12.3
    assert not scene.page.locator(".lens").is_visible()  # it stands in for numbers that no cell can hold


def test_wide_matrices_are_drawn_whole_with_a_lens(open_scene: Open) -> None:
    scene = open_scene("wide")
    (box,) = scene.boxes
    assert box["x"] + box["columns"] * box["cellWidth"] <= scene.canvas.bounding_box()["width"]  # type: ignore[index]
    expect(scene.page.locator(".lens")).to_be_visible()
    scene.point(0, 19, 299)
    assert scene.text("title") == "19 asks, 299 answers"


def test_a_picture_of_few_cells_grows_with_its_window_and_stays_in_it(open_scene: Open) -> None:
    scene = open_scene("few", width=640, cell="1,2")
    small = scene.boxes[0]
    scene.page.set_viewport_size({"width": 1600, "height": 900})
    expect(scene.page.locator(".scene:not(.narrow)")).to_be_visible()
    first, last, frame = *scene.boxes, scene.canvas.bounding_box()
    assert frame is not None
    assert first["cellHeight"] > 1.15 * small["cellHeight"]
    assert last["x"] + last["columns"] * last["cellWidth"] <= frame["width"]
    assert frame["y"] + frame["height"] <= 900
