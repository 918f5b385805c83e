"""How much more, or less, every head looks at each token than it did before."""

from collections.abc import Sequence

import plotly.graph_objects as go
import torch
from torch import Tensor

from pages.figures.every_head import every_head, pooled
from pages.figures.palette import Theme
from pages.figures.theme import colorscale


def pooled_change(before: Tensor, after: Tensor, side: int) -> Tensor:
    """The largest change of each side × side square, up or down; NaN where all of it is masked. (N, H, T, T) → (N, H, t, t)"""
    up, down = pooled(after - before, side), pooled(before - after, side)
    return torch.where(up >= down, up, -down)


def heads_moved(
    change: Tensor, blocks: Sequence[str], heads: Sequence[str], picked: tuple[int, int], theme: Theme
) -> go.Figure:
    """Panels (N, H, t, t) of differences of weights, NaN where masked, as `every_head` draws weights, in signed colours.

    The scale is always −1 … 1, so that the difference of any two moments can be compared with that of any others.
    """
    titles = [f"{block} · {head}" for block in blocks for head in heads]
    drawn = every_head(change, blocks, heads, [""] * len(titles), titles, picked, theme)
    bar = {"tickvals": [-1, 0, 1], "ticktext": ["−1", "0", "1"]}
    return drawn.update_traces(
        zmin=-1, zmid=0, zmax=1, colorscale=colorscale("signed", theme), colorbar=bar, selector=0
    )
