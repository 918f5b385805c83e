"""Bags of words, against arithmetic by hand."""

import math

import pytest
import torch

from transformer.classification.bag_of_words import DECAY, constant_guess, logistic_regression, naive_bayes, word_counts

SENTENCES = [[1, 2, 2], [1, 3], [4, 3, 3, 3]]
LABELS = torch.tensor([0, 0, 1])


def test_counts_forget_the_order() -> None:
    assert word_counts(SENTENCES, 5).tolist() == [[0, 1, 2, 0, 0], [0, 1, 0, 1, 0], [0, 0, 0, 3, 1]]
    assert torch.equal(word_counts([[2, 1, 2]], 5), word_counts([[1, 2, 2]], 5))
    assert word_counts([[]], 5).tolist() == [[0] * 5]


def test_a_constant_guess_is_the_share_of_each_class() -> None:
    assert constant_guess(LABELS, 2).exp().tolist() == pytest.approx([2 / 3, 1 / 3])


def test_naive_bayes_is_bayes_rule_with_one_added_to_every_count() -> None:
    judged = naive_bayes(word_counts(SENTENCES, 5), LABELS, 2)(word_counts([[2, 3]], 5))[0]
    # class 0: 5 words, 2 twice, 3 once; class 1: 4 words, 2 never, 3 three times; 5 rows
    zero = 2 / 3 * (2 + 1) / (5 + 5) * (1 + 1) / (5 + 5)
    one = 1 / 3 * (0 + 1) / (4 + 5) * (3 + 1) / (4 + 5)
    assert judged.exp().tolist() == pytest.approx([zero / (zero + one), one / (zero + one)])


def test_a_sentence_without_known_words_is_judged_by_the_frequency_of_classes() -> None:
    judged = naive_bayes(word_counts(SENTENCES, 5), LABELS, 2)(word_counts([[]], 5))[0]
    torch.testing.assert_close(judged, constant_guess(LABELS, 2))


def test_logistic_regression_stands_where_its_loss_has_no_slope() -> None:
    counts = word_counts(SENTENCES, 5)
    with torch.no_grad():  # as in the page
        fitted = logistic_regression(counts, LABELS, 2)
    weights = fitted.weights.clone().requires_grad_()
    loss = (
        torch.nn.functional.cross_entropy(counts @ weights + fitted.bias, LABELS) + DECAY / 2 * weights.square().sum()
    )
    loss.backward()
    assert weights.grad is not None
    assert float(weights.grad.abs().max()) < 1e-4
    assert fitted(counts).argmax(-1).tolist() == LABELS.tolist()


def test_no_bag_of_words_can_tell_what_only_order_tells() -> None:
    counts = word_counts([[1, 2, 3], [3, 2, 1]], 4)  # "good but bad", "bad but good"
    for judge in (naive_bayes, logistic_regression):
        judged = judge(counts, torch.tensor([0, 1]), 2)(counts)
        torch.testing.assert_close(judged, torch.full((2, 2), -math.log(2)), atol=1e-4, rtol=0)
