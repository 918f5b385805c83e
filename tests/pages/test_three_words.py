"""The three-words page: every number drawn is the trace's, and the fields say what they cannot read."""

import json
import math
import re
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor

from pages.ui import catalog
from pages.ui.exercise import MOST_STEPS, SEED, TARGET, WORDS, drawn
from tests.conftest import Serve
from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, controls, decode, notes, proof
from tests.pages.reading import drawn as shown
from tests.pages.test_desk import choose_own, own
from tests.serving import Visitor
from transformer.lessons.single_head import Exercise, LearningStep, attend, descend
from transformer.lessons.written import read_matrix, read_sentence

MATRICES = tuple(read_matrix(text, 3, 3) for text in drawn(SEED, 0.1))
FOUR = {"words": "we 1 0 2\nthe 3 1 0\nsame 0 2 2\nthe", "target": "1 0 0\n0 1 0"}


def opened(open_page: Open, view: str, **choices: object) -> AppTest:
    return open_page("three_words", three_words_view=view, **{f"three_words_{k}": v for k, v in choices.items()})


def state(
    words: str = WORDS, target: str = TARGET, *, divisor: float = math.sqrt(3), rate: float = 0.05, steps: int = 0
) -> LearningStep:
    x = tuple(row for _, row in read_sentence(words, 3))
    rows = read_matrix(target, 3)
    wanted = rows + ((0.0,) * 3,) * (len(x) - len(rows))
    start = MATRICES[0], MATRICES[1], MATRICES[2]
    return list(descend(Exercise(x, wanted, start, divisor), rate, steps))[-1]


def same(drawn: Tensor, computed: Tensor) -> bool:
    """Numbers are drawn as float32."""
    return torch.equal(drawn, computed.float())


def test_the_published_words_and_numbers_come_first(open_page: Open) -> None:
    x, _, _ = shown(opened(open_page, "projections"), "three_words_projections")
    assert torch.equal(x, torch.arange(1.0, 10.0).view(3, 3))


@pytest.mark.parametrize("steps", [0, 12])
@pytest.mark.parametrize("words", [{}, FOUR], ids=["three words", "four words, one twice"])
def test_every_step_of_attention_is_drawn_as_computed(open_page: Open, words: dict[str, str], steps: int) -> None:
    now = state(**words, steps=steps)
    trace = now.trace
    expected = {
        "projections": [
            trace.input,
            torch.cat(now.projections, 1),
            torch.cat((trace.queries, trace.keys, trace.values), 1),
        ],
        "scores": [trace.queries, trace.keys.T, trace.scores],
        "scaling": [trace.scores, trace.scaled],
        "weights": [trace.scaled, trace.weights, trace.weights.sum(1, keepdim=True)],
        "output": [trace.weights, trace.values, trace.output],
    }
    for view, tensors in expected.items():
        matrices = shown(opened(open_page, view, steps=steps, **words), f"three_words_{view}")
        assert all(map(same, matrices, tensors)), view
        assert len(matrices) == len(tensors)


@pytest.mark.parametrize("steps", [0, 12])
def test_loss_gradient_and_step_are_drawn_as_computed(open_page: Open, steps: int) -> None:
    now = state(**FOUR, steps=steps)
    after = state(**FOUR, steps=steps + 1)
    wanted = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]])
    learning = opened(open_page, "loss", steps=steps, **FOUR)
    made, aim, difference = shown(learning, "three_words_loss")
    assert same(made, now.trace.output)
    assert torch.equal(aim, wanted)
    loss = array(chart(learning, "three_words_curve")["data"][-1]["y"])[-1]
    assert float(loss) == pytest.approx(float(difference.square().mean()))
    inputs, upstream, gradient = shown(opened(open_page, "gradient", steps=steps, **FOUR), "three_words_gradient")
    assert same(gradient, torch.cat(now.gradient, 1))
    torch.testing.assert_close(inputs @ upstream, gradient)
    before, change, new = shown(opened(open_page, "step", steps=steps, **FOUR), "three_words_step")
    assert same(before, torch.cat(now.projections))
    assert same(new, torch.cat(after.projections))
    torch.testing.assert_close(before + change, new)


@pytest.mark.parametrize("steps", [0, 40])
def test_the_curve_is_the_loss_of_every_step_so_far_and_of_the_next_ten_and_falls(open_page: Open, steps: int) -> None:
    figure = chart(opened(open_page, "loss", steps=steps), "three_words_curve")
    ahead, so_far = (array(trace["y"]) for trace in figure["data"])
    assert ahead[0] == so_far[-1]  # one goes on from the other
    losses = torch.cat([so_far, ahead[1:]])
    assert len(losses) == steps + 1 + 10
    assert losses.tolist() == sorted(losses.tolist(), reverse=True)
    assert losses[steps:].tolist() == pytest.approx([state(steps=step).loss for step in range(steps, steps + 11)])


def test_without_the_division_the_scores_go_to_softmax_as_they_are(open_page: Open) -> None:
    scaled, weights, _ = shown(opened(open_page, "weights", divided=False), "three_words_weights")
    now = state(divisor=1.0)
    assert same(scaled, now.trace.scores)
    assert same(weights, now.trace.weights)


@pytest.mark.parametrize("steps", [0, 30])
def test_a_shared_word_goes_in_the_same_and_comes_out_different(open_page: Open, steps: int) -> None:
    app = opened(open_page, "related", steps=steps)
    weights, values, output = shown(app, "three_words_related")
    assert torch.equal(values[0], values[2])
    assert not torch.allclose(output[0], output[2])
    assert weights[:2, 2:].isnan().all() and weights[2:, :2].isnan().all()
    torch.testing.assert_close(weights.nansum(1), torch.ones(4))
    rows = torch.tensor([[5.0, 5, 1], [9, 1, 1]], dtype=torch.float64)
    assert same(output[:2], attend(rows, state(steps=steps).projections, math.sqrt(3)).output)


def test_the_stepper_shows_the_steps_and_offers_one_ten_and_the_start(open_page: Open) -> None:
    told = component(opened(open_page, "step", steps=30), "three_words_stepper")
    assert (told["value"], told["most"]) == (30, MOST_STEPS)
    assert [count for count, _ in told["buttons"]] == [1, 10, 0]


@pytest.fixture
def address(serve: Serve) -> str:
    return serve("app.py")


def told(visitor: Visitor, key: str) -> dict[str, Any]:
    """What a component was given."""
    data: dict[str, Any] = json.loads(visitor.elements[key].bytes)
    return data


def reached(visitor: Visitor) -> int:
    """The steps as the page shows them."""
    return int(told(visitor, "three_words_stepper")["value"])


def test_every_click_counts_however_many_wait(address: str) -> None:
    with Visitor(address, "three_words", "view=gradient") as visitor:
        visitor.run()
        for number, value in enumerate([10, 20, 30, 31, 41, 51]):
            visitor.set("three_words_stepper", {"reached": {"number": number, "value": value}})
            visitor.send()
        while told(visitor, "three_words_stepper")["answered"] < 5:
            visitor.run()
        assert reached(visitor) == 51 and not visitor.exceptions
        assert "steps=51" in told(visitor, "desk")["address"]["query"]


@pytest.mark.parametrize("sent", [10**9, -5, "many", None, 1.5])
def test_a_step_that_no_browser_sends_breaks_nothing(address: str, sent: Any) -> None:
    with Visitor(address, "three_words", "steps=3") as visitor:
        visitor.run()
        visitor.set("three_words_stepper", {"reached": {"number": 1, "value": sent}})
        visitor.run()
        assert reached(visitor) == {10**9: MOST_STEPS, -5: 0}.get(sent, 3) and not visitor.exceptions


def test_numbers_that_overflow_end_in_one_sentence_with_the_last_state_shown(open_page: Open) -> None:
    app = opened(open_page, "step", rate=1.0, steps=MOST_STEPS)
    assert len(app.warning) == 1
    assert all(matrix.isfinite().all() for matrix in shown(app, "three_words_step"))
    app.session_state["three_words_rate"] = 0.05
    app.run()
    assert not app.warning
    assert same(shown(app, "three_words_step")[0], torch.cat(state(steps=MOST_STEPS).projections))


UNREADABLE = [
    ("words", "I 1 2\nlove 4 5 6"),
    ("words", "I 1 2 x\nlove 4 5 6"),
    ("words", "alone 1 2 3"),
    ("words", "a 1 2 3\nA 3 2 1"),
    ("Wq", "1 2 3\n4 5 6"),
    ("Wk", "1 2 3\n4 5 6\n7 8 1e9"),
    ("Wv", ""),
    ("target", "1 2"),
]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_cannot_be_read_is_said_and_the_picture_stays(open_page: Open, lang: str) -> None:
    app = open_page("three_words", lang=lang, three_words_view="output")
    before = shown(app, "three_words_output")
    for field, text in UNREADABLE:
        said = written(app, field)
        write(app, field, text)
        (fault,) = notes(app, "alert")
        assert "{" not in fault
        assert all(map(torch.equal, before, shown(app, "three_words_output")))
        assert written(app, field) == text
        write(app, field, said)
        assert not notes(app, "alert")


def written(app: AppTest, field: str) -> str:
    """What stands in a field."""
    return str(controls(app, "own")[f"three_words_{field}"]["value"])


def write(app: AppTest, field: str, text: str) -> None:
    """What a field hands over when something is written into it."""
    app.session_state[f"three_words_{field}"] = text
    app.run()
    assert not app.exception


def test_sentences_without_a_shared_word_are_said_and_the_picture_stays(open_page: Open) -> None:
    app = opened(open_page, "related")
    before = shown(app, "three_words_related")
    write(app, "related", "apple fruit\n\npear tree")
    assert len(notes(app, "alert")) == 1
    assert all(map(torch.equal, before[1:], shown(app, "three_words_related")[1:]))


def test_what_was_typed_stays_while_its_field_is_not_seen(open_page: Open) -> None:
    app = opened(open_page, "output")
    write(app, "words", FOUR["words"])
    for view in ("related", "output"):
        app.session_state["three_words_view"] = view
        app.run()
        assert ("three_words_words" in controls(app, "own")) == (view == "output")
    assert written(app, "words") == FOUR["words"]
    assert len(shown(app, "three_words_output")[2]) == 4


def test_a_seed_writes_new_numbers_into_the_fields_and_goes_back_to_the_start(address: str) -> None:
    with Visitor(address, "three_words", "view=projections&steps=5") as visitor:
        visitor.run()
        for choice, value, texts in ("seed", 7, drawn(7, 0.1)), ("spread", 1, drawn(7, 1.0)):
            choose_own(visitor, **{f"three_words_{choice}": value})
            visitor.run()
            assert [own(visitor)[f"three_words_W{part}"]["value"] for part in "qkv"] == texts
            assert reached(visitor) == 0
            matrix = told(visitor, "three_words_projections")["matrices"][1]
            start = torch.cat([torch.tensor(read_matrix(text, 3)) for text in texts], 1)
            assert torch.equal(decode(matrix["values"], matrix["shape"]), start)


@pytest.mark.parametrize("words", ["a b", "🐱 猫 cat d e f", "x 1000 -1000 0\ny 0 0 0"])
def test_extremes_are_drawn(open_page: Open, words: str) -> None:
    huge = "1000 1000 1000\n1000 0 0\n0 0 -1000"
    app = opened(open_page, "projections", words=words, Wq=huge, steps=3, rate=0.001)
    for view in catalog.entry("three_words").words("en").views.table():
        app.session_state["three_words_view"] = view
        app.run()
        assert not app.exception and not app.error, view
        assert proof(app).startswith("✓"), view


def test_the_shared_word_is_lit_and_the_shapes_are_those_of_all_its_sentences(open_page: Open) -> None:
    app = opened(open_page, "related")
    scene = component(app, "three_words_related")
    assert scene["matrices"][0]["rows"][scene["selected"][0]] == "apple"
    assert any("`(4, 3)` → `(4, 3)`" in element.value for element in app.markdown)


def test_axes_have_whole_names_and_a_number_says_which_matrix_it_belongs_to(open_page: Open) -> None:
    for view, key in (("output", "three_words_output"), ("related", "three_words_related")):
        a, v, o = component(opened(open_page, view), key)["matrices"]
        named = [(matrix["rowAxis"], matrix["columnAxis"]) for matrix in (a, v, o)]
        assert named == [("queries", "keys"), ("keys", "head_size"), ("queries", "head_size")]
        assert a["rowRole"] == o["rowRole"] == "query"
    for view in ("projections", "gradient"):
        result = component(opened(open_page, view), f"three_words_{view}")["matrices"][-1]
        assert result["columns"] == ["q 0", "q 1", "q 2", "k 0", "k 1", "k 2", "v 0", "v 1", "v 2"]
    *_, sums = component(opened(open_page, "weights"), "three_words_weights")["matrices"]
    assert sums["scale"] == "plain"


@pytest.mark.parametrize("steps", [0, 120])
def test_a_logarithmic_loss_says_so(open_page: Open, steps: int) -> None:
    axis = chart(opened(open_page, "loss", steps=steps), "three_words_curve")["layout"]["yaxis"]
    assert (axis["type"] == "log") == axis["title"]["text"].endswith("(log)")


@pytest.mark.parametrize("steps", [0, 12, 40])
def test_the_loss_is_worked_out_from_printed_sums_of_squares(open_page: Open, steps: int) -> None:
    app = opened(open_page, "loss", steps=steps, **FOUR)
    note = component(app, "three_words_loss")["readout"]["words"]["note"]
    rows, count, loss = re.search(r"\((.+)\) ÷ (\d+) ≈ ([\d.]+)", note).groups()  # type: ignore[union-attr]
    mean = sum(map(float, rows.split(" + "))) / int(count)
    assert f"{mean:.4g}" == f"{float(loss):.4g}"
    assert len(rows.split(" + ")) == 4 and int(count) == 12


def test_a_step_has_one_scale_of_colours_for_both_sides_of_its_equation(open_page: Open) -> None:
    for rate in (0.001, 1.0):
        matrices = component(opened(open_page, "step", rate=rate), "three_words_step")["matrices"]
        assert len({matrix["limit"] for matrix in matrices}) == 1


@pytest.mark.parametrize(
    ("view", "formula"), [("scores", "softmax"), ("loss", "L ="), ("gradient", "X^"), ("step", "leftarrow")]
)
def test_the_formula_is_that_of_the_view(open_page: Open, view: str, formula: str) -> None:
    app = opened(open_page, view)
    assert any(formula in element.value for element in app.markdown if element.value.startswith("$"))
