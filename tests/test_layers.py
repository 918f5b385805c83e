"""The rules of the house, read from the source: who may import whom, and what may stand where."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted((ROOT / "transformer").rglob("*.py"))]
ALLOWED = {
    "app.py": {"streamlit", "pages.ui"},
    "pages/ui": {"streamlit", "torch", "plotly", "pandas", "transformer", "pages.ui", "pages.figures"},
    "pages/matrix": {
        *("streamlit", "torch", "pages.matrix", "pages.figures"),
        *("pages.ui.component", "pages.ui.state", "pages.ui.text"),
    },
    "pages/figures": {"plotly", "pandas", "torch", "transformer", "pages.figures"},
    "pages": {"streamlit", "torch", "transformer", "pages.ui", "pages.figures", "pages.matrix"},
    "transformer": {"torch", "numpy", "tiktoken", "regex", "safetensors", "transformer"},
}
PACKAGES = {"classification": set(), "lessons": set(), "translation": set(), "runs": {"classification", "translation"}}
"""The packages of the library, and which others each may know; models, traces and training know none."""
STANDARD = set(__import__("sys").stdlib_module_names)


def layer(source: Path) -> str:
    """The longest layer that a file lies in."""
    path = source.relative_to(ROOT).as_posix()
    return max((name for name in ALLOWED if path == name or path.startswith(f"{name}/")), key=len)


def imports(source: Path) -> Iterator[str]:
    """Every module a file imports, by its full name."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: imports are absolute"
            yield node.module or ""
            if node.module in ("pages", "pages.ui"):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.relative_to(ROOT).as_posix())
def test_a_file_imports_only_what_its_layer_may(source: Path) -> None:
    allowed = ALLOWED[layer(source)]
    for module in imports(source):
        if module in ("pages", "pages.ui") or module.split(".")[0] in STANDARD:
            continue
        assert any(module == name or module.startswith(f"{name}.") for name in allowed), module


@pytest.mark.parametrize("source", sorted((ROOT / "transformer").rglob("*.py")), ids=lambda source: source.stem)
def test_models_and_training_know_nothing_of_what_is_built_on_them(source: Path) -> None:
    package = source.relative_to(ROOT / "transformer").parts[0]
    known = {package} | PACKAGES.get(package, set(PACKAGES) if source.stem == "__main__" else set())
    for module in imports(source):
        first, *rest = module.split(".")
        if first == "transformer" and rest and rest[0] in PACKAGES:
            assert rest[0] in known, module


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.relative_to(ROOT).as_posix())
def test_state_has_one_door_and_what_is_kept_knows_its_bytes(source: Path) -> None:
    text, path = source.read_text(encoding="utf-8"), source.relative_to(ROOT).as_posix()
    if path != "pages/ui/state.py":
        assert not re.search(r"session_state|\bquery_params\b", text)
    assert not re.search(r"st\.cache_", text), "it counts values, not bytes; pages.ui.bounded_cache knows both"


def prose(source: Path) -> Iterator[str]:
    """String literals of a file that read like words for people; docstrings are for colleagues."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            documentation.add(id(node.value))  # an attribute's docstring
        raised = isinstance(node, ast.Raise) or (isinstance(node, ast.Assert) and node.msg is not None)
        if raised:
            documentation.update(id(part) for part in ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


@pytest.mark.parametrize(
    "source",
    [source for source in SOURCES if "pages" in source.parts],
    ids=lambda source: source.relative_to(ROOT).as_posix(),
)
def test_words_for_people_live_in_toml_files(source: Path) -> None:
    for literal in prose(source):
        if source.name == "choices.py" and literal.startswith("It is a truth"):
            continue  # the default sentence is data, the same in every language
        assert not re.search(r"[\u4e00-\u9fff]", literal), literal
        plain = re.sub(r"<[^>]*>|\{[^}]*\}|[\w-]+:\s*[^;]+;", " ", literal)
        assert not re.search(r"(?:\b[A-Za-z]{2,}\b[ ,]+){3,}[a-z]{2,}", plain), literal
