"""The batch page: targets are the inputs one step later, and what is unknown is left blank."""

import re
from typing import Any

import pytest

from pages.figures.batch_table import LONGEST, RIM, batch
from pages.figures.token_strip import letters
from pages.ui import cache, text
from tests.pages.conftest import Open
from tests.pages.markup import Element, picture
from tests.pages.reading import proof

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 3, "context": 11, "row": 2}
LINES: list[dict[str, Any]] = [UNEVEN, {}]


def numbers(line: Element, part: str) -> list[int | None]:
    """The ids of a row's inputs or targets; None where a token is unknown."""
    return [int(one.one("small").text) if one.all("small") else None for one in line.all(part)]


@pytest.mark.parametrize("choices", LINES, ids=["random", "trained"])
def test_inputs_and_targets_are_the_lessons(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("batch", **choices)
    lesson = app.session_state["_lesson"]
    lines = picture(app).all("line")
    assert [numbers(line, "input") for line in lines] == lesson.tokens.tolist()
    assert [numbers(line, "target") for line in lines] == lesson.targets.tolist()
    for row, line in enumerate(lines):
        assert tuple(one.one("piece").text for one in line.all("input")) == lesson.labels_of(row)
        assert numbers(line, "target")[:-1] == numbers(line, "input")[1:]


@pytest.mark.parametrize("choices", [*LINES, {"text": "我喜欢猫 🐱 ∩", "weights": "random"}], ids=str)
def test_no_token_is_wider_than_its_place(open_page: Open, choices: dict[str, Any]) -> None:
    table = picture(open_page("batch", **choices)).one("batch")
    widest = float(re.findall(r"--letters:([\d.]+)", str(table.attributes["style"]))[0])
    for line in table.all("line"):
        room = [float(width) for width in re.findall(r"calc\(([\d.]+) \*", str(line.attributes["style"]))]
        assert len(room) == len(line.all("cell"))
        for width, cell in zip(room, line.all("cell"), strict=True):
            assert width >= max(letters(shown.text) for shown in cell.all("piece"))
            assert width >= max(0.95 * len(id.text) for id in cell.all("small"))
        assert sum(room) <= widest + 0.1


def test_a_token_too_long_for_any_place_does_not_take_them_all() -> None:
    drawn = batch([["to", " " * 300, "and"]], [[5, 6, 7]], parts=("in", "out"), row=0, position=0)
    assert f"minmax(calc({LONGEST + RIM:.2f} *" in drawn


@pytest.mark.parametrize("position", range(16))
def test_in_the_hall_places_are_left_out_at_the_ends_but_not_the_looked_at_one(open_page: Open, position: int) -> None:
    rows = 4
    table = picture(open_page("batch", hall=True, query=position)).one("batch")
    widest = float(re.findall(r"--letters:([\d.]+)", str(table.attributes["style"]))[0])
    places = [[int(str(cell.attributes["data-place"])) for cell in line.all("cell")] for line in table.all("line")]
    assert places == [list(range(places[0][0], places[0][-1] + 1))] * rows
    assert position in places[0]
    assert widest <= 84
    assert len(table.all("more")) == rows * ((places[0][0] > 0) + (places[0][-1] < 15))


def test_the_first_row_is_the_sentence_and_the_others_are_cut_from_the_corpus(open_page: Open) -> None:
    app = open_page("batch", **UNEVEN)
    lesson = app.session_state["_lesson"]
    assert lesson.tokens[0].tolist() == list(lesson.sentence.ids[:11])
    corpus = cache.corpus_ids(lesson.vocabulary, lesson.corpus)
    for row in (1, 2):
        window = [*lesson.tokens[row].tolist(), int(lesson.targets[row, -1])]
        places = (corpus[:-11] == window[0]).nonzero().flatten().tolist()
        assert any(corpus[place : place + 12].tolist() == window for place in places)


def test_where_the_sentence_ends_the_target_is_blank(open_page: Open) -> None:
    app = open_page("batch", text="I love cats", query=500, batch=2)
    own, other = picture(app).all("line")
    assert numbers(own, "target")[-1] is None
    assert None not in numbers(own, "target")[:-1] + numbers(other, "target")
    assert any("is unknown" in element.value for element in app.markdown)


@pytest.mark.parametrize(("query", "seen"), [(0, 1), (4, 5), (99, 11)])
def test_lit_are_the_tokens_up_to_the_position_and_the_next(open_page: Open, query: int, seen: int) -> None:
    app = open_page("batch", query=query, **UNEVEN)
    first, second, third = picture(app).all("line")
    assert not first.all("seen") + third.all("seen")
    assert len(second.all("seen")) == seen
    (here,) = second.all("here")
    lesson = app.session_state["_lesson"]
    assert int(here.one("target").one("small").text) == lesson.targets[1, seen - 1]


def test_cells_tell_their_row_and_place_when_they_are_clicked(open_page: Open) -> None:
    lines = picture(open_page("batch", **UNEVEN)).all("line")
    for row, line in enumerate(lines):
        told = [(cell.attributes["data-row"], cell.attributes["data-place"]) for cell in line.all("cell")]
        assert told == [(str(row), str(place)) for place in range(11)]
    lessons = picture(open_page("batch", batch_view="lessons", **UNEVEN)).one("lessons").children
    assert [line.attributes["data-place"] for line in lessons] == [str(place) for place in range(11)]


def test_stepping_the_position_moves_the_query_of_all_pages(open_page: Open) -> None:
    app = open_page("batch", **UNEVEN)
    app.number_input(key="batch_position").set_value(9).run()
    assert app.session_state["choices"]["query"] == 9
    assert any(element.value.startswith("`targets[1, 9]` = `inputs[1, 10]`") for element in app.markdown)


@pytest.mark.parametrize("choices", [UNEVEN, {"text": "I love cats"}], ids=["window", "sentence"])
def test_a_row_teaches_a_lesson_at_each_position(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("batch", batch_view="lessons", **choices)
    lesson = app.session_state["_lesson"]
    lines = picture(app).one("lessons").children
    assert len(lines) == lesson.length
    for place, line in enumerate(lines):
        assert line.one("so_far").text == "".join(lesson.labels[: place + 1])
        target = int(lesson.targets[lesson.row, place])
        if target < 0:
            assert not line.all("next")
        else:
            assert line.one("next").text == text.token(lesson.tokenizer.piece(target))


@pytest.mark.parametrize("view", ["batch", "lessons"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1},
        {"text": "word after " * 100, "context": 128, "batch": 8, "row": 8},
        {"text": "我喜欢猫 🐱 ∩ <b>", "corpus": "zh_classics", "vocab": "cl100k_base"},
        {"text": "the cat sat on the mat because the mat was the best"},
    ],
    ids=["one token", "largest", "parts of characters", "repeated"],
)
def test_extremes_are_drawn_whole(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("batch", batch_view=view, weights="random", **choices)
    lesson = app.session_state["_lesson"]
    drawn = len(picture(app).all("cell")) if view == "batch" else len(picture(app).one("lessons").children)
    assert drawn == (lesson.tokens.numel() if view == "batch" else lesson.length)
    assert proof(app).startswith("✓")
