"""What all tests share: one thread to compute with, and one server to visit."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import torch

from tests import serving

Serve = Callable[[str], str]


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Models in tests are so small that a second thread would only wait for the first."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """serve("app.py") starts `streamlit run` on that script of the project, once, and returns its address."""
    addresses: dict[str, str] = {}
    with ExitStack() as running:

        def start(script: str) -> str:
            if script not in addresses:
                addresses[script] = running.enter_context(serving.serve(serving.ROOT / script))
            return addresses[script]

        yield start
