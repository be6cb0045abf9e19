"""Scores and comparisons in sentences: every number with its n and its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from regauge.estimates import count_things, format_estimate, format_percent, join_words, typeset
from regauge.evaluation.conclusions import conclude
from regauge.evaluation.outcomes import DATASET_LABELS
from regauge.records.evaluation.fits import Scale, ShiftFit
from regauge.records.evaluation.scores import WHOLE, Score, Scores
from regauge.records.evaluation.shifts import MeanChange, Shift
from regauge.records.option_names import name_options
from regauge.report.metrics import find_place, say_metric


def list_measures(scores: Scores) -> list[tuple[str, str]]:
    """Every metric with the labels it judges by, in the order of all metrics, and of one metric in output order."""
    rows = scores.to_frame().select("metric", "labels").unique(maintain_order=True)
    return sorted(((metric, labels) for metric, labels in rows.iter_rows()), key=lambda measure: find_place(measure[0]))


def rank(scores: Scores, metric: str, *, labels: str, subset: str = WHOLE) -> list[Score]:
    """Those who have a value, the best first; ties by name."""
    is_asked = (pl.col("metric") == metric) & (pl.col("labels") == labels) & (pl.col("subset") == subset)
    rows = scores.to_frame().filter(is_asked & pl.col("value").is_not_null())
    return list(Scores(rows.sort(pl.col("value").neg(), "participant")))


def describe_score(score: Score) -> str:
    """A value with interval and n, and its upper bound where predictions are unjudged."""
    text = f"{format_estimate(score)} (n = {score.n:,}"
    if score.n_unjudged:
        predictions = "prediction" if score.n_unjudged == 1 else "predictions"
        text += f"; {score.n_unjudged:,} {predictions} unjudged, so between {format_percent(score.lower_bound)} "
        text += f"and {format_percent(score.upper_bound)}"
    return text + ")"


def describe_shift(shift: Shift) -> Iterator[str]:
    """How accuracies move between two test sets, whether the order holds, the lines through the models and what they say."""
    for metric, change in shift.mean_changes.items():
        drawn = "" if change.low is None else f" (limits from resampling {change.resample.words})"
        yield f"{describe_change(metric, change)} from {shift.original} to {shift.new}{drawn}."
    if shift.models:
        best = shift.models[0]
        gap = typeset(best.gap, scale=100)
        yield (
            f"{best.name}, {_name_best(shift)} on {shift.original} by {say_metric(shift.settings.metric)} with {best.original} "
            f"(n = {best.original.n:,}), reaches {best.new} (n = {best.new.n:,}) on {shift.new}: a gap of {gap} points"
            f"{_tell_rank(shift)}."
        )
    yield from (describe_fit(fit) for fit in shift.fits)
    if shift.fits:
        yield name_options(conclude(shift))


def _name_best(shift: Shift) -> str:
    """The best, or one of several that are: a rank goes by name where accuracies are equal."""
    if len(shift.models) == 1:
        return "the only one"
    n_best = sum(one.original.value == shift.models[0].original.value for one in shift.models)
    return "the best" if n_best == 1 else f"one of the {n_best} best"


def _tell_rank(shift: Shift) -> str:
    """Where the best one is on the new set; nothing where nobody is compared with it."""
    if len(shift.models) == 1:
        return ""
    best = shift.models[0].new.value
    n_better = sum(one.new.value > best for one in shift.models)
    n_equal = sum(one.new.value == best for one in shift.models) - 1
    beside = f", tied with {n_equal} more" if n_equal else ""
    return f"; it is first there too{beside}" if not n_better else f"; it is number {n_better + 1} there{beside}"


def describe_fit(fit: ShiftFit) -> str:
    """Slope and offset in words."""
    unit, name, decimals = (100, " points", 1) if fit.scale is Scale.LINEAR else (1, "", 2)
    slope, offset = typeset(fit.slope, decimals=2), typeset(fit.offset, scale=unit, decimals=decimals)
    return (
        f"On the {fit.scale} scale the line through {fit.n_models} models has slope {slope} and offset {offset}{name} "
        f"({fit.n_bootstrap:,} bootstrap samples of {fit.resample.words})."
    )


def describe_change(metric: str, change: MeanChange) -> str:
    """By how much accuracies change on average, without the end of the sentence."""
    models = count_things(change.n, "model")
    said = say_metric(metric)
    return f"{said[0].upper()}{said[1:]} changes by {typeset(change, scale=100, sign=True)} points on average over {models}"


def name_labels(labels: str) -> str:
    """What a sentence calls the labels that score tables name.

    >>> name_labels("dataset"), name_labels("people@2")
    ('dataset labels', 'labels people@2')
    """
    return "dataset labels" if labels == DATASET_LABELS else f"labels {labels}"


def join_some(names: Sequence[str], thing: str, *, limit: int) -> str:
    """The first names, and how many more there are.

    >>> join_some(["a", "b", "c"], "model", limit=3), join_some(["a", "b", "c", "d"], "model", limit=2)
    ('a, b and c', 'a, b and 2 more models')
    """
    if len(names) <= limit:
        return join_words(names)
    return f"{', '.join(names[:limit])} and {count_things(len(names) - limit, f'more {thing}')}"
