"""The gap between two test sets, split into what selection frequencies explain and what they leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isclose
from typing import Any, ClassVar

import polars as pl

from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, check_level, format_points, to_fields
from regauge.records.evaluation.scores import BALANCED_SUFFIX
from regauge.records.results import Result
from regauge.records.testsets.sampling import N_BINS
from regauge.records.testsets.shared_images import SharedBy

MEAN = "(mean)"
"""Stands for the mean over all participants."""

N_GAP_SAMPLES = 1_000

NAIVE_WARNING = (
    "The naive method takes votes at their word, in five bins. In simulated studies with 5 to 40 annotators per image its "
    "remainder was off by up to 4 points; go by a corrected method where there is one."
)
CHOSEN_WARNING = (
    "For sets that votes chose without matching them, the remainders of jackknife and beta-binomial were off by up to 1 point "
    "in simulated studies, and that of deconvolution by up to half a point."
)

GAP_COLUMNS: Mapping[str, Any] = {
    "participant": pl.String,
    "method": pl.String,
    "n_original": pl.Int64,
    "n_new": pl.Int64,
    "gap": pl.Float64,
    "gap_low": pl.Float64,
    "gap_high": pl.Float64,
    "selection": pl.Float64,
    "selection_low": pl.Float64,
    "selection_high": pl.Float64,
    "remainder": pl.Float64,
    "remainder_low": pl.Float64,
    "remainder_high": pl.Float64,
    "selection_share": pl.Float64,
    "selection_share_low": pl.Float64,
    "selection_share_high": pl.Float64,
    "interval": pl.String,
}
"""The columns of the decomposition, in output order; docs/formats.md explains them."""

BIN_COLUMNS: Mapping[str, Any] = {
    "participant": pl.String,
    "test_set": pl.String,
    "bin": pl.String,
    "n": pl.Int64,
    "n_correct": pl.Int64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "interval": pl.String,
}
"""The columns of accuracies by bin of the selection frequency."""

REWEIGHTED_COLUMNS: Mapping[str, Any] = {
    "participant": pl.String,
    "test_set": pl.String,
    "shares": pl.String,
    "n": pl.Int64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "interval": pl.String,
}
"""The columns of accuracies on hypothetical sets."""

SET_COLUMNS: Mapping[str, Any] = {
    "test_set": pl.String,
    "n": pl.Int64,
    "observed_frequency": pl.Float64,
    "observed_low": pl.Float64,
    "observed_high": pl.Float64,
    "expected_frequency": pl.Float64,
    "expected_low": pl.Float64,
    "expected_high": pl.Float64,
}
"""The columns of observed and expected true selection frequencies."""


class GapMethod(StrEnum):
    """How images of equal selection frequency are found, when frequencies are counts of a few annotators."""

    NAIVE = "naive"
    """By the observed frequency, in five bins."""
    JACKKNIFE = "jackknife"
    """By the true frequency, of which annotators that are left out tell."""
    BETA_BINOMIAL = "beta-binomial"
    """By the true frequency, whose distribution is a mixture of betas."""
    DECONVOLUTION = "deconvolution"
    """By the true frequency, whose distribution may have any shape."""

    @property
    def is_biased(self) -> bool:
        """Whether its intervals are known not to hold; a warning stands beside its numbers."""
        return self is GapMethod.NAIVE


@dataclass(frozen=True, slots=True)
class GapSettings:
    """How a gap is split.

    Attributes:
        methods: how images of equal frequency are found.
        is_matched: whether the new set was drawn so as to have the frequencies of the original one; the bootstrap then
            matches as well, since chance that both sets share is no chance between them.
        shares: hypothetical sets, each given by its shares of the five bins.
        n_bootstrap: samples of the images.
        seed: start of the bootstrap.
        level: nominal coverage of every interval.
        metric: which accuracy is split.
        allow_missing: compare on the images that a participant answered when some have no prediction.
        shared: how images of both sets are known to be the same.
    """

    methods: tuple[GapMethod, ...] = (GapMethod.NAIVE, GapMethod.DECONVOLUTION)
    is_matched: bool = False
    shares: tuple[tuple[float, ...], ...] = ()
    n_bootstrap: int = N_GAP_SAMPLES
    seed: int = 0
    level: float = DEFAULT_LEVEL
    metric: str = "top1"
    allow_missing: bool = False
    shared: SharedBy = SharedBy.DIGESTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "methods", tuple(GapMethod(one) for one in dict.fromkeys(self.methods)))
        check_level(self.level)
        if not self.methods:
            raise InputError(f"A gap is split by at least one method: {', '.join(GapMethod)}.")
        if self.metric.endswith(BALANCED_SUFFIX):
            raise InputError(
                f"A gap is split image by image, so its metric is a plain one such as top1, not {self.metric}."
            )
        if not 100 <= self.n_bootstrap <= 1_000_000:
            raise InputError(f"A gap takes 100 to 1,000,000 bootstrap samples, not {self.n_bootstrap:,}.")
        if not 0 <= self.seed < 2**64:
            raise InputError(f"A seed is a whole number from 0 to 2**64 - 1, not {self.seed}.")
        for shares in self.shares:
            is_whole = len(shares) == N_BINS and min(shares) >= 0 and isclose(sum(shares), 1, abs_tol=1e-6)
            if not is_whole:
                given = ", ".join(f"{share:g}" for share in shares)
                raise InputError(f"A hypothetical set has {N_BINS} shares from 0 up that add up to 1, not {given}.")


@dataclass(frozen=True, slots=True)
class GapDecomposition:
    """One participant's gap = selection + remainder, by one method.

    Attributes:
        participant: who; `MEAN` for the mean over all.
        method: how images of equal frequency were found.
        n_original: images of the original set.
        n_new: images of the new set.
        gap: original − new.
        selection: what the gap would be if images of equal frequency were equally hard in both sets.
        remainder: the gap that is left at equal frequency.
        selection_share: selection/gap; None where the interval of the gap holds 0, since the share may then be anything.
    """

    participant: str
    method: GapMethod
    n_original: int
    n_new: int
    gap: Estimate[float]
    selection: Estimate[float]
    remainder: Estimate[float]
    selection_share: Estimate[float] | None


@dataclass(frozen=True, slots=True)
class BinAccuracy:
    """One participant's accuracy on the images of one set whose observed frequency lies in one bin; None without images."""

    participant: str
    test_set: str
    bin: str
    accuracy: Share[float | None]


@dataclass(frozen=True, slots=True)
class ReweightedAccuracy:
    """One participant's accuracy on a hypothetical set: the images of a set with other shares of the bins.

    Attributes:
        shares: the share of every bin.
        accuracy: on the n images in bins that have a share; None where one of these bins has no image, in the set or in all
            samples of it.
    """

    participant: str
    test_set: str
    shares: tuple[float, ...]
    accuracy: Estimate[float | None]


@dataclass(frozen=True, slots=True)
class SetFrequency:
    """How often a set's labels were selected, and how often an endless crowd would select them.

    Attributes:
        observed: mean of n_selected/n_shown. If these very votes chose the images, it is too high or too low.
        expected: mean true frequency, given the votes and the distribution that the images were drawn from; None where nobody
            but single annotators were asked, whose votes do not tell how noisy they are.
    """

    test_set: str
    n: int
    observed: Estimate[float]
    expected: Estimate[float] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GapReport(Result):
    """A gap split for every participant, with accuracies by bin and the frequencies of both sets.

    Attributes:
        original: name of the original set.
        new: name of the new set.
        n_pool: candidates whose counts tell what the new set was drawn from; None where its own counts had to.
        decompositions: participants in their order, then the mean; for each, the methods in their order.
        bins: accuracies by bin.
        reweighted: accuracies on hypothetical sets.
        frequencies: of the original and the new set.
        settings: how it was computed.
        notes: what the reader should know, a sentence each.
        warnings: what is probably wrong, a sentence each.
        n_shared: images that are in both sets, of those that count; samples have them together.
        people: the participants who are people, by name; figures draw them as diamonds.
    """

    plotter: ClassVar[str] = "plot_gap"

    original: str
    new: str
    n_pool: int | None
    decompositions: tuple[GapDecomposition, ...]
    bins: tuple[BinAccuracy, ...]
    reweighted: tuple[ReweightedAccuracy, ...]
    frequencies: tuple[SetFrequency, ...]
    settings: GapSettings
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    n_shared: int = 0
    people: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"<GapReport from {self.original} to {self.new}: {', '.join(self.settings.methods)}>"

    @property
    def shown(self) -> tuple[GapDecomposition, ...]:
        """What people are shown: the mean only where there is more than one participant."""
        is_single = len({one.participant for one in self.decompositions} - {MEAN}) == 1
        return tuple(one for one in self.decompositions if not (is_single and one.participant == MEAN))

    def get(self, participant: str, method: GapMethod | str) -> GapDecomposition:
        """The gap of a participant, or of `MEAN`, split by a method."""
        for one in self.decompositions:
            if one.participant == participant and one.method == method:
                return one
        raise InputError(f"There is no gap of {participant!r} split by {method}.")

    def _list_shown(self) -> tuple[list[str], list[list[Any]]]:
        rows: list[list[Any]] = [
            [one.participant, str(one.method), *map(format_points, (one.gap, one.selection, one.remainder))]
            for one in self.shown
        ]
        return ["participant", "method", "gap, in points", "selection", "remainder"], rows

    def to_frame(self) -> pl.DataFrame:
        """One row per participant and method; fractions, not percentages."""
        return make_frame([_flatten(one) for one in self.decompositions], GAP_COLUMNS)

    def to_bins_frame(self) -> pl.DataFrame:
        """One row per participant, set and bin."""
        rows = [
            {
                **_pick(one, ("participant", "test_set", "bin")),
                "n": one.accuracy.n,
                "n_correct": one.accuracy.k,
                **to_fields(one.accuracy),
                "interval": one.accuracy.method,
            }
            for one in self.bins
        ]
        return make_frame(rows, BIN_COLUMNS)

    def to_reweighted_frame(self) -> pl.DataFrame:
        """One row per participant, set and hypothetical set."""
        rows = [
            {
                **_pick(one, ("participant", "test_set")),
                "shares": format_shares(one.shares),
                "n": one.accuracy.n,
                **to_fields(one.accuracy),
                "interval": one.accuracy.method,
            }
            for one in self.reweighted
        ]
        return make_frame(rows, REWEIGHTED_COLUMNS)

    def to_sets_frame(self) -> pl.DataFrame:
        """One row per set."""
        rows = [
            {
                "test_set": one.test_set,
                "n": one.n,
                **to_fields(one.observed, "observed", value="observed_frequency"),
                **to_fields(one.expected, "expected", value="expected_frequency"),
            }
            for one in self.frequencies
        ]
        return make_frame(rows, SET_COLUMNS)


def format_shares(shares: tuple[float, ...]) -> str:
    """The shares of a hypothetical set as they are typed.

    >>> format_shares((0.0, 0.0, 0.1, 0.3, 0.6))
    '0,0,0.1,0.3,0.6'
    """
    return ",".join(f"{share:g}" for share in shares)


def make_frame(rows: list[dict[str, Any]], columns: Mapping[str, Any]) -> pl.DataFrame:
    """Rows as a data frame with these columns."""
    return pl.DataFrame({name: pl.Series([row[name] for row in rows], dtype=dtype) for name, dtype in columns.items()})


def _flatten(one: GapDecomposition) -> dict[str, Any]:
    parts = ("gap", "selection", "remainder", "selection_share")
    limits = {key: number for name in parts for key, number in to_fields(getattr(one, name), name).items()}
    return {**_pick(one, ("participant", "method", "n_original", "n_new")), **limits, "interval": one.gap.method}


def _pick(one: object, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names}
