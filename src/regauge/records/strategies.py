"""Several new test sets beside one original: what each of them makes of the participants, and what varies more.

After Table 2 of Recht et al. (2019), where three ways of sampling from one pool gave three answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import polars as pl

from regauge.records.estimates import format_percent
from regauge.records.shifts import Shift, ShiftSettings

STRATEGY_COLUMNS: Mapping[str, Any] = {
    "test_set": pl.String,
    "n_images": pl.Int64,
    "n_participants": pl.Int64,
    "frequency_labels": pl.String,
    "frequency_n": pl.Int64,
    "frequency": pl.Float64,
    "frequency_low": pl.Float64,
    "frequency_high": pl.Float64,
    "frequency_interval": pl.String,
    "metric": pl.String,
    "change": pl.Float64,
    "change_low": pl.Float64,
    "change_high": pl.Float64,
    "change_images_low": pl.Float64,
    "change_images_high": pl.Float64,
    "slope": pl.Float64,
    "slope_low": pl.Float64,
    "slope_high": pl.Float64,
    "spread": pl.Float64,
    "spread_low": pl.Float64,
    "spread_high": pl.Float64,
    "deviation": pl.Float64,
    "deviation_low": pl.Float64,
    "deviation_high": pl.Float64,
}
"""Names and types of the columns of a set."""

VARIANCE_COLUMNS: Mapping[str, Any] = {
    "component": pl.String,
    "dof": pl.Int64,
    "squares": pl.Float64,
    "share": pl.Float64,
    "share_low": pl.Float64,
    "share_high": pl.Float64,
    "share_images_low": pl.Float64,
    "share_images_high": pl.Float64,
}
"""Names and types of the columns of a part of the variance."""

SETS, PARTICIPANTS, REST, IMAGES = "sets", "participants", "rest", "images"
"""The parts of the variance."""


@dataclass(frozen=True, slots=True)
class MeanFrequency:
    """The mean selection frequency of the dataset labels of a set's images.

    Attributes:
        labels: the label set that holds the counts.
        n: images that people were asked about; the others do not count as 0 but are left out.
        value: the mean over them.
        low: lower limit; None with one image.
        high: upper limit, likewise.
        interval: what the limits hold for: other images and annotators, or other images alone.
    """

    labels: str
    n: int
    value: float
    low: float | None
    high: float | None
    interval: str | None = None


@dataclass(frozen=True, slots=True)
class SetChange:
    """The mean over participants of new − original.

    Attributes:
        n_participants: how many.
        value: the mean.
        low: lower limit with participants drawn anew; None for one alone.
        high: upper limit likewise.
        images_low: lower limit with the images of both sets drawn anew.
        images_high: upper limit likewise.
    """

    n_participants: int
    value: float
    low: float | None
    high: float | None
    images_low: float
    images_high: float


@dataclass(frozen=True, slots=True)
class SetOverlap:
    """How many images two sets share."""

    first: str
    second: str
    n: int


@dataclass(frozen=True, slots=True)
class Spread:
    """How far accuracies lie apart, with limits from drawing images anew."""

    name: str
    n: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class VariancePart:
    """A part of the variance of the accuracies, participants by new sets.

    Attributes:
        component: `SETS`, `PARTICIPANTS`, `REST` (some do better on some sets) or `IMAGES` (what the chance of the images
            adds to these three, which is taken off them).
        dof: degrees of freedom; None for the images.
        squares: the sum of squares.
        share: its share of the whole.
        low: lower limit with participants drawn anew; None for one alone.
        high: upper limit likewise.
        images_low: lower limit with the images of every set drawn anew.
        images_high: upper limit likewise.
    """

    component: str
    dof: int | None
    squares: float
    share: float | None
    low: float | None
    high: float | None
    images_low: float | None
    images_high: float | None


@dataclass(frozen=True, slots=True, eq=False)
class NewSet:
    """One new set beside the original.

    Attributes:
        shift: every participant on both: accuracies, gaps, ranks and the fit.
        n_images: images that count for every participant.
        frequency: mean selection frequency; None where nobody was asked.
        changes: by metric.
        spread: best minus worst participant.
        deviation: standard deviation over participants, with n − 1; None for one alone.
    """

    shift: Shift
    n_images: int
    frequency: MeanFrequency | None
    changes: Mapping[str, SetChange]
    spread: Spread
    deviation: Spread | None

    @property
    def name(self) -> str:
        """The name of the new set."""
        return self.shift.new


@dataclass(frozen=True, slots=True, eq=False)
class StrategyComparison:
    """Several new sets beside the original.

    Attributes:
        original: name of the original set.
        original_frequency: mean selection frequency of the original set; None where nobody was asked.
        sets: the new sets, as they were given.
        ranges: per participant, by original rank, its best minus its worst accuracy on the new sets.
        variance: the parts of the variance of all accuracies on the new sets.
        settings: how they were compared.
        notes: what the reader should know, a sentence each.
        warnings: what is probably wrong with the input, a sentence each.
        overlaps: pairs of sets, the original included, that share images; these are drawn together.
    """

    original: str
    original_frequency: MeanFrequency | None
    sets: tuple[NewSet, ...]
    ranges: tuple[Spread, ...]
    variance: tuple[VariancePart, ...]
    settings: ShiftSettings
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    overlaps: tuple[SetOverlap, ...] = ()

    def __repr__(self) -> str:
        head = f"<StrategyComparison of {self.original}: {len(self.sets)} new sets, {len(self.ranges)} participants>"
        return "\n".join([head, f"  {self.describe()}"])

    def get_part(self, component: str) -> VariancePart:
        """The part of the variance of that name."""
        return next(part for part in self.variance if part.component == component)

    def describe(self) -> str:
        """What varies more, sets or participants, in one sentence with its numbers."""
        middle = median(one.value for one in self.ranges)
        widest = max(self.sets, key=lambda one: one.spread.value)
        shares = [_describe_share(self.get_part(name)) for name in (SETS, PARTICIPANTS, REST, IMAGES)]
        return (
            f"A participant's {self.settings.metric} moves by {100 * middle:.1f} points (median of {len(self.ranges)}) between "
            f"the {len(self.sets)} new sets, and the participants lie up to {100 * widest.spread.value:.1f} points apart on one "
            f"set ({widest.name}): of the variance, {shares[0]} lies between sets, {shares[1]} between participants, {shares[2]} "
            f"in participants that do better on some sets, and {shares[3]} is the chance of the images."
        )

    def to_frame(self) -> pl.DataFrame:
        """One row per new set and metric; fractions, not percentages."""
        rows = [_describe_set(one, metric) for one in self.sets for metric in one.changes]
        return pl.DataFrame(rows, schema=dict(STRATEGY_COLUMNS))

    def to_variance_frame(self) -> pl.DataFrame:
        """One row per part of the variance."""
        rows = [
            {
                "component": part.component,
                "dof": part.dof,
                "squares": part.squares,
                "share": part.share,
                "share_low": part.low,
                "share_high": part.high,
                "share_images_low": part.images_low,
                "share_images_high": part.images_high,
            }
            for part in self.variance
        ]
        return pl.DataFrame(rows, schema=dict(VARIANCE_COLUMNS))


def _describe_share(part: VariancePart) -> str:
    """The share with both intervals, which answer different questions and may be far from each other."""
    ends = (("participants", part.low, part.high), ("images", part.images_low, part.images_high))
    limits = [
        f"other {drawn} [{100 * low:.1f}, {100 * high:.1f}]"
        for drawn, low, high in ends
        if low is not None and high is not None
    ]
    return format_percent(part.share) + (f" ({', '.join(limits)})" if limits and part.share is not None else "")


def _describe_set(one: NewSet, metric: str) -> dict[str, Any]:
    """The row of a set under a metric; slope and spreads are those of the metric that is compared."""
    change, frequency = one.changes[metric], one.frequency
    row: dict[str, Any] = {"test_set": one.name, "n_images": one.n_images, "n_participants": change.n_participants}
    if frequency is not None:
        row |= {"frequency_labels": frequency.labels, "frequency_n": frequency.n, "frequency": frequency.value}
        row |= {"frequency_low": frequency.low, "frequency_high": frequency.high}
        row |= {"frequency_interval": frequency.interval}
    row |= {"metric": metric, "change": change.value, "change_low": change.low, "change_high": change.high}
    row |= {"change_images_low": change.images_low, "change_images_high": change.images_high}
    if metric != one.shift.settings.metric:
        return row
    for fit in one.shift.fits[:1]:
        row |= {"slope": fit.slope, "slope_low": fit.slope_low, "slope_high": fit.slope_high}
    for name, spread in (("spread", one.spread), ("deviation", one.deviation)):
        if spread is not None:
            row |= {name: spread.value, f"{name}_low": spread.low, f"{name}_high": spread.high}
    return row
