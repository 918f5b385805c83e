"""Panels side by side in one figure: where each stands, how plotly tells their axes apart, and what is written over them."""

from typing import Any


def domain(place: int, count: int, gap: float) -> tuple[float, float]:
    """Where one of some panels begins and ends, as shares of the figure's width, as is the gap between two of them."""
    width = (1 - gap * (count - 1)) / count
    left = place * (width + gap)
    return left, left + width


def suffix(place: int) -> str:
    """What plotly adds to the names of a panel's axes: `xaxis`, `xaxis2`, `xaxis3` …"""
    return "" if place == 0 else str(place + 1)


def title(text: str, x: float, **more: Any) -> dict[str, Any]:
    """An annotation over a panel, from this share of the figure's width on; `more` is of plotly's annotation."""
    place = {"xref": "paper", "yref": "paper", "x": x, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return {**place, "text": text, "showarrow": False, **more}
