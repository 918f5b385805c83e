"""The cross-attention page: every operand is the trace's, and what is said of alignment is counted."""

import base64
from typing import Any

import pytest
import torch

from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, drawn, proof
from tests.pages.test_encoder_decoder import EXTREMES, SETTINGS, reading, shared
from transformer.translation.alignment import alignment_accuracy

VIEWS = ["queries", "memory", "scores", "scaling", "softmax", "mix", "heads", "alignment"]


@SETTINGS
def test_queries_are_the_decoders_and_keys_and_values_the_encoders(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any]
) -> None:
    seen = reading(monkeypatch)
    app = open_page("cross_attention", cross_attention_view="queries", **shared(**choices))
    block = seen[-1].trace.decoder.blocks[seen[-1].block]
    x, weight, queries = drawn(app, "cross_queries")
    assert torch.equal(x, block.cross_attention.input[0])
    assert torch.equal(queries, block.cross_attention.queries[0, seen[-1].head])
    torch.testing.assert_close(x @ weight, queries - bias(app, "cross_queries"), atol=1e-4, rtol=1e-4)

    app = open_page("cross_attention", cross_attention_view="memory", **shared(**choices))
    memory, weight, both = drawn(app, "cross_memory")
    assert torch.equal(memory, seen[-1].trace.encoder.memory[0])
    keys, values = (part[0, seen[-1].head] for part in (block.cross_attention.keys, block.cross_attention.values))
    assert torch.equal(both, torch.cat((keys, values), 1))
    torch.testing.assert_close(memory @ weight, both - bias(app, "cross_memory"), atol=1e-4, rtol=1e-4)


def bias(app: Any, key: str) -> torch.Tensor:
    """What a product adds to each row."""
    return torch.frombuffer(bytearray(base64.b64decode(component(app, key)["bias"])), dtype=torch.float32)


@SETTINGS
def test_scores_weights_and_mix_are_those_of_the_trace(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any]
) -> None:
    seen = reading(monkeypatch)
    shown = {
        view: drawn(open_page("cross_attention", cross_attention_view=view, **shared(**choices)), f"cross_{view}")
        for view in ("scores", "scaling", "softmax", "mix")
    }
    attention, place = seen[-1].trace.decoder.blocks[seen[-1].block].cross_attention, (0, seen[-1].head)
    queries, keys, scores = shown["scores"]
    assert torch.equal(scores, attention.scores[place])
    torch.testing.assert_close(queries @ keys, scores, atol=1e-4, rtol=1e-4)
    assert torch.equal(shown["scaling"][1], attention.scaled[place])
    masked, weights, sums = shown["softmax"]
    assert torch.equal(masked, attention.masked[place])
    assert torch.equal(weights.nan_to_num(0.0), attention.weights[place])
    assert torch.equal(weights.isnan(), ~seen[-1].trace.decoder.cross_mask[0]) and weights.isnan().any()
    torch.testing.assert_close(sums, torch.ones_like(sums))
    assert torch.equal(shown["mix"][2], attention.heads[place])
    torch.testing.assert_close(shown["mix"][0].nan_to_num(0.0) @ shown["mix"][1], shown["mix"][2], atol=1e-4, rtol=1e-4)


def test_queries_are_on_the_rows_and_keys_on_the_columns(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = reading(monkeypatch)
    app = open_page("cross_attention", cross_attention_view="heads", **shared())
    for matrix in component(app, "cross_heads")["matrices"]:
        assert (matrix["rows"], matrix["columns"]) == (seen[-1].inputs, seen[-1].sources)
        assert (matrix["rowAxis"], matrix["columnAxis"]) == ("queries", "keys")
    assert seen[-1].inputs[0] == "<s>" and seen[-1].sources[0] == "There"


@pytest.mark.parametrize("pair", ["fr", "zh"])
def test_the_alignment_draws_weights_frames_links_and_counts_hits(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, pair: str
) -> None:
    seen = reading(monkeypatch)
    app = open_page("cross_attention", cross_attention_view="alignment", **shared(pair=pair))
    figure, known = chart(app, "cross_alignment"), seen[-1].known
    assert known is not None and known.held_out
    weights = array(figure["data"][0]["z"])
    forced = seen[-1].forced(seen[-1].own)
    own = forced.trace.decoder.blocks[seen[-1].block].cross_attention.weights[0, seen[-1].head]
    assert torch.equal(weights, own)
    frames = [shape for shape in figure["layout"]["shapes"] if shape["xref"] == "x"]
    framed = {(round(shape["x0"] + 0.5), round(shape["y0"] + 0.5)) for shape in frames}
    assert framed == set(known.pair.pair.links)
    accuracy = alignment_accuracy(seen[-1].model, [known.pair])[seen[-1].block, seen[-1].head].item()
    count = len({target for _, target in known.pair.pair.links})
    assert any(f"**{round(accuracy * count)} of {count}**" in element.value for element in app.markdown)
    assert figure["layout"]["yaxis"]["ticktext"][-1] == "&lt;/s&gt;"
    bottom, top = figure["layout"]["yaxis2"]["range"]
    assert bottom > top  # blocks are counted downwards


def test_the_bundled_weights_open_on_the_head_that_aligns_best_and_it_aligns(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = reading(monkeypatch)
    for pair, least in (("fr", 0.8), ("zh", 0.6)):
        open_page("cross_attention", **shared(pair=pair))
        accuracies = alignment_accuracy(seen[-1].model, seen[-1].task.held_out[:100])
        assert accuracies[seen[-1].block, seen[-1].head] > max(least, float(accuracies.max()) - 0.05)


def test_a_sentence_that_is_not_in_the_data_has_no_frames(open_page: Open) -> None:
    app = open_page("cross_attention", cross_attention_view="alignment", **shared(english="The cat reads a red dog."))
    shapes = chart(app, "cross_alignment")["layout"]["shapes"]
    assert not [shape for shape in shapes if shape["xref"] == "x"]
    assert any("none are framed" in element.value for element in app.markdown)


@pytest.mark.parametrize("choices", EXTREMES, ids=["one word", "unknown words", "largest", "smallest"])
@pytest.mark.parametrize("view", VIEWS)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("cross_attention", cross_attention_view=view, **shared(**choices))
    assert proof(app).startswith("✓")


def test_sums_of_rows_are_plain_numbers_and_the_asking_token_wears_the_colour_of_queries(open_page: Open) -> None:
    scene = component(open_page("cross_attention", cross_attention_view="softmax", **shared()), "cross_softmax")
    assert [matrix["name"] for matrix in scene["matrices"]] == ["M", "A", "Σ"]
    assert scene["matrices"][-1]["scale"] == "plain"
    mixed = component(open_page("cross_attention", cross_attention_view="mix", **shared()), "cross_mix")
    assert mixed["matrices"][-1]["rowRole"] == "query"


def test_the_formula_and_the_shapes_are_those_of_the_view(open_page: Open) -> None:
    for view, formula, made in (("queries", "$Q =", 4), ("mix", "$O =", 4), ("softmax", "$A =", 4)):
        app = open_page("cross_attention", cross_attention_view=view, **shared())
        (line,) = [element.value for element in app.markdown if element.value.startswith(formula)]
        assert line.split("→")[-1].count(",") == made - 1, view
        assert ("head_size" in line) == (view != "softmax"), view


def test_the_best_head_is_told_to_be_the_best_and_any_other_is_held_against_it(open_page: Open) -> None:
    told = {}
    for block, head in ((1, 1), (2, 4)):
        place = {"translation_at_block": block, "translation_at_head": head}
        app = open_page("cross_attention", cross_attention_view="alignment", **shared(pair="fr"), **place)
        told[block] = next(element.value for element in app.markdown if "held-out sentences" in element.value)
    assert "the best of all heads" in told[2] and "best, head" not in told[2]
    assert "best, head 4 of block 2" in told[1]
