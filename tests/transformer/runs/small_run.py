"""A run that a test can train: a few sentences, a model of a few thousand numbers, all of whose sizes differ."""

from typing import Any

from transformer import ModelConfig
from transformer.config import TrainingConfig
from transformer.runs.plans import Plan, TextData
from transformer.tokenizer import CharacterTokenizer

OWN = "she hoped to be wise and reasonable in time; but alas! alas! " * 4
ROWS = CharacterTokenizer(OWN).vocab_size


def small_plan(name: str = "Anne", sizes: dict[str, Any] | None = None, **training: Any) -> Plan:
    """A plan for OWN. sizes: of the model, where they are not those below."""
    model = {"context_length": 7, "d_model": 12, "num_heads": 3, "num_blocks": 2, "dropout": 0.3} | (sizes or {})
    return Plan(
        name=name,
        data=TextData(corpora=(), tokenizer="characters"),
        model=ModelConfig(vocab_size=ROWS, **model),
        training=TrainingConfig(**{"batch_size": 2, "seed": 3} | training),
    )
