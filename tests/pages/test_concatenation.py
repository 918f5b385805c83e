"""The page of the output matrix: what is drawn is the trace's, and a silenced head takes away its own part alone."""

from typing import Any

import pytest
import torch

from tests.pages.conftest import Open
from tests.pages.reading import component, decode, drawn, proof

UNEVEN = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "block": 2, "head": 3, "row": 2}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"head": 2, "block": 3}], ids=["random", "trained"])


@SETTINGS
def test_the_product_drawn_is_the_traces_with_a_band_for_each_head(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("concatenation", **choices)
    lesson = app.session_state["_lesson"]
    attention, linear = lesson.attention, lesson.model.blocks[lesson.block].attention.output
    concatenated, wo, output = drawn(app, "concatenation")
    assert torch.equal(concatenated, attention.concatenated[lesson.row])
    assert torch.equal(wo, linear.weight.T)
    assert torch.equal(output, attention.output[lesson.row])
    scene = component(app, "concatenation")
    if linear.bias is not None:
        assert torch.equal(decode(scene["bias"], [lesson.config.d_model]), linear.bias)
    bands = [[f"head{head}", lesson.config.head_size] for head in range(lesson.config.num_heads)]
    assert scene["matrices"][0]["bands"] == scene["matrices"][1]["rowBands"] == bands


@SETTINGS
def test_a_silenced_head_takes_away_its_columns_times_its_rows_of_wo(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("concatenation", concatenation_view="silence", **choices)
    lesson = app.session_state["_lesson"]
    output, without, part = drawn(app, "silence")
    assert torch.equal(output, lesson.attention.output[lesson.row])
    size, head = lesson.config.head_size, lesson.head
    wo = lesson.model.blocks[lesson.block].attention.output.weight.T[head * size : (head + 1) * size]
    torch.testing.assert_close(part, lesson.attention.heads[lesson.row, head] @ wo, atol=1e-6, rtol=1e-4)
    torch.testing.assert_close(output, without + part)
    matrices = component(app, "silence")["matrices"]
    assert len({matrix["limit"] for matrix in matrices}) == 1
    assert matrices[2]["role"] == f"head{head}"


def test_the_token_named_is_the_one_that_changes_most(open_page: Open) -> None:
    app = open_page("concatenation", concatenation_view="silence", **UNEVEN)
    lesson = app.session_state["_lesson"]
    part = drawn(app, "silence")[2]
    most = lesson.labels[int(part.norm(dim=1).argmax())]
    assert any(f"`{most}`" in element.value and "3" in element.value for element in app.markdown)


def test_the_head_that_is_silenced_is_the_head_looked_at(open_page: Open) -> None:
    app = open_page("concatenation", concatenation_view="silence")
    silenced = app.button_group(key="silenced")
    silenced.set_value(3).run()
    assert app.session_state["choices"]["head"] == 3
    assert component(app, "silence")["matrices"][2]["role"] == "head2"


@pytest.mark.parametrize("view", ["product", "silence"])
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "d_model": 512, "heads": 16, "context": 128, "head": 16},
    ],
    ids=["one token", "largest"],
)
def test_extremes_draw_and_pytorchs_own_module_agrees(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("concatenation", weights="random", concatenation_view=view, query=100, dim=500, **choices)
    assert app.get("bidi_component")
    assert proof(app).startswith("✓") and "nn.MultiheadAttention" in proof(app)
