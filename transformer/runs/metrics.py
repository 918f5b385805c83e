"""A run's curve on disk: one JSON object a line, for steps and for reports, read while it is being written."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from transformer.checkpoint import parse_json, replace_files
from transformer.training import Step


class Cursor(NamedTuple):
    """How far a reader has come: the file, which is another after every cut, and the bytes read of it."""

    file: int
    offset: int


START = Cursor(0, 0)


class Metrics(NamedTuple):
    """What was read of a curve.

    Attributes:
        steps: in order.
        seconds: for each step, how long the run had been training after it.
        reports: for some steps, what the model could do after it.
        cursor: where to read on.
        continues: this follows what was read before; else what was read before is void.
    """

    steps: tuple[Step, ...] = ()
    seconds: tuple[float, ...] = ()
    reports: tuple[tuple[int, dict[str, Any]], ...] = ()
    cursor: Cursor = START
    continues: bool = False

    def then(self, more: "Metrics") -> "Metrics":
        """This, with what was read after it."""
        if not more.continues:
            return more
        seconds, reports = self.seconds + more.seconds, self.reports + more.reports
        return Metrics(self.steps + more.steps, seconds, reports, more.cursor, self.continues)


def step_line(step: Step, seconds: float) -> bytes:
    """One step as a line."""
    return json.dumps({**vars(step), "seconds": round(seconds, 3)}).encode() + b"\n"


def report_line(step: int, report: dict[str, Any]) -> bytes:
    """One report as a line."""
    return json.dumps({"step": step, "report": report}, ensure_ascii=False).encode() + b"\n"


def read(path: Path, since: Cursor = START) -> Metrics:
    """Whole lines from a place on; a last line that is not finished is left for the next time.

    Raises:
        ValueError: a line is neither a step nor a report.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return Metrics()
    with file:
        status = os.fstat(file.fileno())
        continues = since.file == status.st_ino and since.offset <= status.st_size
        offset = since.offset if continues else 0
        file.seek(offset)
        data = file.read()
    whole = data[: data.rfind(b"\n") + 1]
    steps, seconds, reports = _parse(path, whole)
    return Metrics(steps, seconds, reports, Cursor(status.st_ino, offset + len(whole)), continues)


def _parse(
    path: Path, lines: bytes
) -> tuple[tuple[Step, ...], tuple[float, ...], tuple[tuple[int, dict[str, Any]], ...]]:
    steps, seconds, reports = [], [], []
    for line in lines.splitlines():
        try:
            found = parse_json(line)
            if "report" in found:
                reports.append((int(found["step"]), dict(found["report"])))
            else:
                seconds.append(float(found.pop("seconds")))
                steps.append(_step(found))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{path} has a line that is no step: {line[:60]!r}") from error
    return tuple(steps), tuple(seconds), tuple(reports)


def _step(found: dict[str, Any]) -> Step:
    """A step as it was written. Raises TypeError if something of it is no number."""
    step = Step(**found)
    for name, value in vars(step).items():
        if not isinstance(value, int | float) and (name, value) != ("validation_loss", None):
            raise TypeError(f"{name} is {value!r}")
    return step


def cut(path: Path, step: int) -> None:
    """Leaves out what came after a step, and a line that was never finished."""
    found = read(path)
    lines = [
        *((kept.step, step_line(kept, after)) for kept, after in zip(found.steps, found.seconds, strict=True)),
        *((number, report_line(number, report)) for number, report in found.reports),
    ]
    kept_lines = [line for number, line in sorted(lines, key=lambda item: item[0]) if number <= step]
    replace_files(path.parent, {path.name: b"".join(kept_lines)})
