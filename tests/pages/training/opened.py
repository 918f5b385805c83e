"""Opens the page as a learner with runs of their own, and reads it."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.ui import catalog
from tests.pages.conftest import Open
from transformer.checkpoint import CONFIG
from transformer.config import ModelConfig, TrainingConfig
from transformer.runs.execution import execute
from transformer.runs.plans import Plan, TextData
from transformer.runs.run import Run

LEARNER = "0123456789ab"
OWN = "she hoped to be wise and reasonable in time; but alas! alas! " * 12
ROOT = Path(__file__).parents[3]
SENTENCE = "she hoped"


class Desk:
    """Stands for the processes that train: notes what it is asked for, and trains nothing."""

    slots = 1

    def __init__(self) -> None:
        self.workers = self
        self.started: list[tuple[Run, int | None]] = []
        self.asked: list[tuple[Run, str]] = []
        self.places: dict[str, int] = {}

    def warm_up(self) -> None: ...

    def start(self, run: Run, steps: int | None = None) -> None:
        self.started.append((run, steps))

    def ask(self, run: Run, command: str) -> None:
        self.asked.append((run, command))

    def place(self, run: Run) -> int | None:
        return self.places.get(run.id)

    def trained(self) -> dict[Path, object]:
        return {}


def trained(folder: Path, name: str = "Anne", steps: int | None = None, **changes: Any) -> Run:
    sizes = {"context_length": 7, "d_model": 12, "num_heads": 3, "num_blocks": 2}
    settings = {"batch_size": 2, "learning_rate": 1e-2, "max_steps": 12, "warmup_steps": 2, "eval_interval": 4}
    for field, value in changes.items():
        (settings if field in TrainingConfig.__dataclass_fields__ else sizes)[field] = value
    data = TextData(corpora=(), tokenizer="characters")
    model = ModelConfig(vocab_size=data.make_tokenizer(OWN).vocab_size, **sizes)
    return created(folder, Plan(name=name, data=data, model=model, training=TrainingConfig(**settings)), OWN, steps)


def created(folder: Path, plan: Plan, own: str, steps: int | None = None) -> Run:
    """A new run in a folder of its own, with the files that its training leaves."""
    run = Run.create(folder, plan, own)
    for path, content in _left_by_training(plan, own, steps).items():
        (run.folder / path).parent.mkdir(exist_ok=True)
        (run.folder / path).write_bytes(content)
    return run


@cache
def _left_by_training(plan: Plan, own: str, steps: int | None) -> dict[Path, bytes]:
    """What a run's folder holds after that many steps, but for its plan, which says when it was created."""
    with TemporaryDirectory() as folder:
        run = Run.create(Path(folder), plan, own)
        execute(run, steps=steps)
        files = [path for path in run.folder.rglob("*") if path.is_file() and path.name != CONFIG]
        return {path.relative_to(run.folder): path.read_bytes() for path in files}


def opened(open_page: Open, **choices: Any) -> AppTest:
    return open_page("train", _learner=LEARNER, text=SENTENCE, **choices)


def watching(open_page: Open, run: Run, **choices: Any) -> AppTest:
    return opened(open_page, train_view="watch", run=run.id, **choices)


def said(app: AppTest) -> str:
    """All words of the page."""
    elements = [*app.markdown, *app.caption, *app.error, *app.info, *app.warning]
    return "\n".join([*(element.value for element in elements), *(html.proto.body for html in app.get("html"))])


def words(language: str = "en") -> Any:
    return catalog.entry("train").words(language)


def app_error(app: AppTest) -> str:
    assert len(app.error) == 1
    return str(app.error[0].value)
