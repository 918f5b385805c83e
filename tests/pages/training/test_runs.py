"""Runs beside each other: compared, renamed, continued, deleted, walked; and those that are not this learner's."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from pages.figures.run_table import Line, run_table
from pages.ui import catalog
from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, proof
from tests.pages.training.opened import SENTENCE, Desk, app_error, opened, said, trained, watching, words
from transformer.gpt import GPT
from transformer.runs import growth
from transformer.runs.run import Run


def test_runs_are_compared_by_curves_and_by_what_sets_them_apart(open_page: Open, train: Callable[..., Run]) -> None:
    one, two = train(), train(name="Walter <b>", learning_rate=5e-3)
    app = opened(open_page, train_view="runs", run=one.id, train_compare=two.id)
    curves = chart(app, "compared")["data"]
    for run, curve in ((one, curves[1]), (two, curves[3])):
        tested = [step.validation_loss for step in run.metrics().steps if step.validation_loss is not None]
        assert torch.equal(array(curve["y"]), torch.tensor(tested))
    table = next(html.proto.body for html in app.get("html") if "differences" in html.proto.body)
    assert table.count("<tbody><tr>") == 1 and table.count("<tr>") == 2
    assert "0.01" in table and "0.005" in table
    assert "Walter &lt;b&gt;" in table and "Walter <b>" not in said(app)


@pytest.mark.parametrize("count", [1, 2])
def test_every_line_of_the_legend_is_in_the_chart_and_every_thick_line_in_the_legend(
    open_page: Open, train: Callable[..., Run], count: int
) -> None:
    runs = [train(name=f"run {number}") for number in range(count)]
    app = opened(open_page, train_view="runs", run=runs[0].id, train_compare="~".join(run.id for run in runs[1:]))
    lines = chart(app, "compared")["data"]
    named = [line for line in lines if line.get("showlegend", True)]
    assert all(len(array(line["y"])) and not array(line["y"]).isnan().any() for line in named)
    told = {line["name"] for line in named}
    names = words().names
    assert told == ({names.train, names.validation} if count == 1 else {run.plan.name for run in runs})


def test_a_run_is_renamed_continued_and_deleted(open_page: Open, desk: Desk, train: Callable[..., Run]) -> None:
    run = train()
    app = opened(open_page, train_view="runs", run=run.id)
    app.text_input(key=f"name_of_{run.id}").set_value("Louisa").run()
    app.button(key=f"rename_{run.id}").click().run()
    assert run.plan.name == "Louisa"
    app.number_input(key=f"more_{run.id}").set_value(5).run()
    app.button(key=f"continue_{run.id}").click().run()
    longer = desk.started[-1][0]
    assert longer.plan.training.max_steps == 17 and longer.plan.parent == run.id
    assert app.session_state["choices"]["run"] == longer.id
    app = opened(open_page, train_view="runs", run=run.id)
    app.button(key=f"delete_{run.id}").click().run()
    assert not run.folder.exists() and not app.exception


def test_trained_weights_are_walked_without_dropout(open_page: Open, train: Callable[..., Run]) -> None:
    run = train(dropout=0.5)
    app = watching(open_page, run)
    app.button(key="walk_run").click().run()
    assert (app.session_state["choices"]["weights"], app.session_state["choices"]["run"]) == ("run", run.id)
    app.switch_page(str(catalog.entry("softmax").script)).run()
    weights = app.session_state["_lesson"].attention.weights
    model, tokenizer, _ = run.load()
    assert isinstance(model, GPT)
    with torch.no_grad():
        again = model.trace_block(torch.tensor([tokenizer.encode(SENTENCE).ids[:7]]), 0).attention.weights
    assert torch.allclose(weights[0], again[0], atol=1e-6)
    assert torch.allclose(weights.sum(-1), torch.ones(weights.shape[:-1]))


def test_runs_of_the_command_line_are_seen_and_left_alone(open_page: Open, tmp_path: Path) -> None:
    run = trained(tmp_path, steps=5)
    app = watching(open_page, run)
    assert words().buttons.only_watched in said(app)
    assert not {"run_resume", "run_step", "run_stop"} & {button.key for button in app.button}
    app = opened(open_page, train_view="runs", run=run.id)
    assert words().listed.outside in said(app)
    keys = {button.key for button in app.button}
    assert f"delete_{run.id}" not in keys and f"rename_{run.id}" not in keys and "walk_run" in keys


def test_another_learner_s_run_is_not_seen(open_page: Open, tmp_path: Path) -> None:
    run = trained(tmp_path / "learners" / "ba9876543210")
    assert words().gone in said(watching(open_page, run))


def test_a_folder_spoilt_by_hand_is_told_and_breaks_nothing(open_page: Open, train: Callable[..., Run]) -> None:
    run, other = train(), train(name="Walter")
    (run.folder / "metrics.jsonl").write_text("{nonsense}\n")
    assert "nonsense" in app_error(watching(open_page, run))
    (run.folder / "config.json").write_text("[]")
    app = opened(open_page, train_view="runs", run=other.id)
    assert words().states.damaged in said(app)
    assert "Walter" in said(app)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_before_the_first_run_the_bundled_one_shows_what_will_be_seen(open_page: Open, language: str) -> None:
    every = Run(growth.FOLDER).metrics().steps
    tested = torch.tensor([step.validation_loss for step in every if step.validation_loss is not None])
    watched = opened(open_page, train_view="watch", lang=language)
    assert words(language).nothing in said(watched)
    lines = component(watched, "learning")["lines"]
    assert torch.equal(torch.frombuffer(bytearray(base64.b64decode(lines[1]["y"])), dtype=torch.float32), tested)
    assert proof(watched).startswith("✓")
    listed = opened(open_page, train_view="runs", lang=language)
    assert words(language).listed.nothing in said(listed)
    assert torch.equal(array(chart(listed, "compared")["data"][1]["y"]), tested)
    assert proof(listed).startswith("✓")


def test_the_example_is_nobody_s_run(open_page: Open) -> None:
    for view in ("watch", "runs"):
        app = opened(open_page, train_view=view)
        keys = {button.key for button in app.button}
        assert not {key for key in keys if str(key).startswith(("run_", "walk_run", "delete_", "rename_", "export_"))}
        assert not app.session_state["choices"].get("run")


def test_a_run_that_is_not_here_is_told(open_page: Open) -> None:
    for id in ("nobody", "../../etc"):
        assert words().gone in said(opened(open_page, train_view="watch", run=id))


def test_the_list_s_table_escapes_and_carries_its_places() -> None:
    table = run_table(["Run"], [Line(["<i>"], "key", True, False), Line(["b"], None, False, True)], "Compare")
    assert "&lt;i&gt;" in table
    assert table.count('data-place="1" data-box="0"') == 2
    assert table.count('data-place="1" data-box="1"') == 1
    assert table.count('aria-checked="true"') == 1
