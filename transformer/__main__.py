"""The library from the command line.

    python -m transformer train --corpus FILE --preset article --out runs/NAME
    python -m transformer generate --run runs/NAME --prompt "It is"
    python -m transformer trace --run runs/NAME --text "I love cats" --out cats.safetensors
    torchrun --nproc-per-node 2 -m transformer train --corpus FILE --out runs/NAME

A run that is there already is taken up where it was left. Without `--run`, the bundled demonstration run is used.
"""

import argparse
import inspect
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import torch

from transformer import demonstration, parallel
from transformer.checkpoint import Checkpoint
from transformer.checkpoint import load as load_checkpoint
from transformer.config import ModelConfig, TrainingConfig
from transformer.data import CORPORA
from transformer.encoder_decoder import BEGIN, EncoderDecoder
from transformer.export import write_trace
from transformer.gpt import GPT
from transformer.runs.execution import execute, follow
from transformer.runs.failures import sentence
from transformer.runs.plans import Plan, TextData, of_own
from transformer.runs.presets import OTHER_FAMILIES, PRESETS
from transformer.runs.run import Run
from transformer.sampling import generate
from transformer.training import Step, check_device
from transformer.translation.decoding import greedy_ids
from transformer.translation.task import translate
from transformer.user_text import DataError, decode

DERIVED = ("vocab_size",)  # follows from the text
FEW_TOKENS = 256  # in a step


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status. A mistake that can be put right is told in one sentence."""
    asked = parser().parse_args(arguments)
    try:
        status: int = asked.command(asked)
        return status
    except DataError as error:
        print(sentence(error.code, error.values), file=sys.stderr)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}" if error.filename else error, file=sys.stderr)
    except ValueError as error:
        print(error, file=sys.stderr)
    return 2


def parser() -> argparse.ArgumentParser:
    """All commands and their options; every field of the configurations is an option."""
    whole = argparse.ArgumentParser(prog="python -m transformer", description=__doc__, formatter_class=Help)
    commands = whole.add_subparsers(required=True, metavar="train | generate | trace")

    train = commands.add_parser("train", help="train a run, or go on with one", formatter_class=Help)
    train.set_defaults(command=train_command)
    train.add_argument("--corpus", help=f"a text file, or one of {', '.join(CORPORA)}")
    train.add_argument(
        "--preset", choices=PRESETS | OTHER_FAMILIES, default="one_minute", help="what the options below start from"
    )
    train.add_argument("--out", type=Path, required=True, help="the run's folder")
    train.add_argument("--name", help="what people call it; the folder's name if left out")
    for kind in (TextData, ModelConfig, TrainingConfig):
        add_fields(train, kind)

    write = commands.add_parser("generate", help="write on after a prompt", formatter_class=Help)
    write.set_defaults(command=generate_command)
    write.add_argument("--run", type=Path, help="the run's folder")
    write.add_argument("--prompt", default="", help="where to go on from")
    write.add_argument("--max-tokens", type=int, default=100)
    write.add_argument("--temperature", type=float, default=0.8)
    write.add_argument("--top-k", type=int)
    write.add_argument("--top-p", type=float, default=1.0)
    write.add_argument("--seed", type=int, default=0)

    trace = commands.add_parser("trace", help="write every tensor of a forward pass", formatter_class=Help)
    trace.set_defaults(command=trace_command)
    trace.add_argument("--run", type=Path, help="the run's folder")
    trace.add_argument("--text", required=True, help="the sentence")
    trace.add_argument("--out", type=Path, required=True, help="FILE.npz or FILE.safetensors")
    return whole


class Help(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Keeps the lines of the description, and tells the defaults."""


def add_fields(command: argparse.ArgumentParser, kind: type[Any]) -> None:
    """An option for each field of a configuration: `--d-model 128`, `--no-bias`. What is left out is the preset's."""
    group, hints, told = command.add_argument_group(kind.__name__), get_type_hints(kind), explanations(kind)
    for field in fields(kind):
        if field.name in DERIVED or field.name == "corpora":
            continue
        hint = next((part for part in get_args(hints[field.name]) if part is not type(None)), hints[field.name])
        if get_origin(hints[field.name]) is Literal:
            how: dict[str, Any] = {"choices": get_args(hints[field.name])}
        elif hint is bool:
            how = {"action": argparse.BooleanOptionalAction}
        else:
            how = {"type": hint, "metavar": hint.__name__}
        option = f"--{field.name.replace('_', '-')}"
        group.add_argument(option, default=argparse.SUPPRESS, help=told.get(field.name), **how)


def explanations(kind: type[Any]) -> dict[str, str]:
    """What the docstring of a configuration says of its fields."""
    attributes = (inspect.getdoc(kind) or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^    (\w+(?:, \w+)*): (.*(?:\n {5,}.*)*)", attributes, re.MULTILINE)
    return {name: " ".join(told.split()).replace("%", "%%") for names, told in found for name in names.split(", ")}


def chosen(kind: type[Any], base: Any, asked: argparse.Namespace) -> Any:
    """The configuration `base` with the fields that were asked for."""
    given = {field.name: getattr(asked, field.name) for field in fields(kind) if hasattr(asked, field.name)}
    return replace(base, **given) if given else base


def train_command(asked: argparse.Namespace) -> int:
    """Trains the run in `--out`; with torchrun, all processes together."""
    with parallel.group() as first:
        if first:
            prepare(asked)
        run = Run(asked.out)
        begun = parallel.agreed(str(run.latest_step()) if first else "") != "None"
        use_threads(run.plan)
        if not first:
            follow(run, begun)
            return 0
        status = execute(run, watch=show)
    why = f": {sentence(status.code, status.values)}" if status.code else ""
    print(f"{status.name} after step {status.step}{why}")
    return int(status.name == "failed")


def use_threads(plan: Plan) -> None:
    """One thread for steps so small that several would mostly wait for one another; OMP_NUM_THREADS decides if it is set."""
    if "OMP_NUM_THREADS" not in os.environ and plan.training.batch_size * plan.model.context_length < FEW_TOKENS:
        torch.set_num_threads(1)


def prepare(asked: argparse.Namespace) -> None:
    """Makes the run's folder, unless it is there."""
    folder: Path = asked.out
    if (folder / "config.json").exists():
        return
    plan, own = plan_of(asked)
    check_device(plan.training.device)
    Run.create(folder.parent, plan, own, folder.name)


def plan_of(asked: argparse.Namespace) -> tuple[Plan, str]:
    """What was asked for, and the text of the file, if it is one."""
    preset = (PRESETS | OTHER_FAMILIES)[asked.preset]
    own, data = "", preset.data
    if asked.corpus in CORPORA and isinstance(data, TextData):
        data = replace(data, corpora=(asked.corpus,))
    elif asked.corpus is not None:
        own, data = decode(Path(asked.corpus).read_bytes()), of_own(data)
    data = chosen(TextData, data, asked)
    rows = data.task(preset.model.context_length, own).tokenizer.vocab_size
    model = replace(preset.model, vocab_size=rows)
    if hasattr(asked, "d_model") and not hasattr(asked, "d_ff"):
        model = replace(model, d_model=asked.d_model, num_heads=getattr(asked, "num_heads", model.num_heads), d_ff=0)
    model = chosen(type(model), model, asked)
    training = preset.training
    if hasattr(asked, "max_steps"):  # a tenth of a short run is warm-up enough
        training = replace(
            training, max_steps=asked.max_steps, warmup_steps=min(training.warmup_steps, asked.max_steps // 10)
        )
    training = chosen(TrainingConfig, training, asked)
    return Plan(name=asked.name or asked.out.name, data=data, model=model, training=training), own


def show(step: Step) -> None:
    """A line for each validation."""
    if step.validation_loss is not None:
        print(
            f"step {step.step}: {step.loss:.4f} nats on its batch, {step.validation_loss:.4f} on held-out text",
            flush=True,
        )


def opened(run: Path | None) -> Checkpoint:
    """A run's latest weights; the demonstration's without a run."""
    return load_checkpoint(demonstration.FOLDER) if run is None else Run(run).load()


def generate_command(asked: argparse.Namespace) -> int:
    """Prints the prompt and what the model makes of it, as it is written; a translator prints the translation."""
    model, tokenizer, _ = opened(asked.run)
    if isinstance(model, EncoderDecoder):
        print(translate(model, tokenizer, asked.prompt))
        return 0
    if not isinstance(model, GPT):
        raise ValueError("a classifier writes nothing; choose the run of a language model or of a translator")
    written = generate(
        model,
        tokenizer.encode(asked.prompt).ids,
        max_tokens=asked.max_tokens,
        temperature=asked.temperature,
        top_k=asked.top_k,
        top_p=asked.top_p,
        seed=asked.seed,
        forbidden=tokenizer.undecodable,
    )
    print(asked.prompt, end="", flush=True)
    for text in tokenizer.stream(token.token for token in written):
        print(text, end="", flush=True)
    print()
    return 0


@torch.no_grad()
def trace_command(asked: argparse.Namespace) -> int:
    """Writes the trace of a sentence."""
    model, tokenizer, _ = opened(asked.run)
    tokens = torch.tensor([tokenizer.encode(asked.text).ids], dtype=torch.int64)
    if not tokens.numel():
        raise ValueError("the text is empty; give it at least one word")
    if isinstance(model, EncoderDecoder):  # with the translation it writes as the target
        target = [BEGIN, *greedy_ids(model, tokens)[0]][: model.config.context_length]
        trace: Any = model.trace(tokens, torch.tensor([target]))
    else:
        trace = model.trace(tokens)
    print(f"{write_trace(trace, asked.out)} tensors of {tokens.size(1)} tokens in {asked.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
