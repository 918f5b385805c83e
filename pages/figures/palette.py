"""Colours as names: one hue for each thing the lessons speak of, and the ramps that numbers are drawn with.

Queries, keys, values and outputs wear the Okabe–Ito colours (Okabe & Ito 2008, "Color universal design"), which
colour-blind eyes tell apart; in the dark theme a brighter tint of the same hue. The ramps were spaced evenly in OKLab
lightness, so that equal steps of a number look like equal steps of colour, and both arms of the diverging ramp weigh
the same. The heads' hues were found one after another, each as far as could be, in OKLab and for normal, red-blind and
green-blind eyes, from the names before and from the heads before it. Kinds are things that a page compares and that are
no part of attention, such as families of layers: hues far from all names, and each as far from the heads as these are.
"""

from typing import Final, Literal

Theme = Literal["light", "dark"]
Role = str

BACKGROUNDS: Final[dict[Theme, str]] = {"light": "#ffffff", "dark": "#111418"}
INK, CHALK = "#14171a", "#ffffff"
"""Letters on a bright and on a dark colour."""

ROLES: Final[dict[Role, tuple[str, str]]] = {
    "query": ("#0072b2", "#5ab4e8"),
    "key": ("#d55e00", "#f58b5b"),
    "value": ("#009e73", "#3ecfa0"),
    "output": ("#cc79a7", "#e8a0c8"),
    "neutral": ("#1a1d21", "#eceff2"),
    "token": ("#867003", "#cfb656"),
    "position": ("#7658cb", "#b9a9ff"),
    "weight": ("#005b61", "#079fa8"),
    "kind0": ("#4b00af", "#c32dff"),
    "kind1": ("#781423", "#ff0032"),
    "kind2": ("#647378", "#919696"),
    "head0": ("#6d1184", "#b862d2"),
    "head1": ("#a20948", "#e1527b"),
    "head2": ("#1640ad", "#5285f8"),
    "head3": ("#005f0a", "#86f687"),
    "head4": ("#953400", "#e25d1d"),
    "head5": ("#b63d91", "#c07ca6"),
    "head6": ("#137b5e", "#93edcb"),
    "head7": ("#873a82", "#fec0f7"),
    "head8": ("#60912d", "#72b426"),
    "head9": ("#787aaf", "#8d8fc6"),
    "head10": ("#965f49", "#c09381"),
    "head11": ("#424467", "#908ffe"),
    "head12": ("#0081e7", "#9fbee1"),
    "head13": ("#643c31", "#e9a997"),
    "head14": ("#6d825d", "#a2d774"),
    "head15": ("#785e80", "#bd98c9"),
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
    "light": [BACKGROUNDS["light"], "#97c4c7", "#4d9fa5", "#067d84", "#005b61", "#003e42"],
    "dark": [BACKGROUNDS["dark"], "#1d5154", "#077d84", "#07a4ad", "#29c8d2", "#6ce7f0"],
}
"""Weights, evenly spaced from 0 to the limit; zero is the background."""
