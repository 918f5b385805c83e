"""The page that says why attention: what is drawn is what was counted and measured, on real hidden states."""

import math
from typing import Any

import pytest
import torch

from pages.figures.curves import Axis, Curve, curves, spelled
from pages.figures.palette import ROLES
from pages.figures.reading import MOST
from tests.pages.conftest import Open
from tests.pages.reading import array, chart, controls, drawn, proof
from transformer.lessons.sequence_costs import LENGTHS, REACHES, measured_memory, measured_reach, measured_times
from transformer.recurrent import make_rnn, trace_rnn

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "head": 3, "seed": 5}


def html(app: Any) -> str:
    return "".join(element.proto.body for element in app.get("html"))


@pytest.mark.parametrize("choices", [UNEVEN, {}], ids=["random", "trained"])
def test_the_hidden_state_shown_is_that_of_a_real_network_over_the_sentence(
    open_page: Open, choices: dict[str, Any]
) -> None:
    app = open_page("why_attention", why_attention_view="state", **choices)
    lesson = app.session_state["_lesson"]
    layer = make_rnn(lesson.config.d_model, 12, lesson.seed)
    trace = trace_rnn(layer, lesson.embedding.embeddings[:1])
    reads, weights, hidden = drawn(app, "why_attention_state")
    assert torch.equal(hidden, trace.hidden[0])
    assert torch.equal(reads[:, : lesson.config.d_model], lesson.embedding.embeddings[0])
    assert torch.equal(reads[1:, lesson.config.d_model :], trace.hidden[0, :-1])
    with torch.no_grad():
        states, _ = layer(lesson.embedding.embeddings[:1])
        bias = layer.bias_ih_l0 + layer.bias_hh_l0
        torch.testing.assert_close((reads @ weights + bias).tanh(), hidden)
    torch.testing.assert_close(hidden, states[0])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_sentence_is_read_twice_with_a_step_for_each_token(open_page: Open, lang: str) -> None:
    app = open_page("why_attention", lang=lang, text="the cat sat on the mat", vocab="cl100k_base", weights="random")
    shown = html(app)
    assert shown.count('class="token lit"') == 2 * 6
    assert shown.count('class="state shown"') == 6
    assert [f'--step: {step}"' in shown for step in range(6)] == [True] * 6


def test_a_token_that_looks_like_markup_is_escaped(open_page: Open) -> None:
    shown = html(open_page("why_attention", text="<b>bold</b> <script>"))
    assert "<script>" not in shown
    assert "<b>bold" not in shown


def test_play_begins_the_reading_anew(open_page: Open) -> None:
    app = open_page("why_attention")
    before = html(app)
    app.button(key="why_attention_play").click().run()
    assert not app.exception
    assert html(app) != before


def test_the_count_is_arithmetic_on_the_chosen_sizes(open_page: Open) -> None:
    shown = html(open_page("why_attention", why_attention_view="costs", why_attention_n=128, why_attention_d=32))
    for written in ("n²·d = 128²·32", f"{128 * 128 * 32:,}", "n·d² = 128·32²", f"{128 * 32 * 32:,}", "n = 128"):
        assert written in shown


@pytest.mark.parametrize(
    ("n", "d", "told"), [(32, 128, "4 times less"), (64, 64, "as much as"), (512, 32, "16 times as")]
)
def test_the_conclusion_holds_for_the_chosen_sizes(open_page: Open, n: int, d: int, told: str) -> None:
    app = open_page("why_attention", why_attention_view="costs", why_attention_n=n, why_attention_d=d)
    (conclusion,) = [element.value for element in app.markdown if "self-attention multiplies" in element.value]
    assert told in conclusion


@pytest.mark.parametrize(
    ("value", "said"), [(4.77e-11, "4.77·10⁻¹¹"), (0.014, "0.014"), (-2.5e20, "−2.5·10²⁰"), (1234.0, "1,230")]
)
def test_numbers_have_powers_of_ten_as_the_axes_have(value: float, said: str) -> None:
    assert spelled(value) == said


def test_the_shapes_are_those_of_the_view(open_page: Open) -> None:
    choices = {"why_attention_n": 128, "why_attention_d": 32}
    for view, shape in (("state", "16, 64"), ("costs", "128, 32"), ("memory", "128, 32"), ("gradient", "32, 32")):
        app = open_page("why_attention", why_attention_view=view, **choices)
        (line,) = [element.value for element in app.markdown if f"`(1, {shape})`" in element.value]
        assert ("softmax" in line) == (view != "state"), view  # a comparison has both formulas


def test_times_are_the_measurement_and_can_be_measured_again(open_page: Open) -> None:
    app = open_page("why_attention", why_attention_view="time", why_attention_d=32)
    measured = measured_times(32)
    figure = chart(app, "why_attention_time_curves")
    for trace, seconds in zip(figure["data"], measured.seconds.values(), strict=True):
        assert array(trace["x"]).tolist() == list(LENGTHS)
        torch.testing.assert_close(array(trace["y"]), 1000 * torch.tensor(seconds))
    assert figure["layout"]["yaxis"]["type"] == "log"
    app.button(key="why_attention_again").click().run()
    assert not app.exception
    assert measured_times(32) is not measured


def test_memory_is_the_measurement(open_page: Open) -> None:
    figure = chart(
        open_page("why_attention", why_attention_view="memory", why_attention_d=32), "why_attention_memory_curves"
    )
    for trace, sizes in zip(figure["data"], measured_memory(32).values(), strict=True):
        torch.testing.assert_close(array(trace["y"]), torch.tensor(sizes) / 2**20)


def test_gradients_are_the_measurement(open_page: Open) -> None:
    choices = {"seed": 3, "why_attention_gain": 2.0, "why_attention_bias": 5.0}
    app = open_page("why_attention", why_attention_view="gradient", **choices)
    figure = chart(app, "why_attention_gradient_curves")
    for trace, sizes in zip(figure["data"], measured_reach(3, 2.0, 5.0).sizes.values(), strict=True):
        assert array(trace["x"]).tolist() == list(REACHES)
        torch.testing.assert_close(array(trace["y"]), sizes.float())
    assert "✓" in proof(app) and "diag" in proof(app)


def test_the_legend_has_the_numbers_at_the_marked_place_and_nothing_covers_a_curve() -> None:
    rising = Curve("up", [1, 2, 3], [4.0, 5.0, 7.0], "query")
    elsewhere = Curve("later", [3, 4], [-3.0, 2.0], "key")
    layout = curves([rising, elsewhere], Axis("x", symbol="n"), Axis("y"), "light", mark=2)
    assert [curve.name for curve in layout.data] == ["up <b>5</b>", "later"]
    assert layout.layout.legend.title.text.strip() == "n = 2"
    assert not layout.layout.annotations


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((0.002, 8000.0), ["0.001", "0.01", "0.1", "1", "10", "100", "1,000", "10,000"]),
        ((1e-8, 1.0), ["10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"]),
        ((50_000.0, 2e7), ["100,000", "10⁶", "10⁷"]),
    ],
)
def test_only_what_is_far_from_one_is_a_power_of_ten_on_an_axis(values: tuple[float, ...], said: list[str]) -> None:
    layout = curves([Curve("runs", [1, 2], values, "kind0")], Axis("x"), Axis("y", log=True), "light").layout
    assert list(layout.yaxis.ticktext) == said


@pytest.mark.parametrize("view", ["costs", "time", "gradient", "memory"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_picture_of_costs_has_one_logarithmic_remark_for_each_scale(open_page: Open, view: str, lang: str) -> None:
    app = open_page("why_attention", lang=lang, why_attention_view=view, why_attention_d=32)
    remark = {"en": "(log)", "zh": "（对数坐标）"}[lang]
    if view == "costs":
        remark = {"en": "logarithmic", "zh": "对数坐标"}[lang]
        assert remark not in html(app)
        assert sum(remark in element.value for element in app.markdown) == 1
        return
    layout = chart(app, f"why_attention_{view}_curves")["layout"]
    for axis in (layout["xaxis"], layout["yaxis"]):
        assert axis["type"] == "log" and remark in axis["title"]["text"]


def test_every_picture_is_checked_by_what_it_shows(open_page: Open) -> None:
    checks = {"reading": "nn.RNN", "costs": "FlopCounterMode", "time": "nn.RNN(32, 32)", "memory": "grad_fn"}
    for view, kernel in checks.items():
        app = open_page("why_attention", why_attention_view=view, why_attention_n=64, why_attention_d=32)
        assert proof(app).startswith("✓") and kernel in proof(app), view


@pytest.mark.parametrize("lowest", [1e-3, 1e-80, 1e-300])
def test_a_logarithmic_axis_holds_the_whole_curve_and_names_a_few_powers(lowest: float) -> None:
    up = curves([Curve("falls", [1, 2], [5.0, lowest], "kind0")], Axis("x"), Axis("y", log=True), "dark").layout.yaxis
    assert up.range[0] < math.log10(lowest) < math.log10(5.0) < up.range[1]
    assert 1 <= len(up.tickvals) <= 12
    assert all(up.range[0] <= math.log10(tick) <= up.range[1] for tick in up.tickvals)


@pytest.mark.parametrize("view", ["time", "memory", "gradient"])
def test_a_kind_of_layer_wears_no_colour_of_queries_keys_or_values(open_page: Open, view: str) -> None:
    figure = chart(open_page("why_attention", why_attention_view=view), f"why_attention_{view}_curves")
    lines = [(trace["line"]["color"], trace["line"]["dash"]) for trace in figure["data"]]
    assert len(set(lines)) == len(lines)
    names = {hue for role, hues in ROLES.items() if not role.startswith("kind") for hue in hues}
    assert names.isdisjoint(hue for hue, _ in lines)


def test_a_picture_asks_only_for_what_it_is_made_from(open_page: Open) -> None:
    asked = {"reading": set(), "state": set(), "costs": set("nd"), "memory": set("nd"), "gradient": {"gain", "bias"}}
    for view, names in asked.items():
        found = controls(open_page("why_attention", why_attention_view=view), "own")
        assert set(found) == {f"why_attention_{name}" for name in names}, view


@pytest.mark.parametrize("view", ["reading", "state", "costs", "gradient"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "A cat 🐱 is a cat, 猫 or not " * 30, "d_model": 512, "heads": 16, "blocks": 1, "context": 128},
    ],
    ids=["one token", "many"],
)
def test_extremes_are_drawn(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("why_attention", weights="random", why_attention_view=view, **choices)
    assert "✓" in proof(app)
    assert html(app).count('class="state shown"') in (0, 1, MOST)
