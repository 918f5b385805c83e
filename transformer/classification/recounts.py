"""What the classification page shows, found in another way: so each of its pictures can be checked."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer.classification.attribution import log_odds
from transformer.classifier import Classifier, real_tokens


def slopes(model: Classifier, tokens: Tensor, label: int) -> Tensor:
    """`gradient_times_input` as what it stands for: the slope of the log-odds in a size of each embedding. (T,) → (T,)"""
    with torch.enable_grad():
        embedding = model.embed(tokens[None])
        sizes = torch.ones(len(tokens), 1, device=tokens.device, requires_grad=True)
        sized = sizes * embedding.token_embeddings.detach() + embedding.positions.detach()
        decided = model.decide(sized, real_tokens(tokens[None], None))
        (found,) = torch.autograd.grad(log_odds(decided, label).sum(), sizes)
    return found.squeeze(-1)


@torch.no_grad()
def fall_without(model: Classifier, tokens: Tensor, label: int, place: int) -> Tensor:
    """One number of `leave_one_out`, of the shorter sentence alone in its batch. tokens: (T,) → ()"""
    kept = F.pad(torch.cat([tokens[:place], tokens[place + 1 :]]), (0, 1))  # one may be left with nothing
    length = torch.tensor([len(tokens) - 1], device=tokens.device)
    return log_odds(model(tokens[None]), label)[0] - log_odds(model(kept[None], length), label)[0]


def accuracy_and_counts(confusion: Sequence[Sequence[int]]) -> Tensor:
    """The share on the diagonal of a table, and how many sentences there are of each true class. (C, C) → (1 + C,)"""
    table = torch.tensor(confusion, dtype=torch.float64)
    return torch.cat([(table.diagonal().sum() / table.sum())[None], table.sum(1)])
