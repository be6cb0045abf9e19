"""How wide words are in the letters of figures, and where lines break."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

_WIDTHS = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
"""Of the characters from space to tilde in thousandths of the letter size: those of Helvetica, Arial and Liberation Sans."""
_OTHER, _WIDE = 600, 1_000
"""Of any other character, and of those that take the room of two."""
BOLD = 1.08
"""How much wider bold words are, at most."""
ELLIPSIS = "…"
FULL = f"{ELLIPSIS}→—"
"""Characters as wide as a letter is high."""


def measure_words(text: str, size: float) -> float:
    """How many pixels the text takes in letters of this size.

    >>> round(measure_words("resnet50", 12), 1)
    46.7
    """
    return sum(_measure_letter(letter) for letter in text) * size / 1_000


def wrap_words(text: str, width: float, *, size: float) -> list[str]:
    """The text in lines that are no wider, broken at spaces; a word that is too wide has a line of its own.

    >>> wrap_words("one two three", 45, size=12)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and measure_words(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def find_widest(texts: Sequence[str], size: float) -> float:
    """How many pixels the widest of the texts takes; 0 where there is none."""
    return max((measure_words(text, size) for text in texts), default=0.0)


def cut_words(text: str, width: float, *, size: float) -> str:
    """The text, with its middle replaced by an ellipsis where it is wider: names of models often differ at the end alone.

    >>> cut_words("gradients-histogram-logistic", 80, size=12)
    'gradie…ogistic'
    """
    if measure_words(text, size) <= width:
        return text
    for n in range(len(text) - 1, 0, -1):
        kept = text[: n // 2] + ELLIPSIS + text[len(text) - (n + 1) // 2 :]
        if measure_words(kept, size) <= width:
            return kept
    return ELLIPSIS


def fit_labels(names: Sequence[str], width: float, *, size: float) -> dict[str, Any]:
    """What an axis needs to name its rows within a width: names that are wider lose their middle, and all others stay."""
    cut = {name: cut_words(name, width - 1, size=size) for name in names}
    axis: dict[str, Any] = {"labelLimit": width, "labelOverlap": False}
    if all(name == label for name, label in cut.items()):
        return axis
    return {**axis, "labelExpr": f"({json.dumps(cut)})[datum.value]"}


def _measure_letter(letter: str) -> int:
    place = ord(letter) - ord(" ")
    if 0 <= place < len(_WIDTHS):
        return _WIDTHS[place]
    if letter in FULL or unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    return 0 if unicodedata.combining(letter) else _OTHER
