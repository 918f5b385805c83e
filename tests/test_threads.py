"""A page shares its cores with a training process and with other learners' pages."""

import os
import subprocess
import sys

from tests.serving import ROOT

SCRIPT = """
import threading
import app, torch

threads = [torch.get_num_threads()]
visit = threading.Thread(target=lambda: threads.append(torch.get_num_threads()))
visit.start()
visit.join()
print(threads)
"""


def threads_of_the_app(**choice: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    asked = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(asked, cwd=ROOT, env=environment | choice, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_visit_computes_with_one_thread() -> None:
    assert threads_of_the_app() == "[1, 1]"


def test_who_starts_the_app_may_choose_the_threads() -> None:
    assert threads_of_the_app(OMP_NUM_THREADS="2") == "[2, 2]"
