"""A run as a sequence of models: the moments at which its weights were kept, and what each makes of a sentence."""

from collections.abc import Callable, Hashable
from typing import NamedTuple

import plotly.graph_objects as go
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures.projection import Axes, principal_axes, with_frequent
from pages.ui import cache, runs
from transformer import GPT, Tokenizer
from transformer.checkpoint import TOKENIZER
from transformer.next_token import Guesses, NextToken, guesses, next_token, token_losses
from transformer.residual_stream import ResidualStream, follow
from transformer.runs import growth, kept
from transformer.runs.plans import Plan
from transformer.runs.run import Run

BUNDLED = "growth"
MOST_TOKENS, MAPPED = 128, 120
TABLE = "token_embedding.weight"


def offered() -> dict[str, tuple[Run, str]]:
    """Runs whose moments can be looked at, and their names, by id: the bundled one, the learner's, the command line's."""
    found = {BUNDLED: (Run(growth.FOLDER), "")}
    for run in runs.visible():
        try:
            if run.plan.data.family == GPT.family and run.checkpoints() and (run.folder / TOKENIZER).is_file():
                found.setdefault(run.id, (run, run.plan.name))
        except (ValueError, OSError):
            continue  # a folder that somebody has edited; the list of runs says what is wrong with it
    return found


class Moment(NamedTuple):
    """What a run's model, as it was after a step, makes of a sentence. tokens: (1, T)"""

    grown: "Grown"
    step: int
    tokens: Tensor

    @property
    def model(self) -> GPT:
        """The live model, read once; shared, so never to be changed."""
        return cache.kept_model(self.grown.folder, self.step)

    @property
    def stream(self) -> ResidualStream:
        """The sentence's way through all blocks."""
        found: ResidualStream = cache.kept(self._key("stream"), lambda: follow(self.model, self.tokens))
        return found

    def attended_again(self, block: int) -> Tensor:
        """What the heads of a block look at, by the fused kernel: values that are unit vectors give the weights back. (H, T, T)"""

        def made() -> Tensor:
            attention = self.model.trace_block(self.tokens, block).attention
            unit = torch.eye(self.tokens.size(1)).expand(*attention.weights.shape)
            return F.scaled_dot_product_attention(attention.queries, attention.keys, unit, is_causal=True)[0]

        again: Tensor = cache.kept(self._key("again", block), made)
        return again

    def said(self, place: int) -> NextToken:
        """What comes after one token. N = 1"""
        found: NextToken = cache.kept(
            self._key("said", place), lambda: next_token(self.model, self.stream.states[-1, place, None])
        )
        return found

    def lens(self, place: int, watched: int, count: int) -> Guesses:
        """The same if the model stopped at the start, or after any block."""
        states = self.stream.after_blocks[:, place]
        found: Guesses = cache.kept(
            self._key("lens", place, watched, count), lambda: guesses(self.model, states, watched, count)
        )
        return found

    def losses(self) -> tuple[Tensor, Tensor]:
        """The loss of every token of the sentence but the first, and the same by PyTorch's own kernel. (T − 1,) each"""
        states, targets = self.stream.states[-1, :-1], self.tokens[0, 1:]
        found: tuple[Tensor, Tensor] = cache.kept(
            self._key("losses"), lambda: token_losses(self.model, states, targets)
        )
        return found

    def figure(self, looks: Hashable, make: Callable[[], go.Figure]) -> go.Figure:
        """A figure of all heads' weights, kept for whoever looks at the same moment; `looks` is all else that decides it."""
        size = self.stream.weights.nbytes  # asked for here: while the cache counts bytes it answers nobody
        found: go.Figure = cache.kept(self._key("figure", looks), make, lambda _: size)
        return found

    def _key(self, *what: Hashable) -> tuple[Hashable, ...]:
        return (self.grown.folder, self.step, self.tokens.numpy().tobytes(), *what)


class Grown(NamedTuple):
    """A run and the steps whose weights it has kept, ascending.

    Whatever reads it raises ValueError or OSError, with one sentence, if somebody has spoiled the folder.
    """

    run: Run
    plan: Plan
    steps: tuple[int, ...]

    @classmethod
    def of(cls, run: Run) -> "Grown":
        """A run that has kept something."""
        grown = cls(run, run.plan, run.checkpoints())
        rows, tokens = grown.plan.model.vocab_size, grown.tokenizer.vocab_size
        if tokens > rows:
            raise ValueError(f"{run.folder / TOKENIZER} has {tokens} tokens for {rows} rows")
        return grown

    @property
    def folder(self) -> str:
        """The run's folder."""
        return str(self.run.folder)

    @property
    def tokenizer(self) -> Tokenizer:
        """The live tokenizer."""
        return cache.tokenizer(self.folder, self.folder)

    def read(self, sentence: str) -> tuple[Tensor, int]:
        """The sentence as far as the context reaches, (1, T), and how many tokens there would be."""
        ids = self.tokenizer.encode(sentence).ids
        return torch.tensor([ids[: min(self.plan.model.context_length, MOST_TOKENS)]]), len(ids)

    def mapped(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """The tokens to draw on a map: the sentence's own, each once, then frequent ones; and the sentence's own. int64"""
        own = tokens[0].unique()
        text = cache.corpus_ids(self.folder, self.folder)
        return with_frequent(own, text, self.plan.model.vocab_size, MAPPED), own

    def table(self, rows: Tensor) -> tuple[Axes, Tensor, Tensor]:
        """Rows of the embedding table at all moments, (S, N, D); the last moment's axes, and all places on them, (S, N, 2)."""

        def made() -> tuple[Tensor, ...]:
            tables = kept.history(self.run, self.steps, TABLE, rows)
            axes = principal_axes(tables[-1])
            return (*axes, tables, axes.place(tables))

        key = self.folder, self.steps, "map", rows.numpy().tobytes()
        *axes, tables, places = cache.kept(key, made)
        return Axes(*axes), tables, places
