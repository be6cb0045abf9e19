"""Sampled review: what is frozen before the first verdict, how far pairs are settled, and what that is expected to take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, FloatArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.estimates import Estimate
from regauge.records.evaluation.reviews import ReviewTerms

_MIDDLE = (0.5, 0.05, 0.95)

MAX_SAMPLED = 20
"""Participants of one sampled review; among more, nearly all pairs would wait for the closest ones."""

STANDING_COLUMNS: Mapping[str, Any] = {
    "first": pl.String,
    "second": pl.String,
    "settled": pl.Boolean,
    "ahead": pl.String,
    "by": pl.String,
    "n_images": pl.Int64,
    "n_items": pl.Int64,
    "evidence_first": pl.Float64,
    "evidence_second": pl.Float64,
    "evidence_needed": pl.Float64,
    "lower_bound": pl.Int64,
    "upper_bound": pl.Int64,
}
"""The columns of standings of a sampled review, in output order; bounds are in images."""

FORECAST_COLUMNS: Mapping[str, Any] = {
    "first": pl.String,
    "second": pl.String,
    "n_open": pl.Int64,
    "n_items": pl.Int64,
    "items": pl.Float64,
    "items_low": pl.Float64,
    "items_high": pl.Float64,
    "answers": pl.Float64,
    "answers_low": pl.Float64,
    "answers_high": pl.Float64,
    "hours": pl.Float64,
    "hours_low": pl.Float64,
    "hours_high": pl.Float64,
    "share_early": pl.Float64,
}
"""The columns of a forecast, in output order; low and high are the ends of the middle 90% of simulated reviews."""


class SettledBy(StrEnum):
    """How a pair was settled."""

    SAMPLE = "sample"
    """By the evidence of the images that were drawn; wrong with the probability that the plan allows."""
    BOUNDS = "bounds"
    """No verdict that is still open can turn it."""


@dataclass(frozen=True, slots=True)
class AgreementPredictor:
    """The chance that a class is judged correct, from the share of participants who answer it.

    On the answers of 67 models and the labels of Beyer et al. (2020) the share of correct answers follows these lines closely. A
    bad predictor makes a review longer, never wrong.

    Attributes:
        other: a class that is not the dataset label is correct with this chance times the share.
        label: the dataset label is correct with this chance where nobody answers it, rising to 1 where everybody does.
        problematic: the chance that an image is called problematic and counts for nobody.
    """

    other: float = 0.9
    label: float = 0.6
    problematic: float = 0.05

    def __post_init__(self) -> None:
        if not all(0 <= one <= 1 for one in (self.other, self.label, self.problematic)):
            raise InputError("The predictor of a review has chances from 0 to 1.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledReviewPlan:
    """Everything that a sampled review rests on, frozen before its first verdict; columns are in the order of review.

    Attributes:
        test_set: what the images are of.
        labels: the label set that was there; empty where there was none.
        participants: who is compared; every two of them are a statement.
        terms: metric, level and seed.
        trust_dataset_labels: whether dataset labels without verdict count as correct.
        predictor: where chances come from.
        image_ids: the images to be reviewed.
        n_items: open classes of each.
        weights: of each in the drawing; the next image is drawn in proportion to them.
        answers: first answers [participants, images].
        outcomes: what they are worth by the verdicts that were there [participants, images].
        chances: that they turn out right [participants, images]; 0 or 1 where that is known.
        known: per pair, the difference on all other images, which nobody reviews.
    """

    test_set: str
    labels: str
    participants: tuple[str, ...]
    terms: ReviewTerms
    trust_dataset_labels: bool
    predictor: AgreementPredictor
    image_ids: IdArray
    n_items: IntArray
    weights: FloatArray
    answers: IntArray
    outcomes: NDArray[np.int8]
    chances: FloatArray
    known: CountArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner="The plan of a review"))
        types = {"n_items": np.int32, "weights": np.float64, "answers": np.int32, "outcomes": np.int8}
        for column, kind in {**types, "chances": np.float64, "known": np.int64}.items():
            object.__setattr__(self, column, freeze(getattr(self, column), kind))
        self._check()

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<SampledReviewPlan: {len(self.pairs):,} pairs, {len(self):,} images>"

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The statements: every two participants, by row."""
        return list(combinations(range(len(self.participants)), 2))

    @property
    def enough(self) -> float:
        """The evidence at which a statement is settled: 2m/α for m statements, each of which can go two ways."""
        return 2 * len(self.pairs) / (1 - self.terms.level)

    def _check(self) -> None:
        n, shape = len(self.image_ids), (len(self.participants), len(self.image_ids))
        if any(one.shape != (n,) for one in (self.n_items, self.weights)):
            raise InputError(f"The plan of a review of {n:,} images needs {n:,} weights and numbers of items.")
        if any(one.shape != shape for one in (self.answers, self.outcomes, self.chances)):
            raise InputError(f"The plan of a review needs answers, outcomes and chances of the shape {list(shape)}.")
        if self.known.shape != (len(self.pairs),):
            raise InputError(f"The plan of a review needs {len(self.pairs):,} known differences.")
        if n and not (np.isfinite(self.weights).all() and self.weights.min() > 0):
            raise InputError("The weights of a review are above 0.")
        if n and not (self.chances.min() >= 0 and self.chances.max() <= 1):
            raise InputError("The chances of a review are from 0 to 1.")


@dataclass(frozen=True, slots=True)
class PairStanding:
    """How far a review has come with two participants.

    Attributes:
        first: the name of one.
        second: the name of the other.
        sign: 1 where the first is ahead, −1 where the second is, 0 where neither is; None while that is open.
        by: how it was settled; None while it is open.
        n_images: images reviewed in the order of the plan until it was settled, or so far.
        n_items: their items.
        evidence_first: the wealth of a bet on the first, at its highest; it starts at 1.
        evidence_second: that of a bet on the second.
        lower: the least that the difference can become, in images.
        upper: the most.
    """

    first: str
    second: str
    sign: int | None
    by: SettledBy | None
    n_images: int
    n_items: int
    evidence_first: float
    evidence_second: float
    lower: int
    upper: int

    @property
    def ahead(self) -> str:
        """Who is ahead; empty where nobody is or where that is open."""
        return "" if not self.sign else self.first if self.sign > 0 else self.second


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """A sampled review so far.

    Attributes:
        standings: of every pair.
        n_reviewed: images of the finished beginning of the order, on which evidence rests.
        n_later: finished images after the first unfinished one: they count in the bounds alone, until the gap is closed.
        n_worst: images among the finished beginning that entered at their worst value.
    """

    standings: tuple[PairStanding, ...]
    n_reviewed: int
    n_later: int
    n_worst: int

    def to_frame(self, enough: float) -> pl.DataFrame:
        """One row per pair."""
        rows = [
            {
                "first": one.first,
                "second": one.second,
                "settled": one.sign is not None,
                "ahead": one.ahead,
                "by": one.by or "",
                "n_images": one.n_images,
                "n_items": one.n_items,
                "evidence_first": one.evidence_first,
                "evidence_second": one.evidence_second,
                "evidence_needed": enough,
                "lower_bound": one.lower,
                "upper_bound": one.upper,
            }
            for one in self.standings
        ]
        return pl.DataFrame(rows, schema=dict(STANDING_COLUMNS))


@dataclass(frozen=True, slots=True, eq=False)
class PairForecast:
    """What a pair is expected to take.

    Attributes:
        first: the name of one participant.
        second: the name of the other.
        n_open: unjudged answers on images where the two answer differently.
        items: items until the pair is settled, one number per simulated review; those that are done already are among them.
        is_early: per simulated review, whether the sample settled it, before bounds alone would.
    """

    first: str
    second: str
    n_open: int
    items: CountArray
    is_early: BoolArray


@dataclass(frozen=True, slots=True)
class ReviewEffort:
    """What one item takes.

    Attributes:
        answers: people who judge each item.
        seconds: that one of them takes for it.
    """

    answers: int = 3
    seconds: float = 15.0

    def __post_init__(self) -> None:
        if not 1 <= self.answers <= 100:
            raise InputError(f"An item is judged by 1 to 100 people, not {self.answers}.")
        if not 0 < self.seconds <= 86_400:
            raise InputError(f"An item takes more than 0 seconds and up to a day, not {self.seconds:g}.")


@dataclass(frozen=True, slots=True, eq=False)
class ReviewForecast:
    """What a sampled review is expected to take.

    Attributes:
        pairs: what every pair takes.
        n_images: images in the plan.
        n_items: their items: what the review of everything would take.
        effort: what one item takes.
    """

    pairs: tuple[PairForecast, ...]
    n_images: int
    n_items: int
    effort: ReviewEffort

    @property
    def items(self) -> CountArray:
        """Items until all pairs are settled, one number per simulated review."""
        items: CountArray = np.max([one.items for one in self.pairs], axis=0)
        return items

    def to_frame(self) -> pl.DataFrame:
        """One row per pair."""
        return pl.DataFrame([self._describe(one) for one in self.pairs], schema=dict(FORECAST_COLUMNS))

    def _describe(self, pair: PairForecast) -> dict[str, Any]:
        middle, low, high = np.quantile(pair.items, _MIDDLE).tolist()
        row: dict[str, Any] = {
            "first": pair.first,
            "second": pair.second,
            "n_open": pair.n_open,
            "n_items": self.n_items,
        }
        hours = self.effort.answers * self.effort.seconds / 3_600
        for name, each in {"items": 1.0, "answers": float(self.effort.answers), "hours": hours}.items():
            row |= {name: each * middle, f"{name}_low": each * low, f"{name}_high": each * high}
        return row | {"share_early": float(pair.is_early.mean())}

    def expect_items(self) -> tuple[Estimate[float], ...]:
        """Per pair, the median of its items and the ends of the middle 90%."""
        found = (np.quantile(one.items, _MIDDLE).tolist() for one in self.pairs)
        return tuple(Estimate(*one, n=len(self.pairs[0].items)) for one in found)


@dataclass(frozen=True, slots=True, eq=False)
class PlannedReview:
    """A plan as it is kept: with the items that were forecast for every pair when it was made."""

    plan: SampledReviewPlan
    expected: tuple[Estimate[float], ...]

    def __post_init__(self) -> None:
        if len(self.expected) != len(self.plan.pairs):
            raise InputError(f"A plan of {len(self.plan.pairs):,} pairs has as many forecasts.")
