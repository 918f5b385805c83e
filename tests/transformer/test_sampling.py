"""How a token is chosen: always a distribution, whatever is asked; and the same tokens with a cache and without."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.transformer.test_gpt import loud
from transformer import GPT, ModelConfig, get_tokenizer
from transformer.sampling import distribution, draw, generate, next_logits

V = 17
CONFIG = ModelConfig(vocab_size=V, context_length=11, d_model=12, num_heads=3, num_blocks=2, d_ff=20)
PROMPT = [4, 11, 2, 11]
MODELS: list[dict[str, Any]] = [
    {"positions": positions, "norm_first": norm_first}
    for positions in ("sinusoidal", "learned", "none")
    for norm_first in (True, False)
]


@pytest.fixture
def logits() -> Tensor:
    return 5 * torch.randn(3, V, generator=torch.Generator().manual_seed(2))


def written(model: GPT, prompt: Sequence[int] = PROMPT, **choices: Any) -> list[int]:
    return [each.token for each in generate(model, prompt, **{"max_tokens": 20, **choices})]


@pytest.mark.parametrize("temperature", [0, 1e-300, 0.01, 0.7, 1, 100, 1e300])
@pytest.mark.parametrize("top_k", [1, 3, V, V + 1, 10**9, None])
@pytest.mark.parametrize("top_p", [0, 1e-12, 0.5, 1])
def test_every_choice_gives_a_distribution(logits: Tensor, temperature: float, top_k: int | None, top_p: float) -> None:
    chosen = distribution(logits * 1000, temperature, top_k, top_p, forbidden={3, 5})
    assert chosen.final.isfinite().all()
    assert (chosen.final >= 0).all()
    torch.testing.assert_close(chosen.final.sum(-1), torch.ones(3, dtype=torch.float64))
    assert (chosen.final[..., [3, 5]] == 0).all()
    assert chosen.kept.sum(-1).min() >= 1
    assert (chosen.final[~chosen.kept] == 0).all()


def test_temperature_one_with_nothing_cut_is_softmax(logits: Tensor) -> None:
    torch.testing.assert_close(distribution(logits).final, F.softmax(logits.double(), -1))


def test_temperature_divides_the_logits(logits: Tensor) -> None:
    torch.testing.assert_close(distribution(logits, 0.37).final, F.softmax(logits.double() / 0.37, -1))


def test_temperature_zero_is_greedy_and_the_limit_of_small_ones(logits: Tensor) -> None:
    greedy = F.one_hot(logits.argmax(-1), V).double()
    assert torch.equal(distribution(logits, 0).final, greedy)
    torch.testing.assert_close(distribution(logits, 0.001).final, greedy)


def test_of_equal_logits_exactly_as_many_are_kept_as_were_asked_for() -> None:
    assert distribution(torch.zeros(V), 0).final.tolist() == [1.0] + [0.0] * (V - 1)
    assert int(distribution(torch.zeros(V), top_k=3).kept.sum()) == 3
    assert int(distribution(torch.zeros(V), top_p=0.5).kept.sum()) == 9


def test_top_k_keeps_the_k_most_probable_in_their_proportions(logits: Tensor) -> None:
    chosen = distribution(logits, top_k=4)
    best, places = F.softmax(logits.double(), -1).topk(4)
    torch.testing.assert_close(chosen.final.gather(-1, places), best / best.sum(-1, keepdim=True))
    assert (chosen.kept.sum(-1) == 4).all()


def test_top_p_keeps_as_few_as_reach_it() -> None:
    logits = torch.tensor([0.5, 0.25, 0.125, 0.125]).log()
    for top_p, kept in [(0, 1), (0.49, 1), (0.51, 2), (0.74, 2), (0.76, 3), (0.99, 4), (1, 4)]:
        assert int(distribution(logits, top_p=top_p).kept.sum()) == kept, top_p


def test_top_p_is_measured_on_what_top_k_left() -> None:
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1]).log()
    assert int(distribution(logits, top_k=2, top_p=0.55).kept.sum()) == 1  # 0.4 of 0.7 reaches 0.55; 0.4 of 1 would not


def test_impossible_choices_say_what_to_change() -> None:
    for choices, word in [
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": float("inf")}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"top_k": 0}, "top_k"),
        ({"top_p": 1.01}, "top_p"),
        ({"forbidden": range(V)}, "forbidden"),
    ]:
        with pytest.raises(ValueError, match=word):
            distribution(torch.zeros(V), **choices)


def test_draws_follow_the_distribution_and_never_hit_a_zero() -> None:
    probabilities = torch.tensor([0.0, 0.2, 0.0, 0.5, 0.3, 0.0])
    random = torch.Generator().manual_seed(0)
    counts = torch.bincount(torch.tensor([draw(probabilities, random) for _ in range(4000)]), minlength=6)
    assert (counts[[0, 2, 5]] == 0).all()
    torch.testing.assert_close(counts / 4000, probabilities, atol=0.03, rtol=0)


@pytest.mark.parametrize("choices", MODELS)
def test_extend_gives_the_logits_of_forward_however_the_tokens_are_cut(choices: dict[str, Any]) -> None:
    model = loud(replace(CONFIG, **choices))
    tokens = torch.randint(V, (2, 7), generator=torch.Generator().manual_seed(1))
    expected = model(tokens)
    for cuts in ([7], [1] * 7, [3, 4], [2, 1, 4]):
        past = None
        for part in tokens.split(cuts, dim=1):
            logits, past = model.extend(part, past)
            torch.testing.assert_close(logits, expected[:, past.length - 1], atol=1e-4, rtol=1e-4)
        assert past is not None
        assert past.nbytes == 2 * CONFIG.num_blocks * 2 * 7 * CONFIG.d_model * 4


def test_reading_on_leaves_what_was_remembered_as_it_was() -> None:
    model = loud(CONFIG)
    _, past = model.extend(torch.tensor([PROMPT]))
    before = [part.clone() for block in past.blocks for part in block]
    first, _ = model.extend(torch.tensor([[7]]), past)
    second, _ = model.extend(torch.tensor([[7]]), past)
    assert torch.equal(first, second)
    assert all(map(torch.equal, before, [part for block in past.blocks for part in block]))


def test_more_tokens_than_the_context_holds_are_refused() -> None:
    _, past = loud(CONFIG).extend(torch.tensor([PROMPT]))
    with pytest.raises(ValueError, match="12 tokens do not fit a context of 11"):
        loud(CONFIG).extend(torch.zeros(1, 8, dtype=torch.int64), past)


@pytest.mark.parametrize("choices", MODELS)
@pytest.mark.parametrize("prompt", [[], [4], PROMPT, [4, 11, 2] * 3 + [5, 6], [4, 11, 2] * 9])
@pytest.mark.parametrize("sampling", [{"temperature": 0.0}, {}, {"temperature": 1.3, "top_k": 9, "top_p": 0.9}])
def test_the_cache_changes_no_token(choices: dict[str, Any], prompt: list[int], sampling: dict[str, Any]) -> None:
    model = loud(replace(CONFIG, **choices))
    with_cache, without = (written(model, prompt, seed=6, cache=cache, **sampling) for cache in (True, False))
    assert with_cache == without
    assert len(with_cache) == 20


def test_every_token_is_drawn_from_what_forward_says_of_the_last_tokens() -> None:
    model = loud(CONFIG)
    tokens = list(PROMPT)
    for each in generate(model, PROMPT, max_tokens=20, temperature=0.8, top_k=6):
        window = torch.tensor([tokens[-CONFIG.context_length :]])
        logits = model(window)[0, -1].detach()
        expected = distribution(logits, 0.8, 6)
        assert each.probability == pytest.approx(float(expected.final[each.token]), abs=1e-4)
        assert each.own == pytest.approx(float(F.softmax(logits, -1)[each.token]), abs=1e-4)
        assert each.rank == 1 + int((logits > logits[each.token]).sum())
        best = each.candidates[0]
        assert best.token == int(logits.argmax())
        assert sum(candidate.probability for candidate in each.candidates) == pytest.approx(1)
        tokens.append(each.token)


def test_the_same_seed_writes_the_same_and_another_seed_something_else() -> None:
    model = loud(CONFIG)
    assert written(model, seed=1, temperature=2.0) == written(model, seed=1, temperature=2.0)
    assert written(model, seed=1, temperature=2.0) != written(model, seed=2, temperature=2.0)


def test_greedy_writing_does_not_depend_on_the_seed() -> None:
    model = loud(CONFIG)
    assert written(model, seed=1, temperature=0.0) == written(model, seed=2, temperature=0.0)
    assert written(model, seed=1, top_k=1) == written(model, seed=2, top_p=0.0) == written(model, temperature=0.0)


def test_before_the_first_token_all_are_equally_probable() -> None:
    first = next(generate(loud(CONFIG), [], max_tokens=1, forbidden={0, 4}))
    assert first.probability == pytest.approx(1 / (V - 2))
    assert first.token not in (0, 4)


def test_tokens_come_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model, passes = loud(CONFIG), []
    extend = model.extend
    monkeypatch.setattr(model, "extend", lambda *given: passes.append(given[0].size(1)) or extend(*given))
    assert len(list(islice(generate(model, PROMPT, max_tokens=10**9), 3))) == 3
    assert passes == [4, 1, 1]


def test_a_window_that_slides_is_computed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    model, passes = loud(CONFIG), []
    extend = model.extend
    monkeypatch.setattr(model, "extend", lambda *given: passes.append(given[0].size(1)) or extend(*given))
    written(model, PROMPT * 2, max_tokens=6)
    assert passes == [8, 1, 1, 1, 11, 11]


def test_ids_that_stand_for_nothing_are_never_written() -> None:
    tokenizer = get_tokenizer("cl100k_base")
    nothing = {100256, *range(100261, 100276)}
    assert tokenizer.undecodable == nothing
    config = replace(CONFIG, vocab_size=tokenizer.vocab_size)
    logits = next_logits(GPT(config), PROMPT)[0].clone()
    logits[sorted(nothing)] = 100.0
    assert (distribution(logits, forbidden=tokenizer.undecodable).final[sorted(nothing)] == 0).all()


def test_generation_leaves_no_gradient_and_no_mode_behind() -> None:
    model = loud(CONFIG)
    next(generate(model, PROMPT, max_tokens=2))
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()
    assert model(torch.tensor([PROMPT])).requires_grad
