"""The fork server as a running server sees it: orders go out, answers come back."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Any

from transformer.runs.estimates import Estimate
from transformer.runs.fork_server import FORKS
from transformer.runs.plans import Plan
from transformer.user_text import DataError

ESTIMATE_TIMEOUT = 30.0


class Worker:
    """A process that has been ordered. `pid` and `result` are there when they are there."""

    def __init__(self) -> None:
        self.pid: Future[int] = Future()
        self.result: Future[Any] = Future()

    def hear(self, answer: Mapping[str, Any]) -> None:
        """Takes an answer of the fork server."""
        if "pid" in answer:
            self.pid.set_result(answer["pid"])
        elif "result" in answer:
            self.result.set_result(answer["result"])
        else:
            self.result.set_exception(ChildProcessError(answer["error"]))

    def kill(self) -> None:
        """Ends it at once."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid.result(), signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


class Workers:
    """Orders a worker process; the process that forks them is started with the first, or with `warm_up`."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ids = count(1)
        self._server: subprocess.Popen[bytes] | None = None
        self._workers: dict[int, Worker] = {}

    def warm_up(self) -> None:
        """Has everything loaded before the first order."""
        with self._lock:
            self._running()

    def order(self, call: str, *arguments: Any) -> Worker:
        """Has one of `transformer.runs.fork_server.CALLS` done."""
        with self._lock:
            server, workers = self._running()
            id, worker = next(self._ids), Worker()
            workers[id] = worker
            if not FORKS:
                self._server = None  # the next order needs another one
        try:
            pipe = _open(server.stdin)
            pipe.write(json.dumps({"id": id, "call": call, "arguments": arguments}).encode() + b"\n")
            pipe.flush()
        except BrokenPipeError:  # it died just now
            server.wait()
            return self.order(call, *arguments)
        return worker

    def close(self) -> None:
        """Lets the fork server go; workers leave after the step they are at."""
        with self._lock:
            if self._server is not None:
                _open(self._server.stdin).close()
                self._server.wait()
                self._server = None

    def _running(self) -> tuple[subprocess.Popen[bytes], dict[int, Worker]]:
        if self._server is None or self._server.poll() is not None:
            self._server, self._workers = _start(), {}
            Thread(target=_listen, args=(self._server, self._workers), daemon=True).start()
        return self._server, self._workers


def _start() -> subprocess.Popen[bytes]:
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", "transformer.runs.fork_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,  # Ctrl-C is meant for the server; workers save when they see it gone
    )


def _listen(server: subprocess.Popen[bytes], workers: dict[int, Worker]) -> None:
    with _open(server.stdout) as answers:
        for line in answers:
            answer = json.loads(line)
            worker = workers[answer["id"]]
            if "pid" not in answer:
                del workers[answer["id"]]
            worker.hear(answer)
    server.wait()
    for worker in list(workers.values()):
        worker.hear({"error": "the fork server died"})


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def estimate(workers: Workers, plan: Plan, own: str = "") -> Estimate:
    """What a run is going to cost, measured in a process that is thrown away; takes a second or two.

    Raises:
        DataError: with the code that the run would fail with; `too_slow` (seconds) if a few steps take longer than that.
    """
    worker = workers.order("estimate", plan.to_json(), own)
    try:
        found = worker.result.result(ESTIMATE_TIMEOUT)
    except TimeoutError as error:
        worker.kill()
        raise DataError("too_slow", seconds=int(ESTIMATE_TIMEOUT)) from error
    except ChildProcessError as error:
        raise DataError("out_of_memory") from error
    if "code" in found:
        raise DataError(found["code"], **found["values"])
    return Estimate(**found)
