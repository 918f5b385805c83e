"""What is measured instead of asserted: scaling, the size of softmax's gradient, entropy."""

import math

import pytest
import torch
from torch.distributions import Categorical

from transformer.lessons.measurements import entropy, measure_scaling, softmax_jacobian_norm

SIZES = 1, 2, 8, 33, 128, 512


def test_without_scaling_the_variance_of_scores_grows_like_head_size() -> None:
    measured = measure_scaling(SIZES, seed=0)
    torch.testing.assert_close(measured.unscaled.variance, measured.head_sizes.float(), rtol=0.2, atol=0.0)
    torch.testing.assert_close(measured.scaled.variance, torch.ones(len(SIZES)), rtol=0.2, atol=0.0)


@pytest.mark.parametrize("seed", [0, 1, 9999])
def test_without_scaling_softmax_collapses_and_its_gradient_vanishes(seed: int) -> None:
    unscaled, scaled = measure_scaling(SIZES, seed)[1:]
    assert unscaled.largest_weight[-1] > 0.9
    assert scaled.largest_weight.max() < 0.35
    assert unscaled.gradient[-1] < 0.4 * scaled.gradient[-1]
    assert scaled.gradient.max() < 1.2 * scaled.gradient.min()


def test_scaling_changes_nothing_where_head_size_is_one() -> None:
    measured = measure_scaling(SIZES, seed=3)
    for without, with_scaling in zip(measured.unscaled, measured.scaled, strict=True):
        assert without[0] == with_scaling[0]


def test_another_head_size_leaves_the_other_measurements_as_they_are() -> None:
    few, many = measure_scaling((8, 512), seed=5), measure_scaling(SIZES, seed=5)
    assert torch.equal(few.unscaled.variance, many.unscaled.variance[[2, 5]])


def test_measurement_is_what_its_definition_says() -> None:
    """Recomputed for one head_size with whole matrices instead of running sums."""
    random = torch.Generator().manual_seed(7)
    queries, keys = torch.randn(256, 1, 12, generator=random), torch.randn(256, 16, 12, generator=random)
    scores = (queries @ keys.transpose(1, 2)).squeeze(1)
    weights = torch.softmax(scores / math.sqrt(12), -1)
    measured = measure_scaling((12,), seed=7)
    torch.testing.assert_close(measured.unscaled.variance[0], scores.var())
    torch.testing.assert_close(measured.scaled.largest_weight[0], weights.max(-1).values.mean())


def test_jacobian_norm_is_that_of_the_jacobian_autograd_builds() -> None:
    for scores in torch.randn(6, 5, generator=torch.Generator().manual_seed(0)) * 3:
        jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), scores)
        torch.testing.assert_close(softmax_jacobian_norm(scores.softmax(-1)), torch.linalg.norm(jacobian))


def test_entropy_is_in_bits_and_zero_for_a_certain_distribution() -> None:
    weights = torch.rand(3, 5, 7, generator=torch.Generator().manual_seed(0)).softmax(-1)
    torch.testing.assert_close(entropy(weights), Categorical(weights).entropy() / math.log(2))
    assert entropy(torch.tensor([0.0, 1.0, 0.0])) == 0
    torch.testing.assert_close(entropy(torch.full((8,), 1 / 8)), torch.tensor(3.0))
