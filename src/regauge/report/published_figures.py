"""Published models in figures: grey dots behind somebody's own, and what the subtitle says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from regauge.errors import InputError
from regauge.estimates import Share, count_things, format_percent, typeset
from regauge.records.canvas import Canvas
from regauge.records.evaluation.fits import Scale, ShiftFit
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import PublishedShift
from regauge.records.evaluation.standings import PublishedLine, PublishedScores
from regauge.report.drawing.axes import Axes, Point
from regauge.report.drawing.fit_words import describe_equation, say_missing
from regauge.report.drawing.sheet import Sheet
from regauge.report.metrics import get_title, say_metric
from regauge.report.theme import DATASET, HUMAN, MODEL

N_ALL, N_NAMED = 24, 6
"""With at most as many participants all have their names printed, and of more those farthest from the line."""
N_TOLD = 3
"""With at most as many the subtitle says how far they are from it."""
TOLD = ("model", "first", "second")
"""What shows under the mouse."""


def list_published_fits(published: PublishedShift | None, scale: Scale) -> list[ShiftFit]:
    """The line through the published models on a scale, where there is one."""
    return [] if published is None else [fit for fit in published.shift.fits if fit.scale is scale]


def plot_published(
    points: Sequence[dict[str, Any]],
    *,
    x: Callable[[str], alt.X],
    y: Callable[[str], alt.Y],
    names: Sequence[str] = ("model", "original", "new", "gap"),
) -> list[alt.Chart]:
    """Published models as grey dots; their intervals, of the same size as those of the models in front, are left out."""
    if not points:
        return []
    tooltip = [alt.Tooltip(f"{name}:N") for name in names]
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
    line = " with their fit" if list_published_fits(published, scale) else ""
    yield _tell_grey(len(published.shift.models), f"{published.source}{line}")


def _tell_grey(n: int, whose: str) -> str:
    return f"Grey: {count_things(n, 'model')} of {whose}, by counts of right answers."


def plot_beside(scores: Scores, *, metric: str | None = None, canvas: Canvas | None = None) -> alt.LayerChart:
    """Participants by two metrics on one test set, beside published models with their line.

    Args:
        scores: scores with published models beside them.
        metric: which metric to draw against top-1; by default one that judges the same answers by other labels, if there is one.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: there is no line, or none of this metric.
    """
    published, line = _choose_line(scores, metric)
    mine = [
        point | {"is_person": point["model"] in scores.people} for point in _place_participants(published, line.metrics)
    ]
    theirs = _place_published(published, line.metrics)
    sheet = Sheet(canvas or Canvas())
    axes = Axes(line.fit.scale, [*mine, *theirs], titles=_name_axes(published, line), sheet=sheet)
    far = {one.model: -abs(one.distance.value) for one in line.residuals}
    named = sorted(mine, key=lambda point: far[point["model"]])[: N_NAMED if len(mine) > N_ALL else None]
    grey = axes.plot_fit(line.fit, DATASET)
    words = axes.plot_words(describe_equation(line.fit), [*mine, *theirs])
    names, missing = axes.plot_names(named, [*mine, *theirs])
    layers = [
        axes.plot_diagonal(),
        *grey,
        *plot_published(theirs, x=axes.x, y=axes.y, names=TOLD),
        *axes.plot_intervals(mine),
        *axes.plot_marks([one for one in mine if not one["is_person"]], TOLD, color=MODEL),
        *axes.plot_marks([one for one in mine if one["is_person"]], TOLD, color=HUMAN),
        *axes.plot_equal([*mine, *theirs]),
        *words,
        *names,
    ]
    first, second = (get_title(one) for one in line.metrics)
    test_set = scores.to_frame()["test_set"][0]
    told = " ".join([*_explain(scores, published, line), *say_missing(missing if len(mine) <= N_ALL else ())])
    title = sheet.make_title(f"{second} against {first} on {test_set}", [told])
    return sheet.finish(layers, **axes.extent, title=title)


def _choose_line(scores: Scores, metric: str | None) -> tuple[PublishedScores, PublishedLine]:
    published = scores.published
    lines = () if published is None else published.lines
    for line in lines:
        if published is not None and metric in {None, line.metrics[1]}:
            return published, line
    known = ", ".join(line.metrics[1] for line in lines) or "none"
    raise InputError(
        f"There is no line through published models{f' of {metric}' if metric else ''} to draw; there are: {known}. It takes "
        "scores beside published models, and top1 with a second metric that both have."
    )


def _place_participants(published: PublishedScores, metrics: tuple[str, str]) -> list[Point]:
    """Where those who have both metrics stand, and what their tooltips say."""
    share_of = {(one.model, one.metric): one.accuracy for one in published.standings}
    models = [model for model, metric in share_of if metric == metrics[0] and (model, metrics[1]) in share_of]
    return [_place(model, share_of[model, metrics[0]], share_of[model, metrics[1]]) for model in models]


def _place(model: str, first: Share[float], second: Share[float]) -> Point:
    return {
        "model": model,
        "label": model,
        "first": str(first),
        "second": str(second),
        "x": first.value,
        "x_low": first.low,
        "x_high": first.high,
        "y": second.value,
        "y_low": second.low,
        "y_high": second.high,
    }


def _place_published(published: PublishedScores, metrics: tuple[str, str]) -> list[Point]:
    """Published models; their intervals, of the same size, are left out."""
    accuracies = published.accuracies
    columns = [accuracies.counts[metric] for metric in metrics]
    shares = [[Share(k / n, k / n, k / n, n=n, k=k) for k, n in column.tolist()] for column in columns]
    return [
        _place(model, first, second) | {"first": format_percent(first.value), "second": format_percent(second.value)}
        for model, first, second in zip(accuracies.models, *shares, strict=True)
    ]


def _name_axes(published: PublishedScores, line: PublishedLine) -> tuple[str, str]:
    """Metric, labels and n of both axes."""
    n_of = {one.metric: one.accuracy.n for one in published.standings}
    first, second = (
        f"{say_metric(metric)} (labels: {labels}; n = {n_of[metric]:,})"
        for metric, labels in zip(line.metrics, line.joint[0].labels, strict=True)
    )
    return first, second


def _explain(scores: Scores, published: PublishedScores, line: PublishedLine) -> list[str]:
    level, n = f"{100 * scores.settings.level:g}%", len(published.accuracies.models)
    of_people = [one for one in line.residuals if one.model in scores.people]
    n_models = len(line.residuals) - len(of_people)
    models = count_things(n_models, "model") if n_models else ""
    people = count_things(len(of_people), "person", many="people") + " (diamonds)" if of_people else ""
    told = [f"{' and '.join(filter(None, (models, people)))} with {level} intervals; dashed: equal accuracy."]
    told.append(_tell_grey(n, f"{published.source} with their {line.fit.scale} fit"))
    told.append(f"Shaded: {level} of {line.fit.n_bootstrap:,} bootstrap samples of {line.fit.resample.words}.")
    if len(line.residuals) <= N_TOLD:
        told += [
            f"{one.model} is {typeset(one.distance, scale=100, sign=True)} points from the line."
            for one in line.residuals
        ]
    return told
