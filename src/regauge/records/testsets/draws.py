"""Drawn test sets as people look at them: what they are made of, what differs between two, and what a review removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import polars as pl

from regauge.errors import InputError
from regauge.estimates import Estimate, Share
from regauge.records.studies import TestSetEntry
from regauge.records.testsets.pool import DrawEntry, Exclusion
from regauge.records.testsets.sampling import ABOVE, BIN_NAMES, Draw, SamplingPlan, Shortfall, Strategy


class ImageChange(StrEnum):
    """What became of an image between two draws."""

    CARRIED_OVER = "carried-over"
    """It is in both."""
    NEW = "new"
    """It is only in the second."""
    REMOVED = "removed"
    """It is only in the first."""


CHANGE_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "class": pl.Int32,
    "change": pl.String,
    "reason": pl.String,
    "upward": pl.Boolean,
    "n_shown": pl.Int64,
    "n_selected": pl.Int64,
}
"""The columns of a difference of two draws, in output order; docs/formats.md explains them."""


@dataclass(frozen=True, slots=True)
class DrawChange:
    """What became of one image.

    Attributes:
        image_id: which image.
        class_index: its class.
        change: what became of it.
        reason: why it was removed; empty where it was not.
        is_upward: whether it was taken from a higher bin than the one that needed it.
        n_shown: accepted annotators who saw it.
        n_selected: those of them who found the class in it.
    """

    image_id: str
    class_index: int
    change: ImageChange
    reason: str
    is_upward: bool
    n_shown: int
    n_selected: int


@dataclass(frozen=True, slots=True)
class DrawDiff:
    """What differs between two drawn test sets, class by class."""

    first: str
    second: str
    changes: tuple[DrawChange, ...]

    def count(self, change: ImageChange | str) -> int:
        """How many images that became of."""
        return sum(one.change == change for one in self.changes)

    def find(self, change: ImageChange | str) -> tuple[DrawChange, ...]:
        """The images that became of."""
        return tuple(one for one in self.changes if one.change == change)

    @property
    def n_upward(self) -> int:
        """New images that were taken from a higher bin than the one that needed them."""
        return sum(one.change is ImageChange.NEW and one.is_upward for one in self.changes)

    def to_frame(self) -> pl.DataFrame:
        """The images as a data frame."""
        rows = [
            (
                one.image_id,
                one.class_index,
                one.change.value,
                one.reason or None,
                one.is_upward,
                one.n_shown,
                one.n_selected,
            )
            for one in self.changes
        ]
        return pl.DataFrame(rows, schema=dict(CHANGE_COLUMNS), orient="row")


@dataclass(frozen=True, slots=True)
class BinCount:
    """Images of a drawn set in one bin of the selection frequency."""

    bin: str
    n: int
    n_upward: int


@dataclass(frozen=True, slots=True)
class DrawDescription:
    """A drawn test set at a glance.

    Attributes:
        entry: the test set.
        drawn: how and from what it was drawn, and what was lacking.
        n_classes: classes with an image in it.
        n_carried: images that were in the set that it revises.
        bins: images in every bin of the selection frequency.
        frequency: their mean selection frequency. It was seen while choosing, so it looks better than it is.
        removed: what reviewers have removed since, by image.
        revisions: test sets that revise it.
        reported: the mean selection frequency by annotators who had no part in the choice, where one half chose.
        is_settled: whether counts are what several rounds of a campaign decided, and not votes as they were given.
    """

    entry: TestSetEntry
    drawn: DrawEntry
    n_classes: int
    n_carried: int
    bins: tuple[BinCount, ...]
    frequency: Estimate[float | None]
    removed: Mapping[str, Exclusion]
    revisions: tuple[str, ...] = ()
    reported: Estimate[float | None] | None = None
    is_settled: bool = False

    @property
    def n_upward(self) -> int:
        """Images that were taken from a higher bin than the one that needed them."""
        return sum(one.n_upward for one in self.bins)


@dataclass(frozen=True, slots=True)
class ReviewedImage:
    """One image of a drawn set, as its reviewer sees it.

    Attributes:
        image_id: which image.
        pool_id: the batch that it is from.
        pool_row: its row there.
        frequency: which share of the annotators who saw it found the class in it.
        keyword: what it was searched by; empty where that is unknown.
        is_carried: whether it was in the set that this one revises.
        is_upward: whether it was taken from a higher bin than the one that needed it.
        removed: why and by whom it was removed, if it was.
    """

    image_id: str
    pool_id: int
    pool_row: int
    frequency: Share[float | None]
    keyword: str
    is_carried: bool
    is_upward: bool
    removed: Exclusion | None


@dataclass(frozen=True, slots=True)
class ClassReview:
    """How far the review of a class is.

    Attributes:
        class_index: which class.
        n_images: its images in the set.
        n_removed: those of them that reviewers removed.
        is_reviewed: whether somebody has looked at every one of them, here or in a set that this one revises.
    """

    class_index: int
    n_images: int
    n_removed: int
    is_reviewed: bool


@dataclass(frozen=True, slots=True)
class RevisionForecast:
    """What a revision would do to a class, or to all of them.

    Attributes:
        n_new: images that it would take anew.
        shortfalls: what it would lack.
    """

    n_new: int
    shortfalls: tuple[Shortfall, ...]

    @property
    def n_missing(self) -> int:
        """How many images it would lack."""
        return sum(one.n_missing for one in self.shortfalls)


def describe_shortfalls(shortfalls: Sequence[Shortfall], names: Sequence[str]) -> list[str]:
    """What every class lacks, where, and what to gather, a line each.

    Args:
        shortfalls: what is lacking.
        names: of the classes, by index.

    >>> describe_shortfalls([Shortfall(1, "[0.8, 1]", 3, 18)], ["cat", "dog"])
    ['class 1 (dog) lacks 3 images in [0.8, 1]: gather about 18 more candidates']
    """
    return [_describe(one, names) for one in shortfalls]


def describe_plan(plan: SamplingPlan) -> dict[str, Any]:
    """What a plan says, by name; thresholds only where they matter."""
    found: dict[str, Any] = {"strategy": plan.strategy.value, "per class": plan.per_class, "seed": plan.seed}
    if plan.strategy is Strategy.THRESHOLD:
        others = (f"class {index}: {share:g}" for index, share in plan.class_thresholds.items())
        found["threshold"] = "; ".join([f"{plan.threshold:g}", *others])
    found["annotators a candidate needs"] = plan.min_annotations
    if plan.strategy is Strategy.MATCHED_FREQUENCY:
        found["annotated originals a class needs"] = plan.min_original
    return found


def check_complete(draw: Draw, names: Sequence[str]) -> None:
    """Refuse a draw that lacks images.

    Raises:
        InputError: a class lacks images; the message names every class, what it lacks and what to gather.
    """
    if draw.shortfalls:
        n = sum(one.n_missing for one in draw.shortfalls)
        n_classes = len({one.class_index for one in draw.shortfalls})
        lines = "; ".join(describe_shortfalls(draw.shortfalls, names))
        raise InputError(
            f"The pool falls short by {n:,} image{'s' if n > 1 else ''} in {n_classes:,} class{'es' if n_classes > 1 else ''}: "
            f"{lines}. Gather them, or take what there is with `allow_short=True`."
        )


def _describe(one: Shortfall, names: Sequence[str]) -> str:
    where = f" of the keyword {one.where!r}" if one.where else ""
    if one.where in BIN_NAMES:
        where = f" in {one.where}"
    elif one.where.startswith(ABOVE):
        where = f" with a selection frequency {one.where}"
    images = "1 image" if one.n_missing == 1 else f"{one.n_missing:,} images"
    gather = f"gather about {one.n_to_gather:,} more candidates" if one.n_to_gather else "gather candidates"
    if one.n_to_gather is None and one.where:
        gather = "gather candidates of another kind, as none so far could be taken there"
    return f"class {one.class_index} ({names[one.class_index]}) lacks {images}{where}: {gather}"
