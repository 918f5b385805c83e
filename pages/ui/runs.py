"""The runs that a learner can see: their own, and those that the command line made."""

import os
from pathlib import Path

from pages.ui import state
from transformer.runs.run import Run, runs_in

ROOT = Path(os.environ.get("TRANSFORMER_RUNS") or Path(__file__).parents[2] / "runs").resolve()


def own_folder() -> Path:
    """Where this learner's runs are kept."""
    return ROOT / "learners" / state.learner()


def own() -> list[Run]:
    """This learner's runs, the newest first."""
    return runs_in(own_folder())


def of_the_command_line() -> list[Run]:
    """Runs that lie beside the learners' folders; everybody sees them, nobody changes them from a page."""
    return runs_in(ROOT)


def visible() -> list[Run]:
    """All that this learner can look at."""
    return own() + of_the_command_line()


def find(id: str) -> Run | None:
    """The run with this id, which may come from a link; None if this learner sees none."""
    for folder in (own_folder(), ROOT):
        try:
            return Run.open(folder, id)
        except ValueError:
            continue
    return None


def latest_step(run: Run) -> int | None:
    """The step of a run's newest weights; None also where somebody has spoiled them."""
    try:
        return run.latest_step()
    except (ValueError, OSError):
        return None


def readable(run: Run) -> bool:
    """Whether there are weights to look at, and a tokenizer to read with."""
    try:
        return latest_step(run) is not None and run.tokenizer is not None
    except (ValueError, OSError):
        return False


def walkable(family: str = "gpt") -> dict[str, str]:
    """Names of the runs whose weights can be walked, by id."""
    found = {}
    for run in visible():
        try:
            if run.plan.data.family == family and readable(run):
                found[run.id] = run.plan.name
        except ValueError:
            continue  # a folder that somebody has edited; the list of runs says what is wrong with it
    return found
