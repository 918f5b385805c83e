"""The encoder–decoder page: three uses of one attention, their masks, and the choices that three pages share."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from pages.figures.encoder_decoder_picture import encoder_decoder_picture, stacks
from pages.ui import runs, translation_choices
from pages.ui.translation import Translation, known_sentences, task
from tests.pages.conftest import Open
from tests.pages.markup import parse
from tests.pages.reading import component, controls, drawn, notes, proof
from tests.pages.test_words import PAGES
from transformer import ModelConfig
from transformer.bilingual import UNKNOWN
from transformer.config import TrainingConfig
from transformer.encoder_decoder import BEGIN, PADDING, EncoderDecoder, padded
from transformer.runs.execution import execute
from transformer.runs.plans import Plan
from transformer.runs.run import Run
from transformer.translation.task import PairData

VIEWS = ["uses", "encoder", "decoder", "cross", "model"]
SENTENCE = "There is no child in front of the tree."
UNEVEN = {"model": "random", "N": 3, "width": 24, "cut": 3, "start": 5, "at_block": 2, "at_head": 3, "at_row": 1}
SETTINGS = pytest.mark.parametrize("choices", [UNEVEN, {"at_block": 1, "at_head": 2}], ids=["random", "trained"])


def shared(**choices: Any) -> dict[str, Any]:
    """Choices of the three pages as the session holds them."""
    return {f"translation_{name}": value for name, value in {"english": SENTENCE, "pair": "fr", **choices}.items()}


def reading(monkeypatch: pytest.MonkeyPatch) -> list[Translation]:
    """Every reading of the choices that a page makes from now on."""
    found: list[Translation] = []
    ask = translation_choices.ask

    def spy(*given: Any, **more: Any) -> Translation:
        found.append(ask(*given, **more))
        return found[-1]

    monkeypatch.setattr(translation_choices, "ask", spy)
    return found


def hidden(mask: Tensor, weights: Tensor) -> Tensor:
    """Weights as they are drawn: nothing where nobody may look."""
    return weights.masked_fill(~mask, float("nan"))


@SETTINGS
def test_the_three_uses_draw_the_weights_of_the_trace(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any]
) -> None:
    seen = reading(monkeypatch)
    app = open_page("encoder_decoder", **shared(**choices))
    block, trace = seen[-1].block, seen[-1].trace
    decoder = trace.decoder.blocks[block]
    kinds = [
        (trace.encoder.mask, trace.encoder.blocks[block].attention),
        (trace.decoder.mask, decoder.self_attention),
        (trace.decoder.cross_mask, decoder.cross_attention),
    ]
    for shown, (mask, attention) in zip(drawn(app, "three_uses"), kinds, strict=True):
        expected = hidden(mask[0], attention.weights[0, seen[-1].head])
        torch.testing.assert_close(shown, expected, rtol=0, atol=0, equal_nan=True)


@SETTINGS
def test_the_trace_is_that_of_a_batch_of_two_with_padding(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any]
) -> None:
    seen = reading(monkeypatch)
    open_page("encoder_decoder", **shared(**choices))
    own, other = seen[-1].own, seen[-1].other
    source, target = padded([own.source, other.source]), padded([[BEGIN, *own.target], [BEGIN, *other.target]])
    assert (source[0] == PADDING).any() and (target[0] == PADDING).any() and (source[1] != PADDING).all()
    model = seen[-1].model
    with torch.no_grad():
        expected = model(source, target)
    torch.testing.assert_close(seen[-1].trace.decoder.logits, expected, atol=1e-4, rtol=1e-4)
    if choices is UNEVEN:
        config = ModelConfig(
            vocab_size=model.config.vocab_size,
            context_length=32,
            d_model=24,
            num_heads=3,
            num_blocks=3,
            norm_first=False,
        )
        assert model.config == config
        with torch.no_grad():
            torch.testing.assert_close(EncoderDecoder(config, 5)(source, target), expected)


@pytest.mark.parametrize("view", ["encoder", "decoder", "cross"])
def test_one_use_is_worked_out_from_scores_to_weights(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    seen = reading(monkeypatch)
    app = open_page("encoder_decoder", encoder_decoder_view=view, **shared(**UNEVEN))
    decoder = seen[-1].trace.decoder.blocks[1]
    encoder = seen[-1].trace.encoder.blocks[1].attention
    attention = {"encoder": encoder, "decoder": decoder.self_attention, "cross": decoder.cross_attention}[view]
    scaled, masked, weights = drawn(app, f"softmax_{view}")
    assert torch.equal(scaled, attention.scaled[0, 2]) and torch.equal(masked, attention.masked[0, 2])
    torch.testing.assert_close(masked.softmax(-1), weights.nan_to_num(0.0))
    first, *_ = component(app, f"softmax_{view}")["matrices"]
    sources, inputs = seen[-1].sources, seen[-1].inputs
    assert first["rows"] == (sources if view == "encoder" else inputs)
    assert first["columns"] == (inputs if view == "decoder" else sources)
    assert (first["rowAxis"], first["columnAxis"], first["rowRole"]) == ("queries", "keys", "query")


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_picture_has_each_stage_with_its_shape_where_this_model_has_it(norm_first: bool) -> None:
    config = ModelConfig(vocab_size=17, d_model=12, num_heads=3, num_blocks=5, norm_first=norm_first)
    encoder, decoder = stacks(config)
    assert encoder.stages[-1] == "memory" and decoder.stages[-2:] == ["linear", "softmax"]
    inside = decoder.stages[decoder.first : decoder.last + 1]
    assert len(inside) == 6 and inside[0 if norm_first else 1] == ("norm" if norm_first else "add_norm")
    stages = [stage.removesuffix("_added") for stage in (*encoder.stages, *decoder.stages)]
    names = dict.fromkeys([*stages, "encoder", "decoder", "blocks", "carried", "added"], "<b>")
    shapes = {"": "(2, 7, 12)", "cross_attention": "(2, 3, 5, 7)"}
    picture = encoder_decoder_picture(config, (["<s>"], ["x"]), (shapes, shapes), names, ["cross_attention"])
    (lit,) = parse(picture).all("lit")
    assert "cross_attention" in lit.classes and "(2, 3, 5, 7)" in lit.text
    rows = [stage.attributes["style"] for stage in parse(picture).all("stage")]
    first = 2 + encoder.stages.index("memory") - decoder.stages.index(lit.classes[2] + "_added" * norm_first)
    downwards = [*range(2, 2 + len(encoder.stages)), *range(first, first + len(decoder.stages))]
    assert rows == [f"grid-row: {row}" for row in downwards]
    assert parse(picture).one("memory").attributes["style"] == lit.attributes["style"]  # it goes straight across


def test_the_choices_survive_the_three_pages_and_are_in_the_link(open_page: Open) -> None:
    app = open_page("encoder_decoder", **shared(**UNEVEN))
    for name in ("cross_attention", "decoding"):
        app.switch_page(f"{app._script_path.rsplit('/pages/', 1)[0]}/pages/paper/{name}.py").run()
        assert not app.exception
        link = app.session_state["_linked"]
        expected = {name: value for name, value in UNEVEN.items() if name not in ("at_row",)}
        assert expected.items() <= link.items(), link


@pytest.mark.parametrize("pair", ["fr", "zh"])
def test_every_example_was_kept_aside(pair: str) -> None:
    examples = tomllib.loads((PAGES / "ui/translation.toml").read_text(encoding="utf-8"))["examples"]
    known = known_sentences(pair, "")
    held_out = {one.pair.source for one in task(pair, "").held_out}
    for sentence in examples.values():
        assert sentence in held_out
        assert any(one.held_out and one.pair.pair.source == sentence for one in known.values())


EXTREMES: list[dict[str, Any]] = [
    {"english": "apple"},
    {"english": "Xyzzy <b>plugh</b> 🐱 $x$ `y`!", "pair": "zh"},
    {"english": "word after " * 100, "model": "random", "N": 6, "width": 512, "cut": 16, "norm": "pre", "at_block": 6},
    {"english": "The cat.", "model": "random", "N": 1, "width": 8, "cut": 1, "at_row": 2},
]


@pytest.mark.parametrize("choices", EXTREMES, ids=["one word", "unknown words", "largest", "smallest"])
@pytest.mark.parametrize("view", VIEWS)
def test_extremes_draw(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("encoder_decoder", encoder_decoder_view=view, **shared(**choices))
    assert proof(app).startswith("✓")
    said = " ".join(notes(app))
    assert ("Not in the vocabulary" in said) == ("Xyzzy" in choices["english"] or "word after" in choices["english"])
    assert ("does not fit" in said) == ("word after" in choices["english"])
    assert not any("<b>plugh" in element.proto.body for element in app.get("html"))


@pytest.mark.parametrize("name", ["encoder_decoder", "cross_attention", "decoding"])
@pytest.mark.parametrize("english", ["", "  \n "])
def test_no_sentence_invites_one(open_page: Open, name: str, english: str) -> None:
    app = open_page(name, **shared(english=english))
    (invitation,) = app.info
    assert "sidebar" in invitation.value


OWN = "One cat.\tUn chat.\nTwo cats.\tDeux chats.\nOne dog.\tUn chien.\nTwo dogs.\tDeux chiens.\n"


@pytest.fixture
def own_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run on a learner's four pairs, after two steps."""
    monkeypatch.setattr(runs, "ROOT", tmp_path)
    data = PairData(target="own")
    vocab_size = data.task(9, OWN).tokenizer.vocab_size
    model = ModelConfig(vocab_size=vocab_size, context_length=9, d_model=12, num_heads=3, num_blocks=1)
    training = TrainingConfig(batch_size=2, max_steps=2, warmup_steps=1, eval_interval=2)
    run = Run.create(tmp_path, Plan(name="Four", data=data, model=model, training=training), OWN)
    execute(run)
    return run


@pytest.mark.parametrize("name", ["encoder_decoder", "cross_attention", "decoding"])
def test_a_run_on_own_pairs_can_be_walked(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, own_run: Run, name: str
) -> None:
    seen = reading(monkeypatch)
    app = open_page(name, translation_model="run", translation_learned=own_run.id, translation_english="Two dogs.")
    assert (seen[-1].pair, seen[-1].config) == ("own", own_run.plan.model)
    weights = dict(own_run.load().model.named_parameters())
    for path, weight in seen[-1].model.named_parameters():
        assert torch.equal(weight, weights[path])
    assert seen[-1].known is not None and seen[-1].known.pair.pair.target == "Deux chiens."
    assert proof(app).startswith("✓ Rec")
    shown = controls(app, "own")
    assert "translation_pair" not in shown
    assert shown["translation_learned"]["value"] == own_run.id
    assert shown["width"]["locked"] and shown["width"]["value"] == 12


def test_a_link_to_a_run_that_is_gone_shows_the_trained_weights(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = reading(monkeypatch)
    open_page("encoder_decoder", translation_model="run", translation_learned="gone", translation_pair="fr")
    assert seen[-1].weights.run == "demonstration"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("weights", ["trained", "random"])
@pytest.mark.parametrize("name", ["encoder_decoder", "cross_attention", "decoding", "home"])
def test_a_word_that_no_model_has_met_is_named_and_said_to_mean_little(
    open_page: Open, name: str, weights: str, language: str
) -> None:
    unknown = tomllib.loads((PAGES / "ui/translation.toml").read_text("utf-8"))[language]["unknown"]
    choices = shared(model=weights, english="There is no zyzzyva in front of the tree.") | {"lang": language}
    app = open_page(name, home_view="encoder_decoder", **choices)
    assert notes(app).count(unknown.format(words="“zyzzyva”")) == 1
    app = open_page(name, home_view="encoder_decoder", **choices | shared(model=weights))
    assert not [one for one in notes(app) if one.startswith(unknown.partition("{")[0])]


@pytest.mark.parametrize("pair", ["fr", "zh"])
def test_no_sentence_that_is_learned_from_has_an_unknown_word(pair: str) -> None:
    for known in task(pair, "").train:
        assert UNKNOWN not in (*known.source, *known.target)


def test_trained_weights_lock_their_sizes_and_say_why(open_page: Open) -> None:
    app = open_page("encoder_decoder", **shared())
    locked = {name: one["value"] for name, one in controls(app, "own").items() if one["locked"]}
    assert locked == {"N": 2, "width": 128, "cut": 4}
    assert [one for one in notes(app) if "random weights" in one and "LayerNorm" in one]
    assert not [one for one in notes(open_page("encoder_decoder", **shared(model="random"))) if "LayerNorm" in one]


@pytest.mark.parametrize("pair", ["fr", "zh"])
@pytest.mark.parametrize("view", ["encoder", "decoder", "cross"])
def test_the_cell_that_a_visitor_finds_lit_is_no_masked_one_and_weighs_much(
    open_page: Open, pair: str, view: str
) -> None:
    app = open_page("encoder_decoder", encoder_decoder_view=view, translation_pair=pair)
    row, column = component(app, f"softmax_{view}")["selected"]
    weights = drawn(app, f"softmax_{view}")[-1]
    assert weights[row, column] > 0.3


def test_a_picked_cell_stays_even_if_it_is_masked(open_page: Open) -> None:
    app = open_page("encoder_decoder", encoder_decoder_view="decoder", **shared(asker=1, asked=3))
    assert component(app, "softmax_decoder")["selected"] == [1, 3]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_shape_is_that_of_what_the_formula_beside_it_makes(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    seen = reading(monkeypatch)
    for view in VIEWS[1:]:
        app = open_page("encoder_decoder", encoder_decoder_view=view, lang=lang, **shared(**UNEVEN))
        (told,) = [element.value for element in app.markdown if element.value.startswith("$")]
        decoder = seen[-1].trace.decoder
        made = {
            "encoder": seen[-1].trace.encoder.blocks[1].attention.weights,
            "decoder": decoder.blocks[1].self_attention.weights,
            "cross": decoder.blocks[1].cross_attention.weights,
            "model": decoder.logits,
        }[view]
        assert f"`({', '.join(map(str, made.shape))})`" in told.split("→")[-1]
        assert ("softmax" in told) == (view != "model")
