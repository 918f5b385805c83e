"""Whatever becomes of a run's files, every page still draws: with what can be read, or with a sentence."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pages.ui import catalog
from tests.pages.conftest import Open
from tests.pages.reading import proof
from tests.pages.training.opened import app_error, opened, said, words
from transformer.runs.run import Run

FILES = ("latest.safetensors", "tokenizer.json", "yardsticks.json", "state.json", "metrics.jsonl", "config.json")
DAMAGES: dict[str, Callable[[Path], object]] = {
    "half of it is gone": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "it is missing": lambda path: path.unlink(),
    "it holds nothing": lambda path: path.write_text('{"a": null}\n'),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("file", FILES)
def test_no_page_breaks(open_page: Open, train: Callable[..., Run], file: str, damage: str) -> None:
    run = train()
    DAMAGES[damage](run.folder / file)
    for view in ("watch", "runs"):
        app = opened(open_page, train_view=view, run=run.id)
        assert not app.exception
        assert app.markdown
    app.session_state["choices"]["weights"] = "run"
    app.switch_page(str(catalog.entry("softmax").script)).run()
    assert not app.exception
    assert proof(app).startswith("✓")


@pytest.mark.parametrize("line", ['{"step": 2, "report": {"sampled": "a"}}', '{"step": 2, "loss": null}'])
def test_a_line_that_no_run_would_write_is_told_or_left_out(
    open_page: Open, train: Callable[..., Run], line: str
) -> None:
    run = train()
    with (run.folder / "metrics.jsonl").open("a") as curve:
        curve.write(line + "\n")
    for view in ("watch", "runs"):
        assert not opened(open_page, train_view=view, run=run.id).exception


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("number", ["NaN", "Infinity"])
@pytest.mark.parametrize("name", ["loss", "validation_loss", "learning_rate", "gradient_norm"])
def test_what_is_no_number_is_told_in_one_sentence_and_never_shown(
    open_page: Open, train: Callable[..., Run], name: str, number: str, language: str
) -> None:
    run = train()
    lines = (run.folder / "metrics.jsonl").read_text().splitlines()
    place = next(place for place, line in enumerate(lines) if '"validation_loss": ' in line and "null" not in line)
    lines[place] = re.sub(rf'("{name}": )[^,}}]+', rf"\g<1>{number}", lines[place])
    (run.folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    app = opened(open_page, train_view="watch", run=run.id, lang=language)
    assert "metrics.jsonl" in app_error(app)
    app = opened(open_page, train_view="runs", run=run.id, lang=language)
    assert words(language).states.damaged in said(app)
    assert not re.search(r"\b(nan|inf)\b", said(app), re.IGNORECASE)


def test_a_failure_without_its_values_is_still_told(open_page: Open, train: Callable[..., Run]) -> None:
    run = train()
    (run.folder / "state.json").write_text('{"name": "failed", "code": "vocabulary", "values": {}}')
    assert not opened(open_page, train_view="watch", run=run.id).exception
