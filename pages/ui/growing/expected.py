"""What the model expects after a token, block by block, at two moments."""

from operator import truediv

import streamlit as st
import torch
import torch.nn.functional as F

from pages.figures import predictions
from pages.figures.sentence import code
from pages.ui import text
from pages.ui.growing.grown import Moment
from pages.ui.growing.scrubber import Explained, Shown, named, side_by_side, tell
from pages.ui.parts import Page, Proof
from pages.ui.worked import worked
from transformer.next_token import guesses

GUESSES = 3


def draw_next(page: Page, shown: Shown) -> Explained:
    """What the model would say after a token if it stopped at the start, or after any block, at both moments."""
    place, tokens = shown.place, shown.after.tokens[0]
    following = int(tokens[place + 1]) if place + 1 < len(tokens) else None
    watched = int(shown.after.said(place).probabilities[0].argmax()) if following is None else following
    names = [page.words.embedding, *(page.words.block.format(n + 1) for n in range(shown.grown.plan.model.num_blocks))]

    def draw(moment: Moment, key: str) -> None:
        found = moment.lens(place, watched, GUESSES)
        layers = [
            predictions.Layer(
                name, [(shown.label(id), share, id == watched) for id, share in zip(ids, shares, strict=True)], None
            )
            for name, ids, shares in zip(names, found.ids.tolist(), found.probabilities.tolist(), strict=True)
        ]
        st.html(predictions.lens(layers, (page.words.after, page.words.says, "")))

    st.html(predictions.STYLE)
    side_by_side(page, shown, draw, page.words.following.format(token=code(shown.labels[place])))
    tell_next(page, shown, watched, following is not None)
    with torch.no_grad():
        again = F.softmax(shown.after.model(shown.after.tokens)[0, place].double(), 0)
    said = shown.after.said(place)
    return Explained(guesses, said, ["probabilities"], Proof(said.probabilities[0], again, "F.softmax(GPT.forward)"))


def tell_next(page: Page, shown: Shown, watched: int, true: bool) -> None:
    """The framed token's probability at both moments, and its place among all."""
    told: dict[str, str] = {"token": code(shown.label(watched))}
    for name, moment in (("before", shown.before), ("after", shown.after)):
        said = moment.said(shown.place)
        share, logit = said.probabilities[0, watched], said.logits[0, watched]
        told[f"rank_{name}"] = named(int((said.logits > logit).sum()) + 1)
        told[f"step_{name}"] = named(moment.step)
        parts = float(said.exponentials[0, watched]), float(said.total)
        told["power"], told["total"], told[name] = worked(truediv, parts, float(share), 3)
    tell(
        page,
        text.joined(
            page.language,
            page.words.next.table()["true" if true else "likeliest"].format(**told),
            page.words.next.worked.format(**told),
        ),
    )
