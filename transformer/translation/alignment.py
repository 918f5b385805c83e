"""Which words cross-attention looks at while it translates, compared with the words that translate each other."""

from collections.abc import Sequence

import torch
from torch import Tensor

from transformer.encoder_decoder import EncoderDecoder, padded
from transformer.tasks import device_of
from transformer.translation.decoding import teacher_forcing
from transformer.translation.task import EncodedPair


def alignment_accuracy(model: EncoderDecoder, pairs: Sequence[EncodedPair]) -> Tensor:
    """How often each head of each block looks most at a word that the word it is about to write translates.

    Counted are the target tokens that have such words, as the links of the pairs say; the true translation is given.

    Returns: (N, H) float32, shares between 0 and 1, N decoder blocks.
    Raises:
        ValueError: no pair has links.
    """
    links = padded_links(pairs)
    counted = links.any(-1)
    if not counted.any():
        raise ValueError("these pairs do not say which of their words translate each other")
    source = padded(pair.source for pair in pairs).to(device_of(model))
    target = padded(pair.target[1:-1] for pair in pairs).to(device_of(model))
    blocks = teacher_forcing(model, source, target).trace.decoder.blocks
    weights = torch.stack([block.cross_attention.weights for block in blocks]).cpu()  # (N, B, H, T, S)
    strongest = weights[..., : counted.size(1), :].argmax(-1)
    found = links[:, None].expand(-1, weights.size(2), -1, -1).expand(weights.size(0), -1, -1, -1, -1)
    right = found.gather(-1, strongest[..., None]).squeeze(-1) & counted[:, None]
    return right.sum((1, 3)) / counted.sum()


def padded_links(pairs: Sequence[EncodedPair]) -> Tensor:
    """True where a target token translates a source token. Returns: (B, T, S) bool, T without begin and end"""
    shape = max(len(pair.target) - 2 for pair in pairs), max(len(pair.source) for pair in pairs)
    links = torch.zeros(len(pairs), *shape, dtype=torch.bool)
    for row, pair in enumerate(pairs):
        for source, target in pair.pair.links:
            links[row, target, source] = True
    return links
