"""What a multi-label truth says of images and of participants: several right labels, and multi-label against top-1 and top-5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, check_level
from regauge.records.evaluation.details import ScoreChange

TRUTH_COLUMNS: Mapping[str, Any] = {
    "figure": pl.String,
    "participant": pl.String,
    "metric": pl.String,
    "against": pl.String,
    "reason": pl.String,
    "n": pl.Int64,
    "k": pl.Int64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "interval": pl.String,
    "before": pl.Float64,
    "after": pl.Float64,
    "rank_before": pl.Int64,
    "rank_after": pl.Int64,
}
"""The columns of everything that a multi-label truth says, in output order."""


@dataclass(frozen=True, slots=True)
class MetricChanges:
    """One metric of a label set against one of the dataset labels, on the images that count under both.

    Attributes:
        metric: by the label set, such as multilabel_strict.
        against: by the dataset labels, such as top1.
        changes: of every participant that has both, the best by the dataset labels first.
        median: of the changes, over participants; its limits hold for images like these, whatever unjudged answers turn out
            to be.
    """

    metric: str
    against: str
    changes: tuple[ScoreChange, ...]
    median: Estimate[float | None]

    @property
    def moved(self) -> tuple[ScoreChange, ...]:
        """Participants whose rank is another, those that move farthest first."""
        moved = [one for one in self.changes if one.rank_before != one.rank_after]
        return tuple(sorted(moved, key=lambda one: (-abs(one.rank_before - one.rank_after), one.rank_before)))


@dataclass(frozen=True, slots=True)
class SettledPairs:
    """How many pairs of participants no open verdict can turn any more, under one metric."""

    metric: str
    n_settled: int
    n_pairs: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MultilabelTruth:
    """What a label set says of the images of a test set, and of the participants on it.

    Attributes:
        labels: the label set, as outputs call it.
        test_set: on which images.
        n_images: images of the test set that the label set lists.
        problematic: the share of them that is problematic.
        multilabel: of those that count, the share with two or more correct labels.
        mean_labels: the mean number of correct labels of these.
        reasons: why classes are correct or unclear, of the verdicts on images that count that have a reason; the most frequent
            first.
        n_open: answers and dataset labels of the whole test set without verdict.
        settled: by metric, pairs that are settled by bounds.
        comparisons: multi-label against top-1 and top-5.
        allows_several: whether an image could have two correct labels at all; not where one class of each was judged.
        level: of all limits.
        people: the participants who are people, by name.
    """

    labels: str
    test_set: str
    n_images: int
    problematic: Share[float | None]
    multilabel: Share[float | None]
    mean_labels: Estimate[float | None]
    reasons: tuple[tuple[str, Share[float | None]], ...]
    n_open: int
    settled: tuple[SettledPairs, ...]
    comparisons: tuple[MetricChanges, ...]
    allows_several: bool = True
    level: float = DEFAULT_LEVEL
    people: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_level(self.level)

    def __repr__(self) -> str:
        return f"<MultilabelTruth: {self.labels} on {self.n_images:,} images of {self.test_set}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per figure; what a figure does not have is null."""
        return pl.DataFrame(list(self._list_rows()), schema=dict(TRUTH_COLUMNS))

    def _list_rows(self) -> Iterator[dict[str, Any]]:
        yield {"figure": "problematic_images", **_list_fields(self.problematic)}
        yield {"figure": "multilabel_images", **_list_fields(self.multilabel)}
        yield {"figure": "labels_per_multilabel_image", **_list_fields(self.mean_labels)}
        for reason, share in self.reasons:
            yield {"figure": "reason", "reason": reason, **_list_fields(share)}
        yield {"figure": "open_items", "k": self.n_open}
        for one in self.settled:
            yield {"figure": "settled_pairs", "metric": one.metric, "n": one.n_pairs, "k": one.n_settled}
        for found in self.comparisons:
            name = {"metric": found.metric, "against": found.against}
            yield {"figure": "median_change", **name, **_list_fields(found.median)}
            for change in found.changes:
                yield {"figure": "change", "participant": change.participant, **name, **_list_change(change)}


def _list_fields(estimate: Estimate[float | None] | None) -> dict[str, Any]:
    if estimate is None:
        return {}
    k = {"k": estimate.k} if isinstance(estimate, Share) else {}
    limits = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {"n": estimate.n, **k, **limits, "interval": None if estimate.low is None else estimate.method}


def _list_change(change: ScoreChange) -> dict[str, Any]:
    ranks = {"rank_before": change.rank_before, "rank_after": change.rank_after}
    return {**_list_fields(change.change), "before": change.before.value, "after": change.after.value, **ranks}
