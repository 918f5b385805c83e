"""Training does what its configuration says, and whoever watches sees a model that may be looked at."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, repeat
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from transformer import GPT, ModelConfig
from transformer.config import paper_learning_rate
from transformer.data import Split, Windows
from transformer.ngrams import BigramModel
from transformer.tasks import LanguageModelling
from transformer.tokenizer import CharacterTokenizer
from transformer.training import Training, TrainingConfig, adamw, devices, evaluate, precisions, train
from transformer.user_text import DataError

B, T, V = 2, 5, 17
MODEL = ModelConfig(vocab_size=V, context_length=7, d_model=12, num_heads=3, num_blocks=2, d_ff=20, dropout=0.3)
CONFIG = TrainingConfig(batch_size=B, learning_rate=1e-2, max_steps=6, warmup_steps=2, eval_interval=4, seed=3)
IDS = torch.randint(V, (90,), generator=torch.Generator().manual_seed(8))
TASK = LanguageModelling(CharacterTokenizer(""), Split(IDS, IDS), T)


class OneBatch(LanguageModelling):
    """The same windows in every step."""

    def batches(self, training: TrainingConfig, drawn: int = 0) -> Iterator[Windows]:
        return repeat(next(super().batches(training)))


def steps(config: TrainingConfig = CONFIG, model: GPT | None = None) -> Training:
    return train(GPT(MODEL, seed=1) if model is None else model, TASK, config)


def test_one_batch_is_learned_by_heart() -> None:
    model = GPT(ModelConfig(vocab_size=V, context_length=7, d_model=12, num_heads=3, num_blocks=2, d_ff=20), seed=1)
    task = OneBatch(TASK.tokenizer, TASK.text, T)
    config = TrainingConfig(batch_size=B, learning_rate=3e-2, max_steps=120, warmup_steps=5, weight_decay=0.0)
    losses = [step.loss for step in train(model, task, config)]
    batch = next(task.batches(config))
    assert losses[0] == pytest.approx(math.log(V), abs=0.3)
    assert losses[-1] < 0.05
    assert torch.equal(model(batch.inputs).argmax(-1), batch.targets)


def test_equal_seeds_give_equal_losses_step_for_step_whatever_else_draws_random_numbers() -> None:
    first, second = steps(), steps()
    for one in first:
        torch.rand(5)
        assert one == next(second)


def test_watching_leaves_the_random_numbers_of_others_alone() -> None:
    torch.manual_seed(0)
    expected = torch.rand(4)
    torch.manual_seed(0)
    next(steps())
    assert torch.equal(torch.rand(4), expected)


def test_the_model_is_in_eval_mode_whenever_the_generator_is_suspended() -> None:
    model = GPT(MODEL, seed=1)
    for _ in steps(model=model):
        assert not any(module.training for module in model.modules())
        assert torch.equal(model(IDS[None, :T]), model(IDS[None, :T]))


def test_each_next_is_one_step_and_leaving_early_harms_nothing() -> None:
    model = GPT(MODEL, seed=1)
    running = steps(model=model)
    before = model.output.weight.clone()
    assert [step.step for step in islice(running, 2)] == [1, 2]
    after = model.output.weight.clone()
    del running
    assert not torch.equal(before, after) and torch.equal(after, model.output.weight)


def test_steps_count_tokens_and_end_where_the_configuration_says() -> None:
    assert [(step.step, step.tokens) for step in steps()] == [(n, n * B * T) for n in range(1, 7)]


def test_validation_comes_at_each_interval_and_at_the_end() -> None:
    model = GPT(MODEL, seed=1)
    for step in steps(model=model):
        assert (step.validation_loss is not None) == (step.step in (4, 6))
    assert step.validation_loss == pytest.approx(evaluate(model, TASK, TASK.validation(CONFIG)))


def test_evaluation_is_the_mean_cross_entropy_of_the_targets_however_it_is_cut() -> None:
    model = GPT(MODEL, seed=1)
    whole = [evaluate(model, TASK, TASK.validation(TrainingConfig(batch_size=size))) for size in (17, 4, 100)]
    held_out = TASK.validation(TrainingConfig(batch_size=17))
    assert [batch.inputs.shape for batch in held_out] == [(17, T)]
    expected = F.cross_entropy(model(held_out[0].inputs).flatten(0, 1), held_out[0].targets.flatten()).item()
    assert whole == pytest.approx([expected] * 3, abs=1e-6)
    evaluate(model.train(), TASK, held_out)
    assert not model.training


def test_the_learning_rate_rises_straight_and_falls_like_a_cosine() -> None:
    config = TrainingConfig(learning_rate=8.0, final_learning_rate=0.25, warmup_steps=4, max_steps=12)
    by_hand = {1: 2.0, 2: 4.0, 4: 8.0, 8: 2.0 + 6.0 / 2, 12: 2.0, 6: 2.0 + 6.0 * (1 + math.sqrt(0.5)) / 2}
    assert {step: config.learning_rate_at(step) for step in by_hand} == pytest.approx(by_hand)
    assert TrainingConfig(warmup_steps=0, max_steps=4, learning_rate=1.0).learning_rate_at(4) == pytest.approx(0.1)


def test_the_schedule_of_the_paper_is_equation_3() -> None:
    d_model, warmup, factor = 12, 4, 2.5
    config = TrainingConfig(
        schedule="inverse_sqrt",
        learning_rate=paper_learning_rate(d_model, warmup, factor),
        warmup_steps=warmup,
        max_steps=30,
    )
    for step in (1, 3, 4, 5, 17, 30, 99):
        expected = factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        assert config.learning_rate_at(step) == pytest.approx(expected)


def test_a_step_is_taken_with_the_learning_rate_it_reports() -> None:
    assert [step.learning_rate for step in steps()] == [CONFIG.learning_rate_at(step) for step in range(1, 7)]


@pytest.mark.parametrize("tied", [True, False])
def test_only_matrices_decay_and_only_embedding_tables_learn_faster(tied: bool) -> None:
    model = GPT(ModelConfig(vocab_size=V, d_model=12, num_heads=3, tied_output=tied, positions="learned"), seed=1)
    optimizer = adamw(model, TrainingConfig(weight_decay=0.6, embedding_rate=3.0))
    settings = {
        id(parameter): (group["rate"], group["rate"] * group["weight_decay"])
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    names = {name: settings.pop(id(parameter)) for name, parameter in model.named_parameters()}
    assert not settings
    assert names.pop("token_embedding.weight") == pytest.approx((3.0, 0.6))
    for name, setting in names.items():
        assert setting == (1.0, 0.0 if "norm" in name or "bias" in name else 0.6)


@pytest.mark.parametrize("clip", [0.01, 1e6])
def test_a_gradient_longer_than_the_limit_is_shortened_to_it(clip: float) -> None:
    model = GPT(MODEL, seed=1)
    step = next(steps(TrainingConfig(batch_size=B, max_steps=6, warmup_steps=0, gradient_clip=clip), model))
    used = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None]).norm().item()
    assert used == pytest.approx(min(clip, step.gradient_norm), rel=1e-3)
    assert step.gradient_norm > 0.01


def test_a_loss_that_is_no_number_stops_the_training_before_it_spoils_the_weights() -> None:
    model = GPT(MODEL, seed=1)
    running = steps(model=model)
    next(running)
    with torch.no_grad():
        model.final_norm.bias[0] = math.nan
    before = model.output.weight.clone()
    with pytest.raises(FloatingPointError, match="the loss of step 2 is no longer a number"):
        next(running)
    assert torch.equal(before, model.output.weight) and not model.training


def test_no_step_holds_a_nan() -> None:
    for step in steps():
        assert all(math.isfinite(value) for value in (step.loss, step.learning_rate, step.gradient_norm))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"batch_size": 0}, "batch_size is 0; it must be at least 1"),
        ({"learning_rate": math.nan}, "learning_rate is nan; it must be a number above 0"),
        ({"embedding_rate": 0.0}, "embedding_rate is 0.0; it must be a number above 0"),
        ({"final_learning_rate": 1.5}, "final_learning_rate is 1.5; it must be between 0 and 1"),
        ({"beta2": 1.0}, "beta2 is 1.0; it must be at least 0 and below 1"),
        ({"label_smoothing": -0.1}, "label_smoothing is -0.1; it must be at least 0 and below 1"),
        ({"schedule": "linear"}, "schedule is 'linear'; it must be one of cosine, inverse_sqrt"),
        ({"precision": "int8"}, "precision is 'int8'; it must be one of float32, bfloat16"),
        ({"weight_decay": -0.1}, "weight_decay is -0.1; it must be at least 0"),
        ({"warmup_steps": 9, "max_steps": 8}, "warmup_steps is 9; it must be between 0 and 8, max_steps"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused_with_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        TrainingConfig(**wrong)


@pytest.mark.parametrize("at", [0, 1, 3, 5, 6])
def test_a_training_taken_up_again_goes_on_with_the_very_same_curve(at: int) -> None:
    whole = list(steps())
    model = GPT(MODEL, seed=1)
    first = steps(model=model)
    begun = list(islice(first, at))
    state = first.state()
    moved = GPT(MODEL, seed=2)
    moved.load_state_dict(model.state_dict())
    assert begun + list(train(moved, TASK, CONFIG, resume=state)) == whole


def test_a_state_is_refused_by_another_model() -> None:
    running = steps()
    next(running)
    smaller = GPT(ModelConfig(vocab_size=V, d_model=6, num_heads=3, num_blocks=2, d_ff=20), seed=1)
    with pytest.raises(ValueError, match=r"^token_embedding\.weight:exp_avg \(17, 12\) belongs to no parameter"):
        train(smaller, TASK, CONFIG, resume=running.state())


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_label_smoothing_gives_a_share_of_each_target_to_all_tokens_alike(smoothing: float) -> None:
    model = GPT(MODEL, seed=1)
    batch = next(TASK.batches(CONFIG))
    logarithms = model(batch.inputs).log_softmax(-1).flatten(0, 1)
    target = logarithms.gather(1, batch.targets.flatten()[:, None]).squeeze(1)
    expected = -(1 - smoothing) * target - smoothing * logarithms.mean(-1)
    torch.testing.assert_close(TASK.losses(model, batch, smoothing), expected)


def test_in_bfloat16_the_weights_stay_whole_and_the_curve_stays_near() -> None:
    model = GPT(MODEL, seed=1)
    half = list(steps(replace(CONFIG, precision="bfloat16"), model))
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    for one, other in zip(half, steps(), strict=True):
        assert one.loss == pytest.approx(other.loss, rel=0.02) and one.loss != other.loss


def test_a_device_that_is_not_there_is_refused_with_the_names_of_those_that_are() -> None:
    assert devices()[0] == "cpu" and precisions("cpu")[0] == "float32"
    with pytest.raises(ValueError, match=r"^there is no device 'xpu' here; there is cpu"):
        steps(replace(CONFIG, device="xpu"))


def test_text_is_held_out_at_its_end_and_never_less_than_a_window() -> None:
    for length in (12, 40, 200):
        task = LanguageModelling.of(TASK.tokenizer, T, "x" * length)
        assert len(task.text.validation) == max(T + 1, length // 10)
        assert task.validation(CONFIG)
    with pytest.raises(DataError) as refused:
        LanguageModelling.of(TASK.tokenizer, T, "x" * 11)
    assert (refused.value.code, refused.value.values) == ("too_short", {"tokens": 11, "needed": 12})


def test_a_report_says_the_same_of_the_same_weights() -> None:
    task = LanguageModelling.of(TASK.tokenizer, 7, "to and fro " * 9)
    model = GPT(replace(MODEL, vocab_size=TASK.tokenizer.vocab_size), seed=1)
    assert task.report(model) == task.report(model)
    assert task.report(model)["prompt"] == task.tokenizer.decode(task.text.validation[:3].tolist())


def test_yardsticks_are_measured_on_the_targets_of_the_validation() -> None:
    yardsticks = TASK.yardsticks(CONFIG)
    inputs = torch.cat([batch.inputs for batch in TASK.validation(CONFIG)])
    targets = torch.cat([batch.targets for batch in TASK.validation(CONFIG)])
    assert yardsticks["uniform"] == math.log(256)
    assert yardsticks["bigram"] == pytest.approx(BigramModel.fit(IDS, 256).loss(inputs, targets))
