"""A run is a folder, and the folder is the truth: whoever wants to know something about a run reads it there.

    config.json           what it is: `Plan`
    text.txt              what the learner brought, if anything
    tokenizer.json        made when it starts
    yardsticks.json       losses of simpler models on the same held-out targets, by name
    metrics.jsonl         every step, and now and then a report of what the model can do
    step-N.safetensors    weights after a few dozen of the steps, rounded to 16 bits
    latest.safetensors    weights and the optimizer's memory, as they were a moment ago: where the run can be taken up
    state.json            how it fares: `Status`
    command               what it is asked to do next
    lock                  held by the process that trains it

Every file but the growing metrics.jsonl is replaced as a whole. None is a program.
"""

import os
import re
import secrets
import shutil
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Self, get_args

import torch
from safetensors.torch import save as safetensors_bytes

from transformer.checkpoint import (
    CONFIG,
    TOKENIZER,
    Checkpoint,
    build,
    fill_from,
    json_bytes,
    parse_weights,
    read_json,
    replace_files,
    weights_of,
)
from transformer.runs import latest, metrics
from transformer.runs.locks import Lock, is_held
from transformer.runs.plans import Plan
from transformer.tasks import Task
from transformer.tokenizer import Tokenizer
from transformer.vocabulary import tokenizer_from_json

TEXT, METRICS, YARDSTICKS = "text.txt", "metrics.jsonl", "yardsticks.json"
STATE, COMMAND, LOCK = "state.json", "command", "lock"
_ID = re.compile(r"[A-Za-z0-9][\w.-]*")
_STEP = re.compile(r"step-(\d+)\.safetensors")

Command = Literal["pause", "stop"]
Fortune = Literal["new", "running", "paused", "stopped", "finished", "failed", "interrupted"]


@dataclass(frozen=True)
class Status:
    """How a run fares.

    Attributes:
        name: `interrupted` if the process that trained it is gone without a word; it can be taken up again, as it can be
            when `paused`, `stopped` or `failed`.
        step: after which this was noted.
        seconds: spent on training until then.
        code: why it failed, for programs.
        values: to fill into a sentence about it.
    """

    name: Fortune
    step: int = 0
    seconds: float = 0.0
    code: str = ""
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """A run's folder. Whatever reads it raises ValueError, with one sentence, for what no run would have written."""

    folder: Path

    @classmethod
    def create(cls, root: Path, plan: Plan, own: str = "", id: str = "") -> Self:
        """A new run in a folder of its own below `root`; `own` is the text that the learner brought, if any.

        Raises FileExistsError if this id is taken, ValueError if it could not be a folder's name.
        """
        now = datetime.now(UTC)
        run = cls(root / (id or f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"))
        if not _ID.fullmatch(run.id):
            raise ValueError(f"{id!r} cannot be a run's id: letters, digits, dots and dashes can")
        run.folder.mkdir(parents=True)
        config = replace(plan, created=now.isoformat(timespec="seconds")).to_json()
        files = {CONFIG: json_bytes(config), STATE: json_bytes(asdict(Status("new")))}
        replace_files(run.folder, files | ({TEXT: own.encode("utf-8", "surrogatepass")} if own else {}))
        return run

    @classmethod
    def open(cls, root: Path, id: str) -> Self:
        """The run with this id, which may come from a link that anybody can write. Raises ValueError if there is none."""
        run = cls(root / id)
        if not _ID.fullmatch(id) or not run.exists:
            raise ValueError(f"there is no run {id!r}")
        return run

    @property
    def id(self) -> str:
        """The name of its folder: letters, digits, dots, dashes."""
        return self.folder.name

    @property
    def exists(self) -> bool:
        """Whether its plan is there; if not, somebody has deleted it."""
        return (self.folder / CONFIG).is_file()

    @property
    def plan(self) -> Plan:
        """What it is."""
        return Plan.from_json(read_json(self.folder / CONFIG))

    @property
    def own(self) -> str:
        """The text that the learner brought, or none."""
        path = self.folder / TEXT
        return path.read_bytes().decode("utf-8", "surrogatepass") if path.is_file() else ""

    @property
    def tokenizer(self) -> Tokenizer | None:
        """None as long as the run has never started."""
        path = self.folder / TOKENIZER
        try:
            return tokenizer_from_json(read_json(path)) if path.is_file() else None
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path} holds no tokenizer: {error}") from error

    def task(self) -> Task[Any]:
        """What it learns. Raises DataError if there is nothing to learn from."""
        plan = self.plan
        return plan.data.task(plan.model.context_length, self.own, self.tokenizer)

    def status(self) -> Status:
        """How it fares, which is `interrupted` if it says that it runs and nobody runs it."""
        try:
            status = Status(**read_json(self.folder / STATE))
        except (TypeError, FileNotFoundError) as error:
            raise ValueError(f"{self.folder / STATE} holds no status: {error}") from error
        if status.name not in get_args(Fortune):
            raise ValueError(f"{self.folder / STATE} says {status.name!r}, which no run ever is")
        return replace(status, name="interrupted") if status.name == "running" and not self.is_held() else status

    def note(self, status: Status) -> None:
        """Writes down how it fares."""
        replace_files(self.folder, {STATE: json_bytes(asdict(status))})

    def yardsticks(self) -> dict[str, float]:
        """Losses of simpler models on the same held-out targets; empty as long as the run has never started."""
        path = self.folder / YARDSTICKS
        return {str(name): float(loss) for name, loss in read_json(path).items()} if path.is_file() else {}

    def metrics(self, since: metrics.Cursor = metrics.START) -> metrics.Metrics:
        """The curve, or what was added to it since: `seen = seen.then(run.metrics(seen.cursor))`."""
        return metrics.read(self.folder / METRICS, since)

    def checkpoints(self) -> tuple[int, ...]:
        """The steps whose weights were kept, ascending; 0 is before training."""
        found = (_STEP.fullmatch(path.name) for path in self.folder.iterdir())
        return tuple(sorted(int(match[1]) for match in found if match))

    def latest_step(self) -> int | None:
        """The step that `load()` would give; None as long as the run has never started. Cheap: pages ask every second."""
        return latest.step(self.folder)

    def load(self, step: int | None = None) -> Checkpoint:
        """The model as it was after a step, one of `checkpoints()`; without one, as it was a moment ago.

        Raises:
            FileNotFoundError: there are no such weights.
            ValueError: what is there does not fit, or is no safetensors.
        """
        plan, tokenizer = self.plan, self.tokenizer
        if step is None:
            path = self.folder / latest.FILE
            found = latest.read(self.folder, weights_only=True)
            step, weights = found.state.step, found.weights
        else:
            path = self.folder / f"step-{step}.safetensors"
            weights = parse_weights(path.read_bytes(), path)
        if tokenizer is None:
            raise FileNotFoundError(f"{self.folder / TOKENIZER} is not there")
        model = build(plan.data.family, plan.model)
        fill_from(path, model, weights)
        return Checkpoint(model, tokenizer, {"name": plan.name, "step": step})

    def keep(self, model: torch.nn.Module, step: int) -> None:
        """Adds to `checkpoints()`. Raises FloatingPointError for weights that 16 bits cannot hold."""
        weights = weights_of(model, torch.float16)
        if not all(weight.isfinite().all() for weight in weights.values()):
            raise FloatingPointError(f"the weights after step {step} are too large to be kept")
        replace_files(self.folder, {f"step-{step}.safetensors": safetensors_bytes(weights)})

    def forget(self, step: int) -> None:
        """Takes away from `checkpoints()`."""
        (self.folder / f"step-{step}.safetensors").unlink()

    def rename(self, name: str) -> None:
        """Gives it another name; its id stays."""
        replace_files(self.folder, {CONFIG: json_bytes(replace(self.plan, name=name).to_json())})

    def delete(self) -> None:
        """Removes the folder. Raises BlockingIOError while the run is being trained."""
        with self.held():
            doomed = self.folder.with_name(f".{self.id}.deleted")
            self.folder.rename(doomed)  # at once, so that nobody finds half a run
        shutil.rmtree(doomed)

    def ask(self, command: Command) -> None:
        """Asks the process that trains it, if there is one, to do something after the step it is at."""
        replace_files(self.folder, {COMMAND: command.encode()})

    def asked(self) -> str:
        """What it was asked to do since the last time, or nothing."""
        taken = self.folder / f".{COMMAND}.{os.getpid()}"
        try:
            os.replace(self.folder / COMMAND, taken)
        except FileNotFoundError:
            return ""
        command = taken.read_text(errors="replace")
        taken.unlink()
        return command

    def held(self) -> Lock:
        """The right to train it, for a `with`. Raises BlockingIOError if somebody has it."""
        return Lock(self.folder / LOCK)

    def is_held(self) -> bool:
        """Whether a living process trains it."""
        return is_held(self.folder / LOCK)


def runs_in(root: Path) -> list[Run]:
    """The runs below a folder, the newest first; a folder is one if it has a config.json, be it a broken one."""
    found = [Run(path.parent) for path in root.glob(f"*/{CONFIG}") if _ID.fullmatch(path.parent.name)]
    return sorted(found, key=_created, reverse=True)


def _created(run: Run) -> str:
    try:
        return run.plan.created
    except ValueError:
        return ""
