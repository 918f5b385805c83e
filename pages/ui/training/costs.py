"""What a run is going to cost, measured beside the page while it answers."""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from html import escape
from threading import Lock
from typing import Any

from pages.figures.model_picture import brief, classifier_parameters, parameter_counts, translator_parameters
from pages.ui.text import Words
from transformer.config import ModelConfig
from transformer.runs.estimates import Estimate
from transformer.runs.jobs import jobs
from transformer.runs.plans import Plan
from transformer.runs.workers import Workers, estimate

MOST_KEPT = 64


class Estimates:
    """Estimates by plan, made one after the other so that they do not disturb each other. For all sessions of a server."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="estimates")
        self._kept: OrderedDict[tuple[str, str], Future[Estimate]] = OrderedDict()
        self._lock = Lock()

    def of(self, plan: Plan, own: str) -> Future[Estimate]:
        """The estimate of a plan, being made if it was not; it may turn out a DataError."""
        key = json.dumps({**plan.to_json(), "name": ""}), own
        with self._lock:
            found = self._kept.get(key)
            if found is None or found.cancelled():
                found = self._kept[key] = self._pool.submit(estimate, self._workers, plan, own)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)[1].cancel()
            return found


@cache
def estimates() -> Estimates:
    """Those of this server."""
    return Estimates(jobs().workers)


PARAMETERS: Mapping[str, Callable[[Any], dict[str, int]]] = {
    "gpt": parameter_counts,
    "encoder_decoder": translator_parameters,
    "classifier": classifier_parameters,
}


def parts_table(family: str, config: ModelConfig, words: Words) -> str:
    """How many numbers each part of a model learns, with bars, as HTML."""
    counts = {name: count for name, count in PARAMETERS[family](config).items() if count}
    total, most = sum(counts.values()), max(counts.values())
    lines = "".join(
        f"<tr><th>{escape(getattr(words.parts, name))}</th><td>{count:,}</td>"
        f'<td><i style="width: {100 * count / most:.1f}%"></i></td></tr>'
        for name, count in counts.items()
    )
    head = words.cost.learned.format(total=f"<b>{total:,}</b>")
    return f'<table class="parameters"><tr><th colspan="3">{head}</th></tr>{lines}</table>'


def size(count: float) -> str:
    """A number of bytes in three digits: 118 MB."""
    return f"{brief(count)}B"


def duration(words: Words, seconds: float) -> str:
    """A time as people say it: "40 s", "3 min 20 s", "2 h 5 min"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    names: Mapping[str, str] = words.durations.table()
    kind = "hours" if hours else "minutes" if minutes else "seconds"
    return names[kind].format(h=hours, m=minutes, s=rest)
