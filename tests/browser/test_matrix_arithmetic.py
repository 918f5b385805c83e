"""A pocket calculator gets from the numbers on a card what the card says, to the last digit that it shows."""

import math
import re
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.matrix_examples import HEAD_SIZE
from tests.conftest import Serve

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
Line = dict[str, str]
PARTS = ["label", "a", "op", "b", "value"]
CELLS = list(product([0, 3, 8, 11], [0, 2, 4]))


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


class Card:
    """What the card says of one cell after another."""

    def __init__(self, page: Page, address: str, matrix: int) -> None:
        self.page, self.canvas = page, page.locator("canvas.lit[data-revision]")
        page.goto(address)
        self.canvas.wait_for()
        self.box = self.canvas.evaluate("(canvas, at) => canvas.boxes[at]", matrix)
        self.matrix = matrix

    def of(self, row: int, column: int) -> tuple[list[Line], str]:
        """The lines that are filled, and the result."""
        x, y = ((at + 0.5) * self.box[size] for at, size in ((column, "cellWidth"), (row, "cellHeight")))
        self.canvas.hover(position={"x": self.box["x"] + x, "y": self.box["y"] + y})
        expect(self.canvas).to_have_attribute("data-point", f"{self.matrix},{row},{column}")
        texts = self.page.locator(".card .lines > span").all_text_contents()
        lines = [dict(zip(PARTS, texts[at : at + 5], strict=True)) for at in range(0, len(texts), 5)]
        return [line for line in lines if line["value"]], self.page.locator(".card .number").inner_text()

    @property
    def shape(self) -> tuple[int, int]:
        return self.box["rows"], self.box["columns"]


Open = Callable[[str, int], Iterator[tuple[list[Line], str]]]


@pytest.fixture
def cards(page: Page, serve: Serve) -> Open:
    def cards(scene: str, matrix: int) -> Iterator[tuple[list[Line], str]]:
        card = Card(page, f"{serve('tests/browser/matrix_scenes.py')}/?scene={scene}", matrix)
        for row, column in CELLS:
            if row < card.shape[0] and column < card.shape[1]:
                yield card.of(row, column)

    return cards


def number(text: str) -> float:
    mantissa, _, power = text.replace("−", "-").replace("+", "").partition("·10")
    return float(mantissa) * 10 ** int(power.translate(SUPERSCRIPTS) or 0)


def last_digit(text: str) -> float:
    mantissa, _, power = text.partition("·10")
    return 10.0 ** (int(power.translate(SUPERSCRIPTS) or 0) - len(mantissa.partition(".")[2]))


def agrees(computed: float, text: str) -> bool:
    """Whether the text is what the computed number rounds to, whichever way halves are rounded."""
    return abs(computed - number(text)) < last_digit(text) / 2 * (1 - 1e-9)


def decimals(texts: list[str]) -> set[int]:
    return {len(text.partition(".")[2]) for text in texts if text != "0"}


@pytest.mark.parametrize("scene, matrix", [("product", 2), ("weighted", 2), ("unit", 2), ("mix", 2)])
def test_the_products_are_those_of_their_factors_and_add_up_to_the_total(cards: Open, scene: str, matrix: int) -> None:
    for lines, total in cards(scene, matrix):
        if scene == "unit":
            *lines, before = lines
            assert total in ("0", before["value"].removeprefix("+"))
            total = before["value"]
        for line in lines:
            assert not line["op"] or agrees(number(line["a"]) * number(line["b"]), line["value"]), line
        values = [line["value"] for line in lines]
        assert agrees(sum(map(number, values)), total)
        assert len(decimals(values)) == 1


def test_a_sum_is_that_of_its_terms(cards: Open) -> None:
    for lines, total in cards("sum", 2):
        values = [line["value"] for line in lines]
        assert agrees(sum(map(number, values)), total)
        assert len(decimals([*values, total])) == 1


def test_an_equation_of_matrices_holds_for_each_cell(cards: Open) -> None:
    for (minuend, subtrahend, difference), total in cards("difference", 2):
        assert agrees(number(minuend["value"]) - number(subtrahend["value"]), total)
        assert difference["value"] == total
        assert len(decimals([minuend["value"], subtrahend["value"], total])) == 1


def test_a_quotient_is_that_of_its_line(cards: Open) -> None:
    for (dividend, divisor), quotient in cards("divide", 1):
        assert agrees(math.sqrt(HEAD_SIZE), divisor["value"])
        assert agrees(number(dividend["value"]) / number(divisor["value"]), quotient)


def test_a_softmax_can_be_followed_with_a_calculator(cards: Open) -> None:
    for (_, *lines, whole, division), weight in cards("softmax", 1):
        for line in lines:
            if exponent := re.fullmatch(r"exp\((.+)\)", line["a"]):
                difference = -math.inf if "∞" in exponent[1] else number(exponent[1])
                assert agrees(math.exp(difference), line["value"]), line
        assert agrees(sum(number(line["value"]) for line in lines), whole["value"])
        power, divisor = re.findall(r"[^ ÷=]+", division["label"])
        assert divisor == whole["value"]
        assert division["value"] == weight
        assert agrees(number(power) / number(divisor), weight)


def test_a_layer_norm_can_be_followed_with_a_calculator(cards: Open) -> None:
    for lines, total in cards("norm", 3):
        x, mean, variance, normalised, gain, shift = (line["value"] for line in lines)
        assert agrees((number(x) - number(mean)) / math.sqrt(number(variance)), normalised)
        assert agrees(number(normalised) * number(gain) + number(shift), total)
