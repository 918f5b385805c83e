"""From the last block's output to probabilities and losses, against PyTorch's own kernels."""

import math

import pytest
import torch
import torch.nn.functional as F

from transformer import GPT, ModelConfig
from transformer.next_token import AT_ONCE, guesses, held_by_the_likeliest, next_token, token_losses


@pytest.fixture
def gpt() -> GPT:
    return GPT(ModelConfig(vocab_size=17, context_length=7, d_model=12, num_heads=3, num_blocks=2, d_ff=20), seed=4)


@torch.no_grad()
def test_it_says_what_the_models_trace_says(gpt: GPT) -> None:
    trace = gpt.trace(torch.tensor([[3, 16, 0, 7, 7]]))
    said = next_token(gpt, trace.blocks[-1].output[0])
    assert torch.equal(said.normalised, trace.final_norm[0])
    torch.testing.assert_close(said.logits, trace.logits[0])
    torch.testing.assert_close(said.probabilities, trace.logits[0].softmax(-1))
    assert torch.equal(said.maximum[:, 0], said.logits.amax(1))
    torch.testing.assert_close(said.total[:, 0], (said.logits - said.maximum).exp().sum(1))


@torch.no_grad()
def test_losses_are_cross_entropies_however_many_there_are(gpt: GPT) -> None:
    for count in (0, 1, AT_ONCE, 2 * AT_ONCE + 3):
        x, targets = torch.randn(count, 12), torch.randint(17, (count,))
        wanted = F.cross_entropy(gpt.output(gpt.final_norm(x)), targets, reduction="none")
        losses = token_losses(gpt, x, targets)
        torch.testing.assert_close(losses.explicit, wanted)
        torch.testing.assert_close(losses.fused, wanted)


@torch.no_grad()
def test_guesses_come_likeliest_first_and_the_watched_token_has_its_rank(gpt: GPT) -> None:
    x = torch.randn(4, 12)
    probabilities = gpt.output(gpt.final_norm(x)).softmax(-1)
    found = guesses(gpt, x, watched=5, count=3)
    for row, (ids, shares) in enumerate(zip(found.ids, found.probabilities, strict=True)):
        order = probabilities[row].argsort(descending=True)
        assert ids.tolist() == order[:3].tolist()
        torch.testing.assert_close(shares, probabilities[row, ids])
        assert order.tolist().index(5) + 1 == found.rank[row]
    torch.testing.assert_close(found.watched, probabilities[:, 5])


def test_more_guesses_than_tokens_are_all_tokens(gpt: GPT) -> None:
    assert guesses(gpt, torch.randn(2, 12), watched=0, count=99).ids.shape == (2, 17)


def test_the_likeliest_tokens_hold_more_and_more_up_to_all() -> None:
    probabilities = torch.tensor([0.1, 0.5, 0.15, 0.25])
    held = held_by_the_likeliest(probabilities, torch.tensor([1, 2, 4]))
    torch.testing.assert_close(held, torch.tensor([0.5, 0.75, 1.0]))


@torch.no_grad()
def test_untrained_weights_are_about_as_surprised_as_an_even_guess() -> None:
    gpt = GPT(ModelConfig(vocab_size=1700, context_length=7, d_model=24, num_heads=3, num_blocks=2))
    losses = token_losses(gpt, torch.randn(64, 24), torch.randint(1700, (64,)))
    assert abs(float(losses.explicit.mean()) - math.log(1700)) < 0.1
