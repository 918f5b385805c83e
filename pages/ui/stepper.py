"""A number that buttons raise, however quickly they are clicked, with a slider that shows it and moves it.

Streamlit's own buttons lose clicks that come while an earlier one is answered: two that wait become one, and the slider's
old value comes back with the second. Here the browser counts, and reports what it has come to.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from pages.ui import state
from pages.ui.component import component

HERE = Path(__file__).parent

_stepper = component(
    "transformer_stepper",
    html='<div class="desk stepper"><div class="go"></div><label class="field slider"><span></span><input type="range"></label></div>',
    css="".join((HERE / sheet).read_text(encoding="utf-8") for sheet in ("desk.css", "stepper.css")),
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def stepper(
    label: str, value: int, most: int, buttons: Sequence[tuple[int, str]], *, key: str, on_change: Callable[[int], None]
) -> None:
    """Draws it. `buttons` are what each adds, with its label; what adds 0 goes back to 0.

    `on_change` is called with the number, from 0 to `most`, before the rerun.
    """

    def changed() -> None:
        reached = state.component_value(key, "reached")["value"]
        if isinstance(reached, int):
            on_change(min(max(reached, 0), most))

    reached = state.component_value(key, "reached") or {}
    data = {"label": label, "value": value, "most": most, "buttons": buttons, "answered": reached.get("number", 0)}
    _stepper(key=key, data=data, on_reached_change=changed)
