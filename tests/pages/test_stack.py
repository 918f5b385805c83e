"""The stack page: every number drawn is the stream's, and a click walks into a head."""

import re
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from pages.figures.every_head import MOST_CELLS, mosaic, pooled, square_of
from pages.figures.predictions import Layer, lens
from pages.figures.sentence import distinct, percent
from pages.ui import catalog, text
from tests.pages.conftest import Open
from tests.pages.markup import parse
from tests.pages.reading import array, chart, component, drawn, proof

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "blocks": 2, "batch": 2, "context": 11, "row": 2}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"query": 3}], ids=["random", "trained"])
LARGEST = {"weights": "random", "d_model": 512, "heads": 16, "blocks": 12, "context": 128, "text": "word after " * 100}


@SETTINGS
def test_every_weight_of_every_head_is_on_the_sheet(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("stack", **choices)
    lesson = app.session_state["_lesson"]
    sheet = array(chart(app, "every_head")["data"][0]["z"])
    blocks, heads, length = lesson.config.num_blocks, lesson.config.num_heads, lesson.length
    pitch = len(sheet) // blocks
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
    for block in range(blocks):
        for head in range(heads):
            panel = sheet[block * pitch :, head * pitch :][:length, :length]
            shown = panel.masked_fill(hidden, 0.0)
            assert torch.equal(shown, lesson.stream.weights[block, head])
            assert panel[hidden].isnan().all()


@SETTINGS
def test_the_pictured_row_alone_is_what_the_batch_computes(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("stack", block=2, **choices)
    lesson = app.session_state["_lesson"]
    torch.testing.assert_close(lesson.stream.weights[1], lesson.attention.weights[lesson.row])
    torch.testing.assert_close(lesson.stream.after_blocks[2], lesson.block_trace.output[lesson.row])


def test_a_pooled_square_shows_the_largest_of_its_weights_and_nothing_is_left_out() -> None:
    weights = torch.rand(2, 3, 11, 11).tril()
    squares = pooled(weights, 4)
    assert squares.shape == (2, 3, 3, 3)
    for i in range(3):
        for j in range(3):
            cells = weights[..., 4 * i : 4 * i + 4, 4 * j : 4 * j + 4]
            if j > i:
                assert squares[..., i, j].isnan().all()
            else:
                assert torch.equal(squares[..., i, j], cells.amax((-1, -2)))
    assert mosaic(squares, 1).shape == (2 * 4, 3 * 4)


def test_squares_keep_the_sheet_small() -> None:
    assert square_of(4, 4, 64) == 1
    side = square_of(12, 16, 128)
    assert 12 * 16 * (128 / side) ** 2 <= MOST_CELLS


@pytest.mark.parametrize("language, word", [("en", "4 × 4 cells"), ("zh", "4 × 4 个格子")])
def test_a_picture_that_was_made_coarser_says_so(open_page: Open, language: str, word: str) -> None:
    app = open_page("stack", lang=language, **LARGEST)
    assert any(word in element.value for element in app.markdown)
    assert not any(word in element.value for element in open_page("stack", lang=language).markdown)


def test_each_panel_has_a_point_that_a_click_finds(open_page: Open) -> None:
    app = open_page("stack", **UNEVEN)
    lesson = app.session_state["_lesson"]
    figure = chart(app, "every_head")
    points = figure["data"][-1]
    assert len(points["hovertext"]) == lesson.config.num_blocks * lesson.config.num_heads
    assert (figure["layout"]["hovermode"], figure["layout"]["hoverdistance"]) == ("closest", -1)
    sheet = array(figure["data"][0]["z"])
    pitch = len(sheet) // lesson.config.num_blocks
    for number, (x, y) in enumerate(zip(array(points["x"]).tolist(), array(points["y"]).tolist(), strict=True)):
        assert (int(y) // pitch, int(x) // pitch) == divmod(number, lesson.config.num_heads)


def notes(app: AppTest) -> list[str]:
    """What is written into the corners of the heads, block after block."""
    return next(trace["text"] for trace in chart(app, "every_head")["data"] if trace.get("mode") == "text")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_heads_note_names_what_it_looks_at_most_or_nothing(open_page: Open, language: str) -> None:
    app = open_page("stack", lang=language)
    lesson = app.session_state["_lesson"]
    words = text.words(catalog.entry("stack").script.with_suffix(".toml"), language).habits
    names = distinct(lesson.labels)
    length, named = lesson.length, 0
    for weights, said in zip(lesson.stream.weights.flatten(0, 1), notes(app), strict=True):
        rows = weights[2:]
        columns = {names[j] if j else "": float(rows[:, j].mean()) for j in range(length)}
        diagonals = [sum(float(rows[i, i + 2 - back]) for i in range(length - 2)) / (length - 2) for back in (0, 1)]
        most = max(*columns.values(), *diagonals)
        if said == words.none:
            assert most < 0.31
            continue
        named += 1
        assert said.startswith(percent(most))
        wanted = {
            words.itself.format(percent(diagonals[0])): diagonals[0],
            words.previous.format(percent(diagonals[1])): diagonals[1],
            words.first.format(percent(columns[""])): columns[""],
            **{words.token.format(percent(share), token=name): share for name, share in columns.items() if name},
        }
        assert wanted[said] == most > 2 * sum(1 / n for n in range(3, length + 1)) / (length - 2)
    assert 0 < named < len(lesson.stream.weights.flatten(0, 1))


def test_heads_that_look_everywhere_alike_are_said_to_have_no_pattern(open_page: Open) -> None:
    app = open_page("stack", weights="random", d_model=24, heads=3, blocks=2, context=32, text="word after " * 40)
    words = text.words(catalog.entry("stack").script.with_suffix(".toml"), "en").habits
    assert set(notes(app)) == {words.none}


def test_the_button_turns_to_the_head_that_is_looked_at(open_page: Open) -> None:
    app = open_page("stack", block=3, head=2)
    app.button(key="stack_open").click().run()
    assert app.get("bidi_component")
    lesson = app.session_state["_lesson"]
    assert torch.equal(drawn(app, "softmax")[0], lesson.attention.masked[0, 1])
    assert (lesson.block, lesson.head) == (2, 1)


@SETTINGS
def test_each_state_is_the_sum_of_the_writes_so_far(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("stack", stack_view="writes", **choices)
    lesson = app.session_state["_lesson"]
    place = int(app.session_state["choices"]["query"])
    counted, writes, states = drawn(app, "writes")
    assert torch.equal(states, lesson.stream.states[:, place])
    torch.testing.assert_close(counted.nan_to_num(0.0) @ writes, states)
    torch.testing.assert_close(writes.cumsum(0), states)
    assert torch.equal(counted.isnan(), torch.ones_like(counted, dtype=torch.bool).triu(1))
    limits = {matrix["limit"] for matrix in component(app, "writes")["matrices"][1:]}
    assert limits == {float(torch.cat([writes, states]).abs().max())}


@SETTINGS
def test_growth_draws_lengths_and_cosines_of_every_token(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("stack", stack_view="growth", **choices)
    lesson = app.session_state["_lesson"]
    states, place = lesson.stream.states.double(), int(app.session_state["choices"]["query"])
    lengths = states.square().sum(-1).sqrt()
    cosines = (states * states[:1]).sum(-1) / lengths / lengths[:1]
    data = chart(app, "growth")["data"]
    for (everyone, mean, picked), wanted in zip((data[:3], data[3:]), (lengths, cosines), strict=True):
        lines = array(everyone["y"]).reshape(lesson.length, -1)
        torch.testing.assert_close(lines[:, :-1].T, wanted.float())
        assert lines[:, -1].isnan().all()
        torch.testing.assert_close(array(mean["y"]), wanted.mean(1).float())
        torch.testing.assert_close(array(picked["y"]), wanted[:, place].float())
        assert array(picked["x"]).tolist() == [n / 2 for n in range(len(states))]


@pytest.mark.parametrize("place", range(0, 16, 3))
def test_the_printed_lengths_give_the_printed_cosine(open_page: Open, place: int) -> None:
    app = open_page("stack", stack_view="growth", query=place)
    told = next(m.value for m in app.markdown if "Cosine" in m.value).replace("−", "-").replace("\u00a0", " ")
    number = r"(-?[\d.]+)"
    found = re.search(rf"√{number} = \*\*{number}\*\* at the end, {number} at the start", told)
    worked = re.search(rf"{number} ÷ \({number} · {number}\) = \*\*{number}\*\*", told)
    assert found and worked
    (squares, end, start), (dot, length, first, cosine) = (map(float, each.groups()) for each in (found, worked))
    assert (end, start) == (length, first)
    assert f"{squares**0.5:.{len(found[2]) - 1}g}" == f"{length:.{len(found[2]) - 1}g}"
    assert f"{dot / (length * first):.3g}" == f"{cosine:.3g}"


@SETTINGS
@torch.no_grad()
def test_the_last_line_of_the_lens_is_what_the_model_says(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("stack", stack_view="lens", **choices)
    lesson = app.session_state["_lesson"]
    place = int(app.session_state["choices"]["query"])
    table = next(parse(e.proto.body) for e in app.get("html") if "predictions lens" in e.proto.body)
    lines = table.all("tbody")[0].all("tr")
    assert len(lines) == 1 + lesson.config.num_blocks
    logits = lesson.model(lesson.tokens)[lesson.row, place]
    wanted = [lesson.label(token) for token in logits.topk(4).indices.tolist()]
    assert [piece.text for piece in lines[-1].all("piece")] == wanted
    target = int(lesson.targets[lesson.row, place])
    rank = int((logits > logits[target]).sum()) + 1
    assert re.search(rf"\b{rank:,}$", lines[-1].one("next").text)


def test_the_tokens_over_the_lens_look_like_tokens(open_page: Open) -> None:
    app = open_page("stack", stack_view="lens", query=7)
    lesson = app.session_state["_lesson"]
    head = next(e.proto.body for e in app.get("html") if "predictions lens" in e.proto.body).split("<tbody>")[0]
    true = lesson.label(int(lesson.targets[lesson.row, 7]))
    assert re.findall("<code>(.*?)</code>", head) == [lesson.labels[7], true]
    odd = lens([Layer("", [("", 0.5, True)], (0.5, "1"))], ("<", "after {token}", "{token}"), ("{<b>}", "`a`"))
    assert "after <code>{&lt;b&gt;}</code>" in odd and "<code>`a`</code>" in odd


@pytest.mark.parametrize("view", ["heads", "writes", "growth", "lens"])
@pytest.mark.parametrize("choices", [{}, UNEVEN], ids=["trained", "random"])
def test_each_picture_is_checked_by_a_kernel_of_its_own(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    kernels = {
        "heads": "F.scaled_dot_product_attention",
        "writes": "torch.cumsum in float64",
        "growth": "F.normalize in float64",
        "lens": "F.layer_norm, F.linear, F.softmax",
    }
    told = proof(open_page("stack", stack_view=view, **choices))
    assert told.startswith("✓") and f"`{kernels[view]}`" in told


def test_after_the_last_token_nobody_knows_the_true_next_one(open_page: Open) -> None:
    app = open_page("stack", stack_view="lens", text="I love cats", query=99)
    body = next(e.proto.body for e in app.get("html") if "predictions lens" in e.proto.body)
    assert 'class="next"' not in body and 'class="true"' not in body


@pytest.mark.parametrize("view", ["heads", "writes", "growth", "lens"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1, "blocks": 1},
        {"text": "the <b>cat</b> 🐱"},
        {**LARGEST, "batch": 8, "block": 12, "head": 16, "query": 127},
    ],
    ids=["one token", "markup", "largest"],
)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("stack", stack_view=view, **{"weights": "random", **choices})
    assert not [m.value for m in app.markdown if m.value.startswith("✗")]
    assert not any("<b>cat" in e.proto.body for e in app.get("html"))
