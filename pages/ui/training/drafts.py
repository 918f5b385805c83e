"""What a learner has brought and not yet begun to learn from: one text for each family of models, in their folder."""

from pathlib import Path

from pages.ui import runs
from transformer.checkpoint import replace_files
from transformer.user_text import DataError

MOST_BYTES = 20 * 2**20
"""Of what somebody brings, as it comes, in whatever encoding."""


def checked(raw: bytes) -> bytes:
    """What somebody brings, unless it is too long. Raises DataError: `too_large`, with the `megabytes` that there may be."""
    if len(raw) > MOST_BYTES:
        raise DataError("too_large", megabytes=MOST_BYTES // 2**20)
    return raw


def keep(family: str, text: str) -> None:
    """Takes the place of the last one; whoever reads finds the old one or the new one."""
    path = _path(family)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_files(path.parent, {path.name: text.encode("utf-8", "surrogatepass")})


def kept(family: str) -> str:
    """The last one; nothing if there is none."""
    try:
        return _path(family).read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def forget(family: str) -> None:
    """There is none any more."""
    _path(family).unlink(missing_ok=True)


def _path(family: str) -> Path:
    return runs.own_folder() / f"draft_{family}.txt"
