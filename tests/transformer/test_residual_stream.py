"""The residual stream: followed through all blocks, it is the trace's own."""

import pytest
import torch

from transformer import GPT, ModelConfig
from transformer.residual_stream import evenly, follow, habits

TOKENS = torch.tensor([[3, 16, 0, 7, 7]])


def model(norm_first: bool = True) -> GPT:
    """All sizes differ."""
    return GPT(
        ModelConfig(
            vocab_size=17, context_length=7, d_model=12, num_heads=3, num_blocks=2, d_ff=20, norm_first=norm_first
        ),
        seed=4,
    )


@pytest.mark.parametrize("norm_first", [True, False])
@torch.no_grad()
def test_the_stream_is_what_the_trace_keeps_of_each_sublayer(norm_first: bool) -> None:
    gpt = model(norm_first)
    trace, stream = gpt.trace(TOKENS), follow(gpt, TOKENS)
    middle = "attention_residual" if norm_first else "attention_norm"
    wanted = [trace.embedding.embeddings]
    for block in trace.blocks:
        wanted += [getattr(block, middle), block.output]
    assert torch.equal(stream.states, torch.cat(wanted))
    assert torch.equal(stream.after_blocks, stream.states[[0, 2, 4]])
    assert torch.equal(stream.weights, torch.cat([block.attention.weights for block in trace.blocks]))


@torch.no_grad()
def test_each_sublayer_writes_what_it_computed_and_the_writes_add_up() -> None:
    gpt = model()
    trace, stream = gpt.trace(TOKENS), follow(gpt, TOKENS)
    outputs = [part.output for block in trace.blocks for part in (block.attention, block.feed_forward)]
    torch.testing.assert_close(stream.writes, torch.cat([trace.embedding.embeddings, *outputs]), atol=1e-6, rtol=0)
    torch.testing.assert_close(stream.writes.cumsum(0), stream.states, atol=1e-6, rtol=0)


def test_habits_are_mean_weights_on_the_token_itself_the_one_before_and_each_of_the_row() -> None:
    scores = torch.randn(2, 3, 5, 5, generator=torch.Generator().manual_seed(1))
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
    found = habits(weights)
    assert found.shape == (2, 3, 2 + 5)
    for block in range(2):
        for head in range(3):
            one = weights[block, head]
            means = [sum(float(one[i, i - back]) for i in (2, 3, 4)) / 3 for back in (0, 1)]
            means += [sum(float(one[i, j]) for i in (2, 3, 4)) / 3 for j in range(5)]
            torch.testing.assert_close(found[block, head], torch.tensor(means))
    torch.testing.assert_close(found[..., 2:].sum(-1), torch.ones(2, 3))


def test_an_even_head_gives_every_token_that_it_may_see_the_same() -> None:
    weights = evenly(5)
    torch.testing.assert_close(weights.sum(-1), torch.ones(5))
    assert all(len(set(row[: place + 1].tolist())) == 1 for place, row in enumerate(weights))
    assert not weights.triu(1).any()
    first = (1 / 3 + 1 / 4 + 1 / 5) / 3
    torch.testing.assert_close(habits(weights)[:3], torch.full((3,), first))


@pytest.mark.parametrize("length", [1, 2])
def test_a_row_too_short_for_habits_has_none(length: int) -> None:
    assert habits(torch.ones(3, length, length)).isnan().all()
