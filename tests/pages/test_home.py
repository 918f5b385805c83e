"""The first page: the whole model with its live shapes, links to every page, and a count that PyTorch confirms."""

import re
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from pages.figures.model_picture import (
    Stage,
    brief,
    classifier_operations,
    classifier_parameters,
    classifier_picture,
    operation_counts,
    parameter_counts,
    picture,
    shape,
    sizes,
    translator_operations,
    translator_parameters,
    translator_picture,
)
from pages.figures.palette import DIVERGING
from pages.figures.token_strip import STYLE
from pages.ui import catalog
from tests.pages.conftest import Open
from tests.pages.markup import parse
from tests.pages.reading import component
from transformer import GPT, ModelConfig
from transformer.classification import demonstration as classification_demonstration
from transformer.classifier import Classifier, ClassifierConfig
from transformer.encoder_decoder import END, EncoderDecoder, padded
from transformer.trace import named_tensors
from transformer.translation import demonstration as translation_demonstration
from transformer.translation.decoding import greedy

SIZES: dict[str, Any] = {
    "vocab_size": 17,
    "context_length": 7,
    "d_model": 12,
    "num_heads": 3,
    "num_blocks": 2,
    "d_ff": 20,
}
VARIANTS: list[dict[str, Any]] = [
    {},
    {"tied_output": False},
    {"positions": "learned"},
    {"bias": False, "norm_first": False},
    {"norm_first": False, "positions": "none", "tied_output": False},
]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_parts_add_up_to_pytorchs_own_count(variant: dict[str, Any]) -> None:
    config = ModelConfig(**SIZES, **variant)
    parts = dict.fromkeys(parameter_counts(config), 0)
    for name, parameter in GPT(config).named_parameters():
        part = next(
            (part for part in ("norm", "attention", "feed_forward", "position", "output") if part in name), "embedding"
        )
        parts[{"norm": "norms", "position": "positions"}.get(part, part)] += parameter.numel()
    assert parameter_counts(config) == parts


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_operations_by_part_are_what_pytorch_counts(variant: dict[str, Any]) -> None:
    config = ModelConfig(**SIZES, **variant)
    model = GPT(config)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model.trace(torch.zeros(2, 5, dtype=torch.long))
    counts = operation_counts(config, 2, 5)
    assert list(counts) == list(parameter_counts(config))
    assert sum(counts.values()) == counter.get_total_flops()
    assert counts["output"] == 2 * 2 * 5 * 12 * 17
    assert counts["feed_forward"] == 2 * 2 * 2 * 5 * (12 * 20 + 20 * 12)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_translators_parts_add_up_to_what_pytorch_counts(variant: dict[str, Any]) -> None:
    config = ModelConfig(**SIZES, **variant)
    model, learned = EncoderDecoder(config), translator_parameters(config)
    assert sum(learned.values()) == sum(parameter.numel() for parameter in model.parameters())
    named = {name: parameter.numel() for name, parameter in model.named_parameters() if "norm" not in name}
    assert learned["cross_attention"] == sum(n for name, n in named.items() if "cross_attention" in name)
    assert learned["feed_forward"] == sum(n for name, n in named.items() if "feed_forward" in name)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model.trace(torch.ones(2, 7, dtype=torch.long), torch.ones(2, 5, dtype=torch.long))
    computed = translator_operations(config, 2, 7, 5)
    assert list(computed) == list(learned)
    assert sum(computed.values()) == counter.get_total_flops()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_classifiers_parts_add_up_to_what_pytorch_counts(variant: dict[str, Any]) -> None:
    config = ClassifierConfig(**SIZES, **variant, num_classes=3)
    model, learned = Classifier(config), classifier_parameters(config)
    assert sum(learned.values()) == sum(parameter.numel() for parameter in model.parameters())
    assert learned["output"] == 12 * 3 + 3
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model.trace(torch.ones(2, 5, dtype=torch.long))
    computed = classifier_operations(config, 2, 5)
    assert list(computed) == list(learned)
    assert sum(computed.values()) == counter.get_total_flops()


@pytest.mark.parametrize(
    "count, written",
    [
        (0, "0"),
        (999, "999"),
        (1000, "1 k"),
        (9437184, "9.44 M"),
        (999_600, "1 M"),
        (1.184e11, "118 G"),
        (5e15, "5,000 T"),
    ],
)
def test_a_count_is_brief(count: float, written: str) -> None:
    assert brief(count) == written


@pytest.mark.parametrize(
    "count, written",
    [(0, "0"), (9999, "9,999"), (9_437_184, "944 万"), (50_000_000, "5,000 万"), (134e6, "1.34 亿"), (2e12, "2 万亿")],
)
def test_a_chinese_count_goes_by_ten_thousands(count: float, written: str) -> None:
    words = catalog.entry("home").words("zh")
    assert brief(count, words.units, words.unit) == written


@pytest.mark.parametrize("norm_first", [True, False])
def test_every_stage_shows_the_shape_that_the_trace_has(norm_first: bool) -> None:
    config = ModelConfig(**SIZES, norm_first=norm_first)
    trace = GPT(config).trace(torch.zeros(2, 5, dtype=torch.long))
    made = {path.rsplit(".", 1)[-1]: tuple(tensor.shape) for path, _, tensor in named_tensors(trace)}
    fields = {
        "token_embedding": "token_embeddings",
        "positional_encoding": "positions",
        "input_embedding": "embeddings",
        "norm": "attention_norm",
        "scores": "scores",
        "scaling": "scaled",
        "mask": "masked",
        "softmax": "weights",
        "weighted_values": "heads",
        "heads": "queries",
        "concatenation": "output",
        "residual": "attention_residual",
        "stack": "output",
        "logits": "logits",
        "batch": "tokens",
    }
    parts = picture(config)
    in_reverse = reversed(parts.values())  # so that softmax is that of a block
    stages = {stage.name: stage for part in in_reverse for stage in part.stages}
    assert shape(parts["output"].rows[-1][-2], sizes(config, B=2, T=5, N=5)) == tuple(trace.logits.shape)  # its softmax
    for name, field in fields.items():
        assert shape(stages[name], sizes(config, B=2, T=5, N=5)) == made[field], name


@pytest.mark.parametrize("norm_first", [True, False])
def test_every_stage_of_a_translator_shows_the_shape_that_the_trace_has(norm_first: bool) -> None:
    config = ModelConfig(**SIZES, norm_first=norm_first)
    trace = EncoderDecoder(config).trace(torch.ones(2, 7, dtype=torch.long), torch.ones(2, 5, dtype=torch.long))
    axes, block = sizes(config, B=2, S=7, T=5, N=6), trace.decoder.blocks[0]
    parts = translator_picture(config)
    made = {
        "input": {"batch": trace.encoder.tokens, "input_embedding": trace.encoder.embedding.embeddings},
        "encoder": {
            "encoder_attention": trace.encoder.blocks[0].attention.weights,
            "feed_forward": trace.encoder.blocks[0].feed_forward.output,
        },
        "decoder": {
            "target_input": trace.decoder.embedding.embeddings,
            "decoder_attention": block.self_attention.weights,
            "cross_attention": block.cross_attention.weights,
            "feed_forward": block.feed_forward.output,
        },
        "output": {"logits": trace.decoder.logits, "decoding": trace.decoder.tokens},
    }
    for part, tensors in made.items():
        stages = {stage.name: stage for stage in parts[part].stages}
        for name, tensor in tensors.items():
            assert shape(stages[name], axes) == tuple(tensor.shape), name
    memory = next(stage for part in parts.values() for stage in part.stages if stage.name == "memory")
    assert shape(memory, axes) == tuple(trace.encoder.memory.shape)


def test_every_stage_of_a_classifier_shows_the_shape_that_the_trace_has() -> None:
    config = ClassifierConfig(**SIZES, num_classes=3)
    trace = Classifier(config).trace(torch.ones(2, 5, dtype=torch.long))
    stages = {stage.name: stage for stage in classifier_picture(config)["output"].stages}
    axes = sizes(config, B=2, T=5, N=5, C=3)
    for name, tensor in {"norm": trace.final_norm, "average": trace.mean, "decision": trace.logits}.items():
        assert shape(stages[name], axes) == tuple(tensor.shape)


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_translators_stages_stand_in_the_order_of_computation(norm_first: bool) -> None:
    parts = translator_picture(ModelConfig(**SIZES, norm_first=norm_first))
    decoder = [stage.name for stage in parts["decoder"].stages]
    order = [decoder.index(name) for name in ("decoder_attention", "cross_attention", "feed_forward")]
    assert order == sorted(order)
    assert max(len(row) + bool(part.before + part.after) for part in parts.values() for row in part.rows) <= 5
    norms = sum(stage.name in ("norm", "add_norm") for part in parts.values() for stage in part.stages)
    assert norms == 2 + 3 + norm_first  # the encoder's own last one is its memory


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("made", [picture, classifier_picture, translator_picture])
def test_what_is_made_once_is_not_among_what_is_repeated(norm_first: bool, made: Any) -> None:
    parts = made(ModelConfig(**SIZES, norm_first=norm_first))
    repeated = [
        stage.name
        for name in {"block", "encoder", "decoder"} & parts.keys()
        for row in parts[name].rows
        for stage in row
    ]
    once = [stage.name for part in parts.values() for stage in (*part.before, *part.after, *part.whole)]
    assert repeated and not {"stack", "memory", "target_input"} & set(repeated)
    assert sorted(once) == (["memory", "target_input"] if made is translator_picture else ["stack"])


@pytest.mark.parametrize("norm_first", [True, False])
def test_layer_norm_stands_where_the_model_has_it(norm_first: bool) -> None:
    config = ModelConfig(**SIZES, norm_first=norm_first)
    blocks = [stage.name for stage in picture(config)["block"].stages]
    assert blocks.index("norm") == (0 if norm_first else blocks.index("residual") + 1)
    assert blocks.count("norm") == 2
    assert ("norm" in [stage.name for stage in picture(config)["output"].stages]) == norm_first


def test_every_page_of_the_walk_is_a_stage_that_can_be_clicked(open_page: Open) -> None:
    app = open_page("home", weights="random", d_model=24, heads=3, batch=2, context=11)
    parts = picture(app.session_state["_lesson"].config).values()
    stages = [stage.page for part in parts for stage in part.stages]
    links = [element.proto.page for element in app.get("page_link")]
    for entry in catalog.WALK:
        assert links.count(entry.name) == stages.count(entry.name)
        if entry.chapter in ("input", "attention", "block", "output"):
            assert entry.name in stages
    labels = [element.proto.label for element in app.get("page_link")]
    assert any("`(2, 3, 11, 11)`" in label for label in labels)


@pytest.mark.parametrize("language, words", [("en", "parameters"), ("zh", "参数")])
@pytest.mark.parametrize("choices", [{}, {"weights": "random", "d_model": 24, "heads": 3}], ids=["trained", "random"])
def test_the_count_on_the_page_is_the_live_models(
    open_page: Open, language: str, words: str, choices: dict[str, Any]
) -> None:
    app = open_page("home", lang=language, **choices)
    total = sum(parameter.numel() for parameter in app.session_state["_lesson"].model.parameters())
    assert any(m.value.startswith("✓") and f"{total:,}" in m.value and words in m.value for m in app.markdown)


@pytest.mark.parametrize("family", ["gpt", "encoder_decoder", "classifier"])
def test_only_a_look_up_has_no_operations(open_page: Open, family: str) -> None:
    app = open_page("home", home_view=family)
    table = next(e.proto.body for e in app.get("html") if "parameters" in e.proto.body and "<table" in e.proto.body)
    lines = {line.all("th")[0].text: line.all("td")[2].text for line in parse(table).all("tr")[1:]}
    names = catalog.entry("home").words("en").parts
    assert [name for name, count in lines.items() if count == "0"] == [names.embedding]
    assert {lines[names.positions], lines[names.norms]} == {"—"}


@pytest.mark.parametrize("family", ["encoder_decoder", "classifier"])
def test_shares_of_one_sentence_have_the_same_digits(open_page: Open, family: str) -> None:
    told = next(m.value for m in open_page("home", home_view=family).markdown if m.value.startswith("**Trained**"))
    assert {len(digits) for digits in re.findall(r"\d+(?:\.(\d+))?%", told)} == {1}


def test_a_classifier_hides_padding_and_not_the_future() -> None:
    config = ClassifierConfig(**SIZES, num_classes=3)
    masks = [stage.name for stage in classifier_picture(config)["block"].stages if "mask" in stage.name]
    assert masks == ["padding_mask"]
    trace = Classifier(config).trace(torch.ones(1, 5, dtype=torch.long), torch.tensor([3]))
    hidden = trace.blocks[0].attention.weights[0, 0] == 0
    assert hidden[:, 3:].all() and not hidden[:, :3].any()


def test_one_button_shows_the_model_before_training_and_back(open_page: Open) -> None:
    app = open_page("home")
    app.button(key="switch").click().run()
    assert app.session_state["choices"]["weights"] == "random"
    app.button(key="switch").click().run()
    assert app.session_state["choices"]["weights"] == "demonstration"


def test_the_guesses_are_the_models_likeliest_next_tokens(open_page: Open) -> None:
    app = open_page("home", weights="random", d_model=24, heads=3, batch=2, context=11, seed=5)
    lesson = app.session_state["_lesson"]
    with torch.no_grad():
        best = lesson.model(lesson.tokens)[0, -1].topk(2).indices.tolist()
    guesses = next(element.proto.body for element in app.get("html") if "guesses" in element.proto.body)
    places = [guesses.index(f">{lesson.label(token)}<") for token in best]
    assert places == sorted(places)


def test_the_walk_starts_at_the_first_page_after_home(open_page: Open) -> None:
    app = open_page("home")
    app.button(key="start").click().run()
    assert component(app, "header")["here"] == catalog.WALK[1].name


@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1, "blocks": 1},
        {"text": "the cat <b>sat</b> 🐱 " * 40, "d_model": 512, "heads": 16, "context": 128, "batch": 8, "blocks": 12},
    ],
    ids=["one token", "largest"],
)
def test_extremes_draw(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("home", weights="random", **choices)
    assert not [m.value for m in app.markdown if m.value.startswith("✗")]
    sentence = next(element.proto.body for element in app.get("html") if "tokens sentence" in element.proto.body)
    assert "<b>" not in sentence


@pytest.mark.parametrize("made", [picture, translator_picture, classifier_picture])
def test_the_axes_of_stages_are_letters_of_a_trace(made: Any) -> None:
    for part in made(ModelConfig(**SIZES)).values():
        for stage in part.stages:
            assert isinstance(stage, Stage)
            assert set(stage.axes.split()) <= set("NBTSDHKVC")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("family", "stages"),
    [
        ("encoder_decoder", {"encoder_decoder", "cross_attention", "decoding", "token_embedding", "feed_forward"}),
        ("classifier", {"classification", "token_embedding", "softmax", "scores", "feed_forward"}),
    ],
)
def test_each_family_counts_its_own_model_and_links_to_its_pages(
    open_page: Open, language: str, family: str, stages: set[str]
) -> None:
    app = open_page("home", lang=language, home_view=family)
    pair = "zh" if language == "zh" else "fr"
    bundled = {
        "encoder_decoder": translation_demonstration.demonstration(pair).model,  # type: ignore[arg-type]
        "classifier": classification_demonstration.demonstration(language).model,  # type: ignore[arg-type]
    }
    total = sum(parameter.numel() for parameter in bundled[family].parameters())
    assert any(m.value.startswith("✓") and f"{total:,}" in m.value for m in app.markdown)
    walk = {entry.name for entry in catalog.WALK}
    assert stages & walk <= {element.proto.page for element in app.get("page_link")}


def test_the_translation_on_the_page_is_what_the_model_writes(open_page: Open) -> None:
    sentence = "There is no child in front of the tree."
    app = open_page("home", home_view="encoder_decoder", translation_english=sentence)
    found = translation_demonstration.demonstration("fr")
    steps = greedy(found.model, padded([found.tokenizer.encode(sentence).ids]))
    written = found.tokenizer.decode([int(step.chosen) for step in steps if int(step.chosen) != END])
    said = next(element.proto.body for element in app.get("html") if "guesses" in element.proto.body)
    assert written in said.replace("&#x27;", "'")


def test_the_classes_on_the_page_have_the_models_probabilities(open_page: Open) -> None:
    sentence = "The soup was not bad."
    app = open_page("home", home_view="classifier", classification_text_en=sentence)
    model, task = classification_demonstration.demonstration("en")
    with torch.no_grad():
        chances = model(torch.tensor([task.tokenizer.encode(sentence).ids])).exp()[0]
    said = next(element.proto.body for element in app.get("html") if "guesses" in element.proto.body)
    best = task.labels[int(chances.argmax())]
    assert f">{best}<" in said and f"{100 * float(chances.max()):.0f}%" in said
    assert said.index(f">{best}<") == min(said.index(f">{label}<") for label in task.labels)


@pytest.mark.parametrize("sentence", ["The soup was not bad.", "I will never come back."])
def test_a_decision_is_warm_and_what_is_against_it_cool_as_on_its_own_page(open_page: Open, sentence: str) -> None:
    app = open_page("home", home_view="classifier", classification_text_en=sentence)
    said = next(element.proto.body for element in app.get("html") if "guesses" in element.proto.body)
    colors = [piece.classes[-1] for piece in parse(said).all("piece")]
    tints = [
        re.search(rf"\.{name} {{ background: light-dark\(#(..)..(..),", STYLE.read_text(encoding="utf-8"))
        for name in colors
    ]
    warmth = [int(tint[1], 16) - int(tint[2], 16) for tint in tints if tint]
    assert warmth[0] > 0 > warmth[1]
    against, supports = DIVERGING["light"][2], DIVERGING["light"][-3]
    assert int(supports[1:3], 16) > int(supports[5:], 16) and int(against[1:3], 16) < int(against[5:], 16)


@pytest.mark.parametrize(
    ("family", "choice", "other"),
    [("encoder_decoder", "translation_model", "random"), ("classifier", "classification_model", "untrained")],
)
def test_one_button_shows_each_family_before_training_and_back(
    open_page: Open, family: str, choice: str, other: str
) -> None:
    app = open_page("home", home_view=family)
    for expected in (other, "trained"):
        app.button(key="switch").click().run()
        assert not app.exception
        assert app.session_state[choice] == expected
    app.button(key="start").click().run()
    assert not app.exception


@pytest.mark.parametrize("family", ["encoder_decoder", "classifier"])
@pytest.mark.parametrize("sentence", ["", "a", "the <b>cat</b> 🐱 `x` " * 40])
def test_any_sentence_draws_in_each_family(open_page: Open, family: str, sentence: str) -> None:
    keys = {"encoder_decoder": "translation_english", "classifier": "classification_text_en"}
    app = open_page("home", home_view=family, **{keys[family]: sentence})
    assert len(app.info) == (not sentence)
    assert not any("<b>cat" in element.proto.body for element in app.get("html"))
