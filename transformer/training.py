"""Gradient descent, one optimizer step for each `next()`, watched by whoever iterates."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.optim import AdamW

from transformer import parallel
from transformer.config import Precision, TrainingConfig
from transformer.data import seed_of
from transformer.tasks import Task

__all__ = [
    "NoDevice",
    "State",
    "Step",
    "Training",
    "TrainingConfig",
    "adamw",
    "devices",
    "evaluate",
    "precisions",
    "train",
]


@dataclass(frozen=True)
class Step:
    """What one optimizer step did.

    Attributes:
        step: its number, from 1.
        tokens: targets the model has learned from so far.
        loss: mean cross-entropy of this step's batch before the step, with dropout, in nats a target.
        learning_rate: of this step.
        gradient_norm: length of the gradient before clipping.
        validation_loss: of held-out data after the step, in nats a target; None where no validation was due.
    """

    step: int
    tokens: int
    loss: float
    learning_rate: float
    gradient_norm: float
    validation_loss: float | None = None


class State(NamedTuple):
    """What a training needs, besides the weights, to go on as if it had never been interrupted.

    Attributes:
        step: steps done.
        tokens: targets the model has learned from.
        moments: of AdamW, `"<parameter>:<name>"` to a tensor.
    """

    step: int
    tokens: int
    moments: Mapping[str, Tensor]


def train(model: nn.Module, task: Task[Any], config: TrainingConfig, *, resume: State | None = None) -> "Training":
    """Trains the model in place, one optimizer step for each `next()`.

    Between steps the model is in eval mode and may be looked at, saved or left for good. The seed decides the losses:
    batch and dropout of step n depend on `config.seed` and n alone. With `resume`, and the weights of the same moment,
    the curve goes on exactly as it would have.

    Raises:
        FloatingPointError: the loss is no longer a number; the weights are those of the step before.
        NoDevice: there is none of that name.
        ValueError: `resume` belongs to another model.
    """
    return Training(model, task, config, resume)


class NoDevice(ValueError):
    """PyTorch finds no such `device` on this machine."""

    def __init__(self, device: str) -> None:
        self.device = device
        super().__init__(f"there is no device {device!r} here; there is {', '.join(devices())}")


class Training(Iterator[Step]):
    """A training under way: its steps, and between them its `state()`."""

    def __init__(self, model: nn.Module, task: Task[Any], config: TrainingConfig, resume: State | None = None) -> None:
        check_device(config.device)
        self.model = model.to(config.device)
        self.optimizer = adamw(model, config)
        self._shared = parallel.shared(model)
        self.step, self.tokens = 0, 0
        if resume is not None:
            self.step, self.tokens = resume.step, resume.tokens
            set_moments(model, self.optimizer, resume.moments)
        self._task, self._config = task, config
        self._random = default_generator(torch.device(config.device))
        self._modules, self._parameters = list(model.modules()), list(model.parameters())
        self._steps = self._run()

    def __next__(self) -> Step:
        return next(self._steps)

    def state(self) -> State:
        """What `resume` takes; the tensors are the optimizer's own, to be stored before the next step."""
        return State(self.step, self.tokens, moments(self.model, self.optimizer))

    def _run(self) -> Iterator[Step]:
        task, config = self._task, self._config
        validation = task.validation(config)
        for batch in task.batches(config, drawn=self.step):
            if self.step >= config.max_steps:
                return
            step = self.step + 1
            learning_rate = config.learning_rate_at(step)
            for group in self.optimizer.param_groups:
                group["lr"] = learning_rate * group["rate"]
            loss, gradient_norm, tokens = self._descend(parallel.part(batch), step)
            self.step, self.tokens = step, self.tokens + tokens
            due = step % config.eval_interval == 0 or step == config.max_steps
            validation_loss = evaluate(self.model, task, validation) if due else None
            yield Step(step, self.tokens, loss, learning_rate, gradient_norm, validation_loss)

    def _descend(self, batch: Any, step: int) -> tuple[float, float, int]:
        """One step downhill: the loss before it, the gradient's length before clipping, the number of targets."""
        losses = self._losses(batch, step)
        targets = parallel.total(losses.numel(), losses.device)
        mean = losses.sum() / targets * parallel.size()  # of all processes' targets, once their means are averaged
        self.optimizer.zero_grad()
        mean.backward()
        gradients = [parameter.grad for parameter in self._parameters if parameter.grad is not None]
        length = nn.utils.get_total_norm(gradients)
        loss, norm = torch.stack(
            [parallel.mean(mean.detach().clone()), length]
        ).tolist()  # one wait for the device, not two
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise FloatingPointError(f"the loss of step {step} is no longer a number; a smaller learning_rate may help")
        if norm > self._config.gradient_clip:
            nn.utils.clip_grads_with_norm_(self._parameters, self._config.gradient_clip, length)
        self.optimizer.step()
        return loss, norm, targets

    def _losses(self, batch: Any, step: int) -> Tensor:
        """The batch's losses with dropout, which leaves neither the model nor the random numbers of others changed."""
        config, kind = self._config, self._random.device.type
        before = self._random.get_state()
        self._random.manual_seed(seed_of(config.seed, parallel.own("dropout"), step))
        set_mode(self._modules, training=True)
        try:
            with torch.autocast(kind, torch.bfloat16, enabled=config.precision == "bfloat16"):
                return self._task.losses(self._shared, batch, config.label_smoothing)
        finally:
            set_mode(self._modules, training=False)
            self._random.set_state(before)


def set_mode(modules: Iterable[nn.Module], training: bool) -> None:
    """What `nn.Module.train` does, without looking each time whether a parameter is called "training"."""
    for module in modules:
        object.__setattr__(module, "training", training)


def default_generator(device: torch.device) -> torch.Generator:
    """What dropout draws from on a device. (`torch.manual_seed` seeds all kinds of devices, and keeps count of it.)"""
    if device.type == "cuda":
        torch.cuda.init()
        return torch.cuda.default_generators[torch.cuda.current_device() if device.index is None else device.index]
    return torch.mps._get_default_mps_generator() if device.type == "mps" else torch.default_generator


def adamw(model: nn.Module, config: TrainingConfig) -> AdamW:
    """AdamW that decays matrices only: pulling a bias or a norm towards zero would not make the model simpler.

    `rate` of a group is its learning rate as a multiple of the others'; decay per step is the same for all matrices.
    """
    tables = [module.weight for module in model.modules() if isinstance(module, nn.Embedding)]
    others = [parameter for parameter in model.parameters() if all(parameter is not table for table in tables)]
    matrices = [parameter for parameter in others if parameter.dim() >= 2]
    vectors = [parameter for parameter in others if parameter.dim() < 2]
    groups = [
        {"params": tables, "rate": config.embedding_rate, "weight_decay": config.weight_decay / config.embedding_rate},
        {"params": matrices, "rate": 1.0, "weight_decay": config.weight_decay},
        {"params": vectors, "rate": 1.0, "weight_decay": 0.0},
    ]
    return AdamW(groups, lr=config.learning_rate, betas=(0.9, config.beta2), fused=True)


@torch.inference_mode()
def evaluate(model: nn.Module, task: Task[Any], batches: Sequence[Any]) -> float:
    """Mean cross-entropy of all targets in nats, without dropout; leaves the model in eval mode."""
    model.eval()
    losses = [task.losses(model, batch) for batch in batches]
    return float(torch.cat(losses).mean(dtype=torch.float64))


def moments(model: nn.Module, optimizer: AdamW) -> dict[str, Tensor]:
    """What the optimizer remembers of each parameter, `"<parameter>:<name>"`; the tensors themselves, no copies."""
    return {
        f"{parameter}:{name}": value
        for parameter, tensor in model.named_parameters()
        for name, value in optimizer.state[tensor].items()
    }


def set_moments(model: nn.Module, optimizer: AdamW, stored: Mapping[str, Tensor]) -> None:
    """Undoes `moments`. Raises ValueError if they are of another model."""
    parameters = dict(model.named_parameters())
    for key, value in stored.items():
        parameter, _, name = key.partition(":")
        if parameter not in parameters or (value.dim() and value.shape != parameters[parameter].shape):
            raise ValueError(f"{key} {tuple(value.shape)} belongs to no parameter of this model")
        tensor = parameters[parameter]
        optimizer.state[tensor][name] = value.to(tensor.device, copy=True)


def devices() -> tuple[str, ...]:
    """Kinds of devices that this machine has and PyTorch can use, the plain processor first."""
    found = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return ("cpu", *(device for device, available in found.items() if available))


def check_device(name: str) -> None:
    """Raises NoDevice if this machine has none of that name, such as "cuda" or "cuda:1"."""
    kind, _, index = name.partition(":")
    if kind not in devices() or not (index.isdecimal() or name == kind):
        raise NoDevice(name)


def precisions(device: str) -> tuple[Precision, ...]:
    """The precisions that make training on a device faster than the last: bfloat16 only where there is hardware for it."""
    kind = torch.device(device).type
    pays = (
        torch.cuda.is_bf16_supported(including_emulation=False)
        if kind == "cuda"
        else (kind == "cpu" and torch.cpu._is_amx_tile_supported())
    )
    return ("float32", "bfloat16") if pays else ("float32",)
