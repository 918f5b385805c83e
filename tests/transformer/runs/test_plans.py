"""A plan comes back from JSON as it was; what no plan could be is refused in a sentence."""

import json
from dataclasses import replace
from typing import Any

import pytest

from transformer import ModelConfig
from transformer.config import TrainingConfig
from transformer.data import corpus_text
from transformer.runs.plans import Plan, TextData
from transformer.runs.presets import PRESETS
from transformer.tokenizer import get_tokenizer
from transformer.user_text import DataError

PLAN = Plan(
    name="Anne 安妮",
    data=TextData(corpora=("persuasion", "zh_classics"), tokenizer="compact", base="r50k_base", max_rows=1000),
    model=ModelConfig(vocab_size=1000, d_model=12, num_heads=3),
    training=TrainingConfig(schedule="inverse_sqrt", label_smoothing=0.1, beta2=0.98),
    created="2025-11-29T17:00:00+00:00",
    parent="another",
)


def test_a_plan_comes_back_from_json_as_it_was() -> None:
    assert Plan.from_json(json.loads(json.dumps(PLAN.to_json()))) == PLAN


@pytest.mark.parametrize(
    "change",
    [
        {"family": "diffusion"},
        {"data": {"corpora": ["hamlet"]}},
        {"data": {"tokenizer": "words"}},
        {"data": {"corpora": 5}},
        {"data": []},
        {"model": {}},
        {"model": {"vocab_size": "many"}},
        {"training": {"batch_size": None}},
        {"training": {"momentum": 0.9}},
    ],
)
def test_what_no_plan_could_be_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Plan.from_json({**PLAN.to_json(), **change})


def test_a_text_of_ones_own_takes_the_place_of_a_corpus() -> None:
    data = TextData(corpora=(), tokenizer="characters")
    assert data.task(3, "abcd" * 9).text.train.tolist() == [256, 257, 258, 259] * 8
    assert TextData(tokenizer="characters").texts("ignored") == (corpus_text("persuasion"),)
    for nothing in ("", " \n"):
        with pytest.raises(DataError, match="empty"):
            data.task(3, nothing)
    with pytest.raises(DataError, match="too short"):
        data.task(3, "abc")


def test_each_kind_of_tokenizer_cuts_a_text_as_its_name_says() -> None:
    own = "to be or not to be <|endoftext|>"
    compact = TextData(corpora=()).make_tokenizer(own)
    assert compact.encode(own).pieces == get_tokenizer("cl100k_base").encode(own).pieces
    assert compact.vocab_size < 300
    small = TextData(corpora=(), base="r50k_base", max_rows=256).make_tokenizer(own)
    assert small.vocab_size == 256 and len(small.encode(own)) == len(own)
    assert TextData(corpora=(), tokenizer="r50k_base").make_tokenizer(own).vocab_size == 50257
    assert TextData(corpora=(), tokenizer="characters").make_tokenizer(own).vocab_size == 256 + len(set(own))


def test_a_stored_tokenizer_is_used_and_not_made_again() -> None:
    data, own = TextData(corpora=(), tokenizer="characters"), "abcd" * 9
    stored = data.make_tokenizer(own)
    assert data.task(3, own + "é", stored).tokenizer is stored


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_is_a_plan_once_it_has_a_vocabulary(name: str) -> None:
    data, model, training = PRESETS[name]
    plan = Plan(name=name, data=data, model=replace(model, vocab_size=300), training=training)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
