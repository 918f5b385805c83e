"""What a run learns from: bundled or brought by the learner, and what there is to say about it before it starts."""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st
import torch

from pages.figures.sentence import literal
from pages.ui import state
from pages.ui.parts import Page
from pages.ui.text import Words, token
from pages.ui.training import drafts, examples
from pages.ui.training.examples import Examples
from transformer.runs.execution import diagnosis
from transformer.runs.plans import Data, TextData
from transformer.tokenizer import Tokenizer
from transformer.user_text import DataError, decode

OWN = "own"  # the corpus that stands for what the learner brought
SAMPLE_LETTERS, SAMPLE_TOKENS = 900, 110


class Facts(NamedTuple):
    """A text as a tokenizer cuts it.

    Attributes:
        rows: of the vocabulary, V.
        characters, tokens: of the whole text.
        distinct: tokens that occur in it.
        train, held_out: tokens to learn from and to be judged by.
        pieces: the first tokens, white space visible.
    """

    rows: int
    characters: int
    tokens: int
    distinct: int
    train: int
    held_out: int
    pieces: Sequence[str]

    @property
    def sizes(self) -> dict[str, int]:
        """What the text decides of a model."""
        return {"vocab_size": self.rows}

    @property
    def outcomes(self) -> int:
        """What a guess is among."""
        return self.rows


_reader = ThreadPoolExecutor(1, thread_name_prefix="reader")


@lru_cache(maxsize=8)
def _tokenizer(data: TextData, own: str) -> Tokenizer:
    return data.make_tokenizer(own)


def _read(data: Data, own: str, context_length: int) -> Facts | Examples:
    """Reads data as a run would. Raises DataError if there is nothing to learn from."""
    if isinstance(data, TextData):
        return _read_text(data, own, context_length)
    return examples.read(data, own, context_length)


def _read_text(data: TextData, own: str, context_length: int) -> Facts:
    tokenizer = _tokenizer(data, own)
    train, held_out = data.task(context_length, own, tokenizer).text
    distinct = len(torch.cat([train, held_out]).unique())
    characters = sum(map(len, data.texts(own)))
    pieces = tuple(token(tokenizer.piece(id)) for id in train[:SAMPLE_TOKENS].tolist())
    length = len(train) + len(held_out)
    return Facts(tokenizer.vocab_size, characters, length, distinct, len(train), len(held_out), pieces)


@lru_cache(maxsize=16)
def facts(data: Data, own: str, context_length: int) -> Future[Facts | Examples]:
    """What there is to say about data; its reading begins at once, and holds nobody up.

    own: what the learner brought if `data` is theirs, or nothing. The result may be a DataError.
    """
    return _reader.submit(_read, data, own, context_length)


def _kept(what: str, family: str) -> str:
    """The name of what a learner brought for models of one family."""
    return what if family == TextData.family else f"{what}_{family}"


def own_text(family: str = TextData.family) -> str:
    """What the learner brought, on this visit or an earlier one; nothing as long as they brought nothing."""
    name = _kept("own_text", family)
    if state.recall(name) is None:
        state.remember(name, drafts.kept(family))
    return str(state.recall(name))


def own_fault(family: str = TextData.family) -> DataError | None:
    """Why what they brought last could not be read."""
    fault: DataError | None = state.recall(_kept("own_fault", family))
    return fault


def ask_own(page: Page, family: str = TextData.family) -> None:
    """A place to drop a file and one to paste a text; what cannot be read is refused with a sentence, and the last text stays."""
    words, key = page.words.own, f"{page.name}_{_kept('own', family)}"
    with st.container(key="own_text", horizontal=True):
        dropped, pasted = f"{key}_file", f"{key}_paste"
        take_pasted = lambda: _take(state.get(pasted).encode("utf-8", "replace"), family)  # noqa: E731
        st.file_uploader(words.files.table()[family], key=dropped, on_change=lambda: _take_file(dropped, family))
        st.text_area(words.paste, key=pasted, on_change=take_pasted)
    if brought := own_text(family):
        with st.container(key="brought", horizontal=True, vertical_alignment="center"):
            st.markdown(f":small[{words.kept.format(characters=f'{len(brought):,}')}]", width="content")
            st.button(words.forget, key="forget_own", on_click=_forget, args=(family,), type="tertiary")


def _take_file(key: str, family: str) -> None:
    if file := state.get(key):
        _take(file.getvalue(), family)


def _take(raw: bytes, family: str) -> None:
    """Makes it what the learner brought, for this visit and, as far as the disk lets it, for later ones."""
    try:
        text = decode(drafts.checked(raw))
    except DataError as fault:
        state.remember(_kept("own_fault", family), fault)
        return
    state.remember(_kept("own_text", family), text)
    state.remember(_kept("own_fault", family), None)
    try:
        drafts.keep(family, text)
    except OSError as error:
        state.remember("run_fault", diagnosis(error))


def _forget(family: str) -> None:
    drafts.forget(family)
    state.remember(_kept("own_text", family), "")
    state.remember(_kept("own_fault", family), None)


def of_family(words: Words, family: str, name: str) -> Any:
    """Words that are other ones for some families of models, by a dotted name."""
    general: Any = words
    for part in name.split("."):
        general = general.get(part) if isinstance(general, Words) else None
    return words.families.table()[family].get(name.split(".")[-1], general)


def sentence(words: Words, code: str, **values: object) -> str:
    """What a code of `DataError` or of a failed run says to people, and what to change."""
    told: str = words.failures.table().get(code, words.failures.unexpected)
    theirs = {name: literal(str(value)) for name, value in values.items() if name == "label"}  # as it stands in a file
    return told.format_map(defaultdict(lambda: "?", {"reason": code} | values | theirs))
