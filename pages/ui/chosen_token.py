"""What is said of the choice of a token: what top-k and top-p leave, and one token's way from its logit to its probability."""

from operator import truediv

import streamlit as st
import torch

from pages.figures.chances import Names
from pages.figures.predictions import percent
from pages.ui import text
from pages.ui.parts import Page
from pages.ui.worked import worked
from pages.ui.writing import Settings
from transformer.sampling import Distribution


def share(probability: float) -> str:
    """A probability in words; nothing is impossible but what was cut."""
    return percent(probability) if probability else "0%"


def names_of_cut(page: Page, asked: Settings, chosen: Distribution, tokens: list[int]) -> Names:
    """What the picture is called: how many tokens top-k left, and of those top-p, with what they hold; the head's tokens."""
    possible, kept = int((chosen.logits > -torch.inf).sum()), int(chosen.kept.sum())
    left_by_k = min(asked.top_k, possible)
    others = kept - int(chosen.kept[tokens].sum())
    told = {
        "rows": f"{len(chosen.logits):,}",
        "shown": len(tokens),
        "n": f"{others:,}",
        "others": share(max(1 - float(chosen.final[tokens].sum()), 0.0)),
        "k": f"{left_by_k:,}",
        "share_k": share(float(chosen.probabilities.topk(left_by_k).values.sum())),
        "p": f"{asked.top_p:.0%}",
        "kept": f"{kept:,}",
        "share": share(float(chosen.probabilities[chosen.kept].sum())),
    }
    words = page.words.chances
    named = words.table() | ({} if others else {"head": words.all})
    return Names(**{name: named[name].format(**told) for name in Names._fields})


def tell(page: Page, asked: Settings, chosen: Distribution, token: int, name: str) -> None:
    """One token's way from its logit to what it is drawn with."""
    tau, kept = asked.temperature, bool(chosen.kept[token])
    logit, scaled, before, final = (
        float(each[token]) for each in (chosen.logits, chosen.scaled, chosen.probabilities, chosen.final)
    )
    largest, left = float(chosen.logits.max()), float(chosen.probabilities[chosen.kept].sum())
    scale = lambda logit, largest: (logit - largest) / tau  # noqa: E731
    logits = worked(scale, (logit, largest), scaled) if tau else [*map(text.number, (logit, largest, scaled))]
    shares = worked(truediv, (before, left), final) if kept else [*map(text.number, (before, left, final))]
    parts = dict(zip(("logit", "largest", "scaled", "before", "left", "final"), (*logits, *shares), strict=True))
    kind = "greedy" if not tau else "kept" if kept else "cut"
    st.markdown(page.words.worked.table()[kind].format(token=name, temperature=f"{tau:g}", **parts))
