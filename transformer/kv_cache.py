"""What attention can remember of the tokens it has read: their keys and values, which no later token changes."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor


class KeysValues(NamedTuple):
    """One attention layer's keys and values of the tokens read so far. Both (B, H, S, K)"""

    keys: Tensor
    values: Tensor

    def followed_by(self, later: "KeysValues") -> "KeysValues":
        """These, and after them those of later tokens."""
        return KeysValues(torch.cat((self.keys, later.keys), -2), torch.cat((self.values, later.values), -2))


@dataclass(frozen=True, eq=False)
class KVCache:
    """The keys and values of every block. A value: reading on makes a new one and leaves this one as it is."""

    blocks: tuple[KeysValues, ...]

    @property
    def length(self) -> int:
        """Tokens remembered, S."""
        return self.blocks[0].keys.size(-2)

    @property
    def nbytes(self) -> int:
        """Bytes of memory: 2 · blocks · B · S · D numbers."""
        return sum(part.nbytes for block in self.blocks for part in block)
