"""In training the logits lie elsewhere; they, and what is learned from them, stay what a linear layer makes them."""

import pytest
import torch

from transformer.output_layer import CACHE_LINE, OutputLayer

B, T, D = 2, 5, 12


@pytest.mark.parametrize("vocab_size", [17, 2 * CACHE_LINE])
@pytest.mark.parametrize("shape", [(B, T, D), (T, D)])
def test_training_changes_neither_logits_nor_gradients(vocab_size: int, shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    layer, x = OutputLayer(D, vocab_size), torch.randn(shape, requires_grad=True)
    told = torch.randn(*shape[:-1], vocab_size)
    results = []
    for training in (True, False):
        logits = layer.train(training)(x)
        results.append((logits, *torch.autograd.grad(logits, (x, layer.weight), told)))
    for learning, judging in zip(*results, strict=True):
        torch.testing.assert_close(learning, judging)


def test_every_row_of_logits_begins_at_a_cache_line() -> None:
    logits = OutputLayer(D, 17).train()(torch.randn(B, T, D))
    assert logits.shape == (B, T, 17)
    assert all(row.data_ptr() % (4 * CACHE_LINE) == 0 for row in logits.flatten(0, 1))


def test_what_is_half_precise_stays_so() -> None:
    layer, x = OutputLayer(D, 17).train(), torch.randn(B, T, D)
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(x).dtype == torch.bfloat16
