"""The pictures in README: `python -m tests.screenshots` takes them anew from the running app."""
