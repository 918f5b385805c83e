"""Where the rows of the embedding table stand at two moments: on a map that holds still, and next to which others."""

from html import escape

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures import neighbours
from pages.figures.moving_map import Picture, moving_map
from pages.figures.projection import ROOM, Axes
from pages.figures.sentence import code
from pages.ui import state, text
from pages.ui.chart import chart
from pages.ui.growing.scrubber import Explained, Shown, at, between, named, tell
from pages.ui.parts import Page, Proof
from pages.ui.worked import worked

NEAREST = 12
HALL_ROOM = 700, 320  # px of the map in the lecture hall, at the usual type size


def draw_map(page: Page, shown: Shown) -> Explained:
    """The embedding table's rows on axes that do not move, and the ways the sentence's tokens have come."""
    rows, own = shown.grown.mapped(shown.after.tokens)
    axes, tables, places = shown.grown.table(rows)
    first, last = (shown.grown.steps.index(moment.step) for moment in (shown.before, shown.after))
    picked = int((own == shown.token).nonzero())
    walked = range(first, last + 1) if first <= last else range(first, last - 1, -1)
    corners = torch.stack([places.amin((0, 1)), places.amax((0, 1))])
    labels = [shown.label(row) for row in rows.tolist()]
    drawn = Picture(places[list(walked)], corners, labels, len(own), picked)
    titles = [
        page.words.component.format(index=index, number=n + 1, share=f"{float(axes.explained[n]):.0%}")
        for n, index in enumerate("₁₂")
    ]
    room = HALL_ROOM if state.get("hall") else ROOM
    with st.container(key="picture_wide"):
        chart(moving_map(drawn, (titles[0], titles[1]), room, page.theme), "moving_map")
    tell_way(page, shown, tables[first, picked], tables[last, picked], axes)
    again = F.linear(tables[last].double() - axes.mean.double(), axes.directions.double())
    return Explained(Axes.place, None, [], Proof(places[last], again, "F.linear in float64"))


def tell_way(page: Page, shown: Shown, before: Tensor, after: Tensor, axes: Axes) -> None:
    """How far the asking token's row has come, and where it now stands across."""
    numbers = {
        "moved": (after - before).norm(),
        "length": before.norm(),
        "now": after.norm(),
        "across": axes.place(after)[0],
    }
    told = {name: text.number(float(value)) for name, value in numbers.items()}
    tell(page, page.words.map.worked.format(token=code(shown.label(shown.token)), steps=between(page, shown), **told))


def draw_neighbours(page: Page, shown: Shown) -> Explained:
    """The rows that point most nearly the same way as one token's, at both moments."""
    moments, token = (shown.before, shown.after), f"<code>{escape(shown.label(shown.token))}</code>"
    tables = [moment.model.token_embedding.weight.detach() for moment in moments]
    titles = [page.words.neighbours.of.format(step=at(page, moment), token=token) for moment in moments]
    near = [neighbours.nearest(table, shown.token, NEAREST) for table in tables]
    panels = [
        neighbours.Panel("", found, [shown.label(row) for row in found.rows.tolist()], role)
        for found, role in zip(near, ("neutral", "output"), strict=True)  # a moment's colours, as in the other views
    ]
    # over the chart, which can draw no token as a token: a full stop would be lost
    st.html(f'<div class="titles">{"".join(f"<b>{title}</b>" for title in titles)}</div>')
    with st.container(key="picture_wide"):
        chart(neighbours.bars(panels, page.words.cosine, page.theme), "grown_neighbours")
    nearest = int(near[1].rows[0])
    *parts, cosine = neighbours.cosine_parts(tables[1], shown.token, nearest)
    tell(
        page,
        page.words.neighbours.worked.format(
            *worked(lambda product, one, other: product / max(one * other, 1e-12), parts, cosine),
            text.number(neighbours.cosine_parts(tables[0], shown.token, nearest)[-1]),
            neighbour=code(shown.label(nearest)),
            step=named(shown.before.step),
        ),
    )
    again = F.cosine_similarity(tables[1][near[1].rows], tables[1][shown.token, None])
    return Explained(neighbours.nearest, None, [], Proof(near[1].cosines, again, "F.cosine_similarity"))
