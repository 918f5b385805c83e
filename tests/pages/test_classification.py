"""The classification page: the numbers drawn are the trace's, and both mistakes are really made."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch

from pages.ui import catalog, runs
from pages.ui.page_desk import MOST_CHARACTERS
from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, controls, drawn, notes, proof
from transformer.classification.attribution import gradient_times_input, leave_one_out
from transformer.classification.circulating import answers_by_padding, answers_by_place
from transformer.classification.demonstration import demonstration, report, untrained
from transformer.classification.labelled import Language
from transformer.classification.task import SentenceData, batch
from transformer.classifier import ClassifierConfig
from transformer.config import TrainingConfig
from transformer.runs.execution import execute
from transformer.runs.plans import Plan
from transformer.runs.run import METRICS, Run

SENTENCES = {"en": "The soup wasn't bad, but nobody smiled.", "zh": "汤不难喝，可惜没有人笑。"}
CHOICES: list[tuple[Language, str]] = [("en", "trained"), ("zh", "trained"), ("en", "untrained")]


def asked(language: Language, weights: str, view: str, **more: Any) -> dict[str, Any]:
    """The page's choices: one sentence, some weights, one view."""
    own = {"learned_en": language, f"text_{language}": SENTENCES[language], "model": weights, "view": view}
    return {f"classification_{name}": value for name, value in own.items()} | more


def read(language: Language, weights: str) -> tuple[Any, torch.Tensor, Any]:
    """The model, the sentence's ids and its forward pass with two tokens of padding."""
    model = demonstration(language).model if weights == "trained" else untrained(language)
    ids = torch.tensor(demonstration(language).task.tokenizer.encode(SENTENCES[language]).ids)
    padded = torch.cat([ids, torch.zeros(2, dtype=torch.long)])[None]
    with torch.no_grad():
        return model, ids, model.trace(padded, torch.tensor([len(ids)]))


def holds(app: Any) -> bool:
    return proof(app).startswith("✓")


@pytest.mark.parametrize(("language", "weights"), CHOICES)
def test_the_way_is_the_trace_padding_and_all(open_page: Open, language: Language, weights: str) -> None:
    app = open_page("classification", **asked(language, weights, "way"))
    _, _, trace = read(language, weights)
    first, one, two, mean, scores = drawn(app, "classification_way")
    assert torch.equal(first, trace.embedding.embeddings[0])
    assert torch.equal(one, trace.blocks[0].output[0])
    assert torch.equal(two, trace.final_norm[0])
    assert torch.equal(mean, trace.mean)
    assert torch.equal(scores, trace.log_probabilities.T)
    assert holds(app)


@pytest.mark.parametrize(("language", "weights"), CHOICES)
def test_the_mean_gives_every_real_token_the_same_share_and_padding_none(
    open_page: Open, language: Language, weights: str
) -> None:
    app = open_page("classification", **asked(language, weights, "mean"))
    _, ids, trace = read(language, weights)
    shares, rows, mean = drawn(app, "classification_mean")
    assert shares[0, : len(ids)].tolist() == pytest.approx([1 / len(ids)] * len(ids))
    assert shares[0, len(ids) :].isnan().all() and shares.size(1) == len(ids) + 2
    assert torch.equal(rows, trace.final_norm[0])
    assert torch.equal(mean, trace.mean)
    torch.testing.assert_close(mean[0], rows[: len(ids)].mean(0))


def test_the_decision_is_a_product_whose_log_softmax_is_worked_out(open_page: Open) -> None:
    app = open_page("classification", **asked("en", "trained", "decision"))
    model, _, trace = read("en", "trained")
    mean, weights, logits = drawn(app, "classification_decision")
    torch.testing.assert_close(mean @ weights + model.output.bias.detach(), logits)
    assert torch.equal(logits, trace.logits)
    assert component(app, "classification_decision")["matrices"][1]["columns"] == ["negative", "positive"]
    told = next(element.value for element in app.markdown if "log softmax" in element.value.lower())
    for logit, total, log in re.findall(r"(−?[\d.]+) − \(?(−?[\d.]+)\)? = (−?[\d.]+)", told):
        left, taken, rest = (float(part.replace("−", "-")) for part in (logit, total, log))
        assert left - taken == pytest.approx(rest, abs=1e-9)
    for p in trace.log_probabilities[0].exp().tolist():
        assert f"**{p:.4g}**" in told


@pytest.mark.parametrize(("language", "weights"), CHOICES)
def test_both_measures_of_what_moved_the_decision_are_drawn(open_page: Open, language: Language, weights: str) -> None:
    app = open_page("classification", **asked(language, weights, "words"))
    model, ids, trace = read(language, weights)
    label = int(trace.log_probabilities.argmax())
    left, right = chart(app, "classification_words")["data"]
    torch.testing.assert_close(array(left["x"]), leave_one_out(model, ids, label))
    torch.testing.assert_close(array(right["x"]), gradient_times_input(model, ids, label))


@pytest.mark.parametrize(("language", "weights"), CHOICES)
def test_held_out_sentences_are_counted_as_the_report_counts_them(
    open_page: Open, language: Language, weights: str
) -> None:
    app = open_page("classification", **asked(language, weights, "held_out"))
    found = report(language, weights == "trained")
    bars, heat, numbers = chart(app, "classification_held_out")["data"]
    names = ("constant", "naive_bayes", "logistic_regression", "accuracy")
    assert array(bars["x"]).tolist() == pytest.approx([found[name] for name in names])
    assert [int(text[3:-4]) for text in numbers["text"]] == [count for row in found["confusion"] for count in row]
    for row, counts in zip(heat["z"], found["confusion"], strict=True):
        assert list(row) == pytest.approx([count / sum(counts) for count in counts])


def test_the_circulating_code_is_run_and_gives_one_sentence_many_answers(open_page: Open) -> None:
    app = open_page("classification", **asked("en", "trained", "wrong"))
    model, ids, trace = read("en", "trained")
    neighbours = batch(demonstration("en").task.held_out[:7]).tokens
    by_place, by_padding = answers_by_place(model, ids, neighbours), answers_by_padding(model, ids, 32 - len(ids))
    label, p = int(trace.log_probabilities.argmax()), float(trace.log_probabilities.exp().max())
    curves = chart(app, "classification_wrong")["data"]
    for answers, pair in ((by_place, curves[:2]), (by_padding, curves[2:])):
        right, wrong = (torch.tensor(curve["y"]) for curve in pair)
        torch.testing.assert_close(torch.stack([right, wrong]), answers.exp()[..., label])
        torch.testing.assert_close(right, torch.full_like(right, p), atol=1e-5, rtol=0)
        assert float(wrong.max() - wrong.min()) > 1e-3


@pytest.mark.parametrize(
    ("view", "line"), [("mean", "def trace("), ("words", "def leave_one_out("), ("wrong", "class NumbersTheBatch(")]
)
def test_the_code_shown_is_what_made_the_picture(open_page: Open, view: str, line: str) -> None:
    app = open_page("classification", **asked("en", "trained", view, details_classification="code"))
    (code,) = app.code
    assert line in code.value


def test_the_language_of_the_data_follows_the_page_until_another_is_chosen(open_page: Open) -> None:
    assert demonstration("zh").task.tokenizer.encode("菜").ids[0] != 0
    chinese = open_page("classification", lang="zh")
    assert controls(chinese, "own")["classification_text_zh"]["value"].startswith("这部")
    english = open_page("classification", lang="zh", classification_learned_zh="en")
    assert controls(english, "own")["classification_text_en"]["value"].startswith("The food")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["classification", "home"])
def test_words_it_has_never_met_are_named_wherever_the_sentence_is_read(
    open_page: Open, name: str, language: str
) -> None:
    family = {"home_view": "classifier"} if name == "home" else {}
    choices = {"classification_learned_zh": "en", "lang": language} | family
    app = open_page(name, **choices, classification_text_en="A splendiferous qwertz, not bad")
    unknown = catalog.entry("classification").words(language).unknown.format(words="“splendiferous” “qwertz”")
    assert notes(app).count(unknown) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "!",
        "good " * 300,
        "🐱 <b>x</b> `y` $z$ *a*",
        "bad bad bad bad",
        "不好看，not good",
        "half a \ud83d character",
        "a" * 5000,
    ],
    ids=["one token", "too long", "odd characters", "repeated", "two languages", "surrogate", "huge"],
)
def test_extremes_are_drawn_in_every_view(open_page: Open, sentence: str) -> None:
    app = open_page("classification", **(asked("en", "trained", "way") | {"classification_text_en": sentence}))
    assert len(notes(app, "alert")) == (len(sentence) > MOST_CHARACTERS)
    for view in ("way", "mean", "decision", "words", "held_out", "wrong"):
        app.session_state["classification_view"] = view
        app.run()
        assert not app.exception
        assert holds(app), view


@pytest.mark.parametrize("sentence", ["", "   \n"])
def test_without_a_sentence_the_page_invites_one(open_page: Open, sentence: str) -> None:
    app = open_page("classification", **(asked("en", "trained", "way") | {"classification_text_en": sentence}))
    assert len(app.info) == 1


OWN = "\n".join(
    f"{label}\t{thing} is {how}"
    for label, how in (("*dull*", "dull and grey"), ("fine", "fine enough"), ("<b>wow</b>", "a wonder"))
    for thing in ("tea", "the sea", "my hat", "her song", "this day", "our cat", "bread")
)


def trained_run(data: SentenceData, num_classes: int, own: str = "") -> Run:
    """A finished run of a classifier, where every learner sees it."""
    rows = data.task(6, own).tokenizer.vocab_size
    sizes = {"vocab_size": rows, "context_length": 6, "d_model": 12, "num_heads": 3, "num_blocks": 1, "d_ff": 20}
    plan = Plan(
        name="Anne",
        data=data,
        model=ClassifierConfig(**sizes, num_classes=num_classes),
        training=TrainingConfig(batch_size=4, learning_rate=1e-2, max_steps=7, warmup_steps=2, eval_interval=7),
    )
    run = Run.create(runs.ROOT, plan, own)
    assert execute(run).name == "finished"
    return run


@pytest.fixture
def a_place_for_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "ROOT", tmp_path)


@pytest.mark.usefixtures("a_place_for_runs")
def test_the_weights_of_a_run_decide_and_its_own_report_is_shown(open_page: Open) -> None:
    run = trained_run(SentenceData(language="zh"), 2)
    chosen = {"classification_model": "run", "classification_of_run": run.id}
    app = open_page("classification", **chosen, classification_text_zh="菜不难吃。", classification_view="decision")
    model, ids = run.load().model, run.tokenizer.encode("菜不难吃。").ids[:6]
    with torch.no_grad():
        decided = model.trace(torch.tensor([ids]))
    torch.testing.assert_close(drawn(app, "classification_decision")[-1], decided.logits)
    assert holds(app)
    assert app.session_state["_linked"]["of_run"] == run.id
    app.session_state["classification_view"] = "held_out"
    app.run()
    (step, noted) = run.metrics().reports[-1]
    _, _, numbers = chart(app, "classification_held_out")["data"]
    assert step == run.latest_step() == 7
    assert [int(text[3:-4]) for text in numbers["text"]] == [count for row in noted["confusion"] for count in row]


@pytest.mark.usefixtures("a_place_for_runs")
def test_classes_of_an_own_file_are_shown_as_they_are_called(open_page: Open) -> None:
    run = trained_run(SentenceData(language="own"), 3, OWN)
    app = open_page("classification", classification_model="run", classification_of_run=run.id)
    assert controls(app, "own")["classification_text_own"]["value"] in OWN
    assert app.main.markdown[0].value.count("<b>") == 0
    for view in ("way", "mean", "decision", "words", "held_out", "wrong"):
        app.session_state["classification_view"] = view
        app.run()
        assert not app.exception
        assert holds(app), view


@pytest.mark.usefixtures("a_place_for_runs")
def test_a_run_that_has_not_yet_reported_is_judged_on_the_spot(open_page: Open) -> None:
    run = trained_run(SentenceData(language="zh"), 2)
    (run.folder / METRICS).unlink()
    chosen = {"classification_model": "run", "classification_of_run": run.id, "classification_view": "held_out"}
    _, _, numbers = chart(open_page("classification", **chosen), "classification_held_out")["data"]
    found = run.task().report(run.load().model)["confusion"]
    assert [int(text[3:-4]) for text in numbers["text"]] == [count for row in found for count in row]


@pytest.mark.usefixtures("a_place_for_runs")
@pytest.mark.parametrize("broken", [False, True])
def test_a_run_that_is_gone_gives_way_to_the_bundled_weights_in_a_sentence(open_page: Open, broken: bool) -> None:
    id = "gone"
    if broken:
        run = trained_run(SentenceData(language="zh"), 2)
        id = run.id
        (run.folder / "latest.safetensors").write_bytes((run.folder / "latest.safetensors").read_bytes()[:300])
    chosen = {"classification_model": "run", "classification_of_run": id}
    app = open_page("classification", **asked("en", "trained", "decision") | chosen)
    assert torch.equal(drawn(app, "classification_decision")[-1], read("en", "trained")[2].logits)
    words = catalog.entry("classification").words("en").gone
    assert words in notes(app)
    app.run()
    assert words not in notes(app)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("weights", ["trained", "untrained"])
def test_the_caption_counts_the_tokens_whose_two_bars_point_in_opposite_directions(
    open_page: Open, language: Language, weights: str
) -> None:
    for sentence in (
        SENTENCES[language],
        *catalog.entry("classification").words("en").presets.table()[language].values(),
    ):
        own = asked(language, weights, "words") | {f"classification_text_{language}": sentence}
        app = open_page("classification", **own)
        bars = chart(app, "classification_words")["data"]
        left, right = ([float(text.replace("−", "-")) for text in bar["text"]] for bar in bars)
        count = sum(one * other < 0 for one, other in zip(left, right, strict=True))
        counted = [f"for {count} of {len(left)} tokens" in element.value for element in app.markdown]
        assert any(counted) == bool(count), sentence


def test_the_last_layer_norm_is_named(open_page: Open) -> None:
    app = open_page("classification", **asked("en", "trained", "way"))
    names = [matrix["name"] for matrix in component(app, "classification_way")["matrices"]]
    signs = [item for line in component(app, "classification_way")["lines"] for item in line if isinstance(item, str)]
    assert names[:3] == ["X₀", "X₁", "LN(X₂)"] and signs[:2] == ["block 1 →", "block 2, LN →"]
    assert "LayerNorm" in app.markdown[0].value


@pytest.mark.parametrize("view", ["way", "mean", "decision", "words", "held_out", "wrong"])
def test_each_view_proves_what_it_shows(open_page: Open, view: str) -> None:
    said = proof(open_page("classification", classification_view=view))
    assert said.startswith("✓")
    assert ("scaled_dot_product" in said) == (view == "way")
