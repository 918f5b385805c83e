"""The run that is watched as it grows: a very small GPT, kept at a dozen moments between its first step and its last.

    python -m transformer.runs.growth

trains it again and writes what is worth keeping of its folder to assets/growth.
"""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import torch

from transformer.checkpoint import CONFIG, TOKENIZER, replace_files
from transformer.config import ModelConfig, TrainingConfig
from transformer.demonstration import NOVELS
from transformer.runs import metrics
from transformer.runs.execution import execute, kept_steps
from transformer.runs.plans import Plan, TextData
from transformer.runs.run import METRICS, STATE, YARDSTICKS, Run
from transformer.training import Step, evaluate

FOLDER = Path(__file__).parents[1] / "assets" / "growth"
THREADS = 1  # the sum of many floats depends on how they are shared out
DATA = TextData(corpora=NOVELS, max_rows=2000)
# Learned positions start as small as the rows of the embedding table, which can therefore be the output layer as well.
MODEL = ModelConfig(
    vocab_size=1, context_length=64, d_model=48, num_heads=4, num_blocks=4, positions="learned", tied_output=True
)
TRAINING = TrainingConfig(
    batch_size=16,
    learning_rate=4e-3,
    embedding_rate=3.0,
    final_learning_rate=0.02,
    max_steps=5000,
    warmup_steps=50,
    eval_interval=50,
    eval_batches=20,
)
EARLIEST = 4  # until then hardly anything happens


def moments() -> list[int]:
    """The steps whose weights are kept, evenly spaced on a logarithmic scale but for the first, which is 0."""
    return sorted(step for step in sorted(kept_steps(TRAINING.max_steps), reverse=True)[::2] if step >= EARLIEST)


def plan() -> Plan:
    """What the run is."""
    model = replace(MODEL, vocab_size=DATA.make_tokenizer().vocab_size)
    return Plan(name="Austen, from the first step", data=DATA, model=model, training=TRAINING)


def keep(run: Run, folder: Path) -> None:
    """Copies what is read of a finished run: its plan, its tokenizer, a dozen weights, and of the curve a part.

    Of the steps those remain that were validated, the first ones, and one in ten; of the reports those of kept weights.
    """
    kept = [0, *moments()]
    files = [CONFIG, TOKENIZER, YARDSTICKS, STATE, *(f"step-{step}.safetensors" for step in kept)]
    seen = run.metrics()
    lines = [
        *(
            (step.step, metrics.step_line(step, after))
            for step, after in zip(seen.steps, seen.seconds, strict=True)
            if step.validation_loss is not None or step.step <= TRAINING.eval_interval or step.step % 10 == 0
        ),
        *((step, metrics.report_line(step, report)) for step, report in seen.reports if step in kept),
    ]
    curve = b"".join(line for _, line in sorted(lines, key=lambda line: line[0]))
    folder.mkdir(parents=True, exist_ok=True)
    replace_files(folder, {name: (run.folder / name).read_bytes() for name in files} | {METRICS: curve})


def show(step: Step) -> None:
    """A line for each validation."""
    if step.validation_loss is not None:
        print(f"step {step.step}: {step.loss:.3f} nats, {step.validation_loss:.3f} on held-out text", flush=True)


def main() -> None:
    """Trains, stores, and compares with a bigram model on all of the held-out text."""
    torch.set_num_threads(THREADS)
    with tempfile.TemporaryDirectory() as root:
        run = Run.create(Path(root), plan(), id="growth")
        print(execute(run, watch=show))
        shutil.rmtree(FOLDER, ignore_errors=True)
        keep(run, FOLDER)
    kept, task = Run(FOLDER), Run(FOLDER).task()
    whole = replace(TRAINING, eval_batches=1_000_000)
    print(
        {step: round(evaluate(kept.load(step).model, task, task.validation(whole)), 4) for step in kept.checkpoints()}
    )
    print(task.yardsticks(whole))


if __name__ == "__main__":
    main()
