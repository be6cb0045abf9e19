"""A multi-label truth as a figure: multi-label against top-1 and top-5 accuracy of everybody, strict beside lenient.

After Figure 4 of Shankar et al. (2020): both axes have the same unit, and the dashed line is equal accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from regauge.estimates import count_things, name_methods, typeset
from regauge.evaluation.reviews.multilabel_sentences import name_metric
from regauge.records.canvas import Canvas
from regauge.records.evaluation.details import ScoreChange
from regauge.records.evaluation.fits import Scale
from regauge.records.evaluation.multilabel_truths import MetricChanges, MultilabelTruth
from regauge.report.drawing.axes import Axes, Point
from regauge.report.drawing.sheet import Sheet
from regauge.report.theme import HUMAN, MODEL

HOLLOW = "top5"
"""Those are hollow that are against this."""
N_MOVED = 3
"""How many of those that change rank most are named, beside the first and the last."""


def plot_truth(truth: MultilabelTruth, *, canvas: Canvas | None = None) -> alt.HConcatChart:
    """Everybody's accuracy by a label set against theirs by the dataset labels, a plot for every metric of the label set.

    Args:
        truth: what to draw; somebody must have been compared.
        canvas: how wide, and whether with a title.
    """
    sheet = Sheet(canvas or Canvas())
    metrics = list(dict.fromkeys(one.metric for one in truth.comparisons))
    points = {metric: _list_points(truth, metric) for metric in metrics}
    everywhere = [point for some in points.values() for point in some]
    part = sheet.divide(len(metrics))
    plots = [_plot(metric, points[metric], everywhere=everywhere, sheet=part) for metric in metrics]
    title = sheet.make_title(f"Multi-label accuracy by {truth.labels}", [" ".join(_explain(truth))])
    return sheet.finish_beside(plots, title=title)


def _plot(metric: str, points: list[Point], *, everywhere: list[Point], sheet: Sheet) -> alt.LayerChart:
    """One metric; all plots have the same axes."""
    axes = Axes(Scale.LINEAR, everywhere, titles=("by dataset labels", name_metric(metric)), sheet=sheet)
    names, _ = axes.plot_names([one for one in points if one["is_named"]], points)
    layers = [
        axes.plot_diagonal(),
        *axes.plot_intervals(points),
        *_plot_points(axes, points),
        *axes.plot_equal(points),
        *names,
    ]
    return alt.LayerChart(layer=layers, width=axes.width, height=axes.height)


def _plot_points(axes: Axes, points: list[Point]) -> list[Any]:
    names = ("model", "against", "before", "after", "change", "rank")
    found: list[Any] = []
    for is_person, color in ((False, MODEL), (True, HUMAN)):
        for is_hollow in (False, True):
            some = [one for one in points if one["is_person"] is is_person and (one["against"] == HOLLOW) is is_hollow]
            found += axes.plot_marks(some, names, color=color, is_hollow=is_hollow)
    return found


def _list_points(truth: MultilabelTruth, metric: str) -> list[Point]:
    """Who has no image that counts has no place."""
    found = [one for one in truth.comparisons if one.metric == metric]
    return [
        _describe(change, one, is_named=change.participant in named) | {"is_person": change.participant in truth.people}
        for one in found
        for named in [_choose_named(one) if one.against != HOLLOW else ()]
        for change in one.changes
        if change.change is not None
    ]


def _choose_named(found: MetricChanges) -> Sequence[str]:
    """The first, the last, and those that change rank most."""
    chosen = (*found.changes[:1], *found.changes[-1:], *found.moved[:N_MOVED])
    return tuple(dict.fromkeys(one.participant for one in chosen))


def _describe(change: ScoreChange, found: MetricChanges, *, is_named: bool) -> Point:
    before, after = change.before, change.after
    return {
        "model": change.participant,
        "label": change.participant,
        "against": found.against,
        "is_named": is_named,
        **{f"x{end}": value for end, value in zip(("", "_low", "_high"), _place(before), strict=True)},
        **{f"y{end}": value for end, value in zip(("", "_low", "_high"), _place(after), strict=True)},
        "before": str(before),
        "after": str(after),
        "change": f"{typeset(change.change, scale=100, sign=True)} points",
        "rank": f"{change.rank_before} → {change.rank_after}",
    }


def _place(accuracy: Any) -> tuple[float, float, float]:  # noqa: ANN401 - an estimate that has a value
    return accuracy.value, accuracy.low, accuracy.high


def _explain(truth: MultilabelTruth) -> list[str]:
    changes = [change for found in truth.comparisons for change in found.changes]
    names = {change.participant for change in changes}
    n = count_things(len(names), "participant")
    n += " (people as diamonds)" if names & truth.people else ""
    methods = name_methods(change.before.method for change in changes)
    told = [f"{n} on {truth.test_set} with {100 * truth.level:g}% {methods} intervals; dashed: equal accuracy."]
    against = {found.against for found in truth.comparisons}
    if HOLLOW in against and len(against) > 1:
        told.append("Full dots: against top-1; hollow: against top-5.")
    medians = [
        f"{name_metric(metric)} {', '.join(_tell_median(one) for one in truth.comparisons if one.metric == metric)}"
        for metric in dict.fromkeys(one.metric for one in truth.comparisons)
    ]
    return [*told, f"Median changes in points: {'; '.join(medians)}."]


def _tell_median(found: MetricChanges) -> str:
    return f"{typeset(found.median, scale=100, sign=True)} from {name_metric(found.against)}"
