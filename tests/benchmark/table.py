"""Tables in Markdown, and the machine they were measured on."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path

import streamlit
import torch


def machine() -> str:
    """One line about processor, cores and versions."""
    information = Path("/proc/cpuinfo")
    names = (
        [line for line in information.read_text().splitlines() if "model name" in line] if information.exists() else []
    )
    processor = names[0].split(":")[1].strip() if names else platform.processor()
    return (
        f"{processor}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
        f"torch {torch.__version__}, streamlit {streamlit.__version__}"
    )


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table under a title."""
    lines = [f"### {title}", "", f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)


def percentile(values: Sequence[float], percent: int) -> float:
    """The value below which `percent` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))]


def milliseconds(values: Sequence[float]) -> list[str]:
    """p50 and p95 of seconds, in ms."""
    return [f"{percentile(values, percent) * 1000:.1f}" for percent in (50, 95)]
