"""How large a figure is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from regauge.errors import FigureError

UNITS = {"px": 1.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0, "pt": 96 / 72}
"""How many pixels each unit has: 96 in an inch, as in CSS."""
MIN_WIDTH, MAX_WIDTH = 180, 4_000
PRINT_PPI, SCREEN_PPI = 300, 192
"""Pixels per inch of a PNG: for paper, and twice those of a screen."""
_WIDTH = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(px|mm|cm|in|pt)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a figure is drawn on.

    Attributes:
        width: of the whole figure in pixels, 96 to the inch; None takes the usual one.
        has_title: whether title and subtitle are drawn; a paper has them in its caption.
        ppi: pixels per inch of a PNG file.
    """

    width: float | None = None
    has_title: bool = True
    ppi: int = SCREEN_PPI

    def __post_init__(self) -> None:
        if self.width is not None and not MIN_WIDTH <= self.width <= MAX_WIDTH:
            per_mm = UNITS["mm"]
            raise FigureError(
                f"A figure is {MIN_WIDTH / per_mm:.0f} to {MAX_WIDTH / per_mm:,.0f} mm wide ({MIN_WIDTH} to {MAX_WIDTH:,} px), "
                f"not {self.width / per_mm:,.1f} mm ({self.width:,.0f} px)."
            )
        if not 1 <= self.ppi <= 2_400:
            raise FigureError(f"A PNG file has 1 to 2,400 pixels per inch, not {self.ppi:,}.")

    @classmethod
    def read(cls, width: str | None = None, *, has_title: bool = True) -> Canvas:
        """The canvas that somebody asks for; a width that is not in px is one on paper, where a PNG file has 300 pixels per inch.

        >>> Canvas.read("3.5in").width, Canvas.read("640 px").ppi
        (336.0, 192)
        """
        canvas = cls(has_title=has_title)
        if width is None:
            return canvas
        found = _WIDTH.fullmatch(width.strip())
        if found is None:
            raise FigureError(f"A width is a number with px, mm, cm, in or pt, such as 84mm or 3.3in, not {width!r}.")
        unit = found[2].lower()
        return replace(canvas, width=float(found[1]) * UNITS[unit], ppi=SCREEN_PPI if unit == "px" else PRINT_PPI)
