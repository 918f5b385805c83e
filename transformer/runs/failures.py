"""What a failure means, in one sentence of English that says what to change."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def sentences() -> Mapping[str, str]:
    """A sentence for every code of a `DataError` and of a run that failed (`execution.diagnosis`)."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def sentence(code: str, values: Mapping[str, Any]) -> str:
    """The one for a failure."""
    return sentences()[code].format(**values)
