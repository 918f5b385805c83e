"""The beats that pages share: real source lines with live shapes, and a proof that can fail."""

from collections.abc import Callable

import pytest
import torch
from streamlit.testing.v1 import AppTest

from pages.ui import text
from pages.ui.parts import FRAME, Page, Proof, annotated_source
from tests.pages.reading import proof
from transformer import Block, ModelConfig, MultiHeadAttention
from transformer.trace import AttentionTrace


def trace() -> AttentionTrace:
    torch.manual_seed(0)
    return MultiHeadAttention(12, 3).trace(torch.randn(2, 5, 12), is_causal=True)


def test_code_is_the_librarys_own_with_live_shapes() -> None:
    lines = annotated_source(MultiHeadAttention.trace, trace(), ["scores"]).splitlines()
    assert lines[0].startswith("def trace(")
    made = {line.split(" = ")[0].strip(): line for line in lines if " = " in line}
    assert made["scores"] == "    scores = queries @ keys.transpose(-2, -1)  # (2, 3, 5, 5) ◀"
    assert made["heads"].endswith("# (2, 3, 5, 4)")
    assert made["concatenated"].endswith("# (2, 5, 12)")
    assert sum("◀" in line for line in lines) == 1


def test_only_tensors_have_shapes_and_a_part_of_the_trace_is_marked_all_the_same() -> None:
    torch.manual_seed(0)
    block = Block(ModelConfig(vocab_size=17, d_model=12, num_heads=3, d_ff=20))
    lines = annotated_source(Block.trace, block.trace(torch.randn(2, 5, 12)), ["attention", "output"]).splitlines()
    made = [line.strip() for line in lines if " = " in line]
    assert [line for line in made if line.startswith("attention = ")] == [
        "attention = self.attention.trace(attention_norm, mask=mask, is_causal=is_causal)  # ◀",
        "attention = self.attention.trace(x, mask=mask, is_causal=is_causal)  # ◀",
    ]
    assert "attention_residual = x + attention.output  # (2, 5, 12)" in made
    assert "output = feed_forward_residual = attention_residual + feed_forward.output  # (2, 5, 12) ◀" in made


def draw_plots() -> None:
    """A page with two plots of one kind and one of the other."""
    from pages.figures.theme import figure
    from pages.ui.parts import Page

    page = Page.__new__(Page)
    page.plot(figure([], "light"), "one", beside_words=True)
    page.plot(figure([], "light"), "other", beside_words=True)
    page.plot(figure([], "light"), "third")


def test_a_page_may_hold_several_plots_of_a_kind() -> None:
    app = AppTest.from_function(draw_plots).run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 3


@pytest.mark.parametrize(
    ("difference", "holds"), [(0.0, True), (2e-5, True), (2e-2, False), (float("inf"), False), (float("nan"), False)]
)
def test_a_proof_holds_within_rounding_and_fails_beyond_it(difference: float, holds: bool) -> None:
    shown = torch.tensor([1.0, -float("inf"), 3.0])
    proof = Proof(shown, shown + torch.tensor([0.0, 0.0, difference]), "torch.add")
    assert proof.difference == pytest.approx(difference, rel=0.01, nan_ok=True)
    assert proof.allows(proof.difference) is holds


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_proof_without_any_difference_says_that_all_is_the_same(language: str) -> None:
    page = Page.__new__(Page)
    page.frame = text.words(FRAME, language)
    numbers = torch.tensor([1.0, 3.0])
    told = [page._told(Proof(numbers, again, "torch.add")).value for again in (numbers, numbers + 1e-6)]
    assert told[0] == page.frame.check.same.format(kernel="`torch.add`")
    assert "0" not in told[0] and "e−0" in told[1]


def test_a_page_tells_whether_its_numbers_are_those_of_the_kernel(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert proof(open_page("scores")).startswith("✓")
    kernel, words = torch.matmul, text.words(FRAME, "en").check
    monkeypatch.setattr(torch, "matmul", lambda *operands: kernel(*operands) + 0.5)
    assert proof(open_page("scores")) == words.fails.format(kernel="`torch.matmul in float64`", difference="0.5")


def test_numbers_are_written_as_people_write_them() -> None:
    assert text.number(-0.123456) == "−0.1235"
    assert text.number(1234.5678, 3) == "1.23e+03"


def test_white_space_in_tokens_is_visible_and_hex_is_left_alone() -> None:
    assert text.token(" a\n\t\r\0") == "·a⏎⇥␍␀"
    assert text.token("⟨F0 9F⟩") == "⟨F0 9F⟩"
