"""The beats that every page shares, so that a page holds only what is its own."""

import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from pages.ui import lesson, state, text
from pages.ui.chart import chart
from pages.ui.desk import Control, Kind, desk
from pages.ui.lesson import Lesson
from transformer.trace import axes_of

FRAME = Path(__file__).with_name("frame.toml")
KINDS = "code", "predict", "try"  # what opens below a picture
TOLERANCE = 1e-5  # relative to the largest shown number


class Proof(NamedTuple):
    """What is shown, against the same made anew by PyTorch's own kernel, named as in code."""

    shown: Tensor
    again: Tensor
    kernel: str

    @property
    def difference(self) -> float:
        """The largest there is between two numbers; −∞ on both sides is none, and NaN is always one."""
        equal = self.shown == self.again
        return float((self.shown - self.again).abs().masked_fill(equal, 0.0).max())

    def allows(self, difference: float) -> bool:
        """Whether rounding explains it, the largest shown number being as it is."""
        return difference <= TOLERANCE * max(1.0, float(self.shown.nan_to_num(0.0, 0.0, 0.0).abs().max()))


class Page:
    """A page of the walk while it is drawn: its words, its lesson, and the beats it shares with the others."""

    def __init__(self, script: str) -> None:
        self.name = Path(script).stem
        self.language: str = state.language()
        self.words = text.words(Path(script).with_suffix(".toml"), self.language)
        self.frame = text.words(FRAME, self.language)
        self.theme = state.theme()
        self.controls: DeltaGenerator  # the formula's line, where a page's own controls stand

    @cached_property
    def lesson(self) -> Lesson:
        """What the shared choices ask for."""
        return lesson.current()

    def opening(self, *shapes: str, formula: str = "", **values: Any) -> None:
        """Words, formula, and the shapes that go in and come out. `values` fill the words' blanks; formula: another than theirs."""
        st.markdown(text.with_terms(self.words.lead.format(**values), self.language), unsafe_allow_html=True)
        self.controls = st.container(key="formula", horizontal=True, vertical_alignment="center")
        with self.controls:
            st.markdown(f"${formula or self.words.formula}$\u2003{' → '.join(shapes)}", width="content")

    def viewed(self, *names: str) -> str:
        """Which picture is chosen, for an opening that depends on it: `view` draws the choice below that."""
        return str(state.get(self.linked("view", names[0], names.__contains__)))

    def view(self, *names: str) -> str:
        """Lets one of several pictures be chosen, on the formula's line; the words' `views` name them."""
        chosen = self.controls.segmented_control(
            self.frame.view,
            names,
            format_func=self.words.views.table().__getitem__,
            required=True,
            key=self.linked("view", names[0], names.__contains__),
            persist_state="session",
            label_visibility="collapsed",
        )
        return str(chosen)

    def linked(self, name: str, default: Any, allowed: Callable[[Any], bool]) -> str:
        """The key to draw a control of the page's own with, so that its value is part of the link (`state.linked`)."""
        return state.linked(self.name, name, default, allowed)

    def shape(self, trace: Any, field: str) -> str:
        """A tensor's shape with its axes in words: "(4, 4, 16, 16) batch × heads × tokens × tokens"."""
        return self.shape_of(getattr(trace, field), axes_of(type(trace), field))

    def shape_of(self, tensor: Tensor, axes: str) -> str:
        """The same for a tensor that is no field of a trace. axes: letters such as "B T D"."""
        names = " × ".join(getattr(self.frame.axes, letter) for letter in axes.split())
        return f"{size(tensor)} {names}"

    def pick(self, *names: str) -> Callable[[Any], None]:
        """What to do with a clicked cell: keep its row and column under two names, such as "query" and "key"."""

        def keep(selection: Any) -> None:
            for name, index in zip(names, (selection.i, selection.j), strict=True):
                state.put(name, index)

        return keep

    def pick_head(self, selection: Any) -> None:
        """What to do with a cell clicked in one of all heads: keep the cell, and look at its head from now on."""
        self.pick("query", "key")(selection)
        state.put("head", selection.matrix + 1)

    @property
    def attention_axes(self) -> dict[str, Any]:
        """How a (T, T) matrix of attention is labelled: queries on its rows, keys on its columns."""
        tokens = self.lesson.labels
        return {
            "rows": tokens,
            "columns": tokens,
            "row_axis": self.frame.queries,
            "column_axis": self.frame.keys,
            "row_role": "query",
            "column_role": "key",
        }

    def details(
        self, source: Callable[..., Any], trace: Any, fields: Sequence[str], proof: Proof, **values: Any
    ) -> None:
        """The proof, and below it code, predict and try, one at a time. `fields` of the trace are what the page is about."""
        key, names = f"details_{self.name}", self.frame.details
        kind = state.get(key)
        tabs = Control("tabs", key, names.label, kind, [(one, getattr(names, one)) for one in KINDS])
        with st.container(key="more"):
            desk([[tabs, self._told(proof)]], key="foot", on_change=_open)
            if kind == "code":
                st.code(annotated_source(source, trace, fields), language="python", height=300)
            elif kind == "predict":
                self._predict(**values)
            elif kind == "try":
                tried = self.words.get("try").format(**values)
                st.markdown(text.with_terms(tried, self.language), unsafe_allow_html=True)

    def _told(self, proof: Proof) -> Control:
        """What a proof has found."""
        difference = proof.difference
        kind: Kind = "proven" if proof.allows(difference) else "refuted"
        check = self.frame.check
        line = check.fails if kind == "refuted" else check.holds if difference else check.same
        told = line.format(kernel=f"`{proof.kernel}`", difference=text.number(difference, 2))
        return Control(kind, "proof", value=told)

    def plot(
        self,
        figure: go.Figure,
        key: str,
        *,
        beside_words: bool = False,
        on_click: Callable[[int], None] | None = None,
    ) -> None:
        """Draws a `chart`, as tall as the window lets it be; less so beside some lines of words."""
        with st.container(key=f"plot_beside_words_{key}" if beside_words else f"plot_{key}"):
            chart(figure, key, on_click)

    def _predict(self, **values: Any) -> None:
        predict = self.words.predict
        st.markdown(predict.question.format(**values))
        options: list[str] = predict.options
        answer = st.pills(
            predict.question,
            range(len(options)),
            format_func=lambda index: options[index].format(**values),
            key=f"predict_{self.name}",
            persist_state="session",
            label_visibility="collapsed",
        )
        if answer is not None:
            verdict = self.frame.details.right if answer == predict.answer else self.frame.details.wrong
            st.markdown(f"**{verdict}** " + predict.because.format(**values))


def _open(key: str, kind: Any) -> None:
    """Opens what was chosen below the picture, or closes it."""
    if key.startswith("details_"):
        state.put(key, kind if kind in KINDS else None)


def size(tensor: Tensor) -> str:
    """A shape as code: `(4, 16, 64)`, `(16,)`."""
    return f"`{tuple(tensor.shape)}`"


def annotated_source(source: Callable[..., Any], trace: Any, fields: Sequence[str]) -> str:
    """The real source of a function, each line that makes a tensor of the trace followed by its live shape.

    ◀ marks the lines that make `fields`.
    """
    return "\n".join(_annotate(line, trace, fields) for line in textwrap.dedent(inspect.getsource(source)).splitlines())


def _annotate(line: str, trace: Any, fields: Sequence[str]) -> str:
    made = re.match(r"\s+([\w, =]+?) = ", line)
    names = re.findall(r"\w+", made[1]) if made else []
    tensors = [found for name in names if isinstance(found := getattr(trace, name, None), Tensor)]
    notes = [str(tuple(tensor.shape)) for tensor in tensors[:1]] + ["◀"] * (not set(names).isdisjoint(fields))
    if not notes:
        return line
    code = re.sub(r"\s+# .*$", "", line)
    return f"{code}  # {' '.join(notes)}"
