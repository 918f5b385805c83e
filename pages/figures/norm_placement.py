"""Where LayerNorm stands in a block: both orders as a picture, with the size that the residual stream has on its way."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import plotly.graph_objects as go
from torch import Tensor

from pages.figures.palette import Role, Theme
from pages.figures.theme import GRID, axis, color, figure
from transformer.trace import BlockTrace

WIDTH, MOST = 13.0, 16.0  # the picture's own unit; px of the thickest line, to which all others are in proportion
HIGH, HALF = 1.0, 0.25  # of a branch over the stream; of a box
BASES = {True: 2.15, False: 0.0}  # pre-LN above post-LN
PLUS, CLEAR = 24, 8  # px: a plus sign's circle; from a line to the number below it
SHORT = 15.0  # px that a line ends before a plus sign's middle: the sign grows in the lecture hall, and this does not
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
        self.words: list[tuple[float, float, str, str, float]] = []  # x, y, text, where from there, px between

    def write(self, text: str, x: float, y: float, stands: str = "middle center", apart: float = 0.0) -> None:
        """A text at a place; `stands` as plotly's text positions, and this many px away."""
        self.words.append((x, self.base + y, text, stands, apart))

    def size_below(self, tensor: Tensor, x: float, y: float) -> None:
        """The size of what a level line carries, close under it."""
        self.write(f"{mean_size(tensor):.2f}", x, y, "bottom center", self.thickness(tensor) / 2 + CLEAR)

    def thickness(self, tensor: Tensor) -> float:
        """In px, in proportion to what a line carries."""
        return MOST * mean_size(tensor) / self.thickest

    def box(self, text: str, left: float, right: float, y: float, role: Role) -> None:
        """A box with a text in it, its middle at this height."""
        edge, fill = {"color": color(role, self.theme), "width": 2}, GRID[self.theme]
        ends = {"x0": left, "x1": right, "y0": self.base + y - HALF, "y1": self.base + y + HALF}
        self.shapes.append({"type": "rect", "layer": "below", "line": edge, "fillcolor": fill, **ends})
        self.write(text, (left + right) / 2, y)

    def line(
        self, x: Sequence[float], y: Sequence[float], tensor: Tensor, role: Role = "neutral", short: float = 0.0
    ) -> None:
        """A line as thick as what it carries, with the head of an arrow at its end. short: px that it ends earlier."""
        look = {"color": color(role, self.theme), "width": self.thickness(tensor)}
        none = [0.0] * (len(x) - 1)  # at the line's other points
        head = {"size": [*none, max(self.thickness(tensor) + 9, 14.0)], "standoff": [*none, short]}
        marks = {"symbol": "arrow-wide", "angleref": "previous", "opacity": 1, "line": {"width": 0}, **head}
        line = _line(x, [self.base + place for place in y], look)
        self.lines.append({**line, "mode": "lines+markers", "marker": {"color": look["color"], **marks}})

    def stream(self, start: float, end: float, tensor: Tensor, at: float | None = None, short: float = 0.0) -> None:
        """A piece of the residual stream; its size is written below."""
        self.line([start, end], [0, 0], tensor, short=short)
        self.size_below(tensor, (start + end) / 2 if at is None else at, 0)

    def branch(self, start: float, boxes: Sequence[tuple[str, float, float, Role]], end: float, part: Residual) -> None:
        """From the stream through boxes back to a plus sign on the stream; what it adds stands beside the way down."""
        for text, left, right, role in boxes:
            self.box(text, left, right, HIGH, role)
        self.line([start, start, boxes[0][1]], [0, HIGH, HIGH], part.stream)
        for (_, _, leave, _), (_, arrive, _, _) in pairwise(boxes):
            self.line([leave, arrive], [HIGH, HIGH], part.normed)
            self.size_below(part.normed, (leave + arrive) / 2, HIGH)
        self.line([boxes[-1][2], end, end], [HIGH, HIGH, 0], part.added, "output", SHORT)
        self.write(f"{mean_size(part.added):.2f}", end + 0.12, HIGH / 2 + 0.1, "middle right")
        plus = {"color": PANEL[self.theme], "size": PLUS, "line": {"color": color("output", self.theme), "width": 2}}
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
    drawing.stream(0.1, 5.5, first.stream, short=SHORT)
    drawing.stream(5.5, 11.6, second.stream, short=SHORT)
    drawing.stream(11.6, 12.95, second.total)
    for start, name, residual in ((0.4, "attention", first), (6.5, "feed_forward", second)):
        boxes = (words["norm"], start + 0.4, start + 2.1, "token"), (words[name], start + 2.9, start + 4.7, "output")
        drawing.branch(start, boxes, start + 5.1, residual)


def _post(drawing: _Drawing, order: Mapping[str, Residual], words: Mapping[str, str]) -> None:
    first, second = order["attention"], order["feed_forward"]
    for start, name, residual in ((0.4, "attention", first), (6.55, "feed_forward", second)):
        plus, left, right = start + 2.7, start + 3.75, start + 5.4
        drawing.stream(plus, left, residual.total)
        drawing.branch(start, [(words[name], start + 0.6, start + 2.35, "output")], plus, residual)
        drawing.box(words["norm"], left, right, 0, "token")
    drawing.stream(0.1, 3.1, first.stream, short=SHORT)
    drawing.stream(5.8, 9.25, second.stream, at=7.5, short=SHORT)
    drawing.stream(11.95, 12.95, second.normed)


def _line(x: Sequence[float], y: Sequence[float], look: dict[str, Any]) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "line": look, "hoverinfo": "skip"}


def _text(words: Sequence[tuple[float, float, str, str, float]]) -> dict[str, Any]:
    """All words as one trace, which plotly builds faster than as many annotations.

    Unseen marks keep a text away from its place: plotly puts it 1 px and 1 / 0.8 of a mark's radius from the middle.
    """
    x, y, text, stands, apart = map(list, zip(*words, strict=True))
    look = {"textfont": {"size": 15}, "textposition": stands, "cliponaxis": False}
    marks = {"size": [1.6 * px for px in apart], "opacity": 0}
    place = {"x": x, "y": y, "text": text, "marker": marks}
    return {"type": "scatter", "mode": "markers+text", "hoverinfo": "skip", **place, **look}
