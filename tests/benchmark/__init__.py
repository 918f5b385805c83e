"""Measurements, printed as tables: `python -m tests.benchmark [trace] [rerun] [pixels] [start]`."""
