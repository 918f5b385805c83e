"""Setting up: the controls make the plan, the numbers about a text are true, and a fault is one sentence."""

import math
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.training import settings, texts
from tests.pages.conftest import Open
from tests.pages.training.opened import OWN, Desk, opened, said, words
from tests.transformer.runs.test_failures import codes
from transformer.config import ModelConfig
from transformer.runs.plans import Plan, TextData
from transformer.runs.presets import PRESETS
from transformer.user_text import DataError


def plan_begun(app: AppTest, desk: Desk) -> Plan:
    """The plan of the run that the button starts."""
    app.button(key="begin_run").click().run()
    assert not app.exception
    run, steps = desk.started[-1]
    assert steps is None
    assert app.session_state["choices"]["run"] == run.id
    assert app.session_state["train_view"] == "watch"
    return run.plan


@pytest.mark.parametrize("name", ["article", "one_minute", "characters"])
def test_a_preset_is_what_the_library_says_it_is(open_page: Open, desk: Desk, name: str) -> None:
    app = opened(open_page, train_preset=name)
    assert "12.5 ms" in said(app) and "1 h 2 min" in said(app) and "118 MB" in said(app)
    plan, preset = plan_begun(app, desk), PRESETS[name]
    assert plan.data == preset.data
    assert plan.training == preset.training
    rows = plan.data.make_tokenizer().vocab_size
    assert plan.model == ModelConfig(**{**vars(preset.model), "vocab_size": rows})


def test_every_preset_has_a_place_on_every_scale() -> None:
    for preset in PRESETS.values():
        values: dict[str, Any] = {}
        for name in settings.OPTIONS:
            values[name] = settings.value_in(preset, name)
            assert values[name] in settings.offered(name, values), name


def test_every_setting_reaches_the_plan(open_page: Open, desk: Desk) -> None:
    asked = {
        "data.tokenizer": "characters",
        "model.d_model": 24,
        "model.num_heads": 3,
        "model.num_blocks": 2,
        "model.context_length": 8,
        "model.d_ff": 2,
        "model.dropout": 0.15,
        "model.positions": "learned",
        "model.activation": "gelu",
        "model.norm_first": False,
        "model.tied_output": True,
        "model.bias": False,
        "training.max_steps": 77,
        "training.batch_size": 4,
        "training.learning_rate": 0.02,
        "training.warmup_steps": 9,
        "training.schedule": "inverse_sqrt",
        "training.final_learning_rate": 0.2,
        "training.weight_decay": 0.3,
        "training.gradient_clip": 0.5,
        "training.embedding_rate": 3.0,
        "training.beta2": 0.98,
        "training.label_smoothing": 0.05,
        "training.eval_interval": 11,
        "training.eval_batches": 5,
        "training.seed": 13,
    }
    app = opened(
        open_page, _own_text=OWN, **{"train_data.corpora": "own"}, **{f"train_{k}": v for k, v in asked.items()}
    )
    plan = plan_begun(app, desk)
    assert plan.data == TextData(corpora=(), tokenizer="characters")
    assert desk.started[-1][0].own == OWN
    for name, value in asked.items():
        if name.startswith("training."):
            assert getattr(plan.training, name[9:]) == value
        elif name.startswith("model.") and name != "model.d_ff":
            assert getattr(plan.model, name[6:]) == value
    assert plan.model.d_ff == 48


def test_choosing_a_preset_sets_everything(open_page: Open) -> None:
    app = opened(open_page, **{"train_model.d_model": 24, "train_group": "model"})
    assert app.select_slider(key="train_model.d_model").value == 24
    app.segmented_control(key="train_preset").set_value("characters").run()
    assert app.select_slider(key="train_model.d_model").value == PRESETS["characters"].model.d_model
    assert not app.exception


@pytest.mark.parametrize("group", settings.GROUPS)
def test_each_group_draws_its_controls(open_page: Open, group: str) -> None:
    for language in ("en", "zh"):
        app = opened(open_page, train_group=group, lang=language)
        kinds = (app.select_slider, app.selectbox, app.number_input, app.toggle)
        drawn = {widget.key for kind in kinds for widget in kind}
        for name in settings.GROUPS[group]:
            if name not in ("training.device", "training.precision"):
                assert f"train_{name}" in drawn


def test_a_text_is_told_in_true_numbers(open_page: Open) -> None:
    app = opened(open_page, _own_text=OWN, **{"train_data.corpora": "own", "train_data.tokenizer": "characters"})
    held_out = round(len(OWN) * 0.1)
    told = words().facts.format(
        characters=f"{len(OWN):,}",
        tokens=f"{len(OWN):,}",
        distinct=len(set(OWN)),
        train=len(OWN) - held_out,
        held_out=held_out,
    )
    assert told in said(app)
    rows = TextData(corpora=(), tokenizer="characters").make_tokenizer(OWN).vocab_size
    assert f"**{math.log(rows):.4g}**" in said(app)
    assert OWN[:40] in said(app)


def test_the_whole_vocabulary_is_offered_with_what_it_costs(open_page: Open) -> None:
    app = opened(open_page, _own_text=OWN, **{"train_data.corpora": "own", "train_data.tokenizer": "cl100k_base"})
    assert "100,277" in app.warning[0].value


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        (b" \n ", "empty"),
        (b"word", "one_word"),
        (b"too short a text", "too_short"),
    ],
)
def test_a_text_that_will_not_do_gets_one_sentence(open_page: Open, language: str, raw: bytes, code: str) -> None:
    app = opened(open_page, lang=language, **{"train_data.corpora": "own", "train_data.tokenizer": "characters"})
    kept: dict[str, Any] = {}
    try:
        kept["_own_text"] = texts.decode(raw)
    except DataError as fault:
        kept["_own_fault"] = fault
    for name, value in kept.items():
        app.session_state[name] = value
    app.run()
    values = {"tokens": 16, "needed": 2 * (PRESETS["one_minute"].model.context_length + 1)}
    assert [error.value for error in app.error] == [words(language).failures.table()[code].format(**values)]
    assert "begin_run" not in {button.key for button in app.button}


def test_every_way_to_fail_has_its_sentence() -> None:
    assert {"not_finite", "out_of_memory", "disk_full", "device_lost", "unreadable", "unexpected", "empty"} <= set(
        codes()
    )
    for language in ("en", "zh"):
        assert set(codes()) <= set(words(language).failures.table())
