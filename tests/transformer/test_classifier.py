"""The classifier: a sentence gets one answer, wherever it stands in a batch and whatever padding stands beside it."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer.classification.circulating import (
    AveragesPadding,
    NumbersTheBatch,
    changed_by_padding,
    changed_by_place,
)
from transformer.classifier import Classifier, ClassifierConfig, mean_of_real, real_tokens, shares_of_mean
from transformer.trace import named_tensors

B, T, V, C = 2, 5, 17, 6
SIZES = {"B": B, "T": T, "S": T, "D": 12, "H": 3, "K": 4, "F": 20, "V": V, "C": C}
CONFIG = ClassifierConfig(
    vocab_size=V, context_length=9, d_model=12, num_heads=3, num_blocks=2, d_ff=20, dropout=0.5, num_classes=C
)
CHOICES: list[dict[str, Any]] = [
    {},
    {"positions": "learned", "activation": "gelu"},
    {"positions": "none", "norm_first": False},
    {"bias": False},
]
LENGTHS = torch.tensor([5, 3])


def loud(config: ClassifierConfig = CONFIG) -> Classifier:
    """A model whose weights are large enough that every step matters."""
    model = Classifier(config, seed=3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(5)) * 0.4)
    return model


@pytest.fixture
def tokens() -> Tensor:
    return torch.randint(V, (B, T), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("choices", CHOICES)
@pytest.mark.parametrize("lengths", [LENGTHS, None], ids=["padded", "full"])
def test_trace_equals_forward(choices: dict[str, Any], lengths: Tensor | None, tokens: Tensor) -> None:
    model = loud(replace(CONFIG, **choices))
    torch.testing.assert_close(
        model.trace(tokens, lengths).log_probabilities, model(tokens, lengths), atol=1e-5, rtol=0
    )


@pytest.mark.parametrize("choices", CHOICES)
def test_every_tensor_of_a_trace_has_the_axes_it_says(choices: dict[str, Any], tokens: Tensor) -> None:
    names = []
    for path, axes, tensor in named_tensors(loud(replace(CONFIG, **choices)).trace(tokens, LENGTHS)):
        assert tuple(tensor.shape) == tuple(SIZES[letter] for letter in axes.split()), path
        names.append(path)
    assert names[:2] == ["tokens", "real"]
    assert names[-5:] == ["final_norm", "shares", "mean", "logits", "log_probabilities"]


def test_it_is_pytorchs_encoder_and_a_mean_and_a_linear_layer(tokens: Tensor) -> None:
    model = loud()
    layers = [nn.TransformerEncoderLayer(12, 3, 20, 0.0, batch_first=True, norm_first=True) for _ in model.blocks]
    for layer, block in zip(layers, model.blocks, strict=True):
        assert isinstance(block, nn.Module)
        theirs, ours = layer.eval().state_dict(), block.state_dict()
        parts = [ours[f"attention.{name}.{kind}"] for kind in ("weight", "bias") for name in ("query", "key", "value")]
        theirs |= {
            "self_attn.in_proj_weight": torch.cat(parts[:3]),
            "self_attn.in_proj_bias": torch.cat(parts[3:]),
            **{f"self_attn.out_proj.{kind}": ours[f"attention.output.{kind}"] for kind in ("weight", "bias")},
            **{f"linear1.{kind}": ours[f"feed_forward.hidden.{kind}"] for kind in ("weight", "bias")},
            **{f"linear2.{kind}": ours[f"feed_forward.output.{kind}"] for kind in ("weight", "bias")},
            **{f"norm1.{kind}": ours[f"attention_norm.{kind}"] for kind in ("weight", "bias")},
            **{f"norm2.{kind}": ours[f"feed_forward_norm.{kind}"] for kind in ("weight", "bias")},
        }
        layer.load_state_dict(theirs)
    padding = torch.arange(T) >= LENGTHS[:, None]
    x = model.token_embedding(tokens) + model.positions[:T]
    for layer in layers:
        x = layer(x, src_key_padding_mask=padding)
    x = model.final_norm(x)
    means = torch.stack([x[row, :length].mean(0) for row, length in enumerate(LENGTHS.tolist())])
    torch.testing.assert_close(model(tokens, LENGTHS), F.log_softmax(model.output(means), -1), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("choices", CHOICES)
def test_a_sentence_gets_the_same_answer_in_any_place_and_with_any_padding(choices: dict[str, Any]) -> None:
    model, random = loud(replace(CONFIG, **choices)), torch.Generator().manual_seed(2)
    sentence = torch.randint(V, (3,), generator=random)
    alone = model(sentence[None])[0]
    for place in range(4):
        for width in range(3, 10):
            batch = torch.randint(V, (4, width), generator=random)  # what stands behind a sentence is noise, not zeros
            batch[place, :3] = sentence
            lengths = torch.randint(1, width + 1, (4,), generator=random)
            lengths[place] = 3
            torch.testing.assert_close(model(batch, lengths)[place], alone, atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(
                model.trace(batch, lengths).log_probabilities[place], alone, atol=1e-5, rtol=1e-5
            )


@pytest.mark.parametrize("choices", CHOICES)
def test_padding_alone_and_a_single_token_give_numbers(choices: dict[str, Any], tokens: Tensor) -> None:
    model = loud(replace(CONFIG, **choices))
    lengths = torch.tensor([0, 1])
    for tensor in (model(tokens, lengths), model.trace(tokens, lengths).log_probabilities, model(tokens[:, :1])):
        assert tensor.isfinite().all()
        torch.testing.assert_close(tensor.exp().sum(-1), torch.ones(B))
    model.train()
    model(tokens, lengths).sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_padding_alone_is_decided_by_the_bias_of_the_output(tokens: Tensor) -> None:
    model = loud()
    torch.testing.assert_close(model(tokens, torch.tensor([0, 0]))[1], model.output.bias.log_softmax(-1))


def test_every_token_looks_at_all_real_ones_and_at_no_padding(tokens: Tensor) -> None:
    trace = loud().trace(tokens, LENGTHS)
    for block in trace.blocks:
        weights = block.attention.weights
        assert (weights[1, :, :, 3:] == 0).all()
        assert (weights[1, :, :, :3] > 0).all() and (weights[0] > 0).all()
        torch.testing.assert_close(weights.sum(-1), torch.ones(B, 3, T))


def test_the_mean_is_that_of_the_real_tokens(tokens: Tensor) -> None:
    trace = loud().trace(tokens, LENGTHS)
    assert trace.shares[1].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0])
    torch.testing.assert_close(trace.mean[1], trace.final_norm[1, :3].mean(0))
    nothing = mean_of_real(trace.final_norm, torch.zeros(B, T, dtype=torch.bool))
    assert torch.equal(nothing, torch.zeros(B, 12))
    assert torch.equal(shares_of_mean(real_tokens(tokens, torch.tensor([0, 0]))), torch.zeros(B, T))


def test_what_stands_in_padding_never_reaches_the_mean_not_even_nan() -> None:
    x, real = torch.ones(1, 3, 2), torch.tensor([[True, True, False]])
    x[0, 2] = math.nan
    assert torch.equal(mean_of_real(x, real), torch.ones(1, 2))


def test_word_order_matters_to_it(tokens: Tensor) -> None:
    model = loud()
    assert not torch.allclose(model(tokens), model(tokens.flip(1)), atol=1e-3)
    blind = loud(replace(CONFIG, positions="none"))
    torch.testing.assert_close(blind(tokens), blind(tokens.flip(1)), atol=1e-5, rtol=1e-5)


def test_numbering_the_batch_gives_one_sentence_different_answers(tokens: Tensor) -> None:
    model, wrong = loud(), NumbersTheBatch.like(loud())
    same = tokens[:1].expand(4, -1)
    torch.testing.assert_close(model(same), model(same[:1]).expand(4, -1))
    answers = wrong(same)
    assert all(not torch.allclose(answers[0], answers[place], atol=1e-3) for place in range(1, 4))
    torch.testing.assert_close(wrong(tokens[:1]), wrong(tokens[:1].flip(1)), atol=1e-5, rtol=1e-5)  # word order is lost


def test_a_mean_over_padding_changes_with_the_padding(tokens: Tensor) -> None:
    wrong = AveragesPadding.like(loud())
    torch.testing.assert_close(wrong(tokens), loud()(tokens))
    padded = torch.cat([tokens, torch.zeros(B, 4, dtype=torch.long)], 1)
    assert not torch.allclose(wrong(padded, torch.tensor([5, 5])), wrong(tokens), atol=1e-3)


def test_more_tokens_than_the_context_and_fewer_than_two_classes_are_refused_in_one_sentence() -> None:
    model = Classifier(CONFIG)
    for path in (model, model.trace):
        with pytest.raises(ValueError, match=r"^10 tokens do not fit a context of 9$"):
            path(torch.zeros(1, 10, dtype=torch.long))
    with pytest.raises(ValueError, match=r"^num_classes is 1; it must be at least 2$"):
        replace(CONFIG, num_classes=1)


def test_the_weights_follow_from_the_seed_and_leave_the_global_random_state_alone() -> None:
    state = torch.get_rng_state()
    same, again, other = Classifier(CONFIG, seed=4), Classifier(CONFIG, seed=4), Classifier(CONFIG, seed=5)
    assert torch.equal(state, torch.get_rng_state())
    for (name, one), two, three in zip(same.named_parameters(), again.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two), name
        assert "norm" in name or name.endswith("bias") or not torch.equal(one, three), name
    assert not same.training


def test_changed_decisions_are_counted_by_running_the_circulating_code() -> None:
    model = loud()
    by_place, by_padding = NumbersTheBatch.like(model), AveragesPadding.like(model)
    rows = torch.randint(V, (6, T), generator=torch.Generator().manual_seed(7))
    full, lengths = torch.full((6,), T), torch.tensor([5, 3, 1, 2, 4, 5])

    def decided(row: Tensor, place: int) -> int:
        return int(by_place(torch.cat([rows[:place], row[None]]))[place].argmax())

    moved = [decided(row, place % 3) != decided(row, 2 - place % 3) for place, row in enumerate(rows)]
    assert changed_by_place(model, rows, full, 3) == sum(moved)
    beside = [
        int(by_padding(row[None]).argmax()) != int(by_padding(row[None, :length]).argmax())
        for row, length in zip(rows, lengths.tolist(), strict=True)
    ]
    assert changed_by_padding(model, rows, lengths) == sum(beside)
