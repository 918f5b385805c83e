"""Classifiers that see which words occur and not in what order: what a model that reads sentences has to beat."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

SMOOTHING = 1.0
DECAY = 1e-3


def word_counts(sentences: Sequence[Sequence[int]], vocab_size: int) -> Tensor:
    """How often each row of the vocabulary occurs in each sentence. (N, V) float32"""
    return torch.stack(
        [torch.bincount(torch.tensor(ids, dtype=torch.long), minlength=vocab_size) for ids in sentences]
    ).float()


class BagOfWords:
    """log P(class | words) = log_softmax(counts · weights + bias). weights: (V, C), bias: (C,)"""

    def __init__(self, weights: Tensor, bias: Tensor) -> None:
        self.weights = weights
        self.bias = bias

    def __call__(self, counts: Tensor) -> Tensor:
        """(N, V) → (N, C)"""
        return (counts @ self.weights + self.bias).log_softmax(-1)


def constant_guess(labels: Tensor, num_classes: int) -> Tensor:
    """Log-probabilities by how frequent the classes were, whatever the sentence says. labels: (N,) int64 → (C,)"""
    return (torch.bincount(labels, minlength=num_classes) / len(labels)).log()


def naive_bayes(counts: Tensor, labels: Tensor, num_classes: int) -> BagOfWords:
    """Multinomial naive Bayes with add-one smoothing: the words of a class as if drawn one by one from an urn.

    counts: (N, V) float32, labels: (N,) int64
    """
    of_class = F.one_hot(labels, num_classes).float().T @ counts + SMOOTHING  # (C, N) · (N, V) → (C, V)
    return BagOfWords((of_class / of_class.sum(-1, keepdim=True)).log().T, constant_guess(labels, num_classes))


def logistic_regression(counts: Tensor, labels: Tensor, num_classes: int) -> BagOfWords:
    """A weight for each word and class, those that explain the labels best under a small weight decay.

    counts: (N, V) float32, labels: (N,) int64
    """
    with torch.enable_grad():
        weights = torch.zeros(counts.size(1), num_classes, requires_grad=True)
        bias = torch.zeros(num_classes, requires_grad=True)
        optimizer = torch.optim.LBFGS([weights, bias], max_iter=200, line_search_fn="strong_wolfe")

        def loss() -> float:
            optimizer.zero_grad()
            value = F.cross_entropy(counts @ weights + bias, labels) + DECAY / 2 * weights.square().sum()
            value.backward()
            return value.item()

        optimizer.step(loss)
    return BagOfWords(weights.detach(), bias.detach())
