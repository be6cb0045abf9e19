"""Published models in figures: grey dots behind somebody's own, and what the subtitle says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from regauge.estimates import count_things
from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.shifts import PublishedShift, ShiftFit
from regauge.records.evaluation.standings import PublishedScores
from regauge.report.theme import DATASET


def list_published_fits(published: PublishedShift | None, scale: Scale) -> list[ShiftFit]:
    """The line through the published models on a scale, where there is one."""
    return [] if published is None else [fit for fit in published.shift.fits if fit.scale is scale]


def plot_published(
    points: Sequence[dict[str, Any]], *, x: Callable[[str], alt.X], y: Callable[[str], alt.Y]
) -> list[alt.Chart]:
    """Published models as grey dots; their intervals, of the same size as those of the models in front, are left out."""
    if not points:
        return []
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("model", "original", "new", "gap")]
    dots = alt.Chart({"values": list(points)}).mark_circle(color=DATASET, size=22, opacity=0.6)
    return [dots.encode(x("x"), y("y"), tooltip=tooltip)]


def list_published_rows(published: PublishedScores | None, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """The values of published models under those of the metrics that they have, with the place of the metric; best first."""
    if published is None:
        return []
    n = len(published.accuracies.models)
    whose = f"{count_things(n, 'model')} of {published.source}"
    return [
        {
            "participant": whose,
            "place": place,
            "model": model,
            "value": k / n_images,
            "estimate": f"{100 * k / n_images:.1f}%",
        }
        for place, metric in enumerate(metrics)
        for model, (k, n_images) in zip(
            published.accuracies.models,
            published.accuracies.counts.get(metric, np.empty((0, 2))).tolist(),
            strict=False,
        )
    ]


def explain_published(published: PublishedShift | None, scale: Scale) -> Iterator[str]:
    """Whose the grey dots are, and what the grey line is."""
    if published is None:
        return
    n = len(published.shift.models)
    models = count_things(n, "model")
    line = " with their fit" if list_published_fits(published, scale) else ""
    yield f"Grey: {models} of {published.source}{line}, by counts of right answers."
