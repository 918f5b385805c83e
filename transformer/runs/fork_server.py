"""A process that has loaded what training needs and forks a worker for every order, which then starts at once.

An order is a line of JSON on standard input, `{"id": 1, "call": "train", "arguments": [...]}`. Two lines answer it:
`{"id": 1, "pid": 71}`, and at the end `{"id": 1, "result": ...}`, or without a result if the worker died. When the
standard input ends, so does this process, and its workers leave after the step they are at.

Where forking a process with these libraries is not safe (macOS) or unknown (Windows), it does one order itself.
"""

import gc
import json
import os
import selectors
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from transformer.config import ModelConfig
from transformer.gpt import GPT
from transformer.runs.estimates import estimate_here
from transformer.runs.execution import execute
from transformer.runs.run import Run
from transformer.tokenizer import get_tokenizer

FORKS = sys.platform == "linux"
NICENESS = 5  # pages come first
THREADS = 1  # as many on every machine, for the sum of many floats depends on how they are shared out


def train(folder: str, steps: int | None) -> str:
    """Trains a run until it ends, is asked to leave, gets SIGTERM, or is left alone by the process that started it."""
    parent, terminated = os.getppid(), []
    signal.signal(signal.SIGTERM, lambda number, frame: terminated.append(number))

    def asked(run: Run) -> str:
        return "pause" if terminated or os.getppid() != parent else run.asked()

    return execute(Run(Path(folder)), steps=steps, asked=asked).name


CALLS: Mapping[str, Callable[..., Any]] = {"train": train, "estimate": estimate_here}


def work(order: Mapping[str, Any]) -> bytes:
    """Does what an order says; the answer as a line."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    try:
        result: dict[str, Any] = {"result": CALLS[order["call"]](*order["arguments"])}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    return json.dumps({"id": order["id"], **result}).encode() + b"\n"


def serve() -> None:
    """Reads orders until there are no more."""
    workers = selectors.DefaultSelector()
    workers.register(sys.stdin.fileno(), selectors.EVENT_READ)
    unfinished = b""
    while True:
        for key, _ in workers.select():
            if key.fd != sys.stdin.fileno():
                workers.unregister(key.fd)
                finish(key.fd, key.data)
                continue
            received = os.read(key.fd, 65536)
            if not received:
                return
            *lines, unfinished = (unfinished + received).split(b"\n")
            for line in lines:
                order = json.loads(line)
                workers.register(fork(order), selectors.EVENT_READ, order["id"])


def fork(order: Mapping[str, Any]) -> int:
    """Starts a worker; what this returns can be read when it has finished or died."""
    readable, writable = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writable)
        answer(json.dumps({"id": order["id"], "pid": pid}).encode() + b"\n")
        return readable
    try:
        os.close(readable)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, sys.stdin.fileno())
        os.dup2(nothing, sys.stdout.fileno())  # else nobody would notice when only workers are left
        os.write(writable, work(order))
    finally:
        os._exit(0)


def finish(readable: int, id: int) -> None:
    """Passes on what a worker has to say, or that it died."""
    with open(readable, "rb") as pipe:
        said = pipe.read()
    os.wait()
    answer(said or json.dumps({"id": id, "error": "died"}).encode() + b"\n")


def answer(line: bytes) -> None:
    """To whoever gave the orders."""
    os.write(sys.stdout.fileno(), line)


def main() -> None:
    """Loads what every worker needs and waits for orders. No accelerator may be touched before the fork."""
    torch.set_num_threads(THREADS)
    get_tokenizer("cl100k_base")
    GPT(ModelConfig(vocab_size=1, d_model=1, num_heads=1, num_blocks=1))  # the first model of a process takes a second
    if not FORKS:
        order = json.loads(sys.stdin.readline())
        answer(json.dumps({"id": order["id"], "pid": os.getpid()}).encode() + b"\n")
        answer(work(order))
        return
    gc.freeze()
    serve()


if __name__ == "__main__":
    main()
