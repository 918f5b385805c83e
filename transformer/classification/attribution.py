"""Which words moved a decision: two answers, one by leaving words out, one by the slope of the model where it stands."""

import torch
from torch import Tensor

from transformer.classifier import Classifier, real_tokens


def log_odds(log_probabilities: Tensor, label: int) -> Tensor:
    """ln(p / (1 − p)) of one class: 0 where it is as likely as all others together. (…, C) → (…)"""
    others = torch.cat([log_probabilities[..., :label], log_probabilities[..., label + 1 :]], -1)
    return log_probabilities[..., label] - others.logsumexp(-1)


@torch.no_grad()
def leave_one_out(model: Classifier, tokens: Tensor, label: int) -> Tensor:
    """How far the log-odds of a class fall when a token is left out and the rest close ranks. tokens: (T,) → (T,)

    Above 0: the token spoke for the class. The one token of a sentence leaves nothing but padding behind.
    """
    length = len(tokens)
    whole = log_odds(model(tokens[None]), label)
    kept = (torch.arange(length - 1) + (torch.arange(length - 1) >= torch.arange(length)[:, None])).to(tokens.device)
    shortened = torch.cat([tokens[kept], tokens.new_zeros(length, 1)], 1)  # (T, T): one sentence for each token
    return whole - log_odds(model(shortened, tokens.new_full((length,), length - 1)), label)


def gradient_times_input(model: Classifier, tokens: Tensor, label: int) -> Tensor:
    """The slope of a class's log-odds in the size of each token's embedding, ∂/∂s at s = 1 of s·x. tokens: (T,) → (T,)

    Gradient × input (Shrikumar et al. 2016): exact for tiny changes, and no more than a straight line for large ones.
    """
    with torch.enable_grad():
        embedding = model.embed(tokens[None])
        token_embeddings = embedding.token_embeddings.detach().requires_grad_()
        decided = model.decide(token_embeddings + embedding.positions.detach(), real_tokens(tokens[None], None))
        (gradient,) = torch.autograd.grad(log_odds(decided, label).sum(), token_embeddings)
    return (gradient * token_embeddings.detach()).sum(-1)[0]
