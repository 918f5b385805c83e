"""`python -m tests.benchmark` measures everything; named parts measure only those."""

import sys

from tests.benchmark import crowd, generation, pixels, rerun, start, trace, train
from tests.benchmark.table import machine

PARTS = {
    "start": start.measure,
    "rerun": rerun.measure,
    "pixels": pixels.measure,
    "crowd": crowd.measure,
    "trace": trace.measure,
    "generation": generation.measure,
    "train": train.measure,
}

print(f"{machine()}\n")
for part in sys.argv[1:] or PARTS:
    print(f"{PARTS[part]()}\n")
