"""What the classification page shows, found in another way, is the same."""

import pytest
import torch

from tests.transformer.test_classifier import T, V, loud
from transformer.classification.attribution import gradient_times_input, leave_one_out
from transformer.classification.recounts import accuracy_and_counts, fall_without, slopes


@pytest.mark.parametrize("length", [1, T])
def test_both_attributions_are_found_again(length: int) -> None:
    model, sentence = loud(), torch.randint(V, (length,), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(slopes(model, sentence, 2), gradient_times_input(model, sentence, 2))
    for place, fall in enumerate(leave_one_out(model, sentence, 2)):
        torch.testing.assert_close(fall_without(model, sentence, 2, place), fall, atol=1e-5, rtol=1e-5)


def test_accuracy_and_counts_are_those_of_the_table() -> None:
    assert accuracy_and_counts([[3, 1], [2, 6]]).tolist() == [0.75, 4.0, 8.0]
