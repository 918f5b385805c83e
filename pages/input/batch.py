"""B windows of T tokens, and the targets: the same windows one step later."""

import math
from types import SimpleNamespace

import streamlit as st
import torch

from pages.figures import batch_table, token_strip
from pages.matrix.clicks import clickable
from pages.ui import state
from pages.ui.lesson import UNKNOWN
from pages.ui.parts import Page, Proof, size
from transformer.data import windows

HALL_ROOM = 84  # letters, of a size that the last bench can read

page = Page(__file__)
lesson, words = page.lesson, page.words
tokens, targets, row = lesson.tokens, lesson.targets, lesson.row
spans = torch.cat([tokens[:, :1], targets], dim=1)  # (B, T + 1)
position = lesson.picked("query", lesson.length)
pieces = [[lesson.label(token) for token in span] for span in spans.tolist()]


def choose_position() -> None:
    """Steps through the positions, when there is more than one."""
    key = f"{page.name}_position"
    keep = state.view_of("query", key)
    state.put(key, position)
    if lesson.length > 1:
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            st.markdown(words.position, width="content")
            st.number_input(
                words.position, 0, lesson.length - 1, key=key, on_change=keep, label_visibility="collapsed", width=190
            )


def choose(part: dict[str, int]) -> None:
    """Looks at the clicked place, and at the row it stands in, from here on."""
    state.put("query", part["place"])
    state.put("row", part.get("row", row) + 1)


def story() -> str:
    """Where the picked target comes from."""
    target = int(targets[row, position])
    last = position == lesson.length - 1
    told = words.unknown if target == UNKNOWN else words.after if last else words.shifted
    return str(told.format(row=row, here=position, next=position + 1, id=target))


page.opening(f"{words.inputs} {size(tokens)}", f"{words.targets} {page.shape_of(targets, 'B T')}")
st.html(token_strip.STYLE)
view = page.view("batch", "lessons")
with page.controls:
    choose_position()
    st.markdown(story(), width="content")
if view == "batch":
    parts = words.inputs, words.targets
    room = HALL_ROOM if state.get("hall") else math.inf
    picture = batch_table.batch(pieces, spans.tolist(), parts=parts, row=row, position=position, room=room)
else:
    picture = batch_table.lessons(pieces[row], spans[row].tolist(), position, words.nothing)
clickable(picture, key="windows", on_pick=choose)
page.details(
    windows,
    SimpleNamespace(spans=spans),
    ["spans"],
    Proof(tokens, spans.unfold(1, lesson.length, 1)[:, 0], "torch.Tensor.unfold"),
    rows=len(tokens),
    length=lesson.length,
    examples=targets.numel(),
)
