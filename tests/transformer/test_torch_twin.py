"""PyTorch's own parts with a model's weights say what the model says."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from transformer import ModelConfig
from transformer.encoder_decoder import EncoderDecoder, padded
from transformer.torch_twin import torch_twin, twin_logits

CONFIG = ModelConfig(vocab_size=17, context_length=8, d_model=12, num_heads=3, num_blocks=2, d_ff=20, norm_first=False)


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"norm_first": True},
        {"activation": "gelu", "tied_output": False, "num_blocks": 3},
        {"positions": "learned", "bias": False},
        {"norm_first": True, "bias": False},
    ],
)
def test_the_twin_says_what_the_model_says(choices: dict[str, Any]) -> None:
    model = EncoderDecoder(replace(CONFIG, **choices), seed=3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(5)) * 0.3)
    source, target = padded([[3, 9, 4, 4, 16, 5, 8], [7, 3, 12]]), padded([[1, 6, 6], [1, 11, 3, 14, 9]])
    torch.testing.assert_close(twin_logits(model, source, target), model(source, target), atol=1e-5, rtol=0)


def test_the_twin_shares_the_weights_that_need_no_rearranging() -> None:
    model = EncoderDecoder(CONFIG)
    twin = torch_twin(model)
    ours, theirs = model.decoder_blocks[1].feed_forward.hidden.weight, twin.decoder.layers[1].linear1.weight
    assert ours.data_ptr() == theirs.data_ptr()
