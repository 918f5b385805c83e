"""What a sequence costs, found in two ways that know nothing of each other."""

import pytest
import torch

from transformer.lessons.recounts import kept_in_graphs, multiplications, timed_states
from transformer.lessons.sequence_costs import layer_costs, measured_memory


@pytest.mark.parametrize(("n", "d"), [(8, 32), (100, 24), (1024, 12)])
def test_pytorch_counts_the_multiplications_of_the_papers_table_1(n: int, d: int) -> None:
    counted = {kind: cost.operations for kind, cost in layer_costs(n, d, 3, 32).items()}
    assert multiplications(n, d, 3, 32) == counted


def test_the_graphs_hold_exactly_the_bytes_that_the_hooks_saw() -> None:
    assert kept_in_graphs(12) == measured_memory(12)


def test_the_rnn_that_is_timed_does_step_by_step_what_it_does_at_once() -> None:
    by_hand, at_once = timed_states(12, 9)
    assert by_hand.shape == (1, 9, 12)
    torch.testing.assert_close(by_hand, at_once)
