"""A lecture hall without a network: nothing may be asked for, from the first start on."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import socket

def refuse(*args, **kwargs):
    raise AssertionError(f"the network was asked for: {args[1:]}")

socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse

from streamlit.testing.v1 import AppTest
from pages.ui import catalog, choices

for vocabulary in choices.VOCABULARIES:
    app = AppTest.from_file("pages/ui/frame.py", default_timeout=60)
    app.session_state["choices"] = {"weights": "random", "vocab": vocabulary}
    app.run()
    assert not app.exception, app.exception
app = AppTest.from_file("pages/ui/frame.py", default_timeout=60).run()
for entry in catalog.WALK:
    app.switch_page(str(entry.script)).run()
    assert not app.exception, (entry, app.exception)
    assert app.main
print("all pages opened")
"""


def test_every_page_and_vocabulary_opens_without_a_network(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if "CACHE" not in name}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env={**environment, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "all pages opened" in done.stdout, done.stderr[-3000:]
