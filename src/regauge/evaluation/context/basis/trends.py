"""Accuracy of classes against the mean selection frequency of their dataset label, and the classes that leave the line.

After Tsipras et al. (2020), figure 25. The line is that of least squares over classes, each with the weight of its images. A
class leaves it where so many or so few right answers would be unlikely if its accuracy were on the line; as many classes are
looked at, the p-values are adjusted (Benjamini and Hochberg). Frequencies are noisy themselves, which makes the line flatter
than it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtr

import regauge.frames as pl
from regauge.arrays import NO_CLASS, CountArray, FloatArray, divide
from regauge.estimates import format_plain
from regauge.evaluation.context.basis.selections import RowVotes, get_firsts
from regauge.evaluation.context.basis.tables import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    find_estimate,
    list_class,
    list_estimate,
    make_columns,
    make_frame,
    pad,
    put_class,
    put_limits,
    put_share,
    tell_leaving,
)
from regauge.evaluation.context.contract import ContextMaterial, ContextTable
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.frequency_means import GroupedValues, find_information, limit_group_means
from regauge.stats.intervals import Limits
from regauge.stats.listings import ListFirmness, measure_firmness
from regauge.stats.multiplicity import benjamini_hochberg
from regauge.stats.redraws import draw_weights, redraw_groups
from regauge.stats.resampling import percentile_limits

TREND = ContextTable(
    "Accuracy of classes against frequency",
    make_columns(
        {"participant": TEXT, "n_classes": INT, "n_leaving": INT},
        *map(list_estimate, ("slope", "offset", "correlation")),
    ),
    ("25",),
    plain=("slope", "offset", "correlation"),
)
CLASSES = ContextTable(
    "Classes off the line",
    make_columns(
        {"participant": TEXT},
        list_class(),
        {"n_judged": INT},
        list_estimate("frequency"),
        {"n": INT, "n_right": INT},
        list_estimate("accuracy"),
        {"expected": FLOAT, "residual": FLOAT, "p": FLOAT, "p_bh": FLOAT, "leaves": BOOL, "stays": FLOAT},
    ),
    ("25",),
    points=("residual",),
    plain=("p", "p_bh"),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Classes with a frequency and an accuracy."""

    classes: CountArray
    frequencies: FloatArray
    n: CountArray
    n_right: CountArray

    @property
    def accuracies(self) -> FloatArray:
        """The share of right answers."""
        return divide(self.n_right, self.n)


def follow_trends(
    material: ContextMaterial, settings: ContextSettings, *, votes: RowVotes | None, chosen: list[int]
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """The line and the classes of every chosen participant, those that leave it most clearly first."""
    if votes is None or material.firsts is None or not chosen:
        return make_frame(TREND), make_frame(CLASSES), []
    grouped, limits = _average(material, votes, settings)
    lines, tables, told = [], [], []
    for place in chosen:
        line, table, said = _follow(material, settings, (grouped, limits), place)
        lines.append(line)
        tables.append(table)
        told += said
    columns = {name: [line[name] for line in lines] for name in TREND.columns}
    return make_frame(TREND, columns), pl.concat(tables), told


def _average(material: ContextMaterial, votes: RowVotes, settings: ContextSettings) -> tuple[GroupedValues, Limits]:
    """The mean selection frequency of the dataset label in every class."""
    selected, shown = votes.own
    is_labelled = material.labels != NO_CLASS
    values = np.where(is_labelled, votes.own_frequencies, np.nan)
    grouped = GroupedValues(values, np.maximum(material.labels, 0), material.n_classes)
    information = find_information(selected, shown)
    return grouped, limit_group_means(grouped, information=information, spread=votes.spread, level=settings.level)


def _follow(
    material: ContextMaterial, settings: ContextSettings, averaged: tuple[GroupedValues, Limits], place: int
) -> tuple[dict[str, Any], pl.DataFrame, list[str]]:
    name, firsts, labels = material.participants[place], get_firsts(material)[place], material.labels
    is_counted = (labels != NO_CLASS) & (firsts != NO_CLASS)
    grouped, limits = averaged
    right = np.where(is_counted, (firsts == labels).astype(np.float64), np.nan)
    n = np.bincount(labels[is_counted], minlength=material.n_classes)
    n_right = np.bincount(labels[is_counted & (firsts == labels)], minlength=material.n_classes)
    used = np.flatnonzero((n > 0) & (grouped.n > 0))
    points = _Points(used, grouped.means[used], n[used], n_right[used])
    line = fit_line(points.frequencies[np.newaxis], points.accuracies[np.newaxis], weights=points.n)
    expected = np.clip(line.expected[0], 0, 1)
    p = _test(points, expected)
    score = _standardise(points.accuracies, line.expected[0], points.n)
    order = np.lexsort((used, -np.abs(score)))
    firmness = _redraw(np.stack([grouped.values, right], axis=1), material, points, order, settings)
    p_bh = benjamini_hochberg(p)
    leaves = p_bh <= 1 - settings.level
    columns = {
        "participant": [name] * len(used),
        **put_class(used[order], material.taxonomy),
        "n_judged": grouped.n[used][order],
        **put_limits(
            "frequency", points.frequencies[order], limits=Limits(limits.low[used][order], limits.high[used][order])
        ),
        "n": points.n[order],
        "n_right": points.n_right[order],
        **put_share("accuracy", points.n_right[order], n=points.n[order], level=settings.level),
        "expected": expected[order],
        "residual": (points.accuracies - expected)[order],
        "p": p[order],
        "p_bh": p_bh[order],
        "leaves": leaves[order],
        "stays": pad(firmness.stays, len(used)),
    }
    row = {"participant": name, "n_classes": len(used), "n_leaving": int(leaves.sum())}
    row |= _measure_line(points, settings)
    return row, make_frame(CLASSES, columns), [*_tell(row), *tell_leaving(firmness, "class", many="classes")]


def _tell(row: dict[str, Any]) -> list[str]:
    if row["n_classes"] < 3:
        return []
    correlation = find_estimate(row[name] for name in list_estimate("correlation"))
    return [
        (
            f"Over {row['n_classes']:,} classes the accuracy of {row['participant']} and the selection frequency of the label "
            f"correlate at {format_plain(correlation, decimals=2)}; {row['n_leaving']:,} leave the line."
        )
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Weighted lines of least squares, one per row of points.

    Attributes:
        slopes: NaN where all frequencies are equal.
        offsets: accuracy at a frequency of 0.
        correlations: NaN where either does not vary.
        expected: the accuracy on the line at every point [rows, points].
    """

    slopes: FloatArray
    offsets: FloatArray
    correlations: FloatArray
    expected: FloatArray


def fit_line(x: FloatArray, y: FloatArray, *, weights: FloatArray | CountArray) -> Lines:
    """The line of each row [rows, points]; a point that is NaN has no weight in its row.

    Without any spread of x the line is level.
    """
    known = ~(np.isnan(x) | np.isnan(y))
    w = np.where(known, weights, 0.0)
    x, y = np.where(known, x, 0.0), np.where(known, y, 0.0)
    total = w.sum(axis=1)
    mean_x, mean_y = divide((w * x).sum(axis=1), total), divide((w * y).sum(axis=1), total)
    dx, dy = x - mean_x[:, np.newaxis], y - mean_y[:, np.newaxis]
    sxx, syy, sxy = (w * dx * dx).sum(axis=1), (w * dy * dy).sum(axis=1), (w * dx * dy).sum(axis=1)
    slopes = divide(sxy, np.where(sxx > 1e-12, sxx, 0))
    level = np.where(np.isnan(slopes), 0, slopes)
    offsets = mean_y - level * mean_x
    correlations = divide(sxy, np.where((sxx > 1e-12) & (syy > 1e-12), np.sqrt(sxx * syy), 0))
    return Lines(slopes, offsets, correlations, offsets[:, np.newaxis] + level[:, np.newaxis] * x)


def _measure_line(points: _Points, settings: ContextSettings) -> dict[str, float]:
    """Slope, offset and correlation with limits from classes that are drawn anew."""
    x, y = points.frequencies[np.newaxis], points.accuracies[np.newaxis]
    found = fit_line(x, y, weights=points.n)
    rng, n = np.random.default_rng([settings.seed, 2]), settings.n_bootstrap
    replicates = np.full((n, 3), np.nan)
    for rows, weights in draw_weights(len(points.n), rng=rng, n_resamples=n):
        redrawn = fit_line(np.repeat(x, len(weights), axis=0), y, weights=(weights * points.n).astype(np.float64))
        replicates[rows] = np.stack([redrawn.slopes, redrawn.offsets, redrawn.correlations], axis=1)
    limits = percentile_limits(replicates, level=settings.level)
    row: dict[str, float] = {}
    values = (found.slopes, found.offsets, found.correlations)
    for place, (name, value) in enumerate(zip(("slope", "offset", "correlation"), values, strict=True)):
        numbers = (float(value[0]) if len(value) else np.nan, float(limits.low[place]), float(limits.high[place]))
        row |= dict(zip(list_estimate(name), numbers, strict=True))
    return row


def _standardise(accuracies: FloatArray, expected: FloatArray, n: CountArray) -> FloatArray:
    """How far accuracies are off the line, in standard deviations of as many answers that are right with what is expected."""
    within = np.clip(expected, 0.5 / n, 1 - 0.5 / n)
    return np.asarray((accuracies - within) / np.sqrt(within * (1 - within) / n), np.float64)


def _test(points: _Points, expected: FloatArray) -> FloatArray:
    """The exact probability of so many right answers or more, or so many or fewer, whichever is less, times two."""
    within = np.clip(expected, 0.5 / points.n, 1 - 0.5 / points.n)
    few = bdtr(points.n_right, points.n, within)
    many = 1 - np.where(points.n_right > 0, bdtr(points.n_right - 1, points.n, within), 0)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(few, many)), np.float64)


def _redraw(
    values: FloatArray, material: ContextMaterial, points: _Points, order: CountArray, settings: ContextSettings
) -> ListFirmness:
    """How firmly the first classes are off the line if the images of every class are drawn anew, and the line with them."""
    is_labelled = material.labels != NO_CLASS
    replicates = redraw_groups(
        values[is_labelled],
        material.labels[is_labelled],
        n_groups=material.n_classes,
        rng=np.random.default_rng([settings.seed, 3]),
        n_resamples=settings.n_bootstrap,
    )
    frequencies, accuracies = (one[:, points.classes].astype(np.float64) for one in replicates)
    lines = fit_line(frequencies, accuracies, weights=points.n)
    scores = np.abs(_standardise(accuracies, lines.expected, points.n))
    return measure_firmness(scores[:, order], settings.n_listed, level=settings.level)
