"""What a sequence costs: counted and measured."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn

from transformer.lessons import sequence_costs
from transformer.lessons.sequence_costs import (
    LENGTHS,
    REACHES,
    LayerCost,
    alone,
    first_to_last,
    forward_of,
    kept_bytes,
    layer_costs,
    make_attention,
    make_layers,
    measure_times,
    measured_memory,
    measured_reach,
    measured_times,
)

T, D = 9, 12


def test_the_papers_table_1_in_numbers() -> None:
    costs = layer_costs(n=100, d=64, kernel=3, neighbourhood=32)
    assert costs == {
        "attention": LayerCost(100 * 100 * 64, 1, 1),
        "recurrent": LayerCost(100 * 64 * 64, 100, 100),
        "convolutional": LayerCost(3 * 100 * 64 * 64, 1, 5),  # 3⁴ = 81 < 100 ≤ 243 = 3⁵
        "restricted": LayerCost(32 * 100 * 64, 1, 4),
    }


def test_attention_takes_fewer_multiplications_exactly_while_the_sequence_is_shorter_than_the_width() -> None:
    for n in (8, 63, 64, 65, 512):
        costs = layer_costs(n, 64, 3, 32)
        assert (costs["attention"].operations < costs["recurrent"].operations) == (n < 64)


def test_no_path_is_shorter_than_one() -> None:
    assert all(cost.path == 1 for cost in layer_costs(1, 8, 3, 32).values())


def test_all_layers_keep_the_shape_and_never_look_ahead() -> None:
    x = torch.randn(2, T, D, generator=torch.Generator().manual_seed(0))
    changed = x.clone()
    changed[:, 5] += 1
    for layer in make_layers(D).values():
        forward = forward_of(layer)
        with torch.no_grad():
            one, other = forward(x), forward(changed)
        assert one.shape == x.shape
        torch.testing.assert_close(one[:, :5], other[:, :5])
        assert not torch.allclose(one[:, 5], other[:, 5])


def test_first_to_last_is_the_jacobian_of_autograd() -> None:
    x = torch.randn(T, D, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    for layer in make_layers(D).values():
        forward = forward_of(layer.double())
        whole = torch.autograd.functional.jacobian(lambda x, forward=forward: forward(x[None])[0, -1], x)  # type: ignore[no-untyped-call]
        torch.testing.assert_close(first_to_last(forward, x), whole[:, 0])


@pytest.mark.parametrize("gain", [0.5, 3.0])
def test_the_rnns_gradient_is_the_product_of_its_steps(gain: float) -> None:
    reach = measured_reach(4, gain, 0.0)
    torch.testing.assert_close(reach.sizes["rnn"], reach.by_chain_rule, rtol=1e-9, atol=0.0)


def test_gradients_fade_along_a_recurrent_network_but_not_across_attention() -> None:
    for seed in (0, 1, 2):
        sizes = measured_reach(seed, 1.0, 0.0).sizes
        for kind in ("rnn", "lstm"):
            assert sizes[kind][-1] < 1e-20 * sizes[kind][0]
        assert sizes["attention"][-1] > 1e-3 * sizes["attention"][0]


def test_a_large_recurrent_matrix_stops_the_fading_and_so_does_an_open_forget_gate() -> None:
    plain, large, opened = (measured_reach(0, *choice).sizes for choice in ((1.0, 0.0), (3.0, 0.0), (1.0, 5.0)))
    assert large["rnn"][-1] > 1e20 * plain["rnn"][-1]
    assert opened["lstm"][-1] > 1e20 * plain["lstm"][-1]
    assert torch.equal(plain["attention"], opened["attention"])
    assert len(plain["rnn"]) == len(REACHES)


def test_kept_bytes_count_each_storage_once_and_no_parameters() -> None:
    layer, x = nn.Linear(D, D), torch.zeros(1, T, D)
    assert kept_bytes(layer, x, layer) == x.nbytes
    assert kept_bytes(lambda x: x * x, x, layer) == x.nbytes
    assert kept_bytes(lambda x: x.exp().exp(), x, layer) == 2 * x.nbytes
    assert kept_bytes(lambda x: x[:, :2] * x[:, 2:4], x, layer) == x.nbytes


def test_memory_grows_with_the_square_of_the_length_only_where_weights_are_kept() -> None:
    kept = measured_memory(32)
    for kind, sizes in kept.items():
        assert len(sizes) == len(LENGTHS)
        assert (sizes[-1] > 3 * sizes[-2]) == (kind == "explicit")
    attention = make_attention(32)
    weights = attention.num_heads * LENGTHS[-1] ** 2 * 4
    assert weights < kept["explicit"][-1] < 3 * weights


def test_times_are_positive_and_one_for_each_length() -> None:
    measured = alone(measure_times, 8, (2, 3))
    assert measured.threads == 1
    assert set(measured.seconds) == {"rnn", "lstm", "attention"}
    assert all(len(seconds) == 2 and min(seconds) > 0 for seconds in measured.seconds.values())
    assert measured.parameters == {"rnn": 2 * 8 * 9, "lstm": 8 * 8 * 9, "attention": 4 * 8 * 9}


def test_measuring_leaves_other_threads_their_number_of_threads() -> None:
    before = torch.get_num_threads()
    assert alone(torch.get_num_threads) == 1
    assert torch.get_num_threads() == before
    with ThreadPoolExecutor(1) as fresh:
        assert fresh.submit(torch.get_num_threads).result() == before


def test_sixty_students_are_served_by_one_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, calls = [], [], []

    def slow(d_model: int, lengths: object) -> object:
        running.append(threading.get_ident())
        most.append(len(running))
        calls.append(d_model)
        threading.Event().wait(0.05)
        running.pop()
        return object()

    monkeypatch.setattr(sequence_costs, "measure_times", slow)
    monkeypatch.setattr(sequence_costs, "_measured", {})
    with ThreadPoolExecutor(60) as students:
        got = list(students.map(lambda n: alone(measured_times, 16 + n % 2), range(60)))
    assert len({id(measured) for measured in got}) == 2
    assert sorted(calls) == [16, 17]
    assert max(most) == 1
    again = alone(measured_times, 16, got[0])
    assert again is not got[0]
    assert alone(measured_times, 16, got[0]) is again, "a second press in the same moment finds the new one"
