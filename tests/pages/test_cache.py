"""What sessions share: made once, bounded in bytes, and never changed by a visit."""

import threading
import time

import pytest
import torch

from pages.ui import cache
from pages.ui.bounded_cache import BoundedCache
from tests.pages.conftest import Open
from transformer import ModelConfig
from transformer.trace import nbytes


def test_the_least_recently_used_values_leave_when_the_bytes_run_out() -> None:
    kept = BoundedCache(100)
    for key, size in (("a", 40), ("b", 40), ("a", 40), ("c", 40)):
        kept.get(key, lambda: object(), lambda _, size=size: size)
    made: list[str] = []
    for key in ("a", "c", "b"):
        kept.get(key, lambda key=key: made.append(key), lambda _: 40)
    assert made == ["b"]
    assert kept.bytes <= 100


def test_a_value_larger_than_the_bound_stays_until_the_next() -> None:
    kept = BoundedCache(100)
    huge = kept.get("huge", object, lambda _: 500)
    assert kept.get("huge", object, lambda _: 500) is huge
    kept.get("small", object, lambda _: 10)
    assert kept.bytes == 10


def test_a_value_is_made_once_however_many_ask_for_it() -> None:
    kept, made = BoundedCache(100), []

    def make() -> object:
        made.append(threading.get_ident())
        time.sleep(0.05)
        return object()

    found: list[object] = []
    askers = [threading.Thread(target=lambda: found.append(kept.get("key", make, lambda _: 1))) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(made) == 1
    assert len(set(map(id, found))) == 1


def test_a_value_that_could_not_be_made_is_tried_again() -> None:
    kept = BoundedCache(100)
    with pytest.raises(MemoryError):
        kept.get("key", lambda: (_ for _ in ()).throw(MemoryError()), lambda _: 1)
    assert kept.get("key", lambda: "made", lambda _: 1) == "made"


def test_models_and_traces_stay_within_their_bytes() -> None:
    tokens = torch.zeros(2, 8, dtype=torch.long)
    for seed in range(6):
        source = cache.Source(
            ModelConfig(vocab_size=100_277, d_model=512, num_heads=8, num_blocks=1, context_length=8), seed, False
        )
        trace = cache.block_trace(source, tokens, 0)
        assert nbytes(trace) > 0
        assert cache._models.bytes <= cache.MODEL_BYTES
        assert cache._traces.bytes <= cache.TRACE_BYTES


def test_visits_leave_the_shared_model_as_it_was(open_page: Open) -> None:
    model = cache.demonstration().model
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    for name in ("softmax", "mask", "concatenation", "token_embedding"):
        open_page(name)
    assert not model.training
    assert all(torch.equal(before[name], parameter) for name, parameter in model.named_parameters())
