"""Colours as names: one hue for each thing the lessons speak of, and the ramps that numbers are drawn with.

Queries, keys, values and outputs wear the Okabe–Ito colours (Okabe & Ito 2008, "Color universal design"), which
colour-blind eyes tell apart; in the dark theme a brighter tint of the same hue. The ramps were spaced evenly in OKLab
lightness, so that equal steps of a number look like equal steps of colour, and both arms of the diverging ramp weigh
the same.
"""

from typing import Final, Literal

Theme = Literal["light", "dark"]
Role = str

BACKGROUNDS: Final[dict[Theme, str]] = {"light": "#ffffff", "dark": "#111418"}

ROLES: Final[dict[Role, tuple[str, str]]] = {
    "query": ("#0072b2", "#5ab4e8"),
    "key": ("#d55e00", "#f58b5b"),
    "value": ("#009e73", "#3ecfa0"),
    "output": ("#cc79a7", "#e8a0c8"),
    "neutral": ("#1a1d21", "#eceff2"),
    "token": ("#867003", "#cfb656"),
    "position": ("#7658cb", "#b9a9ff"),
    "weight": ("#0a5b5e", "#4dc8b8"),
    "head0": ("#9a7407", "#dcae45"),
    "head1": ("#02717a", "#34d1e0"),
    "head2": ("#945eba", "#d3a3f7"),
    "head3": ("#a6373f", "#e88384"),
    "head4": ("#356a00", "#97cd79"),
    "head5": ("#2a56ab", "#96bbfe"),
    "head6": ("#c76a18", "#e08e53"),
    "head7": ("#006b53", "#57d4ae"),
    "head8": ("#8d3274", "#f09ad4"),
    "head9": ("#7d7d00", "#c3c45a"),
    "head10": ("#026485", "#56c9fb"),
    "head11": ("#5c47a5", "#b9aefe"),
    "head12": ("#ca5c83", "#e482a1"),
    "head13": ("#016e30", "#7cd18f"),
    "head14": ("#7e4f02", "#eeac5a"),
    "head15": ("#0e9a94", "#18bcb5"),
}
"""Role → (colour on light, colour on dark)."""

DIVERGING: Final[dict[Theme, list[str]]] = {
    "light": [
        *("#17397b", "#255caa", "#3c84d4", "#73aee7", "#b0d7f8"),
        BACKGROUNDS["light"],
        *("#f7c6a6", "#e59064", "#ce5929", "#a62d10", "#780108"),
    ],
    "dark": [
        *("#71c8ff", "#3da2e5", "#0e7bc3", "#1e568b", "#1b3452"),
        BACKGROUNDS["dark"],
        *("#502613", "#863b06", "#b55802", "#e17b15", "#fea755"),
    ],
}
"""Signed numbers, evenly spaced from −limit to +limit; zero is the background."""

SEQUENTIAL: Final[dict[Theme, list[str]]] = {
    "light": [BACKGROUNDS["light"], "#9cc4bd", "#579f99", "#047e7d", "#0a5b5e", "#003e43"],
    "dark": [BACKGROUNDS["dark"], "#235052", "#1e7d7c", "#03a69e", "#4dc8b8", "#83e7d1"],
}
"""Weights, evenly spaced from 0 to the limit; zero is the background."""


def color(role: Role, theme: Theme) -> str:
    """Return the hex colour of ``role`` on ``theme``; KeyError names a role that has none."""
    return ROLES[role][0 if theme == "light" else 1]


def scale(kind: Literal["signed", "weight"], theme: Theme) -> list[tuple[float, str]]:
    """Return a ramp as plotly wants it: (fraction, colour) pairs from 0 to 1."""
    ramp = (DIVERGING if kind == "signed" else SEQUENTIAL)[theme]
    return [(step / (len(ramp) - 1), hue) for step, hue in enumerate(ramp)]
