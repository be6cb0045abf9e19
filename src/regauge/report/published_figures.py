"""Published models in figures: grey dots behind somebody's own, and what the subtitle says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import altair as alt

from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.shifts import PublishedShift, ShiftFit
from regauge.report.theme import DATASET


def list_published_fits(published: PublishedShift | None, scale: Scale) -> list[ShiftFit]:
    """The line through the published models on a scale, where there is one."""
    return [] if published is None else [fit for fit in published.fits if fit.scale is scale]


def plot_published(
    points: Sequence[dict[str, Any]], *, x: Callable[[str], alt.X], y: Callable[[str], alt.Y]
) -> list[alt.Chart]:
    """Published models as grey dots; their intervals, of the same size as those of the models in front, are left out."""
    if not points:
        return []
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("model", "original", "new", "gap")]
    dots = alt.Chart({"values": list(points)}).mark_circle(color=DATASET, size=22, opacity=0.6)
    return [dots.encode(x("x"), y("y"), tooltip=tooltip)]


def explain_published(published: PublishedShift | None, scale: Scale) -> Iterator[str]:
    """Whose the grey dots are, and what the grey line is."""
    if published is None:
        return
    n = len(published.models)
    models = "1 model" if n == 1 else f"{n} models"
    line = " with their fit" if list_published_fits(published, scale) else ""
    yield f"Grey: {models} of {published.source}{line}, by counts of right answers."
