"""What a model can learn: where its batches come from, what a loss is, and what the loss is compared with."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeVar

import torch
from torch import Tensor, nn

from transformer.config import TrainingConfig
from transformer.cross_entropy import cross_entropy
from transformer.data import Batches, Split, Windows, evaluation_windows, split
from transformer.gpt import GPT
from transformer.ngrams import BigramModel
from transformer.sampling import generate
from transformer.tokenizer import Tokenizer
from transformer.user_text import DataError

Batch = TypeVar("Batch")

PROMPT_TOKENS, REPORT_TOKENS = 8, 40
TEMPERATURES = {"greedy": 0.0, "sampled": 0.8}


class Task(Protocol[Batch]):
    """What `transformer.training.train` teaches a model. A batch is whatever the task's own `losses` understands."""

    @property
    def family(self) -> str:
        """The `family` of the models that can learn it."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """What is stored beside the weights."""
        ...

    def batches(self, training: TrainingConfig, drawn: int = 0) -> Iterator[Batch]:
        """Batches without end, from number `drawn` on; batch n follows from `training.seed` and n alone."""
        ...

    def validation(self, training: TrainingConfig) -> Sequence[Batch]:
        """Held-out batches, the same every time."""
        ...

    def losses(self, model: nn.Module, batch: Batch, label_smoothing: float = 0.0) -> Tensor:
        """Cross-entropy in nats of every target there is, on the device of the model. (N,) float32"""
        ...

    def yardsticks(self, training: TrainingConfig) -> dict[str, float]:
        """Losses of simpler models on the targets of `validation`, by name; `uniform` is among them."""
        ...

    def report(self, model: Any) -> dict[str, Any]:
        """What the model can do by now, as data for JSON."""
        ...


@dataclass(frozen=True)
class LanguageModelling:
    """The next token of a text, from those before it.

    Attributes:
        tokenizer: of the text.
        text: its tokens, those to learn from and those to be judged by.
        context_length: tokens in a window, T.
    """

    family: ClassVar[str] = "gpt"

    tokenizer: Tokenizer
    text: Split
    context_length: int

    @classmethod
    def of(cls, tokenizer: Tokenizer, context_length: int, *texts: str) -> Self:
        """Holds out the end of each text: a tenth of it, or one window if that is more.

        Raises:
            DataError: `too_short`, with its `tokens` and how many are `needed`.
        """
        window = context_length + 1
        encoded = [torch.tensor(tokenizer.encode(text).ids, dtype=torch.int64) for text in texts]
        shortest = min(map(len, encoded))
        if shortest < 2 * window:
            raise DataError("too_short", tokens=shortest, needed=2 * window)
        return cls(tokenizer, split(*encoded, held_out=max(0.1, window / shortest)), context_length)

    def batches(self, training: TrainingConfig, drawn: int = 0) -> Iterator[Windows]:
        """Windows at random places of the text to learn from, (B, T) each."""
        return Batches(self.text.train, training.batch_size, self.context_length, training.seed, drawn)

    def validation(self, training: TrainingConfig) -> list[Windows]:
        """Windows spread evenly over the held-out text, (B, T) each."""
        count = training.eval_batches * training.batch_size
        held_out = evaluation_windows(self.text.validation, self.context_length, count)
        return [Windows(*part) for part in zip(*(part.split(training.batch_size) for part in held_out), strict=True)]

    def losses(self, model: nn.Module, batch: Windows, label_smoothing: float = 0.0) -> Tensor:
        """−ln of the probability that the model gives each next token. (B·T,)"""
        targets = batch.targets.flatten()
        logits = model(batch.inputs.to(device_of(model))).flatten(0, 1).float()
        return cross_entropy(logits, targets.to(logits.device), label_smoothing)

    def yardsticks(self, training: TrainingConfig) -> dict[str, float]:
        """`uniform`: every token is as likely as any other. `bigram`: the token before decides (`BigramModel`)."""
        inputs, targets = (torch.cat(parts) for parts in zip(*self.validation(training), strict=True))
        bigram = BigramModel.fit(self.text.train, self.tokenizer.vocab_size)
        return {"uniform": math.log(self.tokenizer.vocab_size), "bigram": bigram.loss(inputs, targets)}

    def report(self, model: GPT) -> dict[str, Any]:
        """How the model goes on from the first held-out words: `prompt`, and `greedy` and `sampled` what it wrote."""
        prompt = self.text.validation[: max(1, min(PROMPT_TOKENS, self.context_length // 2))].tolist()
        forbidden = self.tokenizer.undecodable
        report = {"prompt": self.tokenizer.decode(prompt)}
        for name, temperature in TEMPERATURES.items():
            written = generate(model, prompt, max_tokens=REPORT_TOKENS, temperature=temperature, forbidden=forbidden)
            report[name] = self.tokenizer.decode(token.token for token in written)
        return report


def device_of(model: nn.Module) -> torch.device:
    """Where the weights are."""
    return next(model.parameters()).device
