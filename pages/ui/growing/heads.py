"""What every head looks at, at two moments side by side or as their difference."""

from collections.abc import Callable
from operator import sub

import plotly.graph_objects as go
import streamlit as st

from pages.figures.every_head import every_head, pooled, square_of
from pages.figures.heads_moved import heads_moved, pooled_change
from pages.figures.sentence import code
from pages.ui import state
from pages.ui.chart import chart
from pages.ui.growing.grown import Moment
from pages.ui.growing.scrubber import Explained, Shown, between, named, side_by_side, tell
from pages.ui.parts import Page, Proof
from pages.ui.worked import worked
from transformer.residual_stream import follow


def draw_heads(page: Page, shown: Shown) -> Explained:
    """Every head of every block at both moments, or what has changed between them."""
    sizes, before, after = shown.grown.plan.model, shown.before.stream.weights, shown.after.stream.weights
    looked = min(state.get("block"), sizes.num_blocks) - 1, min(state.get("head"), sizes.num_heads) - 1
    names = (
        [page.words.block.format(n + 1) for n in range(sizes.num_blocks)],
        [page.words.head.format(n + 1) for n in range(sizes.num_heads)],
    )
    titles = [f"{block} · {head}" for block in names[0] for head in names[1]]
    side = square_of(sizes.num_blocks, sizes.num_heads, len(shown.labels))

    def look_at(panel: int) -> None:
        state.put("block", panel // sizes.num_heads + 1)
        state.put("head", panel % sizes.num_heads + 1)

    def draw(moment: Moment, key: str) -> None:
        def made() -> go.Figure:
            panels = pooled(moment.stream.weights, side)
            return every_head(panels, *names, [""] * len(titles), titles, looked, page.theme)

        chart(moment.figure((*titles, looked, page.theme), made), f"heads_{key}", look_at)

    if ways(page, shown) == "side":
        side_by_side(page, shown, draw)
    else:
        change = pooled_change(before, after, side)
        draw_change(page, shown, heads_moved(change, *names, looked, page.theme), look_at)
    tell_head(page, shown, *looked)
    again = shown.after.attended_again(looked[0]) - shown.before.attended_again(looked[0])
    proof = Proof(after[looked[0]] - before[looked[0]], again, "F.scaled_dot_product_attention")
    return Explained(follow, shown.after.stream, ["weights"], proof)


def ways(page: Page, shown: Shown) -> str:
    """Whether attention is drawn side by side or as a difference."""
    key = page.linked("as", "side", ("side", "difference").__contains__)
    chosen = shown.line.segmented_control(
        page.words.how,
        ["side", "difference"],
        format_func=page.words.ways.table().__getitem__,
        required=True,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
    )
    return str(chosen)


def draw_change(page: Page, shown: Shown, figure: go.Figure, look_at: Callable[[int], None]) -> None:
    """One picture instead of two."""
    with st.container(key="pictures"):
        st.markdown(
            f"###### {page.words.change.format(before=named(shown.before.step), after=named(shown.after.step))}"
        )
        with st.container(key="picture_after"):
            chart(figure, "heads_moved", look_at)


def tell_head(page: Page, shown: Shown, block: int, head: int) -> None:
    """One cell of the outlined head: the one that the asking token looks at most."""
    before, after = (moment.stream.weights[block, head, shown.place] for moment in (shown.before, shown.after))
    key = int(after.argmax())
    now, then = float(after[key]), float(before[key])
    numbers = dict(zip(("after", "before", "change"), worked(sub, (now, then), now - then), strict=True))
    tell(
        page,
        page.words.heads.worked.format(
            place=f"{page.words.block.format(block + 1)} · {page.words.head.format(head + 1)}",
            query=code(shown.labels[shown.place]),
            key=code(shown.labels[key]),
            steps=between(page, shown),
            **numbers,
        ),
    )
