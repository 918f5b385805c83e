"""The block against torch's own encoder layer, pre-LN and post-LN, and its residual stream."""

import pytest
import torch
from torch import nn

from transformer.attention import causal_mask
from transformer.blocks import Block
from transformer.config import Activation, ModelConfig

B, T, D, H, F = 2, 5, 12, 3, 20


def torch_twin(block: Block, activation: Activation) -> nn.TransformerEncoderLayer:
    """torch's own layer with the same weights."""
    twin = nn.TransformerEncoderLayer(
        D, H, F, activation=activation, batch_first=True, norm_first=block.norm_first
    ).eval()
    attention = block.attention
    parts = attention.query, attention.key, attention.value
    with torch.no_grad():
        twin.self_attn.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        twin.self_attn.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    for theirs, ours in (
        (twin.self_attn.out_proj, attention.output),
        (twin.linear1, block.feed_forward.hidden),
        (twin.linear2, block.feed_forward.output),
        (twin.norm1, block.attention_norm),
        (twin.norm2, block.feed_forward_norm),
    ):
        theirs.load_state_dict(ours.state_dict())
    return twin


def random_block(*, norm_first: bool, activation: Activation) -> Block:
    torch.manual_seed(0)
    config = ModelConfig(
        vocab_size=17, d_model=D, num_heads=H, d_ff=F, norm_first=norm_first, activation=activation, dropout=0.3
    )
    block = Block(config).eval()
    with torch.no_grad():
        for norm in (block.attention_norm, block.feed_forward_norm):
            norm.weight.uniform_(0.5, 2)
            norm.bias.normal_()
    return block


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_block_equals_torch(norm_first: bool, activation: Activation) -> None:
    block = random_block(norm_first=norm_first, activation=activation)
    x = torch.randn(B, T, D)
    expected = torch_twin(block, activation)(x, src_mask=~causal_mask(T))
    torch.testing.assert_close(block(x, is_causal=True), expected)
    torch.testing.assert_close(block.trace(x, is_causal=True).output, expected)
    torch.testing.assert_close(block.trace(x, causal_mask(T)).output, expected)


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_residual_is_what_went_in_plus_what_came_out(norm_first: bool) -> None:
    trace = random_block(norm_first=norm_first, activation="relu").trace(torch.randn(B, T, D), is_causal=True)
    assert torch.equal(trace.attention_residual, trace.input + trace.attention.output)
    stream = trace.attention_residual if norm_first else trace.attention_norm
    assert torch.equal(trace.feed_forward_residual, stream + trace.feed_forward.output)


def test_norms_stand_before_the_sublayers_or_after_the_sums() -> None:
    x = torch.randn(B, T, D)
    block = random_block(norm_first=True, activation="relu")
    before = block.trace(x)
    assert torch.equal(before.attention.input, block.attention_norm(x))
    assert torch.equal(before.output, before.feed_forward_residual)
    block = random_block(norm_first=False, activation="relu")
    after = block.trace(x)
    assert torch.equal(after.attention.input, x)
    assert torch.equal(after.output, block.feed_forward_norm(after.feed_forward_residual))


def test_relu_keeps_what_is_positive() -> None:
    trace = random_block(norm_first=True, activation="relu").trace(torch.randn(B, T, D)).feed_forward
    assert torch.equal(trace.activated, trace.hidden.clamp(min=0))
    assert (trace.hidden < 0).any()


def test_feed_forward_treats_every_position_alike() -> None:
    layer = random_block(norm_first=True, activation="gelu").feed_forward
    x = torch.randn(B, T, D)
    torch.testing.assert_close(layer(x)[:, 3], layer(x[:, 3:4])[:, 0])
