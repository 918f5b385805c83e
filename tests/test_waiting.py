"""A page shares its cores with a training process and with other learners' pages."""

import os
import subprocess
import sys

import pytest

from tests.serving import ROOT


@pytest.mark.skipif(sys.platform != "linux", reason="another OpenMP library tells other things of itself")
def test_threads_of_the_app_leave_their_core_to_others_while_they_wait() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    process = subprocess.run(
        [sys.executable, "-c", "import app"],
        cwd=ROOT,
        env=environment | {"OMP_DISPLAY_ENV": "VERBOSE"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "GOMP_SPINCOUNT = '0'" in process.stderr, "told by the library itself, when torch has loaded it"
