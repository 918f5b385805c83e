"""Translators and classifiers are trained on the same page: set up, watched, listed, walked."""

from pathlib import Path
from typing import Any

import pytest
import torch

from pages.ui import catalog
from pages.ui.training import settings
from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, controls, notes, proof
from tests.pages.training.opened import LEARNER, Desk, app_error, created, opened, said, trained, watching, words
from transformer.classification.task import SentenceData
from transformer.classifier import ClassifierConfig
from transformer.config import ModelConfig, TrainingConfig
from transformer.runs.plans import Plan
from transformer.runs.presets import OTHER_FAMILIES
from transformer.runs.run import Run
from transformer.translation.task import PairData

WORDS = [("cat", "chat"), ("dog", "chien"), ("bird", "oiseau"), ("fish", "poisson"), ("horse", "cheval")]
PAIRS = "\n".join(f"{n} {en}\t{n} {fr}" for en, fr in WORDS for n in ("two", "three", "four"))
LABELLED = "\n".join(f"{label}\t{n} {word} {end}" for label, end in (("<b>", "!"), ("no", "?")) for word, n in WORDS)
OWN = {"encoder_decoder": PAIRS, "classifier": LABELLED}
STARTS = {"encoder_decoder": "english_to_french", "classifier": "sentiment_en"}
WALKED = {
    "encoder_decoder": ("encoder_decoder", "translation_model", "translation_learned"),
    "classifier": ("classification", "classification_model", "classification_of_run"),
}


def learned(tmp_path: Path, family: str) -> Run:
    """A tiny run of a family that is finished."""
    data: Any = PairData(target="own") if family == "encoder_decoder" else SentenceData(language="own")
    sizes: dict[str, Any] = {"context_length": 7, "d_model": 12, "num_heads": 3, "num_blocks": 1}
    sizes["vocab_size"] = data.task(7, OWN[family]).tokenizer.vocab_size
    model = ClassifierConfig(num_classes=2, **sizes) if family == "classifier" else ModelConfig(**sizes)
    training = TrainingConfig(batch_size=2, learning_rate=1e-2, max_steps=4, warmup_steps=1, eval_interval=2)
    plan = Plan(name="Louisa", data=data, model=model, training=training)
    run = created(tmp_path / "learners" / LEARNER, plan, OWN[family])
    assert run.status().name == "finished"
    return run


def begun(app: Any, desk: Desk) -> Run:
    """The run that the button starts."""
    app.button(key="begin_run").click().run()
    assert not app.exception
    return desk.started[-1][0]


@pytest.mark.parametrize(("learns", "language"), [*zip(OTHER_FAMILIES, ("en", "zh", "zh", "en"), strict=True)])
def test_every_family_starts_from_its_preset(open_page: Open, desk: Desk, learns: str, language: str) -> None:
    smaller = {"train_data.pairs": 200} if "english" in learns else {}
    app = opened(open_page, train_learns=learns, lang=language, **smaller)
    preset, task = OTHER_FAMILIES[learns], words(language).learns.table()[learns]
    run = begun(app, desk)
    plan, found = run.plan, run.task()
    assert plan.name == task
    assert plan.data == (PairData(target=preset.data.target, pairs=200) if smaller else preset.data)
    assert plan.training == preset.training
    assert plan.model == type(preset.model)(**vars(preset.model) | {"vocab_size": found.tokenizer.vocab_size})
    assert f"**{len(found.train):,}**" in said(opened(open_page, train_learns=learns, **smaller))


@pytest.mark.parametrize("learns", OTHER_FAMILIES)
def test_every_preset_of_another_family_has_a_place_on_every_scale(learns: str) -> None:
    values: dict[str, Any] = {}
    for name in settings.names_of(learns):
        values[name] = settings.value_in(OTHER_FAMILIES[learns], name)
        assert values[name] in settings.offered(name, values), name


def test_choosing_what_is_learned_sets_everything(open_page: Open) -> None:
    app = opened(open_page, train_group="model")
    app.selectbox(key="train_learns").set_value("sentiment_zh").run()
    assert not app.exception
    model = OTHER_FAMILIES["sentiment_zh"].model
    assert app.select_slider(key="train_model.d_model").value == model.d_model
    assert "train_model.tied_output" not in {toggle.key for toggle in app.toggle}
    assert "F.cross_entropy" in proof(app)


@pytest.mark.parametrize("family", OWN)
def test_a_file_of_one_s_own_is_learned_from(open_page: Open, desk: Desk, family: str) -> None:
    choices = {"train_data.source": "own_file", f"_own_text_{family}": OWN[family]}
    run = begun(opened(open_page, train_learns=STARTS[family], **choices), desk)
    assert run.own == OWN[family]
    assert (run.plan.data.family, settings.lesson_of(run.plan.data)[:4]) == (family, "own_")
    assert len(run.task().held_out) > 0


@pytest.mark.parametrize(
    ("family", "text", "code", "values"),
    [
        ("encoder_decoder", "a\tb\nonly one\n", "pair_columns", {"line": 2, "columns": 1}),
        ("encoder_decoder", "a\tb\nc\t\n", "pair_blank", {"line": 2}),
        ("encoder_decoder", "a word\tb\n", "few_pairs", {"pairs": 1, "needed": 2}),
        ("classifier", "x\ty\nonly one\n", "label_columns", {"line": 2, "columns": 1}),
        ("classifier", "x\ty\nz\t\n", "label_blank", {"line": 2}),
        ("classifier", "x\ty z\n", "few_labels", {"labels": 1, "needed": 2}),
        ("classifier", LABELLED + "\nso\tnew\n", "few_sentences", {"label": "so", "sentences": 1, "needed": 5}),
        ("classifier", "".join(f"{n}\tword {n}\n" for n in range(9)), "many_labels", {"labels": 9, "most": 8}),
    ],
)
def test_a_file_that_will_not_do_gets_one_sentence(
    open_page: Open, family: str, text: str, code: str, values: dict[str, Any]
) -> None:
    language = "zh" if "blank" in code else "en"
    choices = {"train_data.source": "own_file", f"_own_text_{family}": text, "lang": language}
    app = opened(open_page, train_learns=STARTS[family], **choices)
    assert app_error(app) == words(language).failures.table()[code].format(**values)
    assert "begin_run" not in {button.key for button in app.button}


def test_what_was_brought_for_one_family_is_not_read_by_another(open_page: Open) -> None:
    choices = {"train_data.source": "own_file", "_own_text": "a text for a GPT"}
    app = opened(open_page, train_learns="english_to_french", **choices)
    assert words().own.invites.encoder_decoder in said(app) and not app.error


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_translator_is_watched_by_what_it_translates(open_page: Open, tmp_path: Path, language: str) -> None:
    run = learned(tmp_path, "encoder_decoder")
    app = watching(open_page, run, lang=language)
    step, report = run.metrics().reports[-1]
    told = words(language).report.exact.format(
        step=step, share=f"{report['exact_match']:.1%}", sentences=report["sentences"]
    )
    assert told in said(app)
    assert report["examples"][0]["reference"] in said(app)
    assert_yardsticks(app, run)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_classifier_is_watched_by_its_confusion(open_page: Open, tmp_path: Path, language: str) -> None:
    run = learned(tmp_path, "classifier")
    app = watching(open_page, run, lang=language)
    _, report = run.metrics().reports[-1]
    drawn = chart(app, "judged")
    cells = next(trace["text"] for trace in drawn["data"] if trace.get("mode") == "text")
    assert cells == [f"<b>{count}</b>" for row in report["confusion"] for count in row]
    assert "&lt;b&gt;" in drawn["layout"]["xaxis2"]["ticktext"]
    assert f"**{report['accuracy']:.1%}**" in said(app)
    assert_yardsticks(app, run)


def assert_yardsticks(app: Any, run: Run) -> None:
    """All losses of simpler models are drawn, and the last validation is made anew from the weights."""
    scene = component(app, "learning")
    dashed = [line["name"] for line in scene["lines"] if line["dash"]]
    assert len(dashed) == len(run.yardsticks()) >= 2
    for name, loss in zip(dashed, run.yardsticks().values(), strict=True):
        assert f"{loss:.2f}" in name
    assert proof(app).startswith("✓") and "F.cross_entropy" in proof(app)


@pytest.mark.parametrize("family", OWN)
def test_a_run_is_walked_on_the_pages_of_its_family(open_page: Open, tmp_path: Path, family: str) -> None:
    run = learned(tmp_path, family)
    app = opened(open_page, train_view="runs", run=run.id)
    app.button(key="walk_run").click().run()
    page, model, chosen = WALKED[family]
    assert (app.session_state[model], app.session_state[chosen]) == ("run", run.id)
    app.switch_page(str(catalog.entry(page).script)).run()
    assert not app.exception
    assert (app.session_state[model], app.session_state[chosen]) == ("run", run.id)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("family", OWN)
def test_the_first_page_shows_the_run_that_was_chosen(
    open_page: Open, tmp_path: Path, family: str, language: str
) -> None:
    run = learned(tmp_path, family)
    _, model, chosen = WALKED[family]
    choices: dict[str, Any] = {"lang": language, "home_view": family, "_learner": LEARNER}
    app = open_page("home", **choices, **{model: "run", chosen: run.id})
    count = sum(parameter.numel() for parameter in run.load().model.parameters())
    assert any(element.value.startswith("✓") and f"{count:,}" in element.value for element in app.markdown)
    told = getattr(catalog.entry("home").words(language).weights, family).run.format(step=4)
    assert told in [element.value for element in app.markdown]
    app.button(key="switch").click().run()
    assert not app.exception and told not in [element.value for element in app.markdown]


@pytest.mark.parametrize("family", OWN)
@pytest.mark.parametrize("damage", [None, "half", "gone"])
def test_a_link_names_the_run_that_it_shows_or_says_that_there_is_none(
    open_page: Open, tmp_path: Path, family: str, damage: str | None
) -> None:
    run = learned(tmp_path, family)
    if damage:
        path = run.folder / "latest.safetensors"
        path.write_bytes(path.read_bytes()[: 300 if damage == "half" else 0])
    page, model, chosen = WALKED[family]
    for key in ({}, {chosen: run.id}):
        app = open_page(page, _learner=LEARNER, **{model: "run"}, **key)
        link = component(app, "desk")["address"]["query"]
        gone = catalog.entry("classification").words("en").gone
        assert (f"={run.id}" in link) == ("model=run" in link) == (not damage)
        assert (gone in notes(app)) == bool(damage)


@pytest.mark.parametrize("family", OWN)
def test_after_a_run_is_gone_another_can_be_chosen(open_page: Open, tmp_path: Path, family: str) -> None:
    run, (page, model, chosen) = learned(tmp_path, family), WALKED[family]
    app = open_page(page, _learner=LEARNER, **{model: "run", chosen: "gone"})
    app.session_state[model] = "run"
    app.run()
    assert not app.exception
    assert f"={run.id}" in component(app, "desk")["address"]["query"]


@pytest.mark.parametrize("family", OWN)
def test_a_sentence_that_nothing_reads_is_not_asked_for(open_page: Open, tmp_path: Path, family: str) -> None:
    run = learned(tmp_path, family)
    for app in (opened(open_page, train_learns=STARTS[family]), watching(open_page, run)):
        assert set(controls(app)) == {"lang", "hall"}
    assert {"text", "weights"} & set(controls(open_page("home", home_view=family))) == set()
    for app in (opened(open_page), watching(open_page, trained(tmp_path / "learners" / LEARNER))):
        assert "text" in controls(app)


def test_runs_of_all_families_are_listed_and_compared_within_one(open_page: Open, tmp_path: Path) -> None:
    runs = [trained(tmp_path / "learners" / LEARNER), *(learned(tmp_path, family) for family in OWN)]
    app = opened(open_page, train_view="runs", run=runs[1].id, train_compare="~".join(run.id for run in runs))
    for lesson in ("next_token", "own_pairs", "own_labels"):
        assert f"<td>{words().learns.table()[lesson]}</td>" in said(app)
    lines = [line for line in chart(app, "compared")["data"] if array(line["x"]).isfinite().any()]
    assert len(lines) == 2  # of one run; the legend's keys have no points
    assert words().listed.other_family.format(names="Anne, Louisa") in said(app)
    tested = [step.validation_loss for step in runs[1].metrics().steps if step.validation_loss is not None]
    assert torch.tensor(tested).isfinite().all()
