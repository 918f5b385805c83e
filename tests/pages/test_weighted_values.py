"""The page of weighted values: the numbers drawn are the trace's, and a row is the sum of its weighted value rows."""

import re
from typing import Any

import pytest
import torch

from pages.figures.palette import SEQUENTIAL
from pages.figures.sentence import code, distinct, literal, percent, shades
from tests.pages.conftest import Open
from tests.pages.reading import component, drawn

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "head": 3, "row": 2}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"head": 2, "block": 3}], ids=["random", "trained"])


@SETTINGS
def test_the_product_drawn_is_the_traces_and_masked_weights_are_blank(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("weighted_values", **choices)
    lesson = app.session_state["_lesson"]
    place = lesson.row, lesson.head
    weights, values, mixed = drawn(app, "weighted_values")
    assert torch.equal(weights.isnan(), lesson.attention.masked[place].isneginf())
    assert torch.equal(weights.nan_to_num(0.0), lesson.attention.weights[place])
    assert torch.equal(values, lesson.attention.values[place])
    assert torch.equal(mixed, lesson.attention.heads[place])
    assert component(app, "weighted_values")["readout"]["kind"] == "weighted"


@SETTINGS
def test_one_row_is_the_sum_of_all_value_rows_times_their_shares(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("weighted_values", weighted_values_view="row", query=6, **choices)
    lesson = app.session_state["_lesson"]
    attention, place = lesson.attention, (lesson.row, lesson.head)
    shares, values, terms, mixed = drawn(app, "one_row")
    assert torch.equal(shares[:, 0].nan_to_num(0.0), attention.weights[place][6])
    assert torch.equal(values, attention.values[place])
    torch.testing.assert_close(terms[:7], attention.weights[place][6, :7, None] * attention.values[place][:7])
    assert terms[7:].isnan().all()
    torch.testing.assert_close(terms.nansum(0), mixed[0])
    assert torch.equal(mixed[0], attention.heads[place][6])
    scene = component(app, "one_row")
    assert {matrix["limit"] for matrix in scene["matrices"][1:]} == {float(attention.values[place].abs().max())}
    assert (scene["readout"]["kind"], scene["readout"]["operands"]) == ("mix", [0, 1])


@SETTINGS
def test_the_row_is_written_out_with_its_largest_weights(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("weighted_values", weighted_values_view="row", query=6, **choices)
    lesson = app.session_state["_lesson"]
    weights, names = lesson.attention.weights[lesson.row, lesson.head, 6], distinct(lesson.labels)
    written = component(app, "one_row")["readout"]["words"]["note"].replace("\u00a0", " ")
    name, *terms = re.split(" = | [+] ", written)
    assert name == f"O({names[6]})"
    assert terms[0] == f"{float(weights.max()):.2f} · V({names[int(weights.argmax())]})"
    assert terms[-1] == "…" and 1 < len(terms) <= 5  # seven tokens may be looked at


def test_a_token_alone_is_its_own_value(open_page: Open) -> None:
    app = open_page("weighted_values", weighted_values_view="row", text="I")
    assert component(app, "one_row")["readout"]["words"]["note"].replace("\u00a0", " ") == "O(I) = 1.00 · V(I)"


def test_the_largest_contributor_is_named_with_its_share(open_page: Open) -> None:
    app = open_page("weighted_values", query=6, **UNEVEN)
    lesson = app.session_state["_lesson"]
    weights = lesson.attention.weights[lesson.row, lesson.head, 6]
    lead = app.markdown[0].value
    assert f"`{lesson.labels[6]}`" in lead
    assert f"`{lesson.labels[int(weights.argmax())]}`: {percent(float(weights.max()))}" in lead


def test_a_clicked_token_asks_from_now_on(open_page: Open) -> None:
    app = open_page("weighted_values", weighted_values_view="row", query=6, text="the cat sat on the mat")
    lesson = app.session_state["_lesson"]
    asker = app.button_group(key="asker")
    assert len(set(asker.options)) == lesson.length
    asker.set_value(3).run()
    assert app.session_state["choices"]["query"] == 3
    row = drawn(app, "one_row")[-1][0]
    assert torch.equal(row, lesson.attention.heads[lesson.row, lesson.head, 3])


def test_repeated_tokens_are_told_apart_by_their_place() -> None:
    assert distinct(["the", "·mat", "·the", "·mat"]) == ["the", "·mat₁", "·the", "·mat₃"]
    assert distinct(["a"] * 12)[11] == "a₁₁"


def test_each_button_wears_its_weight_and_masked_ones_none() -> None:
    weights, hidden = torch.tensor([0.004, 0.996, 0.0]), torch.tensor([False, False, True])
    light = shades(".x", weights, hidden, "light").split("}")
    assert ["nth-of-type(1)" in light[0], "nth-of-type(2)" in light[1]] == [True, True]
    assert r"'\3C 1%'" in light[0] and "'100%'" in light[1] and "transparent" in light[2]
    assert shades(".x", weights, hidden, "light") != shades(".x", weights, hidden, "dark")
    assert SEQUENTIAL["light"][-1] in shades(".x", torch.ones(1), torch.tensor([False]), "light")


@pytest.mark.parametrize("token", ["*a*", "`", "``a`", "[x](y)", "$1$", "<b>", "\\", "·truth", "猫", ":cat:"])
def test_a_token_is_shown_as_it_is_whatever_markdown_makes_of_its_characters(token: str) -> None:
    assert literal(token).replace("\\\\", "\0").replace("\\", "").replace("\0", "\\") == token
    fence = code(token)[: len(code(token)) - len(code(token).lstrip("`"))]
    assert fence not in code(token)[len(fence) : -len(fence)]
    assert code(token).strip("`").strip() == token.strip("`").strip() or "`" in token


@pytest.mark.parametrize("view", ["product", "row"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "d_model": 512, "heads": 16, "context": 128, "head": 16},
        {"text": "the cat sat on the mat 🐱 `*$<b>", "vocab": "r50k_base"},
    ],
    ids=["one token", "largest", "odd tokens"],
)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("weighted_values", weights="random", weighted_values_view=view, query=100, dim=500, **choices)
    assert app.get("bidi_component")


def test_a_tiny_share_does_not_end_the_style_sheet() -> None:
    css = shades(".place", torch.tensor([0.001, 0.999]), torch.tensor([False, False]), "light")
    assert "<" not in css
    assert r"\3C 1%" in css
