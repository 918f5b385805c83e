"""A lock file that the system itself opens when its holder dies, however it dies."""

import sys
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    _look = _take
else:
    import fcntl

    def _take(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _look(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


PATIENCE = 0.2  # seconds; who only looks whether a lock is held holds it for less


class Lock:
    """Held by one process at a time, from `with` to its end or to the process's.

    Raises:
        BlockingIOError: somebody holds it already.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Self:
        self._file = self._path.open("ab")
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                _take(self._file)
                return self
            except OSError as error:
                if time.monotonic() > deadline:
                    self._file.close()
                    raise BlockingIOError(f"{self._path} is held by another process") from error
                time.sleep(PATIENCE / 20)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def is_held(path: Path) -> bool:
    """Whether any process holds the lock."""
    if not path.exists():
        return False
    with path.open("ab") as file:
        try:
            _look(file)
        except OSError:
            return True
    return False
