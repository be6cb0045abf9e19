"""The marks of participants: models are dots, people are diamonds."""

from __future__ import annotations

from typing import Any

import altair as alt

DIAMOND = "diamond"
LARGER = 1.3
"""How much larger a diamond is drawn to look as large as a dot."""


def mark_participants(chart: alt.Chart, *, size: float, are_people: bool, **look: Any) -> alt.Chart:  # noqa: ANN401 - altair's
    """The chart with a mark for each of its rows, all models or all people.

    Args:
        chart: the rows.
        size: the area of a dot.
        are_people: whether they are people.
        look: colours and strokes.
    """
    if are_people:
        # Whoever is hollow has a fill of its own.
        filled: dict[str, Any] = {} if "fill" in look else {"filled": True}
        diamonds: alt.Chart = chart.mark_point(shape=DIAMOND, size=size * LARGER, opacity=1, **filled, **look)
        return diamonds
    dots: alt.Chart = chart.mark_circle(size=size, opacity=1, **look)
    return dots
