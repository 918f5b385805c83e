"""A cache that forgets what was asked for longest ago, so that sixty students fit beside one lecturer."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from torch import Tensor, nn

from transformer.trace import nbytes


def size_of(value: Any) -> int:
    """Bytes of memory that a tensor, a tuple of them, a model or a trace keeps alive."""
    match value:
        case Tensor():
            return value.nbytes
        case nn.Module():
            return sum(parameter.nbytes for parameter in value.parameters())
        case tuple():
            return sum(map(size_of, value))
        case trace:
            return nbytes(trace)


class BoundedCache:
    """Keeps the most recently used values within a number of bytes; a value is made once, however many ask for it.

    The newest value stays even if it alone is larger than the bound.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int] = size_of) -> Any:
        """The value of a key, made by `make` when it is not kept; `size` counts its bytes."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    return self._kept[key][0]
            value = make()
            with self._lock:
                self._kept[key] = value, size(value)
                self._making.pop(key, None)
                while self.bytes > self._most_bytes and len(self._kept) > 1:
                    self._kept.popitem(last=False)
            return value

    @property
    def bytes(self) -> int:
        """Bytes kept now."""
        return sum(size for _, size in self._kept.values())
