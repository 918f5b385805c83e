"""The generation page: what is drawn is the library's distribution, what is written can be walked, whatever is asked."""

import re
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from pages.figures.kv_cache import kv_cache
from pages.ui import catalog
from pages.ui.lesson import Lesson
from tests.pages.conftest import Open
from tests.pages.markup import picture
from tests.pages.reading import array, chart, proof
from transformer.sampling import Writing, distribution, generate

UNEVEN: dict[str, Any] = {
    "weights": "random",
    "vocab": "compact",
    "d_model": 24,
    "heads": 3,
    "blocks": 2,
    "batch": 2,
    "context": 11,
    "row": 2,
}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {}], ids=["random", "trained"])
LARGEST = {"weights": "random", "d_model": 512, "heads": 16, "blocks": 12, "context": 128, "batch": 8}
ASKED = {"generation_temperature": 0.7, "generation_top_k": 10, "generation_top_p": 0.9, "generation_draw": 3}


def lesson_of(app: AppTest) -> Lesson:
    lesson: Lesson = app.session_state["_lesson"]
    return lesson


def proved(app: AppTest) -> bool:
    return not app.exception and proof(app).startswith("✓")


def write(app: AppTest) -> Writing:
    """Presses the button and lets the text go on to its end."""
    app.button(key="write").click().run()
    writing: Writing = app.session_state["_writing"]
    for _ in range(60):
        if not writing.going:
            break
        app.run()
    assert not app.exception, app.exception
    assert not writing.going
    return writing


@torch.no_grad()
def next_logits(app: AppTest) -> torch.Tensor:
    lesson = lesson_of(app)
    return lesson.model(lesson.pictured)[0, -1]


@SETTINGS
def test_bars_and_curve_are_the_distribution(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("generation", generation_view="choose", **ASKED, **choices)
    expected = distribution(next_logits(app), 0.7, 10, 0.9)
    best = expected.logits.topk(24).indices
    kept, cut, own, *curves = chart(app, "chances")["data"]
    torch.testing.assert_close(array(kept["y"]), expected.final[best].float())
    lost = expected.probabilities.masked_fill(expected.kept, 0)
    torch.testing.assert_close(array(cut["y"]), lost[best].float())
    torch.testing.assert_close(array(own["y"]), expected.logits.softmax(0)[best].float())
    assert max(curves[0]["x"]) == lesson_of(app).config.vocab_size
    assert max(curves[2]["x"]) == int(expected.kept.sum()) == min(curves[1]["x"]) - 1
    assert proved(app)


@pytest.mark.parametrize("top_k", [10, 40])
def test_both_panels_name_what_they_draw_with_the_same_names_and_colours(open_page: Open, top_k: int) -> None:
    app = open_page("generation", generation_view="choose", **{**ASKED, "generation_top_k": top_k})
    bars, lines = (chart(app, "chances")["data"][part] for part in (slice(3), slice(3, None)))
    looks = {trace["name"]: trace["line"]["color"] for trace in lines}
    assert len(set(looks.values())) == len(looks) == 3
    assert {trace["name"]: trace["marker"]["color"] for trace in bars} == looks
    layout = chart(app, "chances")["layout"]
    assert layout["legend"]["yref"] == "container"  # above both panels, on no curve
    for bar in bars:  # the legend has each look that is drawn, once
        line = next(trace for trace in lines if trace["name"] == bar["name"])
        assert bar["showlegend"] == bool(array(bar["y"]).any() or len(line["x"]))
        assert not line["showlegend"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_cut_is_told_in_its_order_with_what_each_part_leaves(open_page: Open, language: str) -> None:
    app = open_page("generation", generation_view="choose", lang=language, **ASKED)
    expected = distribution(next_logits(app), 0.7, 10, 0.9)
    _, by_k, by_p = chart(app, "chances")["layout"]["annotations"][1]["text"].split("<br>")
    held_by_k = float(expected.probabilities.topk(10).values.sum())
    held = float(expected.probabilities[expected.kept].sum())
    assert "10" in by_k and f"{held_by_k:.1%}" in by_k
    assert f"{int(expected.kept.sum())}" in by_p and f"{held:.1%}" in by_p and "90%" in by_p
    assert held >= 0.9 * held_by_k


@pytest.mark.parametrize(("top_k", "kept_and_not_shown"), [(40, 16), (10, 0)])
def test_the_bars_say_how_many_kept_tokens_they_leave_out(open_page: Open, top_k: int, kept_and_not_shown: int) -> None:
    asked = {**ASKED, "generation_top_k": top_k, "generation_top_p": 1.0}
    head = chart(open_page("generation", generation_view="choose", **asked), "chances")["layout"]["annotations"][0]
    assert (
        re.findall(r"\b\d+\b(?!%|\.)", head["text"])[:2]
        == ["24", f"{kept_and_not_shown}"][: 1 + bool(kept_and_not_shown)]
    )


@pytest.mark.parametrize("place", [0, 3, 7])
def test_the_printed_numbers_give_the_printed_results(open_page: Open, place: int) -> None:
    app = open_page("generation", generation_view="choose", generation_token=place, **ASKED)
    told = next(m.value for m in app.markdown if "softmax over the whole" in m.value)
    told = told.replace("−", "-").replace("\u00a0", " ")
    logit, largest, tau, scaled = map(float, re.search(r"\((\S+) - (\S+)\) / (\S+) = ([^,]+),", told).groups())  # type: ignore[union-attr]
    assert f"{(logit - largest) / tau:.4g}" == f"{scaled:.4g}"
    before, left, final = map(float, re.search(r"(\S+) / (\S+) = \*\*(\S+)\*\*", told).groups())  # type: ignore[union-attr]
    assert f"{before / left:.4g}" == f"{final:.4g}"


def test_the_picture_of_a_large_vocabulary_stays_small(open_page: Open) -> None:
    app = open_page("generation", generation_view="choose", weights="random")
    assert lesson_of(app).config.vocab_size > 100_000
    assert all(len(trace["x"]) <= 200 for trace in chart(app, "chances")["data"])


@SETTINGS
def test_what_is_written_is_what_the_library_generates(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("generation", **ASKED, **choices)
    writing, lesson = write(app), lesson_of(app)
    prompt = lesson.pictured[0].tolist()
    expected = generate(lesson.model, prompt, max_tokens=48, temperature=0.7, top_k=10, top_p=0.9, seed=3, cache=False)
    assert [each.token for each in writing.tokens] == [each.token for each in expected]
    drawn = picture(app).all("token")
    assert len(drawn) == 48
    prose = picture(app).one("prose").text
    assert prose == lesson.tokenizer.decode(prompt) + lesson.tokenizer.decode(each.token for each in writing.tokens)
    assert proved(app)


def test_a_text_in_progress_can_be_stopped_and_is_kept(open_page: Open) -> None:
    app = open_page("generation", **UNEVEN)
    app.button(key="write").click().run()
    writing = app.session_state["_writing"]
    app.button(key="stop").click().run()
    count = len(writing.tokens)
    assert 0 < count < 48
    assert not writing.going
    app.run()
    assert len(app.session_state["_writing"].tokens) == count
    assert not [button for button in app.button if button.key == "stop"]


def test_a_changed_setting_writes_anew_unless_it_was_stopped(open_page: Open) -> None:
    app = open_page("generation", **UNEVEN)
    first = write(app)
    app.number_input(key="generation_draw").set_value(8).run()
    second = app.session_state["_writing"]
    assert second.tokens
    assert second.tokens != first.tokens[: len(second.tokens)]
    app.button(key="stop").click().run()
    app.number_input(key="generation_draw").set_value(9).run()
    assert app.session_state["_writing"] is None


@SETTINGS
def test_a_written_token_leads_to_the_pass_that_made_it(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("generation", **choices)
    writing, before = write(app), lesson_of(app)
    read = [*before.pictured[0].tolist(), *(each.token for each in writing.tokens)]
    app.session_state["_picked_token"] = 5
    app.run()
    app.button(key="walk_logits").click().run()
    assert not app.exception
    walked, window = lesson_of(app), read[: len(before.pictured[0]) + 5][-before.config.context_length :]
    assert walked.tokens[0].tolist() == window
    logits = walked.model(walked.tokens[:1])[0, -1].detach()
    assert float(logits.softmax(0)[writing.tokens[5].token]) == pytest.approx(writing.tokens[5].own, rel=1e-3)


@SETTINGS
def test_a_text_whose_tokens_were_walked_is_still_there_until_something_changes(
    open_page: Open, choices: dict[str, Any]
) -> None:
    app = open_page("generation", **choices)
    writing, prose = write(app), picture(app).one("prose").text
    for place in (5, 2, 40):
        app.session_state["_picked_token"] = place
        app.run()
        app.button(key="walk_logits").click().run()
        app.switch_page(str(catalog.entry("generation").script)).run()
        assert app.session_state["_writing"] is writing
        assert picture(app).one("prose").text == prose
        assert proved(app)
    app.number_input(key="generation_draw").set_value(8).run()
    anew = app.session_state["_writing"]
    assert anew is not writing and anew.asked.prompt == tuple(lesson_of(app).pictured[0].tolist())


def test_another_sentence_is_written_on_anew(open_page: Open) -> None:
    app = open_page("generation", **UNEVEN)
    writing = write(app)
    app.button(key="walk_logits").click().run()
    app.session_state["choices"]["text"] = "Another one"
    app.switch_page(str(catalog.entry("generation").script)).run()
    assert app.session_state["_writing"] is not writing


def test_walked_tokens_stay_cut_as_they_were_written_until_the_text_changes(open_page: Open) -> None:
    app = open_page("generation", **{**UNEVEN, "vocab": "cl100k_base", "row": 1, "text": "I"})
    ids = (40, 40, 1, 40)  # "I", "I", "\"", "I": read anew, "II" is one token
    lesson = lesson_of(app)
    app.session_state["_written"] = (lesson.vocabulary, lesson.corpus, lesson.tokenizer.tokens(ids))
    app.session_state["choices"]["text"] = lesson.tokenizer.decode(ids)
    app.run()
    assert lesson_of(app).sentence.ids == ids != lesson.tokenizer.encode('II"I').ids
    app.session_state["choices"]["text"] = 'II"II'
    app.run()
    assert lesson_of(app).sentence.ids == lesson.tokenizer.encode('II"II').ids


@pytest.mark.parametrize("view", ["write", "choose"])
@pytest.mark.parametrize("temperature", [0.0, 0.01, 100.0])
@pytest.mark.parametrize(("top_k", "top_p"), [(1, 1.0), (1_000_000, 0.0), (1_000_000, 1.0)])
def test_extremes_are_proved(open_page: Open, view: str, temperature: float, top_k: int, top_p: float) -> None:
    extreme = {"generation_temperature": temperature, "generation_top_k": top_k, "generation_top_p": top_p}
    app = open_page("generation", generation_view=view, **extreme, **UNEVEN)
    assert proved(app)
    if view == "choose":
        shown = array(chart(app, "chances")["data"][0]["y"])
        assert shown.isfinite().all()
        assert float(shown.sum()) <= 1 + 1e-6


@pytest.mark.parametrize("view", ["write", "choose", "cache"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": ""},
        {"text": "", **UNEVEN},
        {"text": "I"},
        {"text": "🐱🐱", **UNEVEN, "row": 1},
        {"text": "word after " * 99, **LARGEST},
        {"context": 64},
    ],
    ids=["empty", "empty, second row", "one token", "bytes", "largest", "full context"],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_size_is_drawn(open_page: Open, view: str, choices: dict[str, Any], language: str) -> None:
    assert proved(open_page("generation", generation_view=view, lang=language, **choices))


def test_the_cache_picture_counts_what_is_computed(open_page: Open) -> None:
    app = open_page("generation", generation_view="cache", **UNEVEN)
    plain, cached = (array(trace["z"]) for trace in chart(app, "kv_cache")["data"])
    assert plain.shape == (14, 14)  # 11 tokens fill the context, and it slides three times
    assert torch.equal(plain[:11, :11] == 2, torch.ones(11, 11).tril().bool())
    assert torch.equal(cached[:11, :11] == 2, torch.eye(11).bool())
    assert torch.equal(cached[11:], plain[11:])
    assert ((plain[11:] == 2).sum(1) == 11).all()
    titles = " ".join(note["text"] for note in chart(app, "kv_cache")["layout"]["annotations"])
    assert re.findall(r"(\d+) tokens computed", titles) == ["66", "11"]


@pytest.mark.parametrize("steps", [1, 12, 13, 16, 19, 32])
def test_steps_are_named_as_far_apart_as_the_lecture_hall_needs(steps: int) -> None:
    labels = [f"token {step}" for step in range(steps)]
    layout = kv_cache([("", torch.zeros(steps, steps))], labels, ("tokens", "step"), "light").layout
    assert layout.xaxis.ticktext[-1] == labels[-1] and layout.yaxis.ticktext[-1] == steps
    assert tuple(layout.xaxis.tickvals) == tuple(layout.yaxis.tickvals)
    assert min(steps, 7) <= len(layout.xaxis.tickvals) <= 12


def test_the_cache_saves_nothing_of_the_output_layer(open_page: Open) -> None:
    app = open_page("generation", generation_view="cache")
    lesson, length = lesson_of(app), 16
    output = 2 * length * lesson.config.d_model * lesson.config.vocab_size / 1e6
    assert any(f"{output:.1f} million are the output layer" in element.value for element in app.markdown)


def test_times_are_measured_when_asked(open_page: Open) -> None:
    app = open_page("generation", generation_view="cache", **UNEVEN)
    counted = chart(app, "times")["data"]
    assert counted[0]["y"][0] == counted[1]["y"][0] < counted[1]["y"][-1] < counted[0]["y"][-1]
    app.button(key="measure").click().run()
    assert not app.exception
    plain, cached = (trace["y"] for trace in chart(app, "times")["data"])
    assert min(*plain, *cached) > 0
    assert any("Same tokens either way" in element.value for element in app.markdown)


def test_an_empty_prompt_makes_every_token_equally_likely(open_page: Open) -> None:
    app = open_page(
        "generation",
        text="",
        generation_view="choose",
        **{**ASKED, "generation_top_k": 1_000_000, "generation_top_p": 1.0},
    )
    kept = array(chart(app, "chances")["data"][0]["y"])
    torch.testing.assert_close(kept, torch.full((24,), 1 / lesson_of(app).config.vocab_size))
    app = open_page("generation", text="")
    assert any("no token yet" in element.value for element in app.markdown)
    assert len(write(app).tokens) == 48
