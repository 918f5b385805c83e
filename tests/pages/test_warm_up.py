"""What the warm-up changes of Streamlit is what Streamlit goes by."""

import pytest
from streamlit.runtime import runtime

from pages.ui import warm_up


def test_streamlit_s_loop_waits_as_long_as_the_warm_up_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(runtime), "MESSAGE_FLUSH_INTERVAL_SECS", 1.0)
    warm_up.answer_at_once()
    read = runtime.Runtime._loop_coroutine.__code__.co_names
    assert {name: vars(runtime).get(name) for name in read}["MESSAGE_FLUSH_INTERVAL_SECS"] == warm_up.PAUSE
