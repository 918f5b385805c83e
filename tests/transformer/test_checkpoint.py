"""What is saved comes back bit by bit; what is no checkpoint is refused; nobody ever reads half a file."""

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch

from transformer import GPT, ModelConfig, get_tokenizer
from transformer.checkpoint import CONFIG, WEIGHTS, load, replace_files, rounded, save
from transformer.tokenizer import CharacterTokenizer, Tokenizer
from transformer.vocabulary import CompactTokenizer

TEXT = "Anne hoped she had outlived the age of blushing."
TOKENIZER = CompactTokenizer.from_corpus(TEXT)
MODEL = ModelConfig(
    vocab_size=TOKENIZER.vocab_size, context_length=7, d_model=12, num_heads=3, num_blocks=2, d_ff=20, dropout=0.5
)
EXTRA = {"seed": 3, "losses": {"validation": 4.5}, "novels": ["愛瑪"]}


def equal(one: GPT, other: GPT) -> bool:
    pairs = zip(one.state_dict().items(), other.state_dict().items(), strict=True)
    return all(a == b and torch.equal(x, y) for (a, x), (b, y) in pairs)


@pytest.mark.parametrize(
    "choices", [{}, {"tied_output": False, "positions": "learned"}, {"norm_first": False, "bias": False}]
)
def test_a_checkpoint_comes_back_bit_by_bit(tmp_path: Path, choices: dict[str, Any]) -> None:
    model = GPT(ModelConfig(vocab_size=TOKENIZER.vocab_size, d_model=12, num_heads=3, **choices), seed=3)
    save(tmp_path / "run", model, TOKENIZER, EXTRA)
    loaded = load(tmp_path / "run")
    assert equal(loaded.model, model) and loaded.model.config == model.config and not loaded.model.training
    assert loaded.extra == EXTRA
    assert loaded.tokenizer.encode(TEXT) == TOKENIZER.encode(TEXT)
    assert (loaded.model.output.weight is loaded.model.token_embedding.weight) == model.config.tied_output


@pytest.mark.parametrize("tokenizer", [CharacterTokenizer("Anne 安妮"), get_tokenizer("r50k_base")])
def test_every_tokenizer_comes_back(tmp_path: Path, tokenizer: Tokenizer) -> None:
    text = "Anne 安妮 <|endoftext|>"
    save(tmp_path, GPT(MODEL), tokenizer, {})
    assert load(tmp_path).tokenizer.encode(text) == tokenizer.encode(text)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_what_is_measured_after_rounding_is_what_is_loaded(tmp_path: Path, dtype: torch.dtype) -> None:
    model = GPT(MODEL, seed=3)
    save(tmp_path, model, TOKENIZER, {}, dtype)
    assert equal(load(tmp_path).model, rounded(model, dtype)) and not equal(rounded(model, dtype), model)
    assert load(tmp_path).model.output.weight.dtype == torch.float32
    assert (tmp_path / WEIGHTS).stat().st_size < 2.2 * sum(p.numel() for p in model.parameters()) + 4000


def test_a_pickle_is_refused_and_not_executed(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "exploded"),)

    save(tmp_path, GPT(MODEL), TOKENIZER, {})
    for refused in (pickle.dumps(Bomb()), b"", b"\x80" * 40):
        (tmp_path / WEIGHTS).write_bytes(refused)
        with pytest.raises(ValueError, match=r"model\.safetensors holds no safetensors"):
            load(tmp_path)
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"d_ff": 21},
            r"model\.safetensors does not fit: blocks\.0\.feed_forward\.hidden\.bias should be \(21,\) and is \(20,\)$",
        ),
        ({"num_blocks": 1}, r"model\.safetensors does not fit: blocks\.1\.\S+ should be absent and is \(12,\)$"),
        (
            {"tied_output": False},
            r"model\.safetensors does not fit: output\.weight should be \(\d+, 12\) and is absent$",
        ),
        ({"num_heads": 5}, r"^d_model 12 cannot be cut into 5 heads"),
        ({"n_embd": 12}, r"is no checkpoint of this library: .*n_embd"),
    ],
)
def test_weights_that_do_not_fit_are_refused_with_one_sentence(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    save(tmp_path, GPT(MODEL), TOKENIZER, {})
    config = json.loads((tmp_path / CONFIG).read_text())
    config["model"] |= change
    (tmp_path / CONFIG).write_text(json.dumps(config))
    with pytest.raises(ValueError, match=sentence):
        load(tmp_path)


def test_weights_of_another_save_are_refused(tmp_path: Path) -> None:
    save(tmp_path / "a", GPT(MODEL, seed=1), TOKENIZER, {})
    save(tmp_path / "b", GPT(MODEL, seed=2), TOKENIZER, {})
    (tmp_path / "a" / WEIGHTS).write_bytes((tmp_path / "b" / WEIGHTS).read_bytes())
    with pytest.raises(ValueError, match=r"is not the file that config\.json was written with$"):
        load(tmp_path / "a")


@pytest.mark.parametrize("full_after", [0, 1, 2])
def test_an_interrupted_save_leaves_the_old_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full_after: int
) -> None:
    old = GPT(MODEL, seed=1)
    save(tmp_path, old, TOKENIZER, EXTRA)
    written: list[int] = []

    def disk_full(file: int) -> None:
        written.append(file)
        if len(written) > full_after:
            raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match="no space left"):
        save(tmp_path, GPT(MODEL, seed=2), TOKENIZER, {})
    assert equal(load(tmp_path).model, old) and load(tmp_path).extra == EXTRA
    assert len(list(tmp_path.iterdir())) == 3


def test_a_reader_never_sees_half_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    replace_files(tmp_path, {"a": b"old"})
    monkeypatch.setattr(os, "fsync", lambda _: seen.append((tmp_path / "a").read_bytes()))
    replace_files(tmp_path, {"a": b"new and longer"})
    assert seen == [b"old"] and (tmp_path / "a").read_bytes() == b"new and longer"


def test_a_number_that_json_has_no_word_for_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        save(tmp_path, GPT(MODEL), TOKENIZER, {"loss": float("nan")})
    assert not list(tmp_path.iterdir())
