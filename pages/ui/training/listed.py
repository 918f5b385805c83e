"""The runs of a learner, and those of the command line: listed, compared, renamed, deleted, continued, taken home, walked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final, Literal, NamedTuple

import streamlit as st

from pages.figures.examples import examples_table
from pages.figures.learning import Compared, Names, compared, thinned
from pages.figures.palette import Role
from pages.figures.run_table import Line, run_table, settings_table
from pages.figures.sentence import literal
from pages.ui import catalog, runs, state, text
from pages.ui.parts import Page
from pages.ui.training import controls, costs, curves
from pages.ui.training.followed import EXAMPLE, Followed, follow, is_going, look_at, looked_at, plan_of
from pages.ui.training.settings import JOINED, OWN_FILE, lesson_of
from pages.ui.training.texts import OWN
from transformer.gpt import GPT
from transformer.runs.copies import export
from transformer.runs.plans import Plan
from transformer.runs.run import Run

BETWEEN = "~"  # ids in the link; no id has one
COLORS: list[Role] = ["kind0", "kind1", "kind2", "head9", "head10", "head14", "head8", "head12"]


WALKS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "gpt": (catalog.WALK[0].name, {"run": "", "weights": "run"}),
    "encoder_decoder": ("encoder_decoder", {"translation_model": "run", "translation_learned": ""}),
    "classifier": ("classification", {"classification_model": "run", "classification_of_run": ""}),
}
"""For each family the page where its walk begins, and what chooses a run there; nothing stands for the run's id."""


class Table(NamedTuple):
    """The list as HTML, and what to do with a part of it that is picked (`pages.matrix.clicks`)."""

    picture: str
    pick: Callable[[dict[str, int]], None]


def table(page: Page) -> Table | None:
    """All runs that the learner sees; None if there is none."""
    every = runs.visible()
    if not every:
        return None
    key = page.linked("compare", "", lambda value: isinstance(value, str))
    checked, looked = _checked(key), looked_at()

    def pick(part: dict[str, int]) -> None:
        id = every[part["place"]].id
        if not part["box"]:
            look_at(id)
        else:
            kept = [other for other in checked if other != id] if id in checked else [*checked, id]
            state.put(key, BETWEEN.join(kept))

    followed = {run.id: _followed(run) for run in every}
    colors = _colors(key, followed)
    lines = [
        Line(_cells(page, run, followed[run.id]), colors.get(run.id), run == looked, run.id in checked) for run in every
    ]
    return Table(run_table(page.words.listed.heads, lines, page.words.listed.compare), pick)


def draw(page: Page, names: Names) -> Followed | None:
    """What can be done with the run that is looked at, its curves and those of the checked ones, and their differences.

    Returns the run that is looked at, if it is in order.
    """
    controls.told_fault(page)
    followed = {run.id: _followed(run) for run in runs.visible()}
    looked = looked_at()
    if looked:
        _actions(page, looked, followed.get(looked.id))
    shown = {id: seen for id in _colors(f"{page.name}_compare", followed) if (seen := followed[id])}
    others = [seen for id in _checked(f"{page.name}_compare") if id not in shown and (seen := followed.get(id))]
    if others:
        left_out = ", ".join(literal(seen.plan.name) for seen in others)
        st.caption(page.words.listed.other_family.format(names=left_out))
    if shown:
        several, told = len(followed) > 1, page.words.listed
        _beside(page, list(shown.values()), names, told.choose if several else told.alone)
    return followed.get(looked.id) if looked else None


def draw_example(page: Page, names: Names) -> Followed:
    """The bundled run as a list of one. Returns it."""
    seen, name = follow(EXAMPLE), page.words.listed.example
    heads = page.words.listed.heads
    st.html(f'<div class="runs">{examples_table(heads, [[name, *_cells(page, seen.run, seen)[1:]]])}</div>')
    _beside(page, [seen._replace(plan=replace(seen.plan, name=name))], names, page.words.listed.alone)
    return seen


def _checked(key: str) -> list[str]:
    """The ids of the runs that are compared; they are part of the link."""
    return [id for id in str(state.get(key)).split(BETWEEN) if id]


def _colors(key: str, followed: Mapping[str, Followed | None]) -> dict[str, Role]:
    """The runs whose curves are drawn, the one looked at first, and their colours."""
    looked = looked_at()
    ids = [looked.id] if looked else []
    drawn = [seen for id in dict.fromkeys(ids + _checked(key)) if (seen := followed.get(id))]
    alike = [seen.run.id for seen in drawn if seen.plan.data.family == drawn[0].plan.data.family]
    return dict(zip(alike, COLORS, strict=False))


def _beside(page: Page, shown: Sequence[Followed], names: Names, alone: str) -> None:
    """Curves over each other, and what sets the runs apart; of a single one all its settings, under `alone`."""
    roles = dict(zip((seen.run.id for seen in shown), COLORS, strict=False))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        drawn = [Compared(seen.plan.name, thinned(seen.metrics.steps), roles[seen.run.id]) for seen in shown]
        figure = compared(drawn, names, BETWEEN.join(roles), page.theme)
        curves.still(figure, "compared")
    with right:
        lines = {"thick": names.validation, "thin": names.train}
        st.caption(page.words.listed.apart.format(**lines) if len(shown) > 1 else alone)
        told = {name: [_told(page, seen.plan, name) for seen in shown] for name in _settings(shown[0].plan)}
        apart = {name: values for name, values in told.items() if len(shown) == 1 or len(set(values)) > 1}
        columns = [(seen.plan.name, roles[seen.run.id]) for seen in shown]
        st.html(
            settings_table(
                columns, {_label(page, name): values for name, values in apart.items()}, page.words.listed.same
            )
        )


def _followed(run: Run) -> Followed | None:
    try:
        return follow(run)
    except (ValueError, OSError):
        return None


def _cells(page: Page, run: Run, seen: Followed | None) -> list[str]:
    if seen is None:
        return [run.id, "", page.words.states.damaged, "", "", "", "", ""]
    plan, steps, validations = seen.plan, seen.metrics.steps, seen.validations
    model = plan.model
    return [
        plan.name if seen.own else f"{plan.name} ({page.words.listed.outside})",
        page.words.learns.table()[lesson_of(plan.data)],
        controls.told_state(page, seen),
        f"{seen.step:,} / {plan.training.max_steps:,}",
        f"{validations[-1][1]:.3f}" if validations else "–",
        f"{steps[-1].loss:.3f}" if steps else "–",
        f"{model.num_blocks} × {model.d_model} · {model.num_heads} · {model.context_length}",
        costs.duration(page.words, seen.seconds),
    ]


def _actions(page: Page, run: Run, seen: Followed | None) -> None:
    """What can be done with the run that is looked at."""
    words, own = page.words.listed, run.folder.parent == runs.own_folder()
    going = is_going(run)
    with st.container(key="of_run", horizontal=True):
        if seen is not None:
            st.button(words.watch, key="watch_run", on_click=state.put, args=(f"{page.name}_view", "watch"))
        started = seen is not None and runs.readable(run)
        if started:
            walk(page, run)
        if own and seen is not None:
            _rename(page, run, seen.plan.name)
        if own and started and seen is not None:
            _continue(page, run, seen)
        if started:
            st.download_button(words.export, lambda: export(run), f"{run.id}.zip", "application/zip", key="export_run")
        if own:
            with st.popover(words.delete, disabled=going, key="delete_run"):
                st.markdown(words.sure)
                delete = controls.attempt, (_delete, run)
                st.button(words.delete_now, key=f"delete_{run.id}", on_click=delete[0], args=delete[1], type="primary")


def walk(page: Page, run: Run, kind: Literal["primary", "secondary"] = "primary") -> None:
    """A button that makes a run the weights of the pages that walk its family, and turns to the first of them."""
    first, choices = WALKS.get(family_of(run), WALKS["gpt"])

    def choose() -> None:
        for name, value in choices.items():
            state.put(name, value or run.id)

    if st.button(page.words.listed.walk, key="walk_run", on_click=choose, type=kind):
        state.turn_to(catalog.links()[first])


def family_of(run: Run | None) -> str:
    """The family of a run's models; that of the walk if there is none, or if somebody has spoiled its plan."""
    plan = plan_of(run)
    return plan.data.family if plan else GPT.family


def _rename(page: Page, run: Run, name: str) -> None:
    key = f"name_of_{run.id}"
    with st.popover(page.words.listed.rename, key="rename_run"):
        st.text_input(page.words.listed.name, name, key=key, max_chars=80)
        rename = lambda: run.rename(str(state.get(key)).strip() or name)  # noqa: E731
        st.button(page.words.listed.rename, key=f"rename_{run.id}", on_click=controls.attempt, args=(rename,))


def _continue(page: Page, run: Run, seen: Followed) -> None:
    key, name = f"more_{run.id}", page.words.listed.longer.format(name=seen.plan.name)
    with st.popover(page.words.listed.more, disabled=seen.going, key="continue_run"):
        st.number_input(page.words.listed.more_steps, 1, 1_000_000, seen.plan.training.max_steps, key=key)
        act = lambda: controls.lengthen(page, run, int(state.get(key)), name)  # noqa: E731
        st.button(page.words.listed.more, key=f"continue_{run.id}", on_click=controls.attempt, args=(act,))


def _delete(run: Run) -> None:
    run.delete()
    if state.get("run") == run.id:
        state.put("run", "")
        state.put("weights", "demonstration" if state.get("weights") == "run" else state.get("weights"))


def _settings(plan: Plan) -> list[str]:
    """Every setting of a plan, as "model.d_model"."""
    return [f"{part}.{name}" for part in ("data", "model", "training") for name in asdict(getattr(plan, part))]


def _told(page: Page, plan: Plan, name: str) -> str:
    part, field = name.split(".")
    value: Any = getattr(getattr(plan, part), field)
    if field == "d_ff":
        value = plan.model.d_ff / plan.model.d_model
    if field == "base":
        return str(value)
    if isinstance(value, tuple):
        value = JOINED.join(value) or OWN
    if value == OWN and field != "corpora":
        value = OWN_FILE
    if isinstance(value, bool) or value is None:
        return "✓" if value else "–"
    if isinstance(value, int) and field != "seed":
        return f"{value:,}"
    return text.number(value) if isinstance(value, float) else str(page.words.options.table().get(value, value))


def _label(page: Page, name: str) -> str:
    part, field = name.split(".")
    labels: dict[str, Any] = getattr(page.words, part).table()
    return str(labels[field][0]) if field in labels else field
