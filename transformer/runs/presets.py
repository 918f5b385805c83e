"""Settings that are worth starting from."""

from dataclasses import replace
from typing import Any, NamedTuple

from transformer.classification import demonstration as classification_demonstration
from transformer.classification.task import SentenceData
from transformer.config import ModelConfig, TrainingConfig
from transformer.runs.plans import TextData
from transformer.translation import demonstration as translation_demonstration
from transformer.translation.task import PairData


class Preset(NamedTuple):
    """A plan without a name; `model.vocab_size` is for the tokenizer of the data to say."""

    data: Any
    model: ModelConfig
    training: TrainingConfig


# Sinusoidal positions have size one, and rows of the embedding table start at a fiftieth of that: hence `embedding_rate`,
# and an output layer of its own, which would not bear it.
PRESETS = {
    # The model of the published walkthrough.
    "article": Preset(
        TextData(),
        ModelConfig(
            vocab_size=1, context_length=16, d_model=64, num_heads=4, num_blocks=8, dropout=0.1, tied_output=False
        ),
        TrainingConfig(
            batch_size=4, learning_rate=1e-3, embedding_rate=10.0, max_steps=5000, warmup_steps=100, eval_interval=250
        ),
    ),
    # Below a bigram model within a minute on two cores: rare words split, or the output layer would take most of the time.
    "one_minute": Preset(
        TextData(max_rows=4000),
        ModelConfig(vocab_size=1, context_length=64, d_model=64, num_heads=4, num_blocks=4, tied_output=False),
        TrainingConfig(
            batch_size=8,
            learning_rate=4e-3,
            embedding_rate=10.0,
            final_learning_rate=0.02,
            max_steps=1000,
            warmup_steps=50,
            weight_decay=1.0,
            eval_interval=100,
        ),
    ),
    # Three novels, and sizes that keep a laptop busy until the morning.
    "overnight": Preset(
        TextData(corpora=("persuasion", "northanger_abbey", "pride_and_prejudice")),
        ModelConfig(
            vocab_size=1, context_length=128, d_model=128, num_heads=8, num_blocks=6, dropout=0.2, tied_output=False
        ),
        TrainingConfig(
            batch_size=16,
            learning_rate=1e-3,
            embedding_rate=10.0,
            final_learning_rate=0.02,
            max_steps=20_000,
            warmup_steps=500,
            weight_decay=1.0,
            eval_interval=500,
        ),
    ),
    # Few rows and a long context: spelling first, then words.
    "characters": Preset(
        TextData(tokenizer="characters"),
        ModelConfig(vocab_size=1, context_length=128, d_model=64, num_heads=4, num_blocks=4, tied_output=False),
        TrainingConfig(
            batch_size=8, learning_rate=3e-3, embedding_rate=10.0, max_steps=3000, warmup_steps=100, eval_interval=150
        ),
    ),
}

# Half the pairs in a step that the bundled translators had, and no dropout: one core then needs less than a minute, and as
# many held-out sentences come out right. (With dropout, that takes half as long again.)
_TRANSLATION = replace(translation_demonstration.TRAINING, batch_size=32)
_TRANSLATOR = replace(translation_demonstration.model_config(1), dropout=0.0)

OTHER_FAMILIES = {
    "english_to_french": Preset(PairData(target="fr"), _TRANSLATOR, _TRANSLATION),
    "english_to_chinese": Preset(PairData(target="zh"), _TRANSLATOR, _TRANSLATION),
    "sentiment_en": Preset(
        SentenceData(language="en"), classification_demonstration.model_config(1), classification_demonstration.TRAINING
    ),
    "sentiment_zh": Preset(
        SentenceData(language="zh"), classification_demonstration.model_config(1), classification_demonstration.TRAINING
    ),
}
"""The bundled translators and classifiers, to be trained again or changed."""
