"""The paper's model against torch's own, its masks, and its two paths, pre-LN and post-LN."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from transformer import ModelConfig
from transformer.attention import MultiHeadAttention
from transformer.blocks import Block, DecoderBlock
from transformer.encoder_decoder import PADDING, EncoderDecoder, padded
from transformer.trace import AttentionTrace, axes_of, named_tensors

B, S, T, D, H, F, V = 2, 7, 5, 12, 3, 20, 17
SIZES = {"B": B, "D": D, "H": H, "K": 4, "F": F, "V": V}
CONFIG = ModelConfig(
    vocab_size=V, context_length=8, d_model=D, num_heads=H, num_blocks=2, d_ff=F, dropout=0.5, norm_first=False
)
CHOICES: list[dict[str, Any]] = [
    {},
    {"norm_first": True},
    {"positions": "learned", "activation": "gelu", "tied_output": False},
    {"positions": "none", "bias": False, "norm_first": True},
]


def loud(config: ModelConfig) -> EncoderDecoder:
    """A model in which biases and norms matter, too."""
    model = EncoderDecoder(config, seed=3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(5)) * 0.3)
    return model


@pytest.fixture
def source() -> Tensor:
    return padded([[3, 9, 4, 4, 16, 5, 8], [7, 3, 12]])


@pytest.fixture
def target() -> Tensor:
    return padded([[1, 6, 6], [1, 11, 3, 14, 9]])


def copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    parts = ours.query, ours.key, ours.value
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def copy_feed_forward(theirs: Any, ours: Block | DecoderBlock, norm: nn.Module) -> None:
    theirs.linear1.load_state_dict(ours.feed_forward.hidden.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.output.state_dict())
    norm.load_state_dict(ours.feed_forward_norm.state_dict())


def torch_twin(model: EncoderDecoder) -> nn.Transformer:
    """torch's own model with the same weights; post-LN without the final norms that torch, unlike the paper, has."""
    config = model.config
    with pytest.warns(UserWarning, match="nested_tensor"):  # of no use to us
        twin = nn.Transformer(
            D, H, 2, 2, F, dropout=0.0, activation=config.activation, batch_first=True, norm_first=config.norm_first
        ).eval()
    for theirs, ours in zip(twin.encoder.layers, model.encoder_blocks, strict=True):
        copy_attention(theirs.self_attn, ours.attention)
        theirs.norm1.load_state_dict(ours.attention_norm.state_dict())
        copy_feed_forward(theirs, ours, theirs.norm2)
    for theirs, ours in zip(twin.decoder.layers, model.decoder_blocks, strict=True):
        copy_attention(theirs.self_attn, ours.self_attention)
        copy_attention(theirs.multihead_attn, ours.cross_attention)
        theirs.norm1.load_state_dict(ours.self_attention_norm.state_dict())
        theirs.norm2.load_state_dict(ours.cross_attention_norm.state_dict())
        copy_feed_forward(theirs, ours, theirs.norm3)
    if config.norm_first:
        twin.encoder.norm.load_state_dict(model.encoder_norm.state_dict())
        twin.decoder.norm.load_state_dict(model.decoder_norm.state_dict())
    else:
        twin.encoder.norm = twin.decoder.norm = None
    return twin


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_it_equals_torch(norm_first: bool, activation: Any, source: Tensor, target: Tensor) -> None:
    model = loud(replace(CONFIG, norm_first=norm_first, activation=activation))
    expected = torch_twin(model)(
        model.embed(source).embeddings,
        model.embed(target).embeddings,
        tgt_mask=~torch.ones(T, T, dtype=torch.bool).tril(),
        src_key_padding_mask=source == PADDING,
        memory_key_padding_mask=source == PADDING,
        tgt_key_padding_mask=target == PADDING,
    )
    trace = model.trace(source, target)
    torch.testing.assert_close(trace.decoder.final_norm, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(model(source, target), model.output(expected), atol=1e-5, rtol=0)


@pytest.mark.parametrize("choices", CHOICES)
def test_trace_equals_forward(choices: dict[str, Any], source: Tensor, target: Tensor) -> None:
    model = loud(replace(CONFIG, **choices))
    trace = model.trace(source, target)
    torch.testing.assert_close(trace.decoder.logits, model(source, target), atol=1e-5, rtol=0)
    torch.testing.assert_close(trace.encoder.memory, model.encode(source), atol=1e-5, rtol=0)
    torch.testing.assert_close(model.decode(source, target, model.encode(source)), model(source, target))


@pytest.mark.parametrize("choices", CHOICES)
def test_every_tensor_of_a_trace_has_the_axes_it_says(choices: dict[str, Any], source: Tensor, target: Tensor) -> None:
    names = []
    for path, axes, tensor in named_tensors(EncoderDecoder(replace(CONFIG, **choices)).trace(source, target)):
        tokens = S if path.startswith("encoder") else T
        looked_at = T if "self_attention" in path else S
        sizes = {**SIZES, "T": tokens, "S": looked_at}
        assert tuple(tensor.shape) == tuple(sizes[letter] for letter in axes.split()), path
        names.append(path)
    assert {"encoder.blocks.1.attention.weights", "decoder.blocks.1.cross_attention.weights"} <= set(names)
    assert {"encoder.mask", "decoder.mask", "decoder.cross_mask", "encoder.memory"} <= set(names)
    assert axes_of(AttentionTrace, "keys") == "B H S K"


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_block_reads_what_the_block_before_it_wrote(norm_first: bool, source: Tensor, target: Tensor) -> None:
    model = loud(replace(CONFIG, norm_first=norm_first))
    trace = model.trace(source, target)
    for stack in (trace.encoder, trace.decoder):
        assert torch.equal(stack.blocks[0].input, stack.embedding.embeddings)
        assert torch.equal(stack.blocks[1].input, stack.blocks[0].output)
    block = trace.decoder.blocks[1]
    assert torch.equal(block.self_attention_residual, block.input + block.self_attention.output)
    stream = block.self_attention_residual if norm_first else block.self_attention_norm
    assert torch.equal(block.cross_attention_residual, stream + block.cross_attention.output)
    stream = block.cross_attention_residual if norm_first else block.cross_attention_norm
    assert torch.equal(block.feed_forward_residual, stream + block.feed_forward.output)
    assert torch.equal(block.output, block.feed_forward_residual if norm_first else block.feed_forward_norm)


def test_cross_attention_asks_with_the_target_and_looks_at_the_memory(source: Tensor, target: Tensor) -> None:
    model = loud(CONFIG)
    trace = model.trace(source, target)
    cross, layer = trace.decoder.blocks[1].cross_attention, model.decoder_blocks[1].cross_attention
    assert torch.equal(cross.input, trace.decoder.blocks[1].self_attention_norm)
    torch.testing.assert_close(cross.keys, layer.key(trace.encoder.memory).unflatten(-1, (H, -1)).transpose(1, 2))
    torch.testing.assert_close(cross.values, layer.value(trace.encoder.memory).unflatten(-1, (H, -1)).transpose(1, 2))


def test_weights_are_zero_exactly_where_a_mask_forbids(source: Tensor, target: Tensor) -> None:
    trace = loud(CONFIG).trace(source, target)
    kinds = [
        (trace.encoder.mask, [block.attention for block in trace.encoder.blocks]),
        (trace.decoder.mask, [block.self_attention for block in trace.decoder.blocks]),
        (trace.decoder.cross_mask, [block.cross_attention for block in trace.decoder.blocks]),
    ]
    for mask, attentions in kinds:
        for attention in attentions:
            assert torch.equal(attention.weights > 0, mask[:, None].expand_as(attention.weights))
            assert torch.equal(attention.masked == -torch.inf, ~mask[:, None].expand_as(attention.weights))
            sums = attention.weights.sum(-1)
            torch.testing.assert_close(sums, torch.ones_like(sums))


def test_padding_changes_nothing(source: Tensor, target: Tensor) -> None:
    model = loud(CONFIG)
    both = model(source, target)
    torch.testing.assert_close(both[0, :3], model(source[:1], target[:1, :3])[0], atol=1e-5, rtol=0)
    torch.testing.assert_close(both[1], model(source[1:, :3], target[1:])[0], atol=1e-5, rtol=0)


def test_a_later_target_token_changes_nothing_and_any_source_token_everything(source: Tensor, target: Tensor) -> None:
    model = loud(CONFIG)
    later = target.clone()
    later[1, 3] = 2
    logits, changed = model(source, target), model(source, later)
    torch.testing.assert_close(logits[1, :3], changed[1, :3])
    assert not torch.allclose(logits[1, 3], changed[1, 3])
    other = source.clone()
    other[0, 6] = 2
    assert not torch.isclose(model(other, target)[0], logits[0]).any(-1).all()
    assert not torch.allclose(model(other, target)[0, 0], logits[0, 0])


@pytest.mark.parametrize("norm_first", [False, True])
def test_nothing_but_padding_or_a_single_token_gives_numbers(norm_first: bool) -> None:
    model = loud(replace(CONFIG, norm_first=norm_first))
    for source in (torch.zeros(B, S, dtype=torch.long), padded([[3], []]), torch.tensor([[5]])):
        for target in (torch.zeros(len(source), T, dtype=torch.long), torch.ones(len(source), 1, dtype=torch.long)):
            trace = model.trace(source, target)
            torch.testing.assert_close(model(source, target), trace.decoder.logits, atol=1e-5, rtol=0)
            for path, _, tensor in named_tensors(trace):
                assert "masked" in path or torch.isfinite(tensor).all(), path
    model.train()
    model(padded([[3], []]), padded([[1, 4], []])).sum().backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in model.parameters() if parameter.grad is not None)


def test_tokens_are_looked_up_times_the_root_of_d_model(source: Tensor) -> None:
    model = loud(CONFIG)
    trace = model.embed(source)
    torch.testing.assert_close(trace.token_embeddings, model.token_embedding.weight[source] * D**0.5)
    assert torch.equal(trace.embeddings, trace.token_embeddings + trace.positions)


def test_source_target_and_output_share_one_table() -> None:
    tied, untied = EncoderDecoder(CONFIG), EncoderDecoder(replace(CONFIG, tied_output=False))
    assert tied.output.weight is tied.token_embedding.weight
    counts = [sum(parameter.numel() for parameter in model.parameters()) for model in (tied, untied)]
    assert counts[1] - counts[0] == V * D


def test_only_pre_ln_ends_its_stacks_with_norms() -> None:
    post = {name for name, _ in EncoderDecoder(CONFIG).named_parameters()}
    pre = {name for name, _ in EncoderDecoder(replace(CONFIG, norm_first=True)).named_parameters()}
    assert pre - post == {f"{stack}_norm.{kind}" for stack in ("encoder", "decoder") for kind in ("weight", "bias")}


def test_the_same_seed_gives_the_same_weights_and_the_global_random_state_is_left_alone() -> None:
    state = torch.get_rng_state()
    same, again, other = EncoderDecoder(CONFIG, 4), EncoderDecoder(CONFIG, 4), EncoderDecoder(CONFIG, 5)
    assert torch.equal(state, torch.get_rng_state()) and not same.training
    for (name, one), two, three in zip(same.named_parameters(), again.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two), name
        assert "norm" in name or name.endswith("bias") or not torch.equal(one, three), name


def test_at_the_start_a_token_is_as_loud_as_its_position() -> None:
    model = EncoderDecoder(ModelConfig(vocab_size=300, d_model=96, num_heads=4, context_length=40, norm_first=False))
    trace = model.embed(torch.arange(40)[None])
    assert trace.token_embeddings.std().item() == pytest.approx(1, rel=0.05)
    assert trace.positions.square().mean().sqrt().item() == pytest.approx(0.5**0.5, rel=0.01)


@pytest.mark.parametrize("lengths", [(9, 3), (3, 9)])
def test_more_tokens_than_the_context_on_either_side_are_refused_in_one_sentence(lengths: tuple[int, int]) -> None:
    model = EncoderDecoder(CONFIG)
    inputs = [torch.ones(1, length, dtype=torch.long) for length in lengths]
    for path in (model, model.trace):
        with pytest.raises(ValueError, match=r"^9 tokens do not fit a context of 8$"):
            path(*inputs)
