"""A class at work: many visitors, each moving a slider once a second, over Streamlit's own websocket."""

import random
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

from tests.benchmark.table import milliseconds, table
from tests.serving import Visitor, serve

PAGES = ("scores", "softmax", "heads", "queries_keys_values", "tokenization", "positional_encoding")
SECONDS = 60
SIZES = {"weights": "random", "text": "word after " * 60}


def measure() -> str:
    """A table over the number of visitors: server time, errors, and how much memory grew in the second half."""
    rows = []
    for visitors in (1, 30, 60):
        with serve() as address:
            seconds, errors, growth = crowd(address, visitors)
        rows.append([str(visitors), *milliseconds(seconds), str(errors), f"{growth / 2**20:+.0f} MB"])
    header = ["visitors", "p50", "p95", "errors", "memory, second half"]
    return table("A slider moved each second by each visitor: server time of the rerun, ms", header, rows)


def crowd(address: str, visitors: int) -> tuple[list[float], int, int]:
    """Seconds of every rerun, tracebacks that reached a page, and bytes by which the server grew in the second half."""
    seconds: list[float] = []
    errors: list[str] = []
    begin = time.monotonic() + 2 + visitors / 5
    people = [
        threading.Thread(target=one, args=(address, number, begin, seconds, errors)) for number in range(visitors)
    ]
    for person in people:
        person.start()
    time.sleep(max(0.0, begin + SECONDS / 2 - time.monotonic()))
    middle = server_memory(address)
    for person in people:
        person.join()
    return seconds, len(errors), server_memory(address) - middle


def one(address: str, number: int, begin: float, seconds: list[float], errors: list[str]) -> None:
    """One visitor, on a page and with weights of their own, at moments of their own."""
    dice = random.Random(number)
    with Visitor(address, PAGES[number % len(PAGES)], urlencode({**SIZES, "seed": number % 8})) as visitor:
        visitor.run()
        moment = begin + dice.random()
        while moment < begin + SECONDS:
            time.sleep(max(0.0, moment - time.monotonic()))
            visitor.choose(block=dice.randint(1, 4))
            seconds.append(visitor.run())
            errors += visitor.exceptions
            moment += 1


def server_memory(address: str) -> int:
    """Resident bytes of the process that serves this address (Linux)."""
    port = f"--server.port={address.rpartition(':')[2]}"
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if port in (process / "cmdline").read_text().split("\0"):
                return 1024 * int((process / "status").read_text().split("VmRSS:")[1].split()[0])
        except OSError:
            continue
    raise RuntimeError(f"no process serves {address}")
