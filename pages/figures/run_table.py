"""Runs as a table whose rows can be chosen, and what tells their settings apart: pure HTML, every text escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from pages.figures.palette import Role


class Line(NamedTuple):
    """A run in the table.

    Attributes:
        cells: its name, its state, and the rest, as written.
        role: the colour of its curve; none if it has none beside the others.
        looked_at, checked: whether it is the one that is looked at, and whether it is compared.
    """

    cells: Sequence[str]
    role: Role | None
    looked_at: bool
    checked: bool


def run_table(heads: Sequence[str], lines: Sequence[Line], compare: str) -> str:
    """heads: over the cells. compare: what the first column's boxes are for.

    A row carries its place for `pages.matrix.clicks` with `data-box="0"`, its box with `data-box="1"`.
    """
    head = "".join(f"<th>{escape(text)}</th>" for text in ("", *heads))
    body = "".join(_line(line, place, compare) for place, line in enumerate(lines))
    return f'<div class="runs scrolls"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _line(line: Line, place: int, compare: str) -> str:
    name, *others = map(escape, line.cells)
    cells = "".join(f"<td>{cell}</td>" for cell in others)
    hue = f' style="--hue: var(--{line.role})"' if line.role else ""
    checked = "true" if line.checked else "false"
    box = (
        f'<td class="box"><span role="checkbox" tabindex="0" aria-checked="{checked}" data-place="{place}" data-box="1"'
        f' aria-label="{escape(compare)}" title="{escape(compare)}"></span></td>'
    )
    picked = ' class="picked"' if line.looked_at else ""
    here = f'data-place="{place}" data-box="0"'
    button = f'<td><span class="name" role="button" tabindex="0" {here}>{name}</span></td>'
    return f"<tr{picked}{hue} {here}>{box}{button}{cells}</tr>"


def settings_table(names: Sequence[tuple[str, Role]], settings: Mapping[str, Sequence[str]], nothing: str) -> str:
    """A column for each run, a line for each setting; or `nothing` where there is none."""
    if not settings:
        return f'<p class="differences">{escape(nothing)}</p>'
    head = "".join(f'<th style="--hue: var(--{role})">{escape(name)}</th>' for name, role in names)
    body = "".join(
        f"<tr><th>{escape(setting)}</th>{''.join(f'<td>{escape(value)}</td>' for value in values)}</tr>"
        for setting, values in settings.items()
    )
    return f'<div class="differences"><table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def likeliest(tokens: Sequence[tuple[str, float]], percent: Sequence[str]) -> str:
    """The likeliest next tokens with their probabilities as bars. percent: the probabilities as written."""
    lines = "".join(
        f'<tr><td class="piece">{escape(token)}</td><td><i style="width: {100 * share:.1f}%"></i></td><td>{escape(told)}</td></tr>'
        for (token, share), told in zip(tokens, percent, strict=True)
    )
    return f'<table class="likeliest">{lines}</table>'
