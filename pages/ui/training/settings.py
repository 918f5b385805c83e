"""Every setting of a run as a control: what it may be, in which group it stands, and how all of them make a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pages.ui import state
from pages.ui.choices import heads_for
from pages.ui.parts import Page
from pages.ui.training.texts import OWN
from transformer.classification.task import SentenceData
from transformer.config import ModelConfig, TrainingConfig
from transformer.data import CORPORA
from transformer.runs.plans import TextData, of_own
from transformer.runs.presets import OTHER_FAMILIES, PRESETS, Preset
from transformer.training import devices, precisions
from transformer.translation.task import PairData

FIRST_PRESET = "one_minute"
NEXT_TOKEN = "next_token"
LEARNS = (NEXT_TOKEN, *OTHER_FAMILIES)
"""What there is to learn; for all but the first there is one preset, of the same name."""
EVERY_PRESET = PRESETS | OTHER_FAMILIES
BUNDLED, OWN_FILE = "bundled", "own_file"
JOINED = "+"  # between the corpora of a run that reads several
NOVELS = [name for name, corpus in CORPORA.items() if corpus.language == "en"]
TOKENIZERS: dict[str, dict[str, Any]] = {
    "compact": {"tokenizer": "compact", "base": "cl100k_base"},
    "compact_r50k": {"tokenizer": "compact", "base": "r50k_base"},
    "characters": {"tokenizer": "characters"},
    "cl100k_base": {"tokenizer": "cl100k_base"},
}
SCALES: dict[str, Sequence[Any]] = {
    "data.corpora": (*CORPORA, JOINED.join(NOVELS), OWN),
    "data.tokenizer": tuple(TOKENIZERS),
    "data.max_rows": (0, 512, 1000, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000),
    "model.d_model": (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512),
    "model.num_heads": (),  # heads_for(d_model)
    "model.num_blocks": tuple(range(1, 13)),
    "model.context_length": (8, 16, 32, 64, 128, 256),
    "model.d_ff": (1, 2, 4, 8),  # times d_model
    "model.dropout": (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5),
    "model.positions": ("sinusoidal", "learned", "none"),
    "model.activation": ("relu", "gelu"),
    "model.norm_first": (True, False),
    "model.tied_output": (True, False),
    "model.bias": (True, False),
    "training.max_steps": range(1, 1_000_001),
    "training.batch_size": (1, 2, 4, 8, 16, 32, 64, 128),
    "training.learning_rate": (
        *(1e-5, 3e-5, 1e-4, 2e-4, 3e-4, 5e-4, 1e-3, 2e-3, 3e-3, 5e-3),
        *(0.01, 0.02, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0),
    ),
    "training.warmup_steps": range(100_001),  # up to max_steps
    "training.schedule": ("cosine", "inverse_sqrt"),
    "training.final_learning_rate": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
    "training.weight_decay": (0.0, 0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 3.0),
    "training.gradient_clip": (0.1, 0.3, 0.5, 1.0, 3.0, 10.0, 100.0),
    "training.embedding_rate": (1.0, 3.0, 10.0, 30.0),
    "training.beta2": (0.9, 0.95, 0.98, 0.99, 0.999),
    "training.label_smoothing": (0.0, 0.05, 0.1, 0.2, 0.3),
    "training.eval_interval": range(1, 100_001),
    "training.eval_batches": range(1, 101),
    "training.seed": range(10_000),
    "training.device": (),  # devices()
    "training.precision": (),  # precisions(device)
}
"""What each setting may be, in the order of its control; a range is a number to be typed."""
EXAMPLES: dict[str, Sequence[Any]] = {
    "data.source": (BUNDLED, OWN_FILE),
    "data.pairs": (200, 500, 1000, 2000, 3000, 5000, 7000, 10_000),
}
"""The same for what is learned from pairs or labelled sentences, in place of the text and its tokens."""
GROUPS: dict[str, Sequence[str]] = {
    "text": ["data.corpora"],
    "tokens": ["data.tokenizer", "data.max_rows"],
    "model": [name for name in SCALES if name.startswith("model.")],
    "steps": [
        *("training.max_steps", "training.batch_size", "training.learning_rate", "training.warmup_steps"),
        *("training.schedule", "training.final_learning_rate", "training.device", "training.precision"),
    ],
    "more": [
        *("training.weight_decay", "training.gradient_clip", "training.embedding_rate", "training.beta2"),
        *("training.label_smoothing", "training.eval_interval", "training.eval_batches", "training.seed"),
    ],
}
"""What is shown together."""


@dataclass(frozen=True)
class Draft:
    """What the controls ask for: the preset they started from, and their values by name."""

    preset: str
    values: Mapping[str, Any]

    @property
    def learns(self) -> str:
        """One of `LEARNS`."""
        return self.preset if self.preset in OTHER_FAMILIES else NEXT_TOKEN

    @property
    def own(self) -> bool:
        """Whether it is to be learned from what the learner brings."""
        return bool(self.values.get("data.corpora") == OWN or self.values.get("data.source") == OWN_FILE)

    @property
    def data(self) -> TextData | PairData | SentenceData:
        """What is to be learned from."""
        return self._text if self.learns == NEXT_TOKEN else self._examples

    @property
    def _examples(self) -> PairData | SentenceData:
        bundled: PairData | SentenceData = OTHER_FAMILIES[self.preset].data
        data: Any = of_own(bundled) if self.own else bundled
        return (
            replace(data, pairs=self.values["data.pairs"]) if data == bundled and "data.pairs" in self.values else data
        )

    @property
    def _text(self) -> TextData:
        """No corpora stand for the learner's own text."""
        corpora = self.values["data.corpora"]
        names = () if corpora == OWN else tuple(corpora.split(JOINED))
        kind = TOKENIZERS[self.values["data.tokenizer"]]
        rows = self.values["data.max_rows"] if kind["tokenizer"] == "compact" else 0
        return TextData(corpora=names, max_rows=rows or None, **kind)

    def model(self, **found: int) -> ModelConfig:
        """The sizes, with those that the data decides: `vocab_size`, and `num_classes` where there are classes."""
        sizes = self._part("model")
        chosen: ModelConfig = replace(
            EVERY_PRESET[self.preset].model, **sizes | {"d_ff": sizes["d_ff"] * sizes["d_model"]} | found
        )
        return chosen

    @property
    def training(self) -> TrainingConfig:
        """How it is to be trained."""
        return replace(EVERY_PRESET[self.preset].training, **self._part("training"))

    def _part(self, part: str) -> dict[str, Any]:
        named = (name.split(".") for name in self.values)
        return {name: self.values[f"{kind}.{name}"] for kind, name in named if kind == part}


def value_in(preset: Preset, name: str) -> Any:
    """A preset's value of a setting, as its control has it."""
    if name == "data.source":
        return BUNDLED
    part, field = name.split(".")
    value = getattr(getattr(preset, part), field)
    match field:
        case "corpora":
            return JOINED.join(value)
        case "max_rows":
            return value or 0
        case "d_ff":
            return value // preset.model.d_model
        case "tokenizer":
            return next(
                kind
                for kind, chosen in TOKENIZERS.items()
                if chosen == {name: getattr(preset.data, name) for name in chosen}
            )
    return value


def _with_presets(name: str, scale: Sequence[Any]) -> Sequence[Any]:
    """A scale of numbers on which every preset has its place."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in scale)
    if not scale or isinstance(scale, range) or not numbers:
        return scale
    presets = PRESETS if name.startswith("data.") else EVERY_PRESET
    return tuple(sorted({*scale, *(value_in(preset, name) for preset in presets.values())}))


OPTIONS = {name: _with_presets(name, scale) for name, scale in SCALES.items()}


def names_of(preset: str) -> list[str]:
    """The settings of what a preset learns."""
    data = EVERY_PRESET[preset].data
    if isinstance(data, TextData):
        return list(OPTIONS)
    without = {name for name in OPTIONS if name.startswith("data.")}
    if not isinstance(data, PairData):  # a classifier puts out no tokens
        without |= {"data.pairs", "model.tied_output"}
    return [name for name in (*EXAMPLES, *OPTIONS) if name not in without]


def lesson_of(data: object) -> str:
    """What is learned from data: one of `LEARNS`, or "own_pairs" or "own_labels"."""
    match data:
        case PairData(target="own"):
            return "own_pairs"
        case SentenceData(language="own"):
            return "own_labels"
        case PairData() | SentenceData():
            alike = {name: preset.data for name, preset in OTHER_FAMILIES.items() if type(preset.data) is type(data)}
            return next(name for name, other in alike.items() if _language(other) == _language(data))
    return NEXT_TOKEN


def _language(data: PairData | SentenceData) -> str:
    return data.target if isinstance(data, PairData) else data.language


def groups(draft: Draft) -> Mapping[str, Sequence[str]]:
    """What is shown together."""
    if draft.learns == NEXT_TOKEN:
        return GROUPS
    shared = {group: [name for name in names if name in draft.values] for group, names in GROUPS.items()}
    data = [name for name in EXAMPLES if name in draft.values and not (draft.own and name == "data.pairs")]
    return {"examples": data} | {group: names for group, names in shared.items() if names}


def read(page: Page) -> Draft:
    """What is chosen, by the link and the controls; all of it is part of the link, whether drawn or not."""
    page.linked("preset", FIRST_PRESET, PRESETS.__contains__)
    page.linked("learns", NEXT_TOKEN, LEARNS.__contains__)
    preset = chosen_preset(page)
    values: dict[str, Any] = {}
    for name in names_of(preset):
        options, usual = offered(name, values), value_in(EVERY_PRESET[preset], name)
        usual = usual if usual in options else options[-1]
        values[name] = state.get(page.linked(name, usual, options.__contains__))
    return Draft(preset, values)


def chosen_preset(page: Page) -> str:
    """The preset."""
    learns = str(state.get(f"{page.name}_learns"))
    return str(state.get(f"{page.name}_preset")) if learns == NEXT_TOKEN else learns


def offered(name: str, values: Mapping[str, Any]) -> Sequence[Any]:
    """What a setting may be; `values` are those of the settings before it."""
    match name:
        case "model.num_heads":
            return heads_for(values["model.d_model"])
        case "training.warmup_steps":
            return range(min(values["training.max_steps"], OPTIONS[name][-1]) + 1)
        case "training.device":
            return devices()
        case "training.precision":
            return precisions(values["training.device"])
    return EXAMPLES[name] if name in EXAMPLES else OPTIONS[name]
