"""Tests of the library, of the pages and of the whole app."""

import pages  # noqa: F401  before torch, as in the app
