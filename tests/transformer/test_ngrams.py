"""The bigram model is a distribution, made of the training text alone, and as good as such a model should be."""

import math
from collections import Counter
from itertools import pairwise

import pytest
import torch

from transformer.data import Windows, corpus_text, evaluation_windows, split
from transformer.ngrams import BigramModel, discount_of
from transformer.vocabulary import CompactTokenizer

V = 17
UNEVEN = torch.randint(V - 2, (60,), generator=torch.Generator().manual_seed(0)) ** 2 // 14


def test_probabilities_sum_to_one_after_every_token_seen_or_not() -> None:
    model = BigramModel.fit(UNEVEN, V)
    assert len(UNEVEN.unique()) < V
    rows = model.probabilities(torch.arange(V)[:, None], torch.arange(V))
    torch.testing.assert_close(rows.sum(-1), torch.ones(V, dtype=torch.float64))
    assert rows.min() > 0


def test_a_text_counted_by_hand() -> None:
    model = BigramModel.fit(torch.tensor([0, 1, 0, 1, 0, 2, 1]), vocab_size=4)
    # Pairs: 01 and 10 twice, 02 and 21 once, so D = 2 / (2 + 2·2). Tokens follow 1, 2, 1, 0 kinds, so D = 2 / (2 + 2·1).
    fallback = [(1 / 2 + 3 / 8) / 4, (3 / 2 + 3 / 8) / 4, (1 / 2 + 3 / 8) / 4, 3 / 8 / 4]
    assert model.fallback.tolist() == pytest.approx(fallback)
    seen, unseen, after_unknown = ((0, 1), (0, 3), (3, 1))
    probabilities = model.probabilities(*torch.tensor([seen, unseen, after_unknown]).T)
    reserved = 1 / 3 * 2 / 3
    expected = [(2 - 1 / 3) / 3 + reserved * fallback[1], reserved * fallback[3], fallback[1]]
    assert probabilities.tolist() == pytest.approx(expected)


def test_the_discount_is_that_of_ney() -> None:
    assert discount_of(torch.tensor([1, 1, 1, 2, 5, 0])) == 3 / (3 + 2 * 1)
    assert discount_of(torch.tensor([2, 3])) == 0.5


def test_the_loss_is_that_of_exactly_the_given_targets() -> None:
    model = BigramModel.fit(UNEVEN, V)
    held_out = Windows(torch.tensor([[3, 1, 4], [1, 5, 9]]), torch.tensor([[1, 4, 1], [5, 9, 2]]))
    one_by_one = [
        -math.log(model.probabilities(x, y).item())
        for x, y in zip(held_out.inputs.flatten(), held_out.targets.flatten(), strict=True)
    ]
    assert model.loss(*held_out) == pytest.approx(sum(one_by_one) / 6)


def test_it_beats_unigrams_and_the_best_linear_interpolation_on_persuasion() -> None:
    text = corpus_text("persuasion")
    tokenizer = CompactTokenizer.from_corpus(text)
    train, validation = split(torch.tensor(tokenizer.encode(text).ids))
    held_out = evaluation_windows(validation, 64)
    counts = train.bincount(minlength=tokenizer.vocab_size)
    unigram = ((counts + 0.1) / (counts + 0.1).sum())[held_out.targets]
    pairs = Counter(pairwise(train.tolist()))
    seen = torch.tensor([pairs[x, y] for x, y in zip(*(ids.flatten().tolist() for ids in held_out), strict=True)])
    bigram = seen.view_as(unigram) / counts[held_out.inputs].clamp(min=1)
    interpolated = [-(share * bigram + (1 - share) * unigram).log().mean().item() for share in (0.3, 0.4, 0.5, 0.6)]
    loss = BigramModel.fit(train, tokenizer.vocab_size).loss(*held_out)
    assert loss < min(interpolated) - 0.1
    assert loss < -unigram.log().mean().item() - 1


def test_a_text_without_a_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="a text of 1 tokens holds no pair to count"):
        BigramModel.fit(torch.tensor([3]), V)
