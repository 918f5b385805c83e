"""Two classifiers as they circulate, each wrong in one line; with the weights of a right one, to see what goes wrong."""

from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer.classifier import Classifier
from transformer.trace import EmbeddingTrace


class Circulating(Classifier):
    """A classifier with one line changed."""

    @classmethod
    def like(cls, model: Classifier) -> Self:
        """One that shares the weights of `model`."""
        wrong = cls.__new__(cls)
        wrong.__dict__.update(model.__dict__)
        return wrong


class NumbersTheBatch(Circulating):
    """Takes len(tokens) for the number of tokens; of a (B, T) batch it is the number of sentences.

    All tokens of a sentence then get one position, its place in the batch, and the order of words is lost.
    """

    def embed(self, tokens: Tensor) -> EmbeddingTrace:
        """As `Classifier.embed`, with a position for each sentence in place of each token. tokens: (B, T) int64"""
        token_embeddings, positions = self.token_embedding(tokens), self.positions[: len(tokens), None]
        return EmbeddingTrace(token_embeddings, positions, token_embeddings + positions)


class AveragesPadding(Circulating):
    """Knows nothing of padding: every token looks at it, and the mean is taken over all that stands in the row.

    What stands beside a sentence then moves its answer.
    """

    def decide(self, embeddings: Tensor, real: Tensor) -> Tensor:
        """As `Classifier.decide`, as if all tokens were real. embeddings: (B, T, D), real: (B, T) bool → (B, C)"""
        return super().decide(embeddings, torch.ones_like(real))


@torch.no_grad()
def answers_by_place(model: Classifier, sentence: Tensor, neighbours: Tensor) -> Tensor:
    """What `model` and `NumbersTheBatch` say of a sentence in each place of a batch with its neighbours.

    sentence: (T,), neighbours: (N, S) int64 → (2, N + 1, C) log-probabilities
    """
    others = F.pad(neighbours, (0, max(0, len(sentence) - neighbours.size(1))))
    own = F.pad(sentence, (0, others.size(1) - len(sentence)))[None]
    answers = []
    for place in range(len(neighbours) + 1):
        tokens = torch.cat([others[:place], own, others[place:]])
        lengths = torch.full((len(tokens),), tokens.size(1))
        lengths[place] = len(sentence)
        answers.append([one(tokens, lengths)[place] for one in (model, NumbersTheBatch.like(model))])
    return torch.stack([torch.stack(pair) for pair in answers], 1)


@torch.no_grad()
def answers_by_padding(model: Classifier, sentence: Tensor, most: int) -> Tensor:
    """What `model` and `AveragesPadding` say of a sentence beside 0, 1, … `most` tokens of padding.

    sentence: (T,) int64 → (2, most + 1, C) log-probabilities
    """
    length = torch.tensor([len(sentence)])
    rows = [F.pad(sentence, (0, padding))[None] for padding in range(most + 1)]
    return torch.stack([torch.cat([one(row, length) for row in rows]) for one in (model, AveragesPadding.like(model))])


@torch.no_grad()
def changed_by_place(model: Classifier, tokens: Tensor, lengths: Tensor, batch_size: int) -> int:
    """How many sentences `NumbersTheBatch` decides in another way when their batch is turned upside down.

    tokens: (N, T), lengths: (N,)
    """
    wrong, changed = NumbersTheBatch.like(model), 0
    for rows, real in zip(tokens.split(batch_size), lengths.split(batch_size), strict=True):
        turned = wrong(rows.flip(0), real.flip(0)).flip(0)
        changed += int((wrong(rows, real).argmax(-1) != turned.argmax(-1)).sum())
    return changed


@torch.no_grad()
def changed_by_padding(model: Classifier, tokens: Tensor, lengths: Tensor) -> int:
    """How many sentences `AveragesPadding` decides in another way beside padding than beside none.

    tokens: (N, T), lengths: (N,)
    """
    wrong, changed = AveragesPadding.like(model), 0
    for length in lengths.unique().tolist():
        rows = tokens[lengths == length]
        changed += int((wrong(rows).argmax(-1) != wrong(rows[:, :length]).argmax(-1)).sum())
    return changed
