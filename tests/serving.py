"""The real app on a real port, and a visitor that speaks Streamlit's own websocket without a browser."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

ROOT = Path(__file__).parents[1]
VALUE_FIELDS = {bool: "bool_value", str: "string_value", list: "double_array_value", dict: "json_value"}


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serve(script: Path = ROOT / "app.py", cwd: Path = ROOT, timeout: float = 60) -> Iterator[str]:
    """Starts `streamlit run` and yields its address once it answers; ends it afterwards.

    Raises:
        RuntimeError: it ended or did not answer in time; with what it printed.
    """
    address = f"http://127.0.0.1:{free_port()}"
    port = address.rpartition(":")[2]
    options = ["--server.headless=true", f"--server.port={port}", "--server.address=127.0.0.1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(script), *options],
            cwd=cwd,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            if not _answers(address, process, timeout):
                log.seek(0)
                raise RuntimeError(f"{script} did not start:\n{log.read().decode(errors='replace')}")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(address: str, process: subprocess.Popen[bytes], timeout: float) -> bool:
    end = time.monotonic() + timeout
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return True
        except OSError:
            time.sleep(0.05)
    return False


class Visitor:
    """One open page: sends what a browser would send, and waits until the server's run is over.

    `elements` maps a widget's key to its proto, as of the last run; `exceptions` are tracebacks that reached the page.
    """

    def __init__(self, address: str, page: str = "", query: str = "") -> None:
        self._connection = connect(
            address.replace("http", "ws") + "/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=None,
        )
        self._page, self._query, self._hash = page, query, ""
        self._states: dict[str, Any] = {}
        self.elements: dict[str, Any] = {}
        self.exceptions: list[str] = []
        self.bytes = 0

    def __enter__(self) -> Self:
        self._socket = self._connection.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.__exit__(kind, error, trace)

    def run(self) -> float:
        """Runs the page with the states set so far. Returns seconds until the server was done."""
        self.exceptions.clear()
        start = time.perf_counter()
        self.send()
        while not self._receive():
            pass
        return time.perf_counter() - start

    def send(self) -> None:
        """Asks for a run, as a quick hand does while the last one is not answered."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = self._page
        message.rerun_script.page_script_hash = self._hash
        for identifier, value in self._states.items():
            state = message.rerun_script.widget_states.widgets.add(id=identifier)
            field = VALUE_FIELDS[type(value)]
            if field == "double_array_value":
                state.double_array_value.data[:] = value
            elif field == "json_value":
                state.json_value = json.dumps(value)
            else:
                setattr(state, field, value)
        self._socket.send(message.SerializeToString())

    def set(self, key: str, value: bool | str | list[float] | dict[str, Any]) -> None:
        """Sets a widget, by the key it was drawn with: a slider's value is a list of one number, a component's a dict."""
        self._states[self.elements[key].id] = value

    @property
    def controls(self) -> dict[str, Any]:
        """The shared controls by name, as the sidebar shows them."""
        return {control["name"]: control for line in self._desk["lines"] for control in line}

    def choose(self, **choices: Any) -> None:
        """Moves shared controls."""
        self.set("desk", {"asked": {"number": self.answered + 1, "choices": choices}})

    @property
    def answered(self) -> int:
        """The number of the last change of shared controls that the server has answered."""
        return int(self._desk["answered"])

    @property
    def _desk(self) -> dict[str, Any]:
        shown: dict[str, Any] = json.loads(self.elements["desk"].bytes)
        return shown

    def _receive(self) -> bool:
        """Takes one message; True when the run is over."""
        raw = self._socket.recv()
        assert isinstance(raw, bytes)
        self.bytes += len(raw)
        message = ForwardMsg()
        message.ParseFromString(raw)
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self._hash = message.navigation.page_script_hash
        if kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._take(message.delta.new_element)
        return kind == "script_finished"

    def _take(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        part = getattr(element, kind)
        if kind == "exception":
            self.exceptions.append(part.message)
        identifier = getattr(part, "id", "")
        if identifier.startswith("$$ID-"):
            self.elements[identifier.split("-", 2)[2]] = part
