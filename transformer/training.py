"""Gradient descent as a generator: one optimizer step for each `next()`, watched by whoever iterates."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import AdamW

from transformer.data import Windows, seed_of


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a model is trained.

    Attributes:
        batch_size: windows in a step, B.
        learning_rate: its peak, reached when the warm-up ends.
        embedding_rate: learning rate of the embedding tables, as a multiple of that of the rest. A row learns only from
            the steps in which its token occurs; and where positions have size one, rows must grow fast to be heard.
        final_learning_rate: what is left of the peak after the last step, as a fraction.
        max_steps: optimizer steps.
        warmup_steps: steps over which the learning rate rises from zero.
        weight_decay: of matrices; biases and norms are left alone.
        gradient_clip: longest gradient, as a Euclidean norm over all parameters; longer ones are shortened to it.
        eval_interval: steps from one validation to the next.
        eval_batches: batches of held-out text in a validation.
        seed: of batches and dropout.
        device: where PyTorch computes.

    Raises:
        ValueError: with one sentence that says what to change.
    """

    batch_size: int = 32
    learning_rate: float = 3e-3
    embedding_rate: float = 1.0
    final_learning_rate: float = 0.1
    max_steps: int = 1000
    warmup_steps: int = 100
    weight_decay: float = 0.1
    gradient_clip: float = 1.0
    eval_interval: int = 100
    eval_batches: int = 10
    seed: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name in ("batch_size", "max_steps", "eval_interval", "eval_batches"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("learning_rate", "embedding_rate", "gradient_clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be a number above 0")
        if not 0 <= self.final_learning_rate <= 1:
            raise ValueError(f"final_learning_rate is {self.final_learning_rate}; it must be between 0 and 1")
        if not 0 <= self.weight_decay < math.inf:
            raise ValueError(f"weight_decay is {self.weight_decay}; it must be at least 0")
        if not 0 <= self.warmup_steps <= self.max_steps:
            raise ValueError(
                f"warmup_steps is {self.warmup_steps}; it must be between 0 and {self.max_steps}, max_steps"
            )

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 1: a straight rise to the peak, then half a cosine down."""
        if step <= self.warmup_steps:
            return self.learning_rate * step / self.warmup_steps
        progress = (step - self.warmup_steps) / (self.max_steps - self.warmup_steps)
        height = (1 + math.cos(math.pi * progress)) / 2
        return self.learning_rate * (self.final_learning_rate + (1 - self.final_learning_rate) * height)


@dataclass(frozen=True)
class Step:
    """What one optimizer step did.

    Attributes:
        step: its number, from 1.
        tokens: targets the model has learned from so far.
        loss: mean cross-entropy of this step's batch before the step, with dropout, in nats a token.
        learning_rate: of this step.
        gradient_norm: length of the gradient before clipping.
        validation_loss: of held-out text after the step, in nats a token; None where no validation was due.
    """

    step: int
    tokens: int
    loss: float
    learning_rate: float
    gradient_norm: float
    validation_loss: float | None = None


def train(
    model: nn.Module, batches: Iterable[Windows], config: TrainingConfig, validation: Windows | None = None
) -> Iterator[Step]:
    """Trains the model in place, one optimizer step for each `next()`.

    Between steps the model is in eval mode and may be looked at, saved or left for good.
    The seeds decide the losses: dropout in step n depends on `config.seed` and n alone.

    Raises:
        FloatingPointError: the loss is no longer a number; the weights are those of the step before.
    """
    model.to(config.device)
    optimizer = adamw(model, config)
    tokens = 0
    for step, batch in zip(range(1, config.max_steps + 1), batches, strict=False):
        learning_rate = config.learning_rate_at(step)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * group["rate"]
        loss, gradient_norm = optimizer_step(model, optimizer, batch, step, config)
        tokens += batch.targets.numel()
        due = validation is not None and (step % config.eval_interval == 0 or step == config.max_steps)
        validation_loss = evaluate(model, validation, config.batch_size) if validation is not None and due else None
        yield Step(step, tokens, loss, learning_rate, gradient_norm, validation_loss)


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
    return AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.95), fused=True)


def optimizer_step(
    model: nn.Module, optimizer: AdamW, batch: Windows, step: int, config: TrainingConfig
) -> tuple[float, float]:
    """One step downhill; returns the batch's loss before it and the gradient's length before clipping."""
    device = torch.device(config.device)
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(seed_of(config.seed, "dropout", step))
        model.train()
        try:
            loss = cross_entropy(model, batch, config.device).mean()
            optimizer.zero_grad()
            loss.backward()
        finally:
            model.eval()
    norm = nn.utils.clip_grad_norm_(model.parameters(), config.gradient_clip)
    values = torch.stack([loss.detach(), norm]).tolist()  # one wait for the device, not two
    if not all(map(math.isfinite, values)):
        raise FloatingPointError(f"the loss of step {step} is no longer a number; a smaller learning_rate may help")
    optimizer.step()
    return values[0], values[1]


@torch.inference_mode()
def evaluate(model: nn.Module, windows: Windows, batch_size: int = 32) -> float:
    """Mean cross-entropy of the targets in nats, without dropout; leaves the model in eval mode."""
    model.eval()
    device = next(model.parameters()).device
    parts = zip(windows.inputs.split(batch_size), windows.targets.split(batch_size), strict=True)
    losses = [cross_entropy(model, Windows(*part), device).sum(dtype=torch.float64) for part in parts]
    return float(torch.stack(losses).sum()) / windows.targets.numel()


def cross_entropy(model: nn.Module, windows: Windows, device: torch.device | str) -> Tensor:
    """−ln of the probability the model gives each target. (B, T) → (B·T,)"""
    logits = model(windows.inputs.to(device))
    return F.cross_entropy(logits.flatten(0, 1), windows.targets.to(device).flatten(), reduction="none")
