"""The sinusoidal table against its formula."""

import math

import pytest
import torch

from transformer import GPT, ModelConfig, sinusoidal_positions


@pytest.mark.parametrize("d_model", [12, 7, 1])
def test_table_is_the_papers_formula(d_model: int) -> None:
    table = sinusoidal_positions(9, d_model)
    for pos in range(9):
        for dimension in range(d_model):
            angle = pos / 10_000 ** (2 * (dimension // 2) / d_model)
            expected = math.cos(angle) if dimension % 2 else math.sin(angle)
            assert table[pos, dimension].item() == pytest.approx(expected, abs=1e-6)


def test_likeness_of_two_positions_depends_on_their_distance_only() -> None:
    table = sinusoidal_positions(40, 32)
    likeness = table @ table.T
    for distance in range(40):
        torch.testing.assert_close(likeness.diagonal(distance), likeness[0, distance].expand(40 - distance))


def test_an_odd_width_works_in_the_whole_model() -> None:
    model = GPT(ModelConfig(vocab_size=17, context_length=6, d_model=15, num_heads=3, num_blocks=1))
    tokens = torch.arange(6)[None]
    torch.testing.assert_close(model.trace(tokens).logits, model(tokens))
