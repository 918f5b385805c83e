"""A configuration is right or says in one sentence what to change."""

from typing import Any

import pytest

from transformer import ModelConfig


def test_sizes_follow_from_each_other() -> None:
    config = ModelConfig(vocab_size=17, d_model=24, num_heads=3)
    assert config.head_size == 8
    assert config.d_ff == 96
    assert ModelConfig(vocab_size=17, d_ff=20).d_ff == 20


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"d_model": 64, "num_heads": 5}, "d_model 64 cannot be cut into 5 heads; 4 or 8 would do"),
        ({"d_model": 7, "num_heads": 9}, "d_model 7 cannot be cut into 9 heads; 7 would do"),
        ({"vocab_size": 0}, "vocab_size is 0; it must be at least 1"),
        ({"num_heads": 0}, "num_heads is 0; it must be at least 1"),
        ({"context_length": -3}, "context_length is -3; it must be at least 1"),
        ({"num_blocks": 0}, "num_blocks is 0; it must be at least 1"),
        ({"d_ff": -1}, "d_ff is -1; it must be at least 1, or 0 for 4·d_model"),
        ({"dropout": 1.0}, "dropout is 1.0; it must be at least 0 and below 1"),
        ({"positions": "rotary"}, "positions is 'rotary'; it must be one of sinusoidal, learned, none"),
        ({"activation": "tanh"}, "activation is 'tanh'; it must be one of relu, gelu"),
    ],
)
def test_a_wrong_size_is_answered_with_what_to_change(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as error:
        ModelConfig(**{"vocab_size": 17, **wrong})
    assert str(error.value) == sentence
