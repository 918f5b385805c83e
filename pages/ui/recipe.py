"""How the paper trained, as two curves: smoothed labels, and a learning rate that rises before it falls (5.3, 5.4)."""

from collections.abc import Sequence

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from pages.figures.curves import Axis, Curve, curves
from pages.ui.parts import Page, Proof
from pages.ui.text import number
from transformer.config import TrainingConfig, paper_learning_rate
from transformer.lessons.label_smoothing import logits_with, smoothed_loss, smoothed_target

SHARES, WARM_UPS = (0.0, 0.05, 0.1, 0.2, 0.3), (100, 400, 1000, 4000, 8000)
PAPER_WIDTH, PAPER_WARM_UP, LAST_STEP = 512, 4000, 20_000
ASKED, PLAIN = ("kind0", "solid"), ("neutral", "dash")  # what the controls ask for, and what it is held against


def draw_smoothing(page: Page, share: float, vocab_size: int) -> None:
    """The loss over the right token's probability, without and with smoothing."""
    words, (wanted, other) = page.words.smoothing, smoothed_target(share, vocab_size)
    told = {"share": f"{share:g}", "count": f"{vocab_size:,}", "wanted": number(wanted), "other": number(other, 3)}
    st.markdown(words.told.format(**told))
    at = rights(wanted)
    names = {0.0: words.plain, share: words.smoothed.format(f"{share:g}")}
    drawn = [
        Curve(name, at.tolist(), smoothed_loss(at, size, vocab_size).tolist(), *(ASKED if size else PLAIN))
        for size, name in names.items()
    ]
    figure = curves(drawn, Axis(words.across, symbol="p"), Axis(words.up), page.theme, mark=wanted if share else None)
    page.plot(figure, "decoding_smoothing", beside_words=True)


def rights(wanted: float) -> Tensor:
    """Probabilities that the curves are drawn at, the wanted one among them. (N,) float64"""
    some = [*(0.4 + 0.03 * step for step in range(18)), 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999]
    return torch.tensor(sorted({*some, wanted} - {1.0}), dtype=torch.float64)


def draw_schedule(page: Page, warm_up: int, width: int) -> None:
    """The learning rate over the steps, for this model and for the paper's."""
    words = page.words.schedule
    peak = number(paper_learning_rate(width, warm_up), 3)
    st.markdown(words.told.format(width=width, warm_up=warm_up, peak=peak))
    steps = sorted({1, warm_up, PAPER_WARM_UP, *range(500, LAST_STEP + 1, 500)})
    drawn = [
        Curve(words.this.format(width=width, warm_up=warm_up), steps, rates(width, warm_up, steps), *ASKED),
        Curve(words.paper, steps, rates(PAPER_WIDTH, PAPER_WARM_UP, steps), *PLAIN),
    ]
    figure = curves(drawn, Axis(words.across), Axis(words.up), page.theme)
    page.plot(figure, "decoding_schedule")


def rates(width: int, warm_up: int, steps: Sequence[int]) -> list[float]:
    """The paper's learning rates, as training here takes them."""
    peak = paper_learning_rate(width, warm_up)
    asked = TrainingConfig(schedule="inverse_sqrt", learning_rate=peak, warmup_steps=warm_up, max_steps=LAST_STEP)
    return [asked.learning_rate_at(step) for step in steps]


def proof(share: float, vocab_size: int) -> Proof:
    """The loss curve once more by PyTorch."""
    at = rights(smoothed_target(share, vocab_size)[0])
    targets = torch.zeros(len(at), dtype=torch.long)
    again = F.cross_entropy(logits_with(at, vocab_size), targets, reduction="none", label_smoothing=share)
    return Proof(smoothed_loss(at, share, vocab_size), again, "F.cross_entropy(…, label_smoothing)")
