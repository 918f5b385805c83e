"""Setting a run up: a preset, its settings in groups, and beside them what they are going to cost."""

import math
import re
from html import escape

import streamlit as st

from pages.figures.examples import examples_table
from pages.figures.learning import Names, schedule
from pages.figures.token_strip import piece
from pages.ui import runs, state
from pages.ui.parts import Page
from pages.ui.text import joined, number
from pages.ui.training import choosing, controls, costs, curves, texts
from pages.ui.training.awaited import look_again
from pages.ui.training.examples import Examples
from pages.ui.training.followed import is_going, look_at
from pages.ui.training.settings import Draft, groups, lesson_of
from pages.ui.training.texts import SAMPLE_LETTERS, Facts, of_family, sentence
from transformer.runs.jobs import jobs
from transformer.runs.plans import Data, Plan, TextData
from transformer.user_text import DataError

POINTS = 300  # of the planned learning rate
PATIENCE = 8.0  # seconds that the page waits for a text before it shows the rest


def draw(page: Page, draft: Draft) -> Facts | Examples | None:
    """The whole form. Returns what is known of the data, if they could be read by now."""
    offered = list(groups(draft))
    with st.container(key="presets", horizontal=True, vertical_alignment="center"):
        choosing.choose_preset(page, draft)
    left, right = st.columns([3, 2], gap="medium")
    with left, st.container(key="set_up"):
        group = st.segmented_control(
            page.words.group,
            offered,
            format_func=page.words.groups.table().__getitem__,
            required=True,
            key=page.linked("group", offered[0], offered.__contains__),
            persist_state="session",
            label_visibility="collapsed",
        )
        choosing.draw(page, str(group), draft)
        if group == offered[0] and draft.own:
            texts.ask_own(page, draft.data.family)
        sample = st.empty()
    with right, st.container(key="cost"):
        found = _read(page, draft)
        if found:
            _cost(page, draft, found)
    with sample.container():
        _sample(page, str(group), draft, found)
    return found


def _own(draft: Draft) -> str:
    """What the learner brought, where it is what the run reads."""
    return texts.own_text(draft.data.family) if draft.own else ""


def _read(page: Page, draft: Draft) -> Facts | Examples | None:
    """What there is to say about the data; or says why there is nothing."""
    fault = texts.own_fault(draft.data.family) if draft.own else None
    if fault:
        st.error(sentence(page.words, fault.code, **fault.values))
    if draft.own and not _own(draft):
        st.info(page.words.own.invites.table()[draft.data.family])
        return None
    reading = texts.facts(draft.data, _own(draft), draft.values["model.context_length"])
    try:
        with st.spinner(page.words.reading):
            return reading.result(PATIENCE)
    except TimeoutError:
        st.caption(page.words.reading)
        look_again(reading)
    except DataError as fault:
        st.error(sentence(page.words, fault.code, **fault.values))
    return None


def _cost(page: Page, draft: Draft, found: Facts | Examples) -> None:
    """Parameters by part, the data in numbers, memory and time, and the button that starts it."""
    words, config, data = page.words, draft.model(**found.sizes), draft.data
    st.html(costs.parts_table(data.family, config, words))
    told = {name: f"{value:,}" for name, value in found._asdict().items() if isinstance(value, int)}
    st.markdown(
        joined(page.language, of_family(words, data.family, "facts").format(**told), _unused(page, data, found))
    )
    if isinstance(found, Facts) and isinstance(data, TextData) and data.tokenizer == "cl100k_base":
        st.warning(_whole_table(page, draft, found))
    plan = Plan(name=_default_name(page, draft), data=data, model=config, training=draft.training)
    _estimate(page, plan, _own(draft))
    _others(page)
    controls.told_fault(page)
    with st.container(key="begin", horizontal=True):
        key = f"{page.name}_name"
        st.text_input(words.name, key=key, placeholder=plan.name, max_chars=80, persist_state="session")

        def begin() -> None:
            name = str(state.get(key) or "").strip() or plan.name
            controls.begin(page, Plan(name=name, data=plan.data, model=config, training=plan.training), _own(draft))

        st.button(words.buttons.begin, key="begin_run", type="primary", on_click=controls.attempt, args=(begin,))


def _default_name(page: Page, draft: Draft) -> str:
    options: dict[str, str] = page.words.options.table()
    if isinstance(draft.data, TextData):
        return f"{page.words.presets.table()[draft.preset]} · {options[draft.values['data.corpora']]}"
    return str(page.words.learns.table()[lesson_of(draft.data)])


def _estimate(page: Page, plan: Plan, own: str) -> None:
    """Memory and time as measured, or that they are being measured."""
    words, measured = page.words, costs.estimates().of(plan, own)
    if not measured.done():
        st.caption(words.cost.measuring)
        look_again(measured)
        return
    try:
        cost = measured.result()
    except DataError as fault:
        st.error(sentence(words, fault.code, **fault.values))
        return
    told = {
        "step": f"{1000 * cost.seconds_per_step:,.1f}",
        "time": costs.duration(words, cost.seconds),
        "memory": costs.size(cost.memory),
    }
    st.markdown(words.cost.measured.format(**told))


def _unused(page: Page, data: Data, found: Facts | Examples) -> str:
    """Why a compact vocabulary has more rows than the text has tokens; nothing where it has none."""
    if not (isinstance(data, TextData) and isinstance(found, Facts)) or data.tokenizer != "compact":
        return ""
    return str(page.words.unused.format(unused=f"{found.rows - found.distinct:,}"))


def _whole_table(page: Page, draft: Draft, found: Facts) -> str:
    """What a vocabulary costs of which a text uses a small part: numbers, and arithmetic for each token."""
    config = draft.model(**found.sizes)
    inside = config.num_blocks * (4 * config.d_model + 2 * config.d_ff)
    factor = (inside + found.rows) / (inside + found.distinct)
    told = {"rows": f"{found.rows:,}", "distinct": f"{found.distinct:,}", "factor": number(factor, 2)}
    return str(page.words.whole_table.format(numbers=f"{found.rows * config.d_model:,}", **told))


def _others(page: Page) -> None:
    """The learner's run that is under way; and how many others a new one would wait for."""
    going = next(filter(is_going, runs.own()), None)
    if going is not None:

        def watch() -> None:
            look_at(going.id)
            state.put(f"{page.name}_view", "watch")

        st.button(page.words.under_way.format(name=going.plan.name), key="watch_going", on_click=watch)
    if len(jobs().trained()) >= jobs().slots:
        st.caption(page.words.busy.format(slots=jobs().slots))


def _sample(page: Page, group: str, draft: Draft, found: Facts | Examples | None) -> None:
    """The beginning of the text, as it is or as the tokenizer cuts it; a few examples; or the planned learning rate."""
    if group == "examples" and isinstance(found, Examples):
        heads = of_family(page.words, draft.data.family, "heads")
        st.html(f'<div class="sample">{examples_table(heads, _named(page, found))}</div>')
    elif group == "tokens" and isinstance(found, Facts):
        pieces = "".join(piece(token, place) + "<wbr>" for place, token in enumerate(found.pieces))
        st.html(f'<div class="tokens"><div class="sample">{pieces}…</div></div>')
    elif group == "text" and isinstance(draft.data, TextData) and (not draft.own or texts.own_text()):
        shown = re.sub(r"\n\s*\n", "\n", draft.data.texts(texts.own_text())[0][:SAMPLE_LETTERS].strip())
        st.html(f'<div class="sample">{escape(shown)}…</div>')
    elif group == "steps":
        steps = sorted({max(1, round(draft.training.max_steps * part / POINTS)) for part in range(POINTS + 1)})
        names = Names(**page.words.names.table())
        figure = schedule(steps, list(map(draft.training.learning_rate_at, steps)), names, page.theme)
        curves.still(figure, "schedule")


def _named(page: Page, found: Examples) -> list[tuple[str, ...]]:
    """The sample, with classes as people call them."""
    names = page.words.classes.table() if found.classes else {}
    return [(names.get(first, first), second) for first, second in found.sample]


def before_training(page: Page, family: str, outcomes: int) -> None:
    """The loss that a model begins with, worked out."""
    told = {"rows": f"{outcomes:,}", "loss": number(math.log(outcomes)), "share": f"1/{outcomes:,}"}
    st.container(key="worked").markdown(of_family(page.words, family, "before").format(**told))
