"""What can be made of a run without touching it: a longer run, a file to take home."""

import io
import os
import shutil
import zipfile
from dataclasses import replace

from transformer.checkpoint import TOKENIZER, files
from transformer.runs import latest, metrics
from transformer.runs.run import METRICS, YARDSTICKS, Run, Status


def continued(run: Run, more_steps: int, name: str = "") -> Run:
    """A new run that has done all that this one did and has `more_steps` ahead of it.

    The learning rate of a step follows from the step and the plan alone, so from here on the schedule is that of a run
    that had been planned so long from the start. After the end of a cosine the rate therefore rises at once, and for a
    while the loss may rise with it; the paper's schedule goes on where it was.

    Raises:
        FileNotFoundError: the run has never started.
        ValueError: more_steps is below 1.
    """
    if more_steps < 1:
        raise ValueError(f"more_steps is {more_steps}; it must be at least 1")
    begun, plan = latest.read(run.folder), run.plan
    training = replace(plan.training, max_steps=begun.state.step + more_steps)
    longer = Run.create(
        run.folder.parent, replace(plan, name=name or plan.name, training=training, parent=run.id), run.own
    )
    for path in run.folder.iterdir():
        if path.name in (latest.FILE, TOKENIZER, YARDSTICKS) or path.match("step-*.safetensors"):
            link(path, longer.folder / path.name)
    shutil.copy(run.folder / METRICS, longer.folder / METRICS)
    metrics.cut(longer.folder / METRICS, begun.state.step)
    longer.note(Status("paused", begun.state.step, begun.seconds))
    return longer


def link(source: os.PathLike[str], target: os.PathLike[str]) -> None:
    """One file under two names, which costs no room, or a copy where the disk knows no such thing.

    Files of a run are replaced and never changed, so neither run can spoil the other's.
    """
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def export(run: Run) -> bytes:
    """A zip file: a checkpoint that `transformer.checkpoint.load` reads once unpacked, and the curve.

    Raises:
        FileNotFoundError: the run has never started.
        ValueError: something is wrong with the run's folder.
    """
    model, tokenizer, extra = run.load()
    noted = {**run.plan.to_json(), **extra, "yardsticks": run.yardsticks()}
    packed = files(model, tokenizer, noted) | {METRICS: (run.folder / METRICS).read_bytes()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in packed.items():
            archive.writestr(f"{run.id}/{name}", data)
    return buffer.getvalue()
