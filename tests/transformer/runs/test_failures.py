"""Whatever goes wrong has a sentence, and the values that the sentence names."""

import ast
import string
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import torch

from transformer.runs import failures
from transformer.runs.execution import NoDevice, diagnosis
from transformer.user_text import DataError

LIBRARY = Path(__file__).parents[3] / "transformer"
KINDS = "pair", "label"  # what stands in two columns
RAISED_ON_PAGES = {"too_large": {"megabytes"}, "many_labels": {"labels", "most"}}


def raised() -> Iterator[tuple[str, set[str]]]:
    """The code of every `DataError` in the library's source, and the names of its values."""
    for source in LIBRARY.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "DataError":
                names = {str(keyword.arg) for keyword in node.keywords}
                match node.args[0]:
                    case ast.Constant(value=str(code)):
                        yield code, names
                    case ast.JoinedStr(values=[_, ast.Constant(value=str(rest))]):
                        yield from ((f"{kind}{rest}", names) for kind in KINDS)


def codes() -> Mapping[str, set[str]]:
    """Every code that a run or its text can fail with, and the names of the values it comes with."""
    diagnosed = {
        "not_finite": {"step", "learning_rate"},
        **{
            code: set(values)
            for code, values in (
                diagnosis(MemoryError()),
                diagnosis(OSError(28, "No space left on device")),
                diagnosis(NoDevice("cuda")),
                diagnosis(RuntimeError("CUDA error: unspecified launch failure"), "cuda"),
                diagnosis(ValueError("damaged")),
                diagnosis(KeyError("?")),
            )
        },
    }
    return diagnosed | RAISED_ON_PAGES | dict(raised())


def test_every_code_has_a_sentence_that_its_values_fill() -> None:
    assert codes().keys() == failures.sentences().keys()
    for code, values in codes().items():
        named = {name for _, name, _, _ in string.Formatter().parse(failures.sentences()[code]) if name}
        assert named <= values, code


@pytest.mark.parametrize(("error", "told"), [(DataError("empty"), "empty"), (torch.OutOfMemoryError(), "--batch-size")])
def test_a_sentence_says_what_to_change(error: Exception, told: str) -> None:
    said = failures.sentence(*diagnosis(error))
    assert told in said
    assert ";" in said, "first what is wrong, then what to do"
