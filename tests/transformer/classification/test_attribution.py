"""Which words moved a decision: both answers are what they say they are."""

import pytest
import torch
from torch import Tensor

from tests.transformer.test_classifier import C, T, V, loud
from transformer.classification.attribution import gradient_times_input, leave_one_out, log_odds
from transformer.classifier import Classifier, real_tokens


@pytest.fixture
def model() -> Classifier:
    return loud()


@pytest.fixture
def sentence() -> Tensor:
    return torch.randint(V, (T,), generator=torch.Generator().manual_seed(1))


def test_log_odds_are_those_of_the_class_against_all_others() -> None:
    p = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.6, 0.3]])
    for label in range(3):
        torch.testing.assert_close(log_odds(p.log(), label), (p[:, label] / (1 - p[:, label])).log())


def test_leaving_out_equals_reading_the_sentence_without_the_token(model: Classifier, sentence: Tensor) -> None:
    whole = log_odds(model(sentence[None]), 2)
    for place, fall in enumerate(leave_one_out(model, sentence, 2)):
        without = torch.cat([sentence[:place], sentence[place + 1 :]])[None]
        torch.testing.assert_close(fall, (whole - log_odds(model(without), 2))[0], atol=1e-5, rtol=1e-5)


def test_a_sentence_of_one_token_is_compared_with_no_sentence(model: Classifier, sentence: Tensor) -> None:
    nothing = model.output.bias.log_softmax(-1)
    expected = log_odds(model(sentence[None, :1]), 0) - log_odds(nothing, 0)
    torch.testing.assert_close(leave_one_out(model, sentence[:1], 0), expected)
    assert gradient_times_input(model, sentence[:1], 0).isfinite().all()


@pytest.mark.parametrize("label", range(C))
def test_gradient_times_input_is_the_slope_in_the_size_of_an_embedding(sentence: Tensor, label: int) -> None:
    model = loud().double()
    embedding = model.embed(sentence[None])
    slopes = gradient_times_input(model, sentence, label)
    for place in range(T):
        ends = []
        for size in (1 + 1e-5, 1 - 1e-5):
            scale = torch.ones(T, 1, dtype=torch.float64)
            scale[place] = size
            x = embedding.token_embeddings * scale + embedding.positions
            ends.append(log_odds(model.decide(x, real_tokens(sentence[None], None)), label))
        finite = (ends[0] - ends[1]) / 2e-5
        torch.testing.assert_close(slopes[place], finite[0], atol=1e-7, rtol=1e-5)


def test_asking_changes_nothing_in_the_model(model: Classifier, sentence: Tensor) -> None:
    with torch.no_grad():
        slopes = gradient_times_input(model, sentence, 1)
    assert not slopes.requires_grad
    assert all(parameter.grad is None for parameter in model.parameters())
