"""The clickable matrix component."""

from pages.matrix.matrix import flow, grid, product
from pages.matrix.scene import Kind, Link, Matrix, Readout, Selection

__all__ = ["Kind", "Link", "Matrix", "Readout", "Selection", "flow", "grid", "product"]
