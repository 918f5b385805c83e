"""The curve as TensorBoard's event files, beside metrics.jsonl, where the tensorboard package is installed."""

import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from transformer.training import Step

FOLDER = "tensorboard"


def _leave_quietly(args: threading.ExceptHookArgs) -> None:
    """TensorBoard writes in a thread, and raises here what stopped it, at the next step: a full disk, a deleted folder."""
    if not isinstance(args.exc_value, OSError):
        threading.__excepthook__(args)


class EventFiles:
    """For a `with`: writes what it is given, or nothing where the package is missing.

    begun: the step after which the run is taken up; TensorBoard forgets what an interrupted process wrote after it.
    """

    def __init__(self, run_folder: Path, begun: int) -> None:
        self._writer = None
        if find_spec("tensorboard") is not None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(run_folder / FOLDER, purge_step=begun + 1 if begun else None)

    def __enter__(self) -> Self:
        self._hook, threading.excepthook = threading.excepthook, _leave_quietly
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._writer is not None:
                self._writer.close()
        finally:
            threading.excepthook = self._hook

    def add(self, step: Step) -> None:
        """Losses, learning rate and gradient norm of a step."""
        if self._writer is None:
            return
        self._writer.add_scalar("loss/train", step.loss, step.step)
        self._writer.add_scalar("learning_rate", step.learning_rate, step.step)
        self._writer.add_scalar("gradient_norm", step.gradient_norm, step.step)
        if step.validation_loss is not None:
            self._writer.add_scalar("loss/validation", step.validation_loss, step.step)
