"""How long the next token takes on this machine, with the cache of keys and values and without."""

from functools import lru_cache
from typing import NamedTuple

from transformer.config import ModelConfig
from transformer.gpt import GPT
from transformer.kv_cache import KVCache
from transformer.lessons.sequence_costs import alone, clock
from transformer.sampling import next_logits

SECONDS_A_POINT, MOST_ROUNDS = 0.05, 15


class GenerationTimes(NamedTuple):
    """Seconds of work for one more token, the least of several; one entry for each length.

    lengths: tokens there are before it. same: whether both ways find the same token the most probable, every time.
    """

    lengths: tuple[int, ...]
    plain: tuple[float, ...]
    cached: tuple[float, ...]
    same: bool


class _Step(NamedTuple):
    seconds: float
    token: int


def generation_times(config: ModelConfig, lengths: tuple[int, ...]) -> GenerationTimes:
    """Measured with random weights of these sizes, in one thread, and then the same for everybody."""
    return alone(_measure, config, lengths)


@lru_cache(maxsize=16)
def _measure(config: ModelConfig, lengths: tuple[int, ...]) -> GenerationTimes:
    model = GPT(config)
    plain, cached, same = [], [], True
    for length in lengths:
        tokens = [place % config.vocab_size for place in range(length)]
        past = next_logits(model, tokens[:-1])[1]
        turns = _take_turns(model, tokens, past)
        plain.append(min(without.seconds for without, _ in turns))
        cached.append(min(remembered.seconds for _, remembered in turns))
        same = same and all(without.token == remembered.token for without, remembered in turns)
    return GenerationTimes(lengths, tuple(plain), tuple(cached), same)


def _take_turns(model: GPT, tokens: list[int], past: KVCache | None) -> list[tuple[_Step, _Step]]:
    """The next token without and with what was remembered, again and again for a while; the first turn warms up."""
    turns: list[tuple[_Step, _Step]] = []
    end = clock() + SECONDS_A_POINT
    while len(turns) < 2 or (clock() < end and len(turns) < MOST_ROUNDS):
        turns.append((_step(model, tokens, None), _step(model, tokens, past)))
    return turns


def _step(model: GPT, tokens: list[int], past: KVCache | None) -> _Step:
    """The most probable next token, timed."""
    begin = clock()
    best = int(next_logits(model, tokens, past)[0].argmax())
    return _Step(clock() - begin, best)
