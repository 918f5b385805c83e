"""A real Chromium and a real server for the tests that look at pixels.

Without a browser these tests skip and say so; where CI is set they fail instead.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NO_BROWSER = "These tests drive a real browser and found none: `apt-get install chromium` provides it."

Serve = Callable[[str], str]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole session."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(NO_BROWSER)
        pytest.skip(NO_BROWSER)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """serve("app.py") starts `streamlit run` on that script of the project, once, and returns its address."""
    servers: dict[str, tuple[str, subprocess.Popen[bytes]]] = {}

    def start(script: str) -> str:
        if script not in servers:
            log = tmp_path_factory.mktemp("server") / "log.txt"
            servers[script] = _start(script, log)
        return servers[script][0]

    yield start
    for _, process in servers.values():
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _start(script: str, log: Path) -> tuple[str, subprocess.Popen[bytes]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    command = [sys.executable, "-m", "streamlit", "run", script, *options]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=sink, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(f"{address}/_stcore/health", timeout=1):
                return address, process
        except (URLError, OSError):
            time.sleep(0.1)
    process.kill()
    process.wait()
    raise RuntimeError(f"{script} did not start:\n{log.read_text(errors='replace')}")
