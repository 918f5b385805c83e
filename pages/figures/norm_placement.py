"""Where LayerNorm stands in a block: both orders as a picture, with the size that the residual stream has on its way."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import plotly.graph_objects as go
from torch import Tensor

from pages.figures.palette import Role, Theme
from pages.figures.theme import GRID, axis, color, figure
from transformer.trace import BlockTrace

WIDTH, MOST = 13.0, 22.0  # the picture's own unit; px of the thickest line, to which all others are in proportion
HIGH, HALF = 1.0, 0.25  # of a branch over the stream; of a box
BASES = {True: 2.15, False: 0.0}  # pre-LN above post-LN
PANEL: dict[Theme, str] = {"light": "#f5f7f9", "dark": "#1a1f25"}


class Residual(NamedTuple):
    """One residual connection of a block: total = stream + added; LayerNorm reads the stream or the total. All (T, D)."""

    stream: Tensor
    added: Tensor
    total: Tensor
    normed: Tensor


def residuals(trace: BlockTrace, row: int, norm_first: bool) -> dict[str, Residual]:
    """A block's two residual connections, by the name of the sublayer inside, for one row of the batch."""
    between = trace.attention_residual if norm_first else trace.attention_norm
    attention = trace.input, trace.attention.output, trace.attention_residual, trace.attention_norm
    feed_forward = between, trace.feed_forward.output, trace.feed_forward_residual, trace.feed_forward_norm
    return {
        "attention": Residual(*(part[row] for part in attention)),
        "feed_forward": Residual(*(part[row] for part in feed_forward)),
    }


def mean_size(tensor: Tensor) -> float:
    """The mean over tokens of the length of their vectors. (T, D) → a number"""
    return float(tensor.norm(dim=1).mean())


class _Drawing:
    """Boxes, lines and words in the picture's own unit, on one of the two bases."""

    def __init__(self, base: float, thickest: float, theme: Theme) -> None:
        self.base, self.thickest, self.theme = base, thickest, theme
        self.lines: list[dict[str, Any]] = []
        self.signs: list[dict[str, Any]] = []  # above all lines
        self.shapes: list[dict[str, Any]] = []
        self.words: list[tuple[float, float, str, str]] = []  # x, y, text, where it stands from (x, y)

    def write(self, text: str, x: float, y: float, stands: str = "middle center") -> None:
        """A text at a place; `stands` as plotly's text positions."""
        self.words.append((x, self.base + y, text, stands))

    def box(self, text: str, left: float, right: float, y: float, role: Role) -> None:
        """A box with a text in it, its middle at this height."""
        edge, fill = {"color": color(role, self.theme), "width": 2}, GRID[self.theme]
        ends = {"x0": left, "x1": right, "y0": self.base + y - HALF, "y1": self.base + y + HALF}
        self.shapes.append({"type": "rect", "layer": "below", "line": edge, "fillcolor": fill, **ends})
        self.write(text, (left + right) / 2, y)

    def line(self, x: Sequence[float], y: Sequence[float], tensor: Tensor, role: Role = "neutral") -> None:
        """A line as thick as what it carries."""
        look = {"color": color(role, self.theme), "width": MOST * mean_size(tensor) / self.thickest}
        self.lines.append(_line(x, [self.base + place for place in y], look))

    def stream(self, start: float, end: float, tensor: Tensor, at: float | None = None) -> None:
        """A piece of the residual stream; its size is written below."""
        self.line([start, end], [0, 0], tensor)
        self.write(f"{mean_size(tensor):.2f}", (start + end) / 2 if at is None else at, -0.33)

    def branch(self, start: float, boxes: Sequence[tuple[str, float, float, Role]], end: float, part: Residual) -> None:
        """From the stream through boxes back to a plus sign on the stream; what it adds stands beside the way down."""
        for text, left, right, role in boxes:
            self.box(text, left, right, HIGH, role)
        self.line([start, start, boxes[0][1]], [0, HIGH, HIGH], part.stream)
        for (_, _, leave, _), (_, arrive, _, _) in pairwise(boxes):
            self.line([leave, arrive], [HIGH, HIGH], part.normed)
            self.write(f"{mean_size(part.normed):.2f}", (leave + arrive) / 2, HIGH - HALF - 0.12)
        self.line([boxes[-1][2], end, end], [HIGH, HIGH, 0], part.added, "output")
        self.write(f"{mean_size(part.added):.2f}", end + 0.12, HIGH / 2 + 0.1, "middle right")
        plus = {"color": PANEL[self.theme], "size": 24, "line": {"color": color("output", self.theme), "width": 2}}
        face = {"size": 20, "color": color("output", self.theme)}
        sign = {"mode": "markers+text", "x": [end], "y": [self.base], "text": ["+"], "marker": plus, "textfont": face}
        self.signs.append({"type": "scatter", "hoverinfo": "skip", **sign})


def norm_placement(
    pre: Mapping[str, Residual],
    post: Mapping[str, Residual],
    norm_first: bool,
    words: Mapping[str, str],
    theme: Theme,
) -> go.Figure:
    """Pre-LN above, post-LN below; the chosen order stands on a panel. Sizes are means over the tokens (`mean_size`).

    words: "norm", "attention", "feed_forward" for the boxes; "pre", "post" over the pictures.
    """
    tensors = [tensor for order in (pre, post) for residual in order.values() for tensor in residual]
    thickest = max(map(mean_size, tensors)) or 1.0
    drawings = [_Drawing(BASES[first], thickest, theme) for first in (True, False)]
    _pre(drawings[0], pre, words)
    _post(drawings[1], post, words)
    panel = {"x0": 0, "x1": WIDTH, "y0": BASES[norm_first] - 0.55, "y1": BASES[norm_first] + 1.6}
    shapes = [{"type": "rect", "layer": "below", "line": {"width": 0}, "fillcolor": PANEL[theme], **panel}]
    for drawing, order in zip(drawings, ("pre", "post"), strict=True):
        shapes += drawing.shapes
        drawing.write(words[order], 0.1, 1.44, "middle right")
    layout = {
        "xaxis": axis(theme, visible=False, range=[0, WIDTH], fixedrange=True),
        "yaxis": axis(theme, visible=False, range=[-0.55, 3.75], fixedrange=True),
        "shapes": shapes,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
    }
    lines = [line for drawing in drawings for line in (*drawing.lines, *drawing.signs)]
    return figure([*lines, _text([word for drawing in drawings for word in drawing.words])], theme, **layout)


def _pre(drawing: _Drawing, order: Mapping[str, Residual], words: Mapping[str, str]) -> None:
    first, second = order["attention"], order["feed_forward"]
    for start, end, tensor in ((0.2, 5.6, first.stream), (5.6, 11.4, second.stream), (11.4, 12.8, second.total)):
        drawing.stream(start, end, tensor)
    for start, name, residual in ((0.9, "attention", first), (6.7, "feed_forward", second)):
        boxes = (words["norm"], start + 0.4, start + 1.9, "token"), (words[name], start + 2.3, start + 4.2, "output")
        drawing.branch(start, boxes, start + 4.7, residual)


def _post(drawing: _Drawing, order: Mapping[str, Residual], words: Mapping[str, str]) -> None:
    first, second = order["attention"], order["feed_forward"]
    for start, name, residual in ((0.9, "attention", first), (6.9, "feed_forward", second)):
        plus, left, right = start + 2.9, start + 4.0, start + 5.3
        drawing.stream(plus, left, residual.total)
        drawing.branch(start, [(words[name], start + 0.5, start + 2.4, "output")], plus, residual)
        drawing.box(words["norm"], left, right, 0, "token")
    drawing.stream(0.2, 3.8, first.stream)
    drawing.stream(6.2, 9.8, second.stream, at=7.8)
    drawing.stream(12.2, 12.9, second.normed, at=12.55)


def _line(x: Sequence[float], y: Sequence[float], look: dict[str, Any]) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "line": look, "hoverinfo": "skip"}


def _text(words: Sequence[tuple[float, float, str, str]]) -> dict[str, Any]:
    """All words as one trace, which plotly builds faster than as many annotations."""
    x, y, text, stands = map(list, zip(*words, strict=True))
    look = {"textfont": {"size": 15}, "textposition": stands, "cliponaxis": False}
    return {"type": "scatter", "mode": "text", "x": x, "y": y, "text": text, "hoverinfo": "skip", **look}
