"""Pairs, how they are split and learned from, and what the bundled translators can do."""

import math
from dataclasses import replace
from itertools import islice
from typing import get_args

import pytest
import torch

from transformer import ModelConfig
from transformer.bilingual import UNKNOWN
from transformer.config import TrainingConfig
from transformer.encoder_decoder import BEGIN, END, PADDING, EncoderDecoder, padded
from transformer.tasks import Task
from transformer.training import train
from transformer.translation.alignment import alignment_accuracy, padded_links
from transformer.translation.decoding import greedy_ids, teacher_forcing
from transformer.translation.demonstration import (
    SEED,
    TRAINING,
    demonstration,
    model_config,
    untrained,
)
from transformer.translation.demonstration import (
    task as demonstrated,
)
from transformer.translation.sentence_pairs import (
    Pair,
    Target,
    grammar_pairs,
    read_pairs,
    split_pairs,
    text_key,
    vocabulary,
)
from transformer.translation.task import PairBatch, PairData, TranslationTask, source_of, translate
from transformer.user_text import DataError

CONFIG = TrainingConfig(batch_size=6, max_steps=30, warmup_steps=5, eval_interval=30, eval_batches=3, seed=4)
OWN = b"One cat.\tUn chat.\nTwo cats.\tDeux chats.\nOne dog.\tUn chien.\nTwo dogs.\tDeux chiens.\n"


@pytest.fixture(scope="module")
def task() -> TranslationTask:
    return PairData(target="fr", pairs=200, seed=3).task(24)


def small(task: TranslationTask) -> EncoderDecoder:
    return EncoderDecoder(
        ModelConfig(vocab_size=task.tokenizer.vocab_size, context_length=24, d_model=12, num_heads=3, num_blocks=1), 3
    )


@pytest.mark.parametrize("target", ["fr", "zh"])
def test_a_grammar_says_the_same_again_and_each_english_sentence_once(target: str) -> None:
    pairs = grammar_pairs(target, 300, seed=2)  # type: ignore[arg-type]
    grammar_pairs.cache_clear()
    assert grammar_pairs(target, 300, seed=2) == pairs  # type: ignore[arg-type]
    assert grammar_pairs(target, 300, seed=3) != pairs  # type: ignore[arg-type]
    assert len({pair.source for pair in pairs}) == 300
    assert grammar_pairs(target, 400, seed=2)[:300] == pairs  # type: ignore[arg-type]


def test_no_grammar_speaks_klingon() -> None:
    with pytest.raises(ValueError, match=r"^no grammar speaks 'tlh'; there are fr, zh$"):
        grammar_pairs("tlh", 10)  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["fr", "zh"])
def test_no_held_out_sentence_was_read_and_every_held_out_word_was(target: str) -> None:
    pairs = grammar_pairs(target, 1500, seed=1)  # type: ignore[arg-type]
    train_pairs, held_out = split_pairs(pairs, seed=1)
    assert sorted(train_pairs + held_out) == sorted(pairs) and 130 <= len(held_out) <= 150
    for side in (0, 1):
        assert not {text_key(pair[side]) for pair in train_pairs} & {text_key(pair[side]) for pair in held_out}
    assert set().union(*map(vocabulary, held_out)) <= set().union(*map(vocabulary, train_pairs))
    assert split_pairs(pairs, seed=1) == (train_pairs, held_out) != split_pairs(pairs, seed=2)


def test_pairs_that_share_a_sentence_stay_together() -> None:
    pairs = [Pair(f"a{n // 2}", f"b{(n + 1) // 2}") for n in range(40)]
    assert len(split_pairs(pairs, held_out=0.5).held_out) == 1  # a chain: nothing may be held out, and one must
    mixed = [Pair("x y", "u v"), Pair("X Y", "v u"), *(Pair(f"x y {'x ' * n}", f"u v {'u ' * n}") for n in range(1, 9))]
    for seed in range(5):
        train_pairs, held_out = split_pairs(mixed, held_out=0.3, seed=seed)
        assert not {text_key(pair.source) for pair in train_pairs} & {text_key(pair.source) for pair in held_out}


@pytest.mark.parametrize(
    ("raw", "pairs"),
    [
        (b"a\tb\nc\td\n", [("a", "b"), ("c", "d")]),
        (b"a,b\r\nc,d", [("a", "b"), ("c", "d")]),
        (b'"Yes, I do.","Oui."\n"He said ""no"".", Non.', [("Yes, I do.", "Oui."), ('He said "no".', "Non.")]),
        (b"English\tFrench\na\tb\n\nc\td", [("a", "b"), ("c", "d")]),
        (b"a, b\tc\tCC-BY\nd\te", [("a, b", "c"), ("d", "e")]),
        ("﻿source,target\n猫,chat\n狗,chien".encode(), [("猫", "chat"), ("狗", "chien")]),
        (b"a\tb\na\tb\n c  c \td", [("a", "b"), ("c c", "d")]),
        ("é\tç\nà\tù".encode("utf-16"), [("é", "ç"), ("à", "ù")]),
    ],
)
def test_a_file_with_two_columns_is_read(raw: bytes, pairs: list[tuple[str, str]]) -> None:
    assert [pair[:2] for pair in read_pairs(raw)] == pairs


@pytest.mark.parametrize(
    ("raw", "code", "values"),
    [
        (b"", "empty", {}),
        (b"\x00\x01\x02", "binary", {}),
        (b"a b\nc d\ne f", "pair_columns", {"line": 1, "columns": 1}),
        (b"a,b\nc,d,e", "pair_columns", {"line": 2, "columns": 3}),
        (b"a\tb\n\nc d", "pair_columns", {"line": 3, "columns": 1}),
        (b"a\tb\nc\t  ", "pair_blank", {"line": 2}),
        (b'a,b\n"c,d\ne,f', "pair_columns", {"line": 3, "columns": 1}),
        (b"a\tb", "few_pairs", {"pairs": 1, "needed": 2}),
        (b"a\tb\na\tb", "few_pairs", {"pairs": 1, "needed": 2}),
    ],
)
def test_a_file_that_holds_no_pairs_is_refused_with_a_reason(raw: bytes, code: str, values: dict[str, int]) -> None:
    with pytest.raises(DataError) as refused:
        read_pairs(raw)
    assert refused.value.code == code and refused.value.values == values


def test_own_pairs_make_a_task_and_those_without_room_are_left_out() -> None:
    task = PairData(target="own").task(8, OWN.decode() + "too " * 9 + "\tlong")
    assert len(task.train) + len(task.held_out) == 4 and len(task.held_out) == 1
    with pytest.raises(DataError) as refused:
        PairData(target="own").task(2, OWN.decode())
    assert refused.value.values == {"pairs": 0, "needed": 2}


@pytest.mark.parametrize(("choices", "name"), [({"target": "de"}, "target"), ({"pairs": 1}, "pairs")])
def test_data_that_cannot_be_is_refused_in_one_sentence(choices: dict[str, object], name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} is .*; it must be"):
        PairData(**choices)  # type: ignore[arg-type]


def test_batches_follow_from_the_seed_and_their_number(task: TranslationTask) -> None:
    first = list(islice(task.batches(CONFIG), 70))
    for drawn in (0, 1, 29, 30, 65):
        (batch,) = islice(task.batches(CONFIG, drawn), 1)
        assert all(map(torch.equal, batch, first[drawn]))
    assert not torch.equal(first[0].target, first[30].target)


def test_a_round_shows_every_pair_once_with_others_of_its_length(task: TranslationTask) -> None:
    rounds = math.ceil(len(task.train) / CONFIG.batch_size)
    batches = list(islice(task.batches(CONFIG), rounds))
    seen = sorted(tuple(id for id in row if id != PADDING) for batch in batches for row in batch.target.tolist())
    assert seen == sorted(pair.target for pair in task.train)
    padding = sum(int((batch.target == PADDING).sum()) for batch in batches)
    assert padding < 0.05 * sum(batch.target.numel() for batch in batches)


def test_a_loss_is_what_teacher_forcing_says_of_each_real_token(task: TranslationTask) -> None:
    model, batch = small(task), task.validation(CONFIG)[0]
    losses = task.losses(model, batch)
    inside = padded([id for id in row if id not in (PADDING, BEGIN, END)] for row in batch.target.tolist())
    expected = -teacher_forcing(model, batch.source, inside).of_targets
    real = batch.target[:, 1:] != PADDING
    assert len(losses) == int(real.sum())
    torch.testing.assert_close(losses, expected[real], atol=1e-5, rtol=0)


def test_label_smoothing_is_the_papers(task: TranslationTask) -> None:
    model, batch = small(task), task.validation(CONFIG)[0]
    log_probabilities = model(batch.source, batch.target[:, :-1]).log_softmax(-1)[batch.target[:, 1:] != PADDING]
    expected = 0.9 * task.losses(model, batch) - 0.1 * log_probabilities.mean(-1)
    torch.testing.assert_close(task.losses(model, batch, label_smoothing=0.1), expected, atol=1e-5, rtol=0)


def test_yardsticks_are_losses_on_the_same_targets(task: TranslationTask) -> None:
    found = task.yardsticks(CONFIG)
    assert found["uniform"] == pytest.approx(math.log(task.tokenizer.vocab_size))
    assert 1 < found["bigram"] < found["uniform"]


def test_it_is_a_task_that_training_makes_progress_with(task: TranslationTask) -> None:
    learned: Task[PairBatch] = task
    model = small(task)
    steps = list(train(model, learned, CONFIG))
    assert steps[-1].validation_loss is not None
    assert steps[-1].validation_loss < steps[0].loss - 0.5
    assert steps[0].tokens == int((next(task.batches(CONFIG)).target[:, 1:] != PADDING).sum())


def test_a_report_counts_whole_sentences(task: TranslationTask) -> None:
    report = task.report(small(task))
    assert report["sentences"] == len(task.held_out) == 20
    shown = report["examples"]
    assert report["exact_match"] == 0 and len(shown) == 12
    assert all(example["exact"] == (example["translation"] == example["reference"]) for example in shown)


def test_one_pass_tells_what_greedy_decoding_gets_right(task: TranslationTask) -> None:
    few = TranslationTask(task.tokenizer, task.train[:8], task.train[:8] + task.held_out[:3])
    model = EncoderDecoder(replace(small(task).config, d_model=48), 3)
    for _ in train(model, few, replace(CONFIG, batch_size=8, max_steps=120, learning_rate=5e-3)):
        pass
    source = padded(pair.source for pair in few.held_out)
    written = greedy_ids(model, source)
    expected = [tuple(ids) == pair.target[1:-1] for ids, pair in zip(written, few.held_out, strict=True)]
    assert few.exact(model) == expected and 0 < sum(expected) < len(expected)


@pytest.mark.parametrize("text", ["", "   ", "zzz 🙂", "the " * 50])
def test_any_text_can_be_translated(task: TranslationTask, text: str) -> None:
    source = source_of(task.tokenizer, text, 24)
    assert source.size(0) == 1 and 1 <= source.size(1) <= 24
    assert isinstance(translate(small(task), task.tokenizer, text), str)


def test_alignment_counts_linked_words(task: TranslationTask) -> None:
    pairs = task.held_out[:5]
    links = padded_links(pairs)
    assert links.sum() == sum(len(pair.pair.links) for pair in pairs)
    found = alignment_accuracy(small(task), pairs)
    assert found.shape == (1, 3) and ((found >= 0) & (found <= 1)).all()
    with pytest.raises(ValueError, match=r"^these pairs do not say"):
        alignment_accuracy(small(task), [pair._replace(pair=Pair(*pair.pair[:2])) for pair in pairs])


@pytest.mark.parametrize("target", get_args(Target))
class TestBundled:
    def test_it_translates_held_out_sentences_word_for_word(self, target: Target) -> None:
        found = demonstrated(target).report(demonstration(target).model)
        assert found["exact_match"] == pytest.approx(demonstration(target).extra["report"]["exact_match"], abs=0.01)
        assert found["exact_match"] >= 0.97
        assert demonstrated(target).report(untrained(target))["exact_match"] == 0

    def test_a_head_looks_at_the_word_it_translates(self, target: Target) -> None:
        pairs = demonstrated(target).held_out[:100]
        best = alignment_accuracy(demonstration(target).model, pairs).max()
        assert best > 0.7 > 0.4 > alignment_accuracy(untrained(target), pairs).max()

    def test_its_files_were_made_by_the_settings_in_the_code(self, target: Target) -> None:
        model, tokenizer, extra = demonstration(target)
        assert model.config == model_config(tokenizer.vocab_size)
        assert extra["training"] == vars(TRAINING) and extra["seed"] == SEED
        assert extra["data"] == vars(PairData(target=target, seed=SEED))
        assert tokenizer.to_json() == demonstrated(target).tokenizer.to_json()

    def test_a_word_it_has_never_seen_does_not_stop_it(self, target: Target) -> None:
        model, tokenizer, _ = demonstration(target)
        assert UNKNOWN in tokenizer.encode("The zebra is red.").ids
        assert translate(model, tokenizer, "The zebra is red.")
