"""Several new test sets beside one original: what each of them makes of the participants, and what varies more.

After Table 2 of Recht et al. (2019), where three ways of sampling from one pool gave three answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar

import polars as pl

from regauge.estimates import Estimate, format_limits, format_percent, to_fields
from regauge.records.evaluation.shifts import MeanChange, Shift, ShiftSettings
from regauge.records.results import Result

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanFrequency(Estimate[float | None]):
    """The mean selection frequency of the dataset labels of a set's images; without limits with one image.

    Its n are the images that people were asked about; the others do not count as 0 but are left out. Its method says what the
    limits hold for: other images and annotators, or other images alone.

    Attributes:
        labels: the label set that holds the counts.
    """

    value: float
    n: int
    labels: str


@dataclass(frozen=True, slots=True)
class SetChange:
    """The mean over participants of new − original.

    Attributes:
        by_participants: with participants drawn anew; one alone has no limits.
        by_images: with the images of both sets drawn anew.
    """

    by_participants: MeanChange
    by_images: MeanChange


@dataclass(frozen=True, slots=True)
class SetOverlap:
    """How many images two sets share."""

    first: str
    second: str
    n: int


@dataclass(frozen=True, slots=True)
class VariancePart:
    """A part of the variance of the accuracies, participants by new sets.

    Attributes:
        component: `SETS`, `PARTICIPANTS`, `REST` (some do better on some sets) or `IMAGES` (what the chance of the images
            adds to these three, which is taken off them).
        dof: degrees of freedom; None for the images.
        squares: the sum of squares.
        by_participants: its share of the whole, with participants drawn anew; one alone has no limits.
        by_images: the share, with the images of every set drawn anew.
    """

    component: str
    dof: int | None
    squares: float
    by_participants: Estimate[float | None]
    by_images: Estimate[float | None]


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
    spread: Estimate[float]
    deviation: Estimate[float] | None

    @property
    def name(self) -> str:
        """The name of the new set."""
        return self.shift.new


@dataclass(frozen=True, slots=True, eq=False)
class StrategyComparison(Result):
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

    plotter: ClassVar[str] = "plot_strategies"

    original: str
    original_frequency: MeanFrequency | None
    sets: tuple[NewSet, ...]
    ranges: Mapping[str, Estimate[float]]
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
        middle = median(one.value for one in self.ranges.values())
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
                **to_fields(part.by_participants, "share"),
                **to_fields(part.by_images, "share_images", value="share"),
            }
            for part in self.variance
        ]
        return pl.DataFrame(rows, schema=dict(VARIANCE_COLUMNS))


def _describe_share(part: VariancePart) -> str:
    """The share with both intervals, which answer different questions and may be far from each other."""
    ends = {"participants": part.by_participants, "images": part.by_images}
    limits = [
        f"other {drawn} {format_limits(share, scale=100)}"
        for drawn, share in ends.items()
        if share.value is not None and share.low is not None
    ]
    return format_percent(part.by_images.value) + (f" ({', '.join(limits)})" if limits else "")


def _describe_set(one: NewSet, metric: str) -> dict[str, Any]:
    """The row of a set under a metric; slope and spreads are those of the metric that is compared."""
    change, frequency = one.changes[metric], one.frequency
    row: dict[str, Any] = {"test_set": one.name, "n_images": one.n_images, "n_participants": change.by_participants.n}
    if frequency is not None:
        row |= {"frequency_labels": frequency.labels, "frequency_n": frequency.n, **to_fields(frequency, "frequency")}
        row |= {"frequency_interval": frequency.method}
    row |= {"metric": metric, **to_fields(change.by_participants, "change")}
    row |= to_fields(change.by_images, "change_images", value="change")
    if metric != one.shift.settings.metric:
        return row
    for fit in one.shift.fits[:1]:
        row |= to_fields(fit.slope, "slope")
    for name, spread in (("spread", one.spread), ("deviation", one.deviation)):
        if spread is not None:
            row |= to_fields(spread, name)
    return row
