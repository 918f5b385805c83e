"""Where a token stands, as waves (paper, section 3.5)."""

import math
from dataclasses import replace

import streamlit as st
import torch

from pages.figures import positions as figures
from pages.figures.calculator import digits_for
from pages.matrix import Matrix, Readout, flow, product
from pages.ui import cache, state
from pages.ui.parts import Page, Proof, size
from pages.ui.text import number
from transformer.positions import sinusoidal_positions, wavelength_divisors

LABELLED = 24  # positions; of more, every few have a number

page = Page(__file__)
lesson, words = page.lesson, page.words
table = lesson.model.positions.detach()
length, width = table.shape
position, other, dim = lesson.picked("query", length), lesson.picked("key", length), lesson.picked("dim", width)
divisors = wavelength_divisors(width)
places = [str(place) for place in range(length)] if length <= LABELLED else []


def heatmap() -> None:
    """The whole table, and one of its cells worked out."""
    divisor, value, wave = float(divisors[dim]), float(table[position, dim]), "cos" if dim % 2 else "sin"
    angle = position / divisor
    digits = digits_for((angle,), value, getattr(math, wave))
    by = number(divisor, digits_for((divisor,), angle, lambda rounded: position / rounded, digits))
    with page.controls:
        st.markdown(
            rf"$PE_{{{position},\,{dim}}} = \{wave}\dfrac{{{position}}}{{10000^{{{dim - dim % 2}/{width}}}}}"
            rf" = \{wave}\dfrac{{{position}}}{{{by}}} = \{wave}\,{number(angle, digits)} = {number(value)}$"
        )
    walked = [("position", lesson.length), ("neutral", length - lesson.length)][: 1 + (lesson.length < length)]
    flow(
        [[Matrix(table, "PE", "position", places, row_axis=words.positions, column_axis=words.dims, row_bands=walked)]],
        key="table",
        selected=(position, dim),
        readout=Readout("value", words.heatmap.table()),
        on_select=page.pick("query", "dim"),
    )


def waves() -> None:
    """A chosen dimension as a curve, above some others."""
    key = f"{page.name}_dim"
    changed = state.view_of("dim", key)
    state.put(key, dim)
    wavelength = 2 * math.pi * float(divisors[dim])
    with page.controls.container(horizontal=True, vertical_alignment="center", width="content"):
        st.markdown(words.dim, width="content")
        st.slider(words.dim, 0, width - 1, key=key, on_change=changed, label_visibility="collapsed", width=160)
    page.controls.markdown(words.wavelength.format(dim=dim, length=f"{wavelength:,.1f}"), width="content")
    dims = [dim, *range(0, width // 2, width // 8), width - 2]
    names = [words.wave.format(dim=each) for each in dims]
    page.plot(figures.waves(table, dims, names, position, words.position, page.theme), "waves")


def similarity() -> None:
    """Every position times every position: a band along the diagonal."""
    products = table @ table.T
    with page.controls:
        st.markdown(words.same.format(distance=abs(position - other), value=number(float(products[position, other]))))
    product(
        Matrix(table, "PE", "position", places, row_axis=words.positions, column_axis=words.dims),
        Matrix(table.T, "PEᵀ", "position", columns=places, row_axis=words.dims, column_axis=words.positions),
        Matrix(products, "PE·PEᵀ"),
        key="similarity",
        selected=(position, other),
        readout=Readout("dot", words.similarity.table(), differing=True),
        on_select=page.pick("query", "key"),
    )


def kinds() -> None:
    """What the table would hold if order came in otherwise. The learned one depends on its sizes and the seed alone."""
    small = replace(lesson.config, positions="learned", vocab_size=1, num_blocks=1, d_ff=1)
    learned = cache.model(cache.Source(small, lesson.seed)).positions.detach()
    tables = {"sinusoidal": sinusoidal_positions(length, width), "learned": learned, "none": torch.zeros_like(table)}
    names = words.names.table()
    with page.controls:
        st.markdown(words.used.format(kind=names[lesson.config.positions]))
    drawn = [Matrix(values, names[kind], "position", places) for kind, values in tables.items()]
    flow(
        [drawn] if 2 * length > width else [[matrix] for matrix in drawn],
        key="kinds",
        selected=(position, dim),
        readout=Readout("value", words.kinds.table(), result=list(tables).index(lesson.config.positions)),
        on_select=page.pick("query", "dim"),
    )


page.opening(f"{size(table)} {words.positions} × d", width=width, rows=length, used=lesson.length)
views = {"heatmap": heatmap, "waves": waves, "similarity": similarity, "kinds": kinds}
views[page.view(*views)]()

frequencies = torch.exp(torch.arange(0, width, 2, dtype=torch.float64) * (-math.log(10_000) / width))
turned = torch.exp(1j * torch.arange(length, dtype=torch.float64)[:, None] * frequencies)
again = torch.stack((turned.imag, turned.real), -1).flatten(1)
page.details(sinusoidal_positions, lesson.embedding, ["positions"], Proof(table, again, "torch.exp(1j · x)"))
