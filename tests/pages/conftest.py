"""Opens pages as Streamlit would, without a browser."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from pages.ui import catalog
from pages.ui.choices import DEFAULTS

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def installed_packages_are_searched_once() -> Iterator[None]:
    """Every AppTest searches all installed packages for components, ten times as long as it takes to draw a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def open_page() -> Open:
    """open_page("scores", weights="random", d_model=24, heads=3) runs that page with these choices."""

    def open_page(name: str, **choices: Any) -> AppTest:
        app = AppTest.from_file(str(ROOT / "pages/ui/frame.py"), default_timeout=60)
        app.session_state["choices"] = {shared: choices[shared] for shared in choices.keys() & DEFAULTS}
        for own in choices.keys() - DEFAULTS:
            app.session_state[own] = choices[own]
        app.run()
        if name != catalog.WALK[0].name:
            app.switch_page(str(catalog.entry(name).script)).run()
        assert not app.exception, app.exception
        assert app.main, "nothing was drawn"
        return app

    return open_page
