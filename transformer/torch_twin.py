"""The paper's model out of PyTorch's own parts, with the same weights: what the numbers shown are checked against."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from transformer.attention import MultiHeadAttention, causal_mask
from transformer.encoder_decoder import PADDING, EncoderDecoder


def torch_twin(model: EncoderDecoder) -> nn.Transformer:
    """`nn.Transformer` with the weights of a model, between its embeddings and its output layer; in eval mode.

    Post-LN leaves out the norms that PyTorch, unlike the paper, puts at the end of each stack.
    """
    with torch.device("meta"):  # PyTorch's own initialisation would be thrown away
        twin = _unfilled(model)
    twin.load_state_dict(dict(_weights(model)), assign=True)
    return twin.eval()


@torch.no_grad()
def twin_logits(model: EncoderDecoder, source: Tensor, target: Tensor) -> Tensor:
    """`model(source, target)` by `torch_twin`, where each source has a token that is no padding. (B, S), (B, T) → (B, T, V)"""
    nothing = source == PADDING
    decoded = torch_twin(model)(
        model.embed(source).embeddings,
        model.embed(target).embeddings,
        tgt_mask=~causal_mask(target.size(1)),
        src_key_padding_mask=nothing,
        memory_key_padding_mask=nothing,
        tgt_key_padding_mask=target == PADDING,
    )
    logits: Tensor = model.output(decoded)
    return logits


def _unfilled(model: EncoderDecoder) -> nn.Transformer:
    config = model.config
    sizes: dict[str, Any] = {
        "d_model": config.d_model,
        "nhead": config.num_heads,
        "dim_feedforward": config.d_ff,
        "dropout": 0.0,
        "activation": config.activation,
        "norm_first": config.norm_first,
        "bias": config.bias,
        "batch_first": True,
    }
    norms = [nn.LayerNorm(config.d_model, bias=config.bias) if config.norm_first else None for _ in range(2)]
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(**sizes), config.num_blocks, norms[0], enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**sizes), config.num_blocks, norms[1])
    return nn.Transformer(
        config.d_model, config.num_heads, custom_encoder=encoder, custom_decoder=decoder, batch_first=True
    )


def _weights(model: EncoderDecoder) -> Iterator[tuple[str, Tensor]]:
    """Every weight by PyTorch's name."""
    for number, block in enumerate(model.encoder_blocks):
        layer = f"encoder.layers.{number}"
        yield from _attention(f"{layer}.self_attn", block.attention)  # type: ignore[arg-type]
        yield from _rest(layer, block, "attention_norm", "feed_forward_norm")
    for number, block in enumerate(model.decoder_blocks):
        layer = f"decoder.layers.{number}"
        yield from _attention(f"{layer}.self_attn", block.self_attention)  # type: ignore[arg-type]
        yield from _attention(f"{layer}.multihead_attn", block.cross_attention)  # type: ignore[arg-type]
        yield from _rest(layer, block, "self_attention_norm", "cross_attention_norm", "feed_forward_norm")
    yield from _part("encoder.norm", model.encoder_norm)
    yield from _part("decoder.norm", model.decoder_norm)


def _attention(name: str, attention: MultiHeadAttention) -> Iterator[tuple[str, Tensor]]:
    parts = attention.query, attention.key, attention.value
    for kind, _ in attention.query.named_parameters():
        yield f"{name}.in_proj_{kind}", torch.cat([getattr(part, kind).detach() for part in parts])
    yield from _part(f"{name}.out_proj", attention.output)


def _rest(layer: str, block: Any, *norms: str) -> Iterator[tuple[str, Tensor]]:
    yield from _part(f"{layer}.linear1", block.feed_forward.hidden)
    yield from _part(f"{layer}.linear2", block.feed_forward.output)
    for number, norm in enumerate(norms, start=1):
        yield from _part(f"{layer}.norm{number}", getattr(block, norm))


def _part(name: str, module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    for kind, parameter in module.named_parameters():
        yield f"{name}.{kind}", parameter.detach()
