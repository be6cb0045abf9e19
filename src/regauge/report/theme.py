"""The one look of all figures.

Okabe and Ito's colours with fixed meaning, a system font, thin lines; accuracies read as percentages.
"""

from __future__ import annotations

from typing import Any

MODEL = "#0072B2"
HUMAN = "#E69F00"
FIT = "#D55E00"
DATASET = "#7F7F7F"
INK = "#1A1A1A"
FAINT = "#E6E6E6"
MUTED = "#5F5F5F"

GREEN, PINK = "#009E73", "#CC79A7"
SEQUENCE = (MODEL, GREEN, PINK, FIT, DATASET, "#56B4E9")
"""Okabe and Ito's colours in the order in which models take them; orange is for people."""
PEOPLE = (HUMAN, "#A86F00", "#F0C24B", "#7A4F00", "#C98B2B", "#5C3B00")
"""Shades of orange in the order in which people take them."""

LIGHT, PALE = "#EDB48F", "#F6DCCB"
"""Tints of the colour of what matters most, for what matters less."""

DARK = {
    "white": "#14171A",
    INK: "#ECEDEE",
    MUTED: "#A3A8AD",
    FAINT: "#2C3136",
    MODEL: "#56B4E9",
    FIT: "#F08A4B",
    LIGHT: "#A8623A",
    PALE: "#6B4633",
    DATASET: "#9A9FA4",
}
"""What each colour of a figure becomes on a dark page."""

MEASURES = (MODEL, GREEN, PINK, FIT)
"""The colours of what participants are measured by, where that is not the labels of the dataset, which are grey."""

FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"
"""Letters of one width wherever a figure is opened, so that what was laid out by it stays so."""

CONFIG: dict[str, Any] = {
    "background": "white",
    "font": FONT,
    "padding": 16,
    "view": {"stroke": None},
    "axis": {
        "domainColor": MUTED,
        "gridColor": FAINT,
        "labelColor": INK,
        "labelFontSize": 12,
        "labelFlush": False,
        "tickColor": MUTED,
        "tickSize": 4,
        "titleColor": MUTED,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titleLimit": 540,
    },
    "axisY": {"domain": False, "ticks": False, "labelPadding": 8},
    "header": {"labelColor": INK, "labelFontSize": 13, "labelFontWeight": 600, "titleColor": MUTED},
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 16,
        "fontWeight": 600,
        "limit": 760,
        "offset": 16,
        "subtitleColor": MUTED,
        "subtitleFontSize": 12,
        "subtitleLineHeight": 16,
        "subtitlePadding": 6,
    },
    "legend": {"labelColor": INK, "labelFontSize": 12, "titleColor": MUTED},
}
"""Vega-Lite configuration."""
