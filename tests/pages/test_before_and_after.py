"""Before and after: what is drawn are the numbers of the checkpoints, and a difference is after less before."""

import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from streamlit.testing.v1 import AppTest
from torch import Tensor

from pages.figures.growth_curve import place, spread
from pages.figures.heads_moved import pooled_change
from pages.figures.projection import ABOVE, LINE, frame, legible, principal_axes
from pages.ui import catalog, runs
from pages.ui.growing.grown import TABLE, Grown
from pages.ui.text import token
from tests.pages.conftest import Open
from tests.pages.markup import parse
from tests.pages.reading import array, chart, component, controls, drawn, notes, proof
from transformer.config import ModelConfig, TrainingConfig
from transformer.gpt import GPT
from transformer.runs import growth, kept
from transformer.runs.execution import execute
from transformer.runs.plans import Plan, TextData
from transformer.runs.run import Run
from transformer.training import Step

NAME = "before_and_after"
SENTENCE = "the cat sat on the mat"
EARLY, LATE = growth.moments()[3], growth.moments()[-2]
VIEWS = ("heads", "map", "neighbours", "next", "weights", "learned")


def asked(**choices: Any) -> dict[str, Any]:
    """The page's own choices under the names that a session knows them by."""
    return {f"{NAME}_{name.strip('_')}": value for name, value in choices.items()}


def models(app: AppTest, *steps: int) -> tuple[Tensor, list[GPT]]:
    """The sentence on the page as rows of the bundled run, and the run's models after some steps."""
    run = Run(growth.FOLDER)
    loaded = [run.load(step) for step in steps]
    ids = loaded[0].tokenizer.encode(app.session_state["choices"]["text"]).ids
    return torch.tensor([ids]), [checkpoint.model for checkpoint in loaded]


@torch.no_grad()
def weights(model: GPT, tokens: Tensor) -> Tensor:
    """What every head looks at. (N, H, T, T)"""
    return torch.cat([block.attention.weights for block in model.trace(tokens).blocks])


def panels(app: AppTest, key: str, shape: torch.Size) -> Tensor:
    """The panels of a picture of all heads. (N, H, T, T)"""
    blocks, heads, length = shape[:3]
    sheet = array(chart(app, key)["data"][0]["z"])
    pitch = len(sheet) // blocks
    cells = sheet.reshape(blocks, pitch, heads, pitch).transpose(1, 2)
    return cells[..., :length, :length]


def test_both_moments_draw_the_weights_of_their_own_checkpoint(open_page: Open) -> None:
    app = open_page(NAME, text=SENTENCE, **asked(step=LATE, beside=EARLY))
    tokens, two = models(app, EARLY, LATE)
    hidden = torch.ones(tokens.size(1), tokens.size(1), dtype=torch.bool).triu(1)
    for key, model in zip(("before", "after"), two, strict=True):
        wanted = weights(model, tokens)
        shown = panels(app, f"heads_{key}", wanted.shape)
        torch.testing.assert_close(shown.masked_fill(hidden, 0.0), wanted, atol=1e-6, rtol=0)
        assert shown[..., hidden].isnan().all()


def test_a_kept_picture_is_never_shown_to_who_asked_for_another(open_page: Open) -> None:
    asks: list[dict[str, Any]] = [{"head": 2}, {"head": 3}, {"lang": "zh", "head": 3}, {"lang": "en", "head": 2}]
    pictures = [chart(open_page(NAME, text=SENTENCE, **ask, **asked(view="heads")), "heads_after") for ask in asks]
    looks = [(found["layout"]["shapes"][0]["x0"], found["data"][-1]["hovertext"][0]) for found in pictures]
    assert len(set(looks)) == 3 and looks[0] == looks[3]


def test_the_difference_is_after_less_before(open_page: Open) -> None:
    app = open_page(NAME, text=SENTENCE, **asked(step=LATE, beside=EARLY, as_="difference"))
    tokens, (before, after) = models(app, EARLY, LATE)
    wanted = weights(after, tokens) - weights(before, tokens)
    shown = panels(app, "heads_moved", wanted.shape)
    torch.testing.assert_close(shown.nan_to_num(0.0), wanted, atol=1e-6, rtol=0)
    heat = chart(app, "heads_moved")["data"][0]
    assert (heat["zmin"], heat["zmid"], heat["zmax"]) == (-1, 0, 1)


def test_a_pooled_change_keeps_the_largest_change_and_its_sign() -> None:
    before, after = torch.zeros(1, 1, 4, 4), torch.zeros(1, 1, 4, 4)
    before[..., 3, 0], after[..., 2, 1], after[..., 1, 0] = 0.75, 0.5, 0.25
    squares = pooled_change(before, after, 2)[0, 0]
    assert squares[1, 0] == -0.75
    assert squares[0, 0] == 0.25
    assert squares[0, 1].isnan()


def test_the_map_stands_still_while_its_points_move(open_page: Open) -> None:
    charts = [
        chart(open_page(NAME, text=SENTENCE, **asked(view="map", step=step)), "moving_map") for step in (EARLY, LATE)
    ]
    ends = [[found["layout"][f"{way}axis"]["range"] for way in "xy"] for found in charts]
    assert ends[0] == ends[1]
    points = [torch.stack([array(found["data"][4][way]) for way in "xy"], 1) for found in charts]
    assert points[0].shape == points[1].shape and not torch.allclose(*points)
    run = Run(growth.FOLDER)
    rows = run.load(LATE).tokenizer.encode(SENTENCE).ids
    grown = Grown.of(run)
    mapped, own = grown.mapped(torch.tensor([rows]))
    axes = principal_axes(kept.rows_of(run, grown.steps[-1], TABLE, mapped))
    for shown, step in zip(points, (EARLY, LATE), strict=True):
        torch.testing.assert_close(shown, axes.place(kept.rows_of(run, step, TABLE, own)), atol=1e-5, rtol=0)


def test_no_label_on_a_map_covers_a_point_of_the_sentence() -> None:
    points = torch.rand(90, 2, generator=torch.Generator().manual_seed(5))
    low, high = frame(points)
    size = torch.tensor([560.0, 290.0])
    places = ((points - low) / (high - low) * size).tolist()
    shown = legible(points, ["truth"] * len(points), (560.0, 290.0), first=3, strong=24)
    assert shown[0].point == 3 and len(shown) > 9
    for label in shown[1:]:
        others = [place for number, place in enumerate(places[:24]) if number != label.point]
        assert not any(
            label.left < x < label.left + label.width and label.y + ABOVE < y < label.y + ABOVE + LINE
            for x, y in others
        )


@pytest.mark.parametrize("hall", [False, True])
def test_the_sentences_own_tokens_have_their_names_on_the_map_before_others(open_page: Open, hall: bool) -> None:
    written = chart(open_page(NAME, hall=hall, **asked(view="map")), "moving_map")["data"][-1]
    hues = written["textfont"]["color"]
    own = hues.count(hues[0])
    assert hues[:own] == [hues[0]] * own
    assert own > 5 * (len(hues) - own) and len(hues) - own <= 3


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lone_space_is_named_and_a_full_stop_is_not(open_page: Open, language: str) -> None:
    app = open_page(NAME, lang=language, **asked(view="next", back=0))
    space = catalog.entry(NAME).words(language).space
    told = " ".join(e.proto.body for e in app.get("html"))
    assert f'<span class="piece">· {space}</span>' in told
    assert '<span class="piece">·</span>' not in told and '<span class="piece">.</span>' in told


@pytest.mark.parametrize(
    "matrix, part",
    [(TABLE, "2,000"), ("blocks.0.feed_forward.hidden.weight", "first 64 of 192 rows"), ("positions", "")],
)
def test_what_part_of_a_matrix_is_drawn_is_told(open_page: Open, matrix: str, part: str) -> None:
    app = open_page(NAME, text=SENTENCE, **asked(view="weights", matrix=matrix))
    note, plain = (
        component(app, "grown_weights")["readout"]["words"]["note"],
        catalog.entry(NAME).words("en").weights.note,
    )
    about_part = note.split(" Step 0 is")[0]
    assert part in about_part and (about_part == plain) == (not part)


@pytest.mark.parametrize("beside", [0, LATE])
def test_numbers_too_small_for_the_common_scale_are_told(open_page: Open, beside: int) -> None:
    app = open_page(NAME, text=SENTENCE, **asked(view="weights", beside=beside))
    before, _, after = drawn(app, "grown_weights")
    size, end = float(before.square().mean().sqrt()), float(torch.stack([before, after]).abs().max())
    told = re.search(
        r"is not empty: its numbers are about ±(\S+)\.$", component(app, "grown_weights")["readout"]["words"]["note"]
    )
    assert bool(told) == (size < 0.05 * end) == (beside == 0)
    assert not told or float(told[1]) == pytest.approx(size, rel=0.5)


@pytest.mark.parametrize("query", [0, 1, 4, 7])
def test_the_token_asked_about_is_the_walks_until_another_is_chosen(open_page: Open, query: int) -> None:
    app = open_page(NAME, query=query, **asked(view="neighbours"))
    lesson = app.session_state["_lesson"]
    walked = lesson.labels_of(0)[query]
    box = app.selectbox(key=f"{NAME}_back")
    labels = [option.split(": ", 1)[1] for option in box.options]
    assert labels[-1 - box.value] == (walked if walked in labels else labels[-2])
    assert "back" not in app.session_state["_linked"]


def test_a_token_that_is_chosen_stays_and_one_that_is_not_follows_the_sentence(open_page: Open) -> None:
    app = open_page(NAME, text=SENTENCE, **asked(view="neighbours"))
    box = app.selectbox(key=f"{NAME}_back")
    assert box.value == 1  # the sentence is too short for the walk's place, and what follows the last is not known
    box.set_value(3).run()
    assert app.selectbox(key=f"{NAME}_back").value == 3 and app.session_state["_linked"]["back"] == 3


def test_the_axes_are_those_of_principal_component_analysis() -> None:
    rows = torch.randn(17, 12, generator=torch.Generator().manual_seed(0)) @ torch.diag(torch.arange(12.0))
    axes = principal_axes(rows)
    values, vectors = torch.linalg.eigh(torch.cov(rows.T.double()))
    torch.testing.assert_close(axes.directions.abs(), vectors.flip(1)[:, :2].T.abs().float(), atol=1e-5, rtol=0)
    torch.testing.assert_close(axes.explained, (values.flip(0)[:2] / values.sum()).float())
    places = axes.place(rows)
    assert (places.gather(0, places.abs().argmax(0, keepdim=True)) > 0).all()


def test_neighbours_are_nearest_in_their_own_table(open_page: Open) -> None:
    app = open_page(NAME, text=SENTENCE, **asked(view="neighbours", step=LATE, beside=EARLY, back=0))
    tokens, two = models(app, EARLY, LATE)
    for bars, model in zip(chart(app, "grown_neighbours")["data"], two, strict=True):
        table = model.token_embedding.weight.detach()
        cosines = F.cosine_similarity(table, table[tokens[0, -1], None])
        cosines[tokens[0, -1]] = -1
        torch.testing.assert_close(array(bars["x"]), cosines.topk(len(array(bars["x"]))).values, atol=1e-5, rtol=0)


@torch.no_grad()
def test_the_last_line_of_each_lens_is_what_that_checkpoint_says(open_page: Open) -> None:
    app = open_page(NAME, text=SENTENCE, **asked(view="next", step=LATE, beside=EARLY, back=2))
    tokens, two = models(app, EARLY, LATE)
    place = tokens.size(1) - 3
    tables = [parse(e.proto.body) for e in app.get("html") if "predictions lens" in e.proto.body]
    tokenizer = Run(growth.FOLDER).load(LATE).tokenizer
    for table, model in zip(tables, two, strict=True):
        best = model(tokens)[0, place].topk(3).indices.tolist()
        line = table.all("tbody")[0].all("tr")[-1]
        assert [piece.text for piece in line.all("piece")] == [token(tokenizer.piece(id), "space") for id in best]


@pytest.mark.parametrize(
    "matrix", [TABLE, "positions", "blocks.1.attention.key.weight", "blocks.0.feed_forward.hidden.weight"]
)
def test_what_was_and_what_was_learned_add_up_to_what_is(open_page: Open, matrix: str) -> None:
    app = open_page(NAME, text=SENTENCE, **asked(view="weights", step=LATE, beside=EARLY, matrix=matrix))
    tokens, two = models(app, EARLY, LATE)
    both = [dict(model.named_parameters())[matrix].detach() for model in two]
    rows = tokens[0] if matrix == TABLE else torch.arange(min(64, len(both[0])))
    before, learned, after = drawn(app, "grown_weights")
    assert torch.equal(before, both[0][rows, :64]) and torch.equal(after, both[1][rows, :64])
    assert torch.equal(learned, after - before)
    assert len({shown["limit"] for shown in component(app, "grown_weights")["matrices"]}) == 1


def test_the_curve_marks_both_moments_and_the_writing_is_the_runs_own(open_page: Open) -> None:
    app = open_page(NAME, **asked(view="learned", step=LATE, beside=EARLY))
    marks = [shape["x0"] for shape in chart(app, "growth_curve")["layout"]["shapes"]]
    assert marks == [place(EARLY), place(LATE)]
    reports = dict(Run(growth.FOLDER).metrics().reports)
    written = [parse(e.proto.body).text for e in app.get("html") if 'class="wrote' in e.proto.body]
    for text, step in zip(written, (EARLY, LATE), strict=True):
        assert text.endswith(reports[step]["prompt"] + reports[step]["sampled"])


def test_a_curve_is_thinned_to_steps_that_were_really_taken() -> None:
    steps = [Step(n, n, 1 / n, 0.1, 1.0) for n in range(1, 5001)]
    shown = spread(steps)
    assert shown[0] is steps[0] and shown[-1] is steps[-1] and len(shown) <= 600
    assert [step.step for step in shown] == sorted({step.step for step in shown})
    assert spread(steps[:9]) == steps[:9]


def test_the_scrubber_is_part_of_the_link(open_page: Open) -> None:
    app = open_page(NAME, **asked(step=EARLY, beside=LATE, view="map", back=1))
    assert app.session_state["_linked"] == {"step": EARLY, "beside": LATE, "view": "map", "back": 1}
    assert not open_page(NAME).session_state["_linked"]


def test_moving_the_scrubber_moves_the_picture(open_page: Open) -> None:
    app = open_page(NAME, text=SENTENCE)
    last = panels(app, "heads_after", torch.Size((4, 4, 6, 6)))
    app.select_slider(key=f"{NAME}_step").set_value(0).run()
    moved = panels(app, "heads_after", torch.Size((4, 4, 6, 6)))
    assert not torch.allclose(last.nan_to_num(0.0), moved.nan_to_num(0.0))
    assert torch.equal(moved.nan_to_num(0.0), panels(app, "heads_before", torch.Size((4, 4, 6, 6))).nan_to_num(0.0))


@pytest.mark.parametrize("language, title", [("en", "Step 0"), ("zh", "第 0 步")])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws_and_proves_itself(open_page: Open, view: str, language: str, title: str) -> None:
    app = open_page(NAME, lang=language, **asked(view=view))
    assert proof(app).startswith("✓")
    assert not [m.value for m in app.markdown if m.value.startswith("✗")]
    assert not app.error and not app.warning
    if view in ("heads", "next"):
        assert any(title in m.value for m in app.markdown)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("text", ["a", "the <b>cat</b> 🐱", "word after " * 100], ids=["one token", "markup", "long"])
def test_extreme_sentences_draw(open_page: Open, view: str, text: str) -> None:
    app = open_page(NAME, text=text, **asked(view=view))
    assert not app.error and not [m.value for m in app.markdown if m.value.startswith("✗")]
    assert not any("<b>cat" in e.proto.body for e in app.get("html"))


def test_an_empty_sentence_is_invited(open_page: Open) -> None:
    assert open_page(NAME, text="").info


@pytest.fixture
def make_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """make_run(steps) trains a tiny run that everybody sees, for so many of its steps."""
    monkeypatch.setattr(runs, "ROOT", tmp_path)

    def make(steps: int) -> Run:
        data = TextData(corpora=(), tokenizer="characters")
        own = "the cat sat on the mat. " * 20
        model = ModelConfig(vocab_size=17, context_length=5, d_model=12, num_heads=3, num_blocks=2, d_ff=20)
        model = ModelConfig(**{**vars(model), "vocab_size": data.make_tokenizer(own).vocab_size})
        plan = Plan(
            name="mine", data=data, model=model, training=TrainingConfig(batch_size=2, max_steps=7, warmup_steps=0)
        )
        run = Run.create(tmp_path, plan, own, "mine")
        execute(run, steps=steps, asked=lambda run: "")
        return run

    return make


@pytest.mark.parametrize("view", VIEWS)
def test_a_run_of_ones_own_is_looked_at(open_page: Open, make_run: Callable[..., Run], view: str) -> None:
    run = make_run(7)
    app = open_page(NAME, text="the mat", **asked(grown="mine", view=view))
    assert not app.error and not app.warning
    assert app.selectbox(key=f"{NAME}_beside").options == [f"beside step {step}" for step in run.checkpoints()]


@pytest.mark.parametrize("view", VIEWS)
def test_a_run_with_its_first_moment_alone_says_so(open_page: Open, make_run: Callable[..., Run], view: str) -> None:
    run = make_run(1)
    for step in run.checkpoints()[1:]:
        run.forget(step)
    app = open_page(NAME, text="the mat", **asked(grown="mine", view=view))
    assert not app.error and not app.select_slider
    assert any("Step 0" in m.value for m in app.markdown)


@pytest.mark.parametrize("file", ["step-0.safetensors", "tokenizer.json", "metrics.jsonl"])
def test_a_folder_broken_by_hand_is_one_sentence(open_page: Open, make_run: Callable[..., Run], file: str) -> None:
    run = make_run(7)
    (run.folder / file).write_bytes(b"\x80 broken\n")
    app = open_page(NAME, text="the mat", **asked(grown="mine", view="learned"))
    assert len(app.error) == 1
    assert "mine" in [id for id, _ in controls(app, "own")[f"{NAME}_grown"]["options"]]


@pytest.mark.parametrize(("text", "said"), [(SENTENCE, "all of them"), ("word after " * 100, "left out")])
def test_how_much_of_the_sentence_is_read_is_notes(open_page: Open, text: str, said: str) -> None:
    (counted,) = notes(open_page(NAME, text=text))
    assert said in counted


def test_a_run_that_is_no_plan_or_of_another_family_is_not_listed(
    open_page: Open, make_run: Callable[..., Run]
) -> None:
    run = make_run(7)
    shutil.copytree(run.folder, run.folder.with_name("other"))
    (run.folder / "config.json").write_text("{}")
    app = open_page(NAME)
    assert [name for _, name in controls(app, "own")[f"{NAME}_grown"]["options"]][1:] == ["mine"]


@pytest.mark.parametrize("language, word", [("en", "There is no run"), ("zh", "现在显示自带的")])
def test_an_unknown_run_in_the_link_is_said_in_one_sentence(language: str, word: str) -> None:
    app = AppTest.from_file(str(Path(catalog.__file__).with_name("frame.py")), default_timeout=60)
    app.query_params["grown"], app.query_params["lang"] = "gone`*", language
    app.switch_page(str(catalog.entry(NAME).script)).run()
    assert len(app.warning) == 1 and word in app.warning[0].value
    assert not app.error and app.get("plotly_chart")
    assert not app.run().warning


def test_the_bundled_run_ends_below_its_bigram_yardstick() -> None:
    run = Run(growth.FOLDER)
    last = run.metrics().steps[-1]
    assert last.step == run.plan.training.max_steps == run.checkpoints()[-1]
    assert last.validation_loss is not None and last.validation_loss < run.yardsticks()["bigram"] - 0.2
    assert run.checkpoints() == (0, *growth.moments())
    assert [step for step, _ in run.metrics().reports] == list(run.checkpoints())


def test_the_bundled_run_began_where_its_seed_says() -> None:
    run = Run(growth.FOLDER)
    first, plan = run.load(0).model, run.plan
    for name, weight in GPT(plan.model, plan.training.seed).named_parameters():
        assert torch.equal(dict(first.named_parameters())[name], weight.half().float()), name


def test_rows_of_a_kept_table_are_those_of_the_model_it_makes() -> None:
    run, rows = Run(growth.FOLDER), torch.tensor([5, 1999, 0, 5])
    history = kept.history(run, (0, LATE), TABLE, rows)
    for table, step in zip(history, (0, LATE), strict=True):
        assert torch.equal(table, run.load(step).model.token_embedding.weight.detach()[rows])


def test_rows_that_were_not_kept_are_told() -> None:
    run = Run(growth.FOLDER)
    with pytest.raises(FileNotFoundError, match="step-7"):
        kept.rows_of(run, 7, TABLE, torch.tensor([0]))
    for name, row in (("nothing", 0), (TABLE, 2000)):
        with pytest.raises(ValueError, match=name):
            kept.rows_of(run, 0, name, torch.tensor([row]))


def test_the_bundled_curve_has_its_first_steps_a_tenth_of_the_others_and_all_validations() -> None:
    run = Run(growth.FOLDER)
    steps = run.metrics().steps
    tenths = set(range(10, 5001, 10))
    assert [step.step for step in steps] == sorted({*range(1, 51), *tenths})
    assert [step.step for step in steps if step.validation_loss is not None] == list(range(50, 5001, 50))
    assert run.status().name == "finished" and run.latest_step() is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_printed_perplexity_is_e_to_the_printed_loss(open_page: Open, language: str) -> None:
    app = open_page(NAME, **{f"{NAME}_view": "learned"}, lang=language)
    told = next(m.value for m in app.markdown if "<sup>" in m.value)
    found = re.search(r"\*\*([\d,.]+)\*\*\s=\se<sup>([\d.]+)</sup>", told)
    assert found
    assert f"{math.exp(float(found[2])):.3g}" == f"{float(found[1].replace(',', '')):.3g}"


@pytest.mark.parametrize("back", [0, 4, 9])
def test_the_printed_numbers_give_the_printed_cosine(open_page: Open, back: int) -> None:
    app = open_page(NAME, **{f"{NAME}_view": "neighbours", f"{NAME}_back": back})
    told = next(m.value for m in app.markdown if "Nearest now" in m.value).replace("−", "-").replace("\u00a0", " ")
    found = re.search(r"= (\S+) / \((\S+) × (\S+)\) = \*\*(\S+)\*\*", told)
    assert found
    product, one, other, cosine = map(float, found.groups())
    assert f"{product / (one * other):.4g}" == f"{cosine:.4g}"
