"""Widths of figures as people write them."""

from __future__ import annotations

import re

import pytest

from regauge.errors import FigureError
from regauge.records.canvas import Canvas


@pytest.mark.parametrize(
    ("text", "width", "ppi"),
    [
        ("84mm", 84 / 25.4 * 96, 300),
        ("8.4 cm", 8.4 / 2.54 * 96, 300),
        ("3.3IN", 3.3 * 96, 300),
        ("252pt", 336, 300),
        (" 640px ", 640, 192),
    ],
)
def test_a_width_is_a_number_with_a_unit(text: str, width: float, ppi: int) -> None:
    canvas = Canvas.read(text)
    assert canvas.width == pytest.approx(width)
    assert canvas.ppi == ppi
    assert canvas.has_title


def test_without_a_width_there_is_the_usual_one() -> None:
    assert Canvas.read(None, has_title=False) == Canvas(has_title=False)
    assert Canvas().width is None


@pytest.mark.parametrize("text", ["84", "mm", "84 miles", "-84mm", "1e3px", "84mm wide", "", "٨٤mm", "nanmm"])
def test_anything_else_is_refused(text: str) -> None:
    message = f"A width is a number with px, mm, cm, in or pt, such as 84mm or 3.3in, not {text!r}."
    with pytest.raises(FigureError, match=f"^{re.escape(message)}$"):
        Canvas.read(text)


@pytest.mark.parametrize(("text", "told"), [("10mm", "10.0 mm (38 px)"), ("99in", "2,514.6 mm (9,504 px)")])
def test_a_width_that_no_figure_has_is_refused(text: str, told: str) -> None:
    message = f"A figure is 48 to 1,058 mm wide (180 to 4,000 px), not {told}."
    with pytest.raises(FigureError, match=f"^{re.escape(message)}$"):
        Canvas.read(text)


def test_a_picture_has_a_sensible_number_of_pixels() -> None:
    with pytest.raises(FigureError, match="A PNG file has 1 to 2,400 pixels per inch, not 0"):
        Canvas(ppi=0)
