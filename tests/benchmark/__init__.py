"""Measurements, printed as tables: `python -m tests.benchmark [trace] [generation] [rerun] [pixels] [start] [train]`."""
