"""Attention against PyTorch's own, and the truths that hold for any weights."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from transformer.attention import (
    MultiHeadAttention,
    causal_heads,
    causal_mask,
    merge_heads,
    softmax_steps,
    split_heads,
)

B, T, S, D, H, K = 2, 5, 7, 12, 3, 4


@pytest.fixture
def attention() -> MultiHeadAttention:
    torch.manual_seed(0)
    return MultiHeadAttention(D, H).eval()


def torch_twin(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    """torch's own module with the same weights."""
    twin = nn.MultiheadAttention(D, H, batch_first=True).eval()
    parts = attention.query, attention.key, attention.value
    with torch.no_grad():
        twin.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        twin.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        twin.out_proj.weight.copy_(attention.output.weight)
        twin.out_proj.bias.copy_(attention.output.bias)
    return twin


def test_self_attention_equals_torch(attention: MultiHeadAttention) -> None:
    x = torch.randn(B, T, D)
    expected, weights = torch_twin(attention)(
        x, x, x, attn_mask=~causal_mask(T), need_weights=True, average_attn_weights=False
    )
    trace = attention.trace(x, is_causal=True)
    torch.testing.assert_close(trace.output, expected)
    torch.testing.assert_close(trace.weights, weights)
    torch.testing.assert_close(attention(x, is_causal=True), expected)


def test_cross_attention_with_padding_equals_torch(attention: MultiHeadAttention) -> None:
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)
    padded = torch.tensor([[False] * S, [False] * 4 + [True] * 3])
    expected, _ = torch_twin(attention)(x, memory, memory, key_padding_mask=padded)
    mask = ~padded[:, None, None, :]
    torch.testing.assert_close(attention.trace(x, memory, mask).output, expected)
    torch.testing.assert_close(attention(x, memory, mask), expected)


def test_heads_equal_the_fused_kernel(attention: MultiHeadAttention) -> None:
    trace = attention.trace(torch.randn(B, T, D), is_causal=True)
    fused = F.scaled_dot_product_attention(trace.queries, trace.keys, trace.values, is_causal=True)
    torch.testing.assert_close(trace.heads, fused)


def test_heads_with_dropout_are_those_of_weights_dropped_at_random_and_the_rest_louder(
    attention: MultiHeadAttention,
) -> None:
    trace = attention.trace(torch.randn(B, T, D), is_causal=True)
    none_dropped = causal_heads(trace.queries, trace.keys, trace.values, 0.0)
    torch.testing.assert_close(none_dropped, trace.heads)
    one_hot = torch.eye(T).expand(B, H, T, T)
    weights = causal_heads(trace.queries, trace.keys, one_hot, 0.25)
    kept = weights != 0
    torch.testing.assert_close(weights[kept], (trace.weights / 0.75)[kept])
    assert 0 < (~kept & causal_mask(T)).sum() < B * H * T * T / 2 and not kept.triu(1).any()


def test_attention_drops_weights_in_training_alone() -> None:
    torch.manual_seed(0)
    attention, x = MultiHeadAttention(D, H, dropout=0.5), torch.randn(B, T, D)
    assert not torch.equal(attention(x, is_causal=True), attention(x, is_causal=True))
    attention.eval()
    assert torch.equal(attention(x, is_causal=True), attention(x, is_causal=True))


def test_scores_put_queries_on_the_rows_and_keys_on_the_columns(attention: MultiHeadAttention) -> None:
    trace = attention.trace(torch.randn(B, T, D), torch.randn(B, S, D))
    for i in range(T):
        for j in range(S):
            expected = (trace.queries[1, 2, i] * trace.keys[1, 2, j]).sum()
            torch.testing.assert_close(trace.scores[1, 2, i, j], expected)


def test_scaling_divides_by_the_root_of_head_size(attention: MultiHeadAttention) -> None:
    trace = attention.trace(torch.randn(B, T, D))
    torch.testing.assert_close(trace.scaled * 2, trace.scores)  # √4


def test_rows_of_weights_sum_to_one_and_are_zero_above_the_diagonal(attention: MultiHeadAttention) -> None:
    trace = attention.trace(torch.randn(B, T, D), is_causal=True)
    torch.testing.assert_close(trace.weights.sum(-1), torch.ones(B, H, T))
    assert trace.weights.triu(1).abs().max() == 0
    assert torch.equal(trace.masked == -math.inf, ~causal_mask(T).expand(B, H, T, T))


def test_attention_never_looks_ahead(attention: MultiHeadAttention) -> None:
    x = torch.randn(B, T, D)
    changed = x.clone()
    changed[:, 3] += 1
    for path in (attention, lambda x, is_causal: attention.trace(x, is_causal=is_causal).output):
        before, after = path(x, is_causal=True), path(changed, is_causal=True)
        torch.testing.assert_close(before[:, :3], after[:, :3])
        assert not torch.allclose(before[:, 3:], after[:, 3:])


def test_concatenated_holds_each_head_in_its_own_columns(attention: MultiHeadAttention) -> None:
    trace = attention.trace(torch.randn(B, T, D))
    for head in range(H):
        assert torch.equal(trace.concatenated[..., head * K : (head + 1) * K], trace.heads[:, head])


def test_cutting_into_heads_and_merging_gives_the_same_back() -> None:
    x = torch.randn(B, T, D)
    assert split_heads(x, H).shape == (B, H, T, K)
    assert torch.equal(merge_heads(split_heads(x, H)), x)


def test_a_query_that_may_look_nowhere_gives_zeros(attention: MultiHeadAttention) -> None:
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)
    mask = torch.ones(B, 1, T, S, dtype=torch.bool)
    mask[0, :, 2] = False
    trace = attention.trace(x, memory, mask)
    assert trace.weights[0, :, 2].abs().max() == 0
    assert trace.heads[0, :, 2].abs().max() == 0
    torch.testing.assert_close(attention(x, memory, mask), trace.output)


def test_dropout_takes_no_part_in_a_trace() -> None:
    attention = MultiHeadAttention(D, H, dropout=0.5).train()
    x = torch.randn(B, T, D)
    first, second = attention.trace(x, is_causal=True), attention.trace(x, is_causal=True)
    assert torch.equal(first.weights, second.weights)
    torch.testing.assert_close(first.weights.sum(-1), torch.ones(B, H, T))


def test_softmax_steps_are_the_parts_of_softmax() -> None:
    scores = torch.randn(B, H, T, S) * 9
    scores[..., 2:] = scores[..., 2:].masked_fill(torch.rand(B, H, T, S - 2) < 0.5, -math.inf)
    steps = softmax_steps(scores)
    assert torch.equal(steps.maximum[..., 0], scores.amax(-1))
    torch.testing.assert_close(steps.exponentials.sum(-1, keepdim=True), steps.total)
    torch.testing.assert_close(steps.weights, F.softmax(scores, -1))
