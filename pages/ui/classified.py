"""The sentence of the classification page, the classifier that reads it, and what it makes of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import streamlit as st
import torch
from torch import Tensor

from pages.ui import state, text
from pages.ui.parts import Page
from transformer.classification import ClassificationTask
from transformer.classification_demonstration import demonstration, report, unsteady, untrained
from transformer.classifier import Classifier
from transformer.labelled import Language
from transformer.tokenizer import Tokens
from transformer.trace import ClassifierTrace
from transformer.words import UNKNOWN

MOST_CHARACTERS = 2000
MOST_PADDING = 2


@dataclass(frozen=True)
class Classified:
    """A reading of the page's choices.

    Attributes:
        language: of the sentences that the classifier learned from.
        trained: whether it learned from them yet.
        sentence: all tokens of the learner's sentence, before it is cut to the context.
    """

    language: Language
    trained: bool
    sentence: Tokens

    @property
    def model(self) -> Classifier:
        """The classifier; shared, so never to be changed."""
        return demonstration(self.language).model if self.trained else untrained(self.language)

    @property
    def task(self) -> ClassificationTask:
        """What it learned, and what it is judged by."""
        return demonstration(self.language).task

    @property
    def report(self) -> dict[str, Any]:
        """How it does on held-out sentences."""
        return report(self.language, self.trained)

    @property
    def unsteady(self) -> tuple[int, int]:
        """How many held-out sentences circulating code decides now this way, now that: by place and by padding."""
        return unsteady(self.language, self.trained)

    @property
    def read(self) -> Tokens:
        """The tokens that the context has room for."""
        return self.sentence.first(self.model.config.context_length)

    @property
    def tokens(self) -> Tensor:
        """(T,) int64"""
        return torch.tensor(self.read.ids)

    @property
    def labels(self) -> list[str]:
        """The tokens as they are written on the page."""
        return [text.token(piece.strip()) for piece in self.read.pieces]

    @property
    def unknown(self) -> list[str]:
        """Those that the vocabulary does not hold, each once."""
        return list(dict.fromkeys(label for label, id in zip(self.labels, self.read.ids, strict=True) if id == UNKNOWN))

    @property
    def padding(self) -> int:
        """Tokens of padding that are drawn beside the sentence, as far as the context has room."""
        return min(MOST_PADDING, self.model.config.context_length - len(self.tokens))

    @cached_property
    def trace(self) -> ClassifierTrace:
        """The forward pass of a batch of one, with its padding."""
        padded = torch.cat([self.tokens, torch.full((self.padding,), UNKNOWN)])[None]
        with torch.no_grad():
            return self.model.trace(padded, torch.tensor([len(self.tokens)]))

    @property
    def decided(self) -> int:
        """The likeliest class."""
        return int(self.trace.log_probabilities[0].argmax())


def ask(page: Page) -> Classified:
    """Draws the page's controls in the sidebar; their values are part of the link."""
    words = page.words
    with st.sidebar:
        language = _choice(page, "learned", f"learned_{page.language}", get_args(Language), page.language)
        typed = _sentence(page, words.presets.table()[language], language)
        weights = _choice(page, "weights", "weights", ("trained", "untrained"), "trained")
    return Classified(language, weights == "trained", demonstration(language).task.tokenizer.encode(typed))


def _choice(page: Page, label: str, name: str, codes: tuple[str, ...], default: str) -> Any:
    table = getattr(page.words, f"{label}_names").table()
    return st.segmented_control(
        getattr(page.words, label),
        codes,
        format_func=table.__getitem__,
        required=True,
        key=page.linked(name, default, codes.__contains__),
        persist_state="session",
    )


def _sentence(page: Page, presets: dict[str, str], language: str) -> str:
    words, example = page.words, f"{page.name}_example_{language}"
    key = page.linked(f"text_{language}", next(iter(presets.values())), _is_text)
    typed = st.text_area(
        words.sentence,
        key=key,
        height=100,
        placeholder=words.invite,
        max_chars=MOST_CHARACTERS,
        persist_state="session",
    )
    choose = _taker(key, example, presets)
    st.pills(words.examples, list(presets), key=example, on_change=choose, label_visibility="collapsed")
    return str(typed)


def _is_text(value: Any) -> bool:
    """Whether the field can show it, and a link carry it: whole characters, and not too many."""
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS and not re.search(r"[\ud800-\udfff]", value)


def _taker(key: str, example: str, presets: dict[str, str]) -> Callable[[], None]:
    """What a chosen example does: its sentence takes the place of the typed one."""

    def take() -> None:
        if state.get(example) is not None:
            state.put(key, presets[state.get(example)])
            state.put(example, None)

    return take
