"""Matrices for the browser tests: small, of different sizes, and not symmetric."""

import torch

TOKENS = ["the", "cat", "sat", "on", "the", "mat", "because", "the", "mat", "was", "the", "best"]
LENGTH, HEAD_SIZE = len(TOKENS), 5

_chance = torch.Generator().manual_seed(7)
queries = torch.randn(LENGTH, HEAD_SIZE, generator=_chance)
keys = torch.randn(LENGTH, HEAD_SIZE, generator=_chance)
scores = queries @ keys.T
future = torch.ones(LENGTH, LENGTH).triu(1).bool()
masked = scores.masked_fill(future, -torch.inf)
weights = masked.softmax(-1)
wide = torch.randn(20, 300, generator=_chance)
table = torch.randn(11, HEAD_SIZE, generator=_chance)
ids = [sorted({"a", "bird", "dog", *TOKENS}).index(token) for token in TOKENS]
folded = torch.randn(4, 3, generator=_chance) + 0.7
gain, shift = torch.randn(2, 4, 3, generator=_chance)
EPSILON = 1e-2  # large enough to be seen
normed = (folded - folded.mean()) / (folded.var(correction=0) + EPSILON).sqrt() * gain + shift
unit_weights, unit_bias = torch.randn(12, 4, generator=_chance), torch.randn(4, generator=_chance)
unit_input = torch.randn(LENGTH, 12, generator=_chance)
units = (unit_input @ unit_weights + unit_bias).relu()
