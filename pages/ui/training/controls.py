"""Steering a run: start, pause, single step, resume, stop, each answered within a step; and what its state is called."""

import time
from collections.abc import Callable
from typing import Literal

import streamlit as st

from pages.ui import catalog, runs, state
from pages.ui.parts import Page
from pages.ui.training import costs, drafts
from pages.ui.training.followed import Followed, is_going, look_at
from pages.ui.training.texts import sentence
from transformer.runs.copies import continued
from transformer.runs.execution import diagnosis
from transformer.runs.jobs import jobs
from transformer.runs.plans import Plan
from transformer.runs.run import Command, Run, Status

PATIENCE = 0.6  # seconds that a click waits for its effect, so that most often the next picture shows it


def begin(page: Page, plan: Plan, own: str) -> None:
    """Starts a new run of this learner and turns to it."""
    run = Run.create(runs.own_folder(), plan, own)
    jobs().start(run)
    if own:
        drafts.forget(plan.data.family)  # the run keeps it from now on
    look_at(run.id)
    state.put(f"{page.name}_view", "watch")


def invite(page: Page, told: str) -> None:
    """What to do where there is no run to show but the example."""
    with st.container(key="invite", horizontal=True, vertical_alignment="center"):
        st.markdown(told)
        view = f"{page.name}_view", "set_up"
        st.button(page.words.buttons.set_up, key="set_up_run", type="primary", on_click=state.put, args=view)
        st.page_link(catalog.links()["before_and_after"], label=page.words.buttons.bundled)


def attempt(act: Callable[..., None], *arguments: object) -> None:
    """Does what a button asks for; what the disk or somebody else prevents is told by `told_fault` on the next picture."""
    try:
        act(*arguments)
    except (OSError, ValueError) as error:
        state.remember("run_fault", diagnosis(error))


def told_fault(page: Page) -> None:
    """One sentence about what a button could not do, once."""
    if fault := state.recall("run_fault"):
        state.remember("run_fault", None)
        st.error(sentence(page.words, fault[0], **fault[1]))


def ask(run: Run, command: Command) -> None:
    """Has a run leave after the step it is at."""
    jobs().ask(run, command)
    _wait(run)


def take_up(run: Run, steps: int | None = None) -> None:
    """Has a run go on, to its end or for so many steps."""
    jobs().start(run, steps)
    if steps is not None:
        _wait(run)


def give_up(run: Run) -> None:
    """Notes that a run which waits to be taken up is not meant to be; it still can be."""
    status = run.status()
    with run.held():
        run.note(Status("stopped", status.step, status.seconds))


def lengthen(page: Page, run: Run, more_steps: int, name: str) -> None:
    """Starts a longer run that has done all that this one did, and turns to it."""
    longer = continued(run, more_steps, name)
    jobs().start(longer)
    look_at(longer.id)
    state.put(f"{page.name}_view", "watch")


def _wait(run: Run) -> None:
    end = time.monotonic() + PATIENCE
    while is_going(run) and time.monotonic() < end:
        time.sleep(0.01)


def told_state(page: Page, followed: Followed) -> str:
    """One or two words for how a run stands."""
    words = page.words.states.table()
    if followed.place:
        return str(words["waiting"]).format(place=followed.place)
    if followed.place == 0 and followed.status.name != "running":
        return str(words["starting"])
    return str(words[followed.status.name])


def told_trouble(page: Page, followed: Followed) -> str:
    """One sentence that says what to change, where something went wrong; else nothing."""
    status = followed.status
    if followed.going or status.name not in ("failed", "interrupted"):
        return ""
    if status.name == "interrupted":
        return str(page.words.interrupted.format(step=runs.latest_step(followed.run) or 0))
    return sentence(page.words, status.code, **status.values)


def buttons(page: Page, followed: Followed) -> None:
    """What can be done to a run now."""
    run, words = followed.run, page.words.buttons
    if not followed.own:
        st.caption(words.only_watched)
    elif followed.going:
        if followed.place:
            _button(words.leave, "leave", ask, run, "pause")
        else:
            _button(words.pause, "pause", ask, run, "pause")
            _button(words.stop, "stop", ask, run, "stop")
    elif followed.status.name != "finished":
        _button(words.start if followed.status.name == "new" else words.resume, "resume", take_up, run, primary=True)
        _button(words.step, "step", take_up, run, 1)
        if followed.status.name in ("new", "paused", "interrupted"):
            _button(words.stop, "stop", give_up, run)


def _button(label: str, name: str, act: Callable[..., None], *arguments: object, primary: bool = False) -> None:
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
    st.button(label, key=f"run_{name}", on_click=attempt, args=(act, *arguments), type=kind)


def progress(page: Page, followed: Followed) -> tuple[float, str]:
    """How far a run has come: its share, and in words its steps, tokens a second and time left."""
    words, metrics = page.words.progress, followed.metrics
    total = followed.plan.training.max_steps
    done = {"step": f"{followed.step:,}", "total": f"{total:,}"}
    speed = _speed(followed)
    if speed is None or followed.status.name != "running":
        told = words.still.format(**done, time=costs.duration(page.words, followed.seconds))
    else:
        left = costs.duration(page.words, (total - followed.step) / speed[0])
        told = words.going.format(**done, tokens=f"{speed[1]:,.0f}", left=left)
    return min(1.0, followed.step / total) if metrics.steps else 0.0, told


def _speed(followed: Followed) -> tuple[float, float] | None:
    """Steps and tokens a second over the last ten seconds of training; None before there is anything to tell."""
    steps, seconds = followed.metrics.steps, followed.metrics.seconds
    first = len(seconds) - 1
    while first > 0 and seconds[-1] - seconds[first] < 10.0:
        first -= 1
    passed = seconds[-1] - seconds[first] if seconds else 0.0
    if passed < 0.2:
        return None
    return (steps[-1].step - steps[first].step) / passed, (steps[-1].tokens - steps[first].tokens) / passed
