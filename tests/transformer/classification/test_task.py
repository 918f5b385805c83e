"""Classification as a task: its batches, its losses, its reports, and the classifiers that come with the library."""

import math
from dataclasses import asdict
from itertools import islice

import pytest
import torch

from transformer import checkpoint
from transformer.classification.bag_of_words import naive_bayes, word_counts
from transformer.classification.demonstration import TRAINING, demonstration, folder, model_config, untrained
from transformer.classification.labelled import Labelled, LabelledSplit, Language
from transformer.classification.task import ClassificationTask, SentenceData, batch, confusion, known
from transformer.classifier import Classifier
from transformer.config import TrainingConfig
from transformer.training import evaluate, train
from transformer.user_text import DataError
from transformer.words import UNKNOWN

SPLIT = LabelledSplit(
    tuple(Labelled(*line.split(" ", 1)) for line in ("+ good", "- not good", "+ not bad", "- bad", "+ good good fun")),
    tuple(Labelled(*line.split(" ", 1)) for line in ("- not fun", "+ a good one", "+ fun")),
)
TASK = ClassificationTask.of(SPLIT, context_length=9)
CONFIG = TrainingConfig(batch_size=2, max_steps=3, warmup_steps=1, eval_interval=3)


def model(task: ClassificationTask = TASK) -> Classifier:
    return Classifier(model_config(task.tokenizer.vocab_size), seed=1)


def test_a_batch_follows_from_the_seed_and_its_number_alone() -> None:
    drawn = list(islice(TASK.batches(CONFIG), 4))
    again = next(TASK.batches(CONFIG, drawn=3))
    assert all(torch.equal(one, two) for one, two in zip(drawn[3], again, strict=True))
    assert not all(torch.equal(one, two) for one, two in zip(drawn[2].tokens, again.tokens, strict=False))


def test_some_words_of_a_batch_are_hidden_and_the_others_are_the_sentences() -> None:
    rows = {sentence.ids: sentence.label for sentence in TASK.train}
    hidden = seen = 0
    for tokens, lengths, labels in islice(TASK.batches(CONFIG), 60):
        for row, length, label in zip(tokens.tolist(), lengths.tolist(), labels.tolist(), strict=True):
            fits = [
                ids
                for ids in rows
                if len(ids) == length and all(a in (b, UNKNOWN) for a, b in zip(row, ids, strict=False))
            ]
            assert any(rows[ids] == label for ids in fits)
            hidden, seen = hidden + row[:length].count(UNKNOWN), seen + length
    assert 0.02 < hidden / seen < 0.25


def test_validation_is_the_held_out_sentences_whole_and_in_order() -> None:
    first, second = TASK.validation(CONFIG)
    assert first.tokens.shape == (2, 3) and first.lengths.tolist() == [2, 3]
    assert first.tokens[0].tolist() == [*TASK.held_out[0].ids, UNKNOWN]
    assert [TASK.labels[label] for label in (*first.labels.tolist(), *second.labels.tolist())] == ["-", "+", "+"]


def test_a_loss_is_the_surprise_at_each_sentences_class_and_smoothing_is_pytorchs() -> None:
    classifier, (held_out, _) = model(), TASK.validation(CONFIG)
    log_probabilities = classifier(held_out.tokens, held_out.lengths)
    expected = -log_probabilities.gather(1, held_out.labels[:, None]).squeeze(1)
    torch.testing.assert_close(TASK.losses(classifier, held_out), expected)
    smoothed = 0.7 * expected + 0.3 * -log_probabilities.mean(-1)
    torch.testing.assert_close(TASK.losses(classifier, held_out, 0.3), smoothed)


def test_yardsticks_are_the_losses_of_simpler_models_on_the_same_sentences() -> None:
    found = TASK.yardsticks(CONFIG)
    assert found["uniform"] == math.log(2)
    assert found["constant"] == pytest.approx(-(2 * math.log(3 / 5) + math.log(2 / 5)) / 3)
    assert set(found) == {"uniform", "constant", "bag_of_words"}


def test_a_report_counts_who_was_taken_for_whom() -> None:
    classifier = model()
    found = TASK.report(classifier)
    decided = [int(classifier(torch.tensor([sentence.ids])).argmax()) for sentence in TASK.held_out]
    truth = [sentence.label for sentence in TASK.held_out]
    assert found["confusion"] == [
        [sum((t, d) == (row, column) for t, d in zip(truth, decided, strict=True)) for column in (0, 1)]
        for row in (0, 1)
    ]
    assert found["accuracy"] == pytest.approx(sum(t == d for t, d in zip(truth, decided, strict=True)) / 3)
    assert sum(map(sum, found["confusion"])) == found["sentences"] == 3
    assert found["labels"] == ["+", "-"]


def test_a_bag_of_words_does_not_see_unknown_words() -> None:
    assert known([0, 3, 0, 2]) == [3, 2]
    counts = word_counts([known(s.ids) for s in TASK.train], TASK.tokenizer.vocab_size)
    judge = naive_bayes(counts, torch.tensor([s.label for s in TASK.train]), 2)
    new = word_counts([known(s.ids) for s in TASK.held_out], TASK.tokenizer.vocab_size)
    torch.testing.assert_close(TASK.simpler["naive_bayes"], judge(new))


def test_confusion_has_the_truth_on_its_rows() -> None:
    assert confusion(torch.tensor([0, 0, 2]), torch.tensor([1, 0, 2]), 3).tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]


def test_long_sentences_are_judged_by_their_beginning() -> None:
    short = ClassificationTask.of(SPLIT, context_length=2)
    assert [len(sentence.ids) for sentence in short.train] == [1, 2, 2, 1, 2]


def test_sentences_without_any_token_do_no_harm() -> None:
    empty = batch([sentence._replace(ids=()) for sentence in TASK.train])
    assert empty.tokens.shape == (5, 1)
    assert TASK.losses(model(), empty).isfinite().all()


def test_own_sentences_become_a_task_or_are_refused_with_a_reason() -> None:
    own = "".join(
        f"{label}\t{word} number {n}\n" for n in range(10) for label, word in (("yes", "good"), ("no", "bad"))
    )
    task = SentenceData(language="own").task(9, own)
    assert task.labels == ("no", "yes") and len(task.train) == 16 and len(task.held_out) == 4
    with pytest.raises(DataError, match="empty"):
        SentenceData(language="own").task(9, "")


def test_training_learns_a_negation_that_no_bag_of_words_could() -> None:
    torch.manual_seed(0)
    lines = ["+ good", "- not good", "+ not bad", "- bad"]
    pairs = LabelledSplit(*[tuple(Labelled(*line.split(" ", 1)) for line in lines)] * 2)
    task = ClassificationTask.of(pairs, context_length=9)
    classifier = model(task)
    config = TrainingConfig(batch_size=8, max_steps=150, warmup_steps=10, eval_interval=150, embedding_rate=10.0)
    last = list(train(classifier, task, config))[-1]
    assert last.validation_loss is not None and last.validation_loss < 0.3
    assert task.report(classifier)["accuracy"] == 1.0
    assert task.report(classifier)["logistic_regression"] <= 0.75


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_bundled_classifier_clearly_beats_a_bag_of_words_on_sentences_it_has_not_seen(language: Language) -> None:
    classifier, task = demonstration(language)
    found = task.report(classifier)
    assert found["accuracy"] > max(found["naive_bayes"], found["logistic_regression"]) + 0.05
    assert found["constant"] == 0.5
    assert task.report(untrained(language))["accuracy"] < 0.65


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_bundled_files_are_what_they_say(language: Language) -> None:
    stored = checkpoint.load(folder(language))
    task = SentenceData(language=language).task(stored.model.config.context_length)
    assert stored.tokenizer.to_json() == task.tokenizer.to_json()
    assert stored.model.config == model_config(task.tokenizer.vocab_size)
    assert stored.extra["training"] == asdict(TRAINING)
    assert task.report(stored.model) == stored.extra["report"]
    assert evaluate(stored.model, task, task.validation(TRAINING)) < math.log(2)


@pytest.mark.parametrize(
    ("language", "text", "label"),
    [
        ("en", "The food was cold but the service made up for it.", "positive"),
        ("en", "The film was not bad.", "positive"),
        ("en", "The film was not good.", "negative"),
        ("zh", "这部电影不好看。", "negative"),
        ("zh", "菜有点凉，但是服务很好。", "positive"),
    ],
)
def test_the_bundled_classifier_reads_what_the_page_opens_on(language: Language, text: str, label: str) -> None:
    classifier, task = demonstration(language)
    decided = classifier(torch.tensor([task.tokenizer.encode(text).ids])).argmax()
    assert task.labels[int(decided)] == label
