"""The clickable matrix: a canvas that draws products as on paper and matrices side by side.

The browser half (``browser/*.js``, ``matrix.css``) lights rows and columns and works the arithmetic out by itself;
the server hears only of a chosen cell.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from torch import Tensor

from pages.figures import palette
from pages.matrix.scene import Matrix, Readout, Selection, check_product, describe, encode, explain
from pages.ui import state, text
from pages.ui.component import component

HERE: Final = Path(__file__).parent
WORDS: Final = HERE / "matrix.toml"

OnSelect = Callable[[Selection], None]


def script() -> str:
    """Return the component's JavaScript: its parts as one module, as Streamlit wants it, after the figures' palette.

    The parts only declare things, so their order does not matter.
    """
    colors = {"roles": palette.ROLES, "diverging": palette.DIVERGING, "sequential": palette.SEQUENTIAL}
    parts = [part.read_text(encoding="utf-8") for part in sorted((HERE / "browser").glob("*.js"))]
    return "\n".join([f"const PALETTE = {json.dumps(colors)};", *parts])


_canvas = component(
    "transformer_matrix",
    html=(HERE / "matrix.html").read_text(encoding="utf-8"),
    css=(HERE / "matrix.css").read_text(encoding="utf-8"),
    js=script(),
)


def product(
    left: Matrix,
    top: Matrix,
    result: Matrix,
    *,
    key: str,
    selected: tuple[int, int],
    readout: Readout,
    bias: Tensor | None = None,
    height: int | None = None,
    on_select: OnSelect | None = None,
) -> None:
    """Draw left · top = result as on paper: left operand at the left, right operand above, result in the corner.

    left: (R, K), top: (K, C), result: (R, C), bias: (C,) or None. ``selected`` is the lit cell of the result, ``height``
    the most the picture takes, in px at the base font size; None: what the window has left below it. ``on_select`` is
    called before the rerun that a click causes; without it a click only lights the cell.
    Raises ValueError when the shapes are not those of a product.
    """
    check_product(left, top, result, bias)
    scene = {
        "kind": "product",
        "matrices": [describe(matrix) for matrix in (left, top, result)],
        "readout": explain(readout, 3),
        "bias": None if bias is None else encode(bias),
    }
    _mount(scene, key, selected, height, on_select)


def flow(
    lines: Sequence[Sequence[Matrix | str]],
    *,
    key: str,
    selected: tuple[int, int],
    readout: Readout,
    align: Literal["start", "end"] = "start",
    height: int | None = None,
    square: bool = False,
    below: float | None = None,
    on_select: OnSelect | None = None,
) -> None:
    """Draw lines of matrices with signs between them ("+", "=", "÷ 4", "softmax →"); one matrix is ``[[matrix]]``.

    ``selected`` is (i, j) in the coordinates that the matrices share through their offsets; lines begin together, or
    end together where a short one has to stand under what it sums up. ``square``: cells are as wide as they are high.
    ``below``: rem that the page needs under the picture, its card among them, where that is more than a page's foot.
    The rest is as in ``product``.
    """
    matrices = [item for line in lines for item in line if isinstance(item, Matrix)]
    places = iter(range(len(matrices)))
    scene = {
        "kind": "flow",
        "matrices": [describe(matrix) for matrix in matrices],
        "lines": [[item if isinstance(item, str) else next(places) for item in line] for line in lines],
        "align": align,
        "square": square,
        "below": below,
        "readout": explain(readout, len(matrices)),
        "bias": None,
    }
    _mount(scene, key, selected, height, on_select)


def grid(matrices: Sequence[Matrix]) -> list[Sequence[Matrix]]:
    """Lines for `flow`: small multiples in about as many lines as columns."""
    across = math.ceil(math.sqrt(len(matrices)))
    return [matrices[start : start + across] for start in range(0, len(matrices), across)]


def _mount(
    scene: dict[str, Any], key: str, selected: tuple[int, int], height: int | None, on_select: OnSelect | None
) -> None:
    def cell_chosen() -> None:
        if on_select and (cell := state.component_value(key, "cell")):
            on_select(Selection(cell["matrix"], cell["i"], cell["j"]))

    words = text.words(WORDS, state.language())
    told = {"parts": [words.rows, words.columns], "comma": words.comma, "listens": on_select is not None}
    data = {**scene, **told, "selected": list(selected), "height": height}
    _canvas(key=key, data=data, on_cell_change=cell_chosen)
