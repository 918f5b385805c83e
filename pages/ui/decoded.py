"""What is said of one step of a decoder: the head of the list, and the arithmetic of the token that is written."""

import math

import torch
from torch import Tensor

from pages.figures.decoding_step import Step
from pages.figures.predictions import Candidate
from pages.figures.sentence import code
from pages.ui.text import Words, number
from pages.ui.translation import Translation

CANDIDATES = 6


def decimals(value: float, places: int = 3) -> str:
    """A number of a column, whose points stand below each other."""
    return f"{value:.{places}f}".replace("-", "−")


def steps(seen: Translation, log_probabilities: Tensor, written: Tensor) -> list[Step]:
    """Each token that is written, with what the model would have preferred. (T, V), (T,) int64"""
    favourites = log_probabilities.argmax(-1)
    shares = log_probabilities[torch.arange(len(written)), written].exp()
    preferred = [
        name if other else ""
        for name, other in zip(seen.words(favourites.tolist()), (favourites != written).tolist(), strict=True)
    ]
    return [*map(Step, seen.words(written.tolist()), shares.tolist(), preferred)]


def candidates(seen: Translation, logits: Tensor, aim: int) -> list[Candidate]:
    """The likeliest tokens, and the one that is written if it is none of these. logits: (V,)"""
    order = logits.argsort(descending=True).tolist()
    place = order.index(aim)
    ranks = [*range(CANDIDATES)] if place < CANDIDATES else [*range(CANDIDATES - 1), place]
    powers, probabilities = (logits - logits.max()).exp().tolist(), logits.softmax(-1).tolist()
    return [
        Candidate(
            f"{rank + 1}.",
            seen.words([id])[0],
            decimals(float(logits[id])),
            decimals(powers[id], 6),
            probabilities[id],
            id == aim,
        )
        for rank, id in ((rank, order[rank]) for rank in ranks if rank < len(order))
    ]


def arithmetic(words: Words, seen: Translation, logits: Tensor, aim: int) -> str:
    """How the written token came by its probability, and what that costs. words: `arithmetic` with its blanks."""
    powers = (logits - logits.max()).exp()
    share = float(powers[aim] / powers.sum())
    told: str = words.arithmetic.format(
        token=code(seen.words([aim])[0]),
        logit=decimals(float(logits[aim])),
        largest=decimals(float(logits.max())),
        near="=" if powers[aim] == 1 else "≈",
        power=number(float(powers[aim])),
        total=number(float(powers.sum()), 6),
        share=number(share),
        loss=decimals(-math.log(share) if share else math.inf),
    )
    return told
