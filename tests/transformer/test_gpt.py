"""The language model: its two paths agree, it never looks ahead, and its weights follow from a seed."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from transformer import GPT, ModelConfig
from transformer.trace import named_tensors, nbytes

B, T, V = 2, 5, 17
SIZES = {"B": B, "T": T, "S": T, "D": 12, "H": 3, "K": 4, "F": 20, "V": V}
CONFIG = ModelConfig(vocab_size=V, context_length=7, d_model=12, num_heads=3, num_blocks=2, d_ff=20, dropout=0.5)
CHOICES: list[dict[str, Any]] = [
    {},
    {"positions": "learned", "activation": "gelu"},
    {"positions": "none", "norm_first": False},
    {"tied_output": False, "bias": False},
]


def loud(config: ModelConfig) -> GPT:
    """A model whose weights are large enough that every step matters."""
    model = GPT(config, seed=3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(5)) * 0.4)
    return model


@pytest.fixture
def tokens() -> torch.Tensor:
    return torch.randint(V, (B, T), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("choices", CHOICES)
def test_trace_equals_forward(choices: dict[str, Any], tokens: torch.Tensor) -> None:
    model = loud(replace(CONFIG, **choices))
    torch.testing.assert_close(model.trace(tokens).logits, model(tokens), atol=1e-5, rtol=0)


@pytest.mark.parametrize("choices", CHOICES)
def test_every_tensor_of_a_trace_has_the_axes_it_says(choices: dict[str, Any], tokens: torch.Tensor) -> None:
    names = []
    for path, axes, tensor in named_tensors(GPT(replace(CONFIG, **choices)).trace(tokens)):
        assert tuple(tensor.shape) == tuple(SIZES[letter] for letter in axes.split()), path
        names.append(path)
    assert names[:4] == [
        "tokens",
        "embedding.token_embeddings",
        "embedding.positions",
        "embedding.embeddings",
    ]
    assert names[-2:] == ["final_norm", "logits"]
    assert "blocks.1.attention.weights" in names
    assert "blocks.0.feed_forward.hidden" in names


def test_a_block_reads_what_the_block_before_it_wrote(tokens: torch.Tensor) -> None:
    trace = loud(CONFIG).trace(tokens)
    assert torch.equal(trace.embedding.embeddings, trace.embedding.token_embeddings + trace.embedding.positions)
    assert torch.equal(trace.blocks[0].input, trace.embedding.embeddings)
    assert torch.equal(trace.blocks[1].input, trace.blocks[0].output)


def test_one_block_traced_alone_is_that_block_of_the_whole(tokens: torch.Tensor) -> None:
    model = loud(CONFIG)
    alone, whole = model.trace_block(tokens, 1), model.trace(tokens).blocks[1]
    for (path, _, one), (_, _, other) in zip(named_tensors(alone), named_tensors(whole), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5, msg=path)


def test_changing_a_token_leaves_the_logits_before_it_unchanged(tokens: torch.Tensor) -> None:
    model = loud(CONFIG)
    changed = tokens.clone()
    changed[:, 3] = (changed[:, 3] + 1) % V
    for path in (model, lambda tokens: model.trace(tokens).logits):
        torch.testing.assert_close(path(tokens)[:, :3], path(changed)[:, :3])
        assert not torch.allclose(path(tokens)[:, 3:], path(changed)[:, 3:])


def test_a_row_of_the_batch_does_not_depend_on_the_others(tokens: torch.Tensor) -> None:
    model = loud(CONFIG)
    torch.testing.assert_close(model(tokens)[1:], model(tokens[1:]))


def test_without_positions_an_order_cannot_be_seen_by_the_last_token(tokens: torch.Tensor) -> None:
    swapped = tokens[:, [1, 0, 3, 2, 4]]
    assert not torch.equal(tokens, swapped)
    blind = loud(replace(CONFIG, positions="none", num_blocks=1))
    torch.testing.assert_close(blind(tokens)[:, -1], blind(swapped)[:, -1])
    seeing = loud(replace(CONFIG, num_blocks=1))
    assert not torch.allclose(seeing(tokens)[:, -1], seeing(swapped)[:, -1])


def test_more_tokens_than_the_context_are_refused_in_one_sentence() -> None:
    model = GPT(CONFIG)
    for path in (model, model.trace):
        with pytest.raises(ValueError, match=r"^8 tokens do not fit a context of 7$"):
            path(torch.zeros(1, 8, dtype=torch.long))


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    same, again, other = GPT(CONFIG, seed=4), GPT(CONFIG, seed=4), GPT(CONFIG, seed=5)
    for (name, one), two, three in zip(same.named_parameters(), again.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two), name
        assert "norm" in name or name.endswith("bias") or not torch.equal(one, three), name


def test_a_model_made_in_inference_mode_can_be_trained() -> None:
    with torch.inference_mode():
        model = GPT(CONFIG, seed=4)
    assert torch.equal(model.token_embedding.weight, GPT(CONFIG, seed=4).token_embedding.weight)
    model(torch.zeros(1, 3, dtype=torch.long)).sum().backward()
    assert model.token_embedding.weight.grad is not None


def test_making_a_model_leaves_the_global_random_state_alone() -> None:
    state = torch.get_rng_state()
    GPT(CONFIG)
    assert torch.equal(state, torch.get_rng_state())


def test_a_token_starts_from_the_same_row_however_large_the_vocabulary() -> None:
    small, large = GPT(replace(CONFIG, vocab_size=20)), GPT(replace(CONFIG, vocab_size=40))
    assert torch.equal(small.token_embedding.weight, large.token_embedding.weight[:20])


def test_weights_start_with_the_deviations_of_gpt2() -> None:
    model = GPT(ModelConfig(vocab_size=500, d_model=96, num_heads=4, num_blocks=8), seed=1)
    assert model.token_embedding.weight.std().item() == pytest.approx(0.02, rel=0.02)
    block = model.blocks[3]
    assert isinstance(block, nn.Module)
    parameters = dict(block.named_parameters())
    assert parameters["attention.query.weight"].std().item() == pytest.approx(0.02, rel=0.03)
    assert parameters["feed_forward.output.weight"].std().item() == pytest.approx(0.02 / 4, rel=0.03)  # √(2·8) = 4
    assert parameters["attention.output.bias"].abs().max() == 0
    assert (parameters["attention_norm.weight"] == 1).all()
    assert not torch.equal(parameters["attention.query.weight"], parameters["attention.key.weight"])


def test_tied_output_is_the_embedding_table_itself() -> None:
    tied, untied = GPT(CONFIG), GPT(replace(CONFIG, tied_output=False))
    assert tied.output.weight is tied.token_embedding.weight
    count = [sum(parameter.numel() for parameter in model.parameters()) for model in (tied, untied)]
    assert count[1] - count[0] == V * 12


def test_a_model_that_is_made_to_be_looked_at_has_dropout_off(tokens: torch.Tensor) -> None:
    model = GPT(CONFIG)
    assert not model.training
    assert torch.equal(model(tokens), model(tokens))


def test_nbytes_counts_shared_memory_once(tokens: torch.Tensor) -> None:
    trace = GPT(CONFIG).trace(tokens)
    tensors = list(named_tensors(trace))
    by_hand = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for _, _, tensor in tensors}
    assert nbytes(trace) == sum(by_hand.values()) < sum(tensor.nbytes for _, _, tensor in tensors)
