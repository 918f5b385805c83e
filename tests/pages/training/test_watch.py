"""Watching: every picture shows the run's own numbers, and the buttons do what they say."""

import base64
import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from pages.figures.learning import thinned
from pages.ui.text import token
from pages.ui.training import followed
from tests.pages.conftest import Open
from tests.pages.reading import component, drawn, proof
from tests.pages.training.opened import LEARNER, SENTENCE, Desk, app_error, said, watching, words
from transformer.gpt import GPT
from transformer.runs.run import Run, Status


def test_the_curves_are_the_run_s_own_numbers(open_page: Open, train: Callable[..., Run]) -> None:
    run = train()
    scene, steps = component(watching(open_page, run), "learning"), run.metrics().steps
    lines = {line["name"]: (numbers(line["x"]), numbers(line["y"])) for line in scene["lines"]}
    names = words().names
    every = torch.arange(1.0, 13.0)
    for name, field in ((names.train, "loss"), (names.rate, "learning_rate"), (names.norm, "gradient_norm")):
        assert torch.equal(lines[name][0], every)
        assert torch.equal(lines[name][1], torch.tensor([getattr(step, field) for step in steps]))
    tested = [step.validation_loss for step in steps if step.validation_loss is not None]
    assert lines[names.validation][0].tolist() == [4, 8, 12]
    assert torch.equal(lines[names.validation][1], torch.tensor(tested))
    table = words().yardsticks.table()
    for name, loss in run.yardsticks().items():
        assert lines[table[name].format(loss=f"{loss:.2f}")][1].tolist() == pytest.approx([loss, loss])
    assert scene["picked"] == {"held_out": True, "step": 12, "loss": tested[-1]}
    assert scene["revision"] == run.id


def numbers(encoded: str) -> torch.Tensor:
    """A line's numbers as the browser gets them."""
    return torch.frombuffer(bytearray(base64.b64decode(encoded)), dtype=torch.float32)


def test_the_sentence_is_looked_at_with_the_newest_weights(open_page: Open, train: Callable[..., Run]) -> None:
    run = train()
    app = watching(open_page, run, train_look_block=2, train_look_head=3)
    model, tokenizer, _ = run.load()
    assert isinstance(model, GPT)
    tokens = torch.tensor([tokenizer.encode(SENTENCE).ids[:7]])
    with torch.no_grad():
        trace = model.trace(tokens)
    (shown,) = drawn(app, "attention")
    weights = trace.blocks[1].attention.weights[0, 2]
    below = torch.ones_like(weights, dtype=torch.bool).tril()
    assert torch.allclose(shown[below], weights[below], atol=1e-6)
    assert shown[~below].isnan().all()
    best = int(F.softmax(trace.logits[0, -1], 0).argmax())
    assert f'class="piece">{token(tokenizer.piece(best), words().space)}<' in said(app)


def test_the_loss_is_told_as_a_probability_and_made_anew_from_the_saved_weights(
    open_page: Open, train: Callable[..., Run]
) -> None:
    run = train()
    app = watching(open_page, run)
    last = run.metrics().steps[-1].validation_loss
    assert last is not None
    assert f"{last:.3f} = −ln p" in said(app).replace("\u00a0", " ")
    assert f"**{math.exp(-round(last, 3)):.3g}**" in said(app)  # of the loss as it is printed
    assert "F.cross_entropy" in proof(app)


def test_what_the_model_writes_is_its_last_report(open_page: Open, train: Callable[..., Run]) -> None:
    run = train()
    step, report = run.metrics().reports[-1]
    shown = said(watching(open_page, run))
    assert words().writes.format(step=step) in shown
    assert report["prompt"] in shown


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_run_says_why_it_failed(open_page: Open, train: Callable[..., Run], language: str) -> None:
    run = train(steps=5)
    run.note(Status("failed", 5, 1.0, "not_finite", {"step": 6, "learning_rate": 1000.0}))
    app = watching(open_page, run, lang=language)
    assert [e.value for e in app.error] == [words(language).failures.not_finite.format(step=6, learning_rate=1000.0)]


def test_a_run_whose_process_died_says_what_is_kept(open_page: Open, train: Callable[..., Run]) -> None:
    run = train(steps=5)
    run.note(Status("running", 5, 1.0))
    assert app_error(watching(open_page, run)) == words().interrupted.format(step=5)


def test_a_turn_of_the_held_out_loss_is_noticed_when_it_lasts() -> None:
    assert followed.turned_up([]) is None
    assert followed.turned_up([(1, 5.0), (2, 4.0), (3, 4.5)]) is None
    assert followed.turned_up([(1, 5.0), (2, 4.0), (3, 4.001), (4, 4.002)]) is None
    assert followed.turned_up([(1, 5.0), (2, 4.0), (3, 4.2), (4, 4.3)]) == (2, 4.0)


def test_buttons_do_what_they_say(open_page: Open, desk: Desk, train: Callable[..., Run]) -> None:
    run = train(steps=5)
    watching(open_page, run).button(key="run_step").click().run()
    watching(open_page, run).button(key="run_resume").click().run()
    assert [(r.id, steps) for r, steps in desk.started] == [(run.id, 1), (run.id, None)]
    watching(open_page, run).button(key="run_stop").click().run()
    assert run.status().name == "stopped"
    desk.places[run.id] = 0
    watching(open_page, run).button(key="run_pause").click().run()
    desk.places[run.id] = 2
    app = watching(open_page, run)
    assert words().states.waiting.format(place=2) in said(app)
    app.button(key="run_leave").click().run()
    assert desk.asked == [(run, "pause"), (run, "pause")]


def test_any_sentence_can_be_looked_at(open_page: Open, train: Callable[..., Run]) -> None:
    app = open_page("train", _learner=LEARNER, train_view="watch", run=train().id, text="我喜欢猫 🐱 ∩ <|endoftext|>")
    assert not app.exception
    assert proof(app).startswith("✓")


def test_a_long_curve_is_drawn_as_means(train: Callable[..., Run]) -> None:
    steps = train().metrics().steps
    curve = thinned(steps, most=5)
    assert curve.bin == 3 and list(curve.steps) == [3, 6, 9, 12]
    assert float(curve.losses[1]) == pytest.approx(sum(step.loss for step in steps[3:6]) / 3)
    assert thinned(()).steps == []
