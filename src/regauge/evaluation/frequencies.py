"""The mean selection frequency of a participant's predictions: how many people see in an image what was predicted.

After Tsipras et al. (2020, §5.1). A prediction whose class nobody was asked about has no frequency: it is left out of the
mean, and the bounds say what the mean would be if nobody, or everybody, had selected it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from regauge.evaluation.lookups import NO_PAIR, PairLookup, find_target_rows, make_lookup
from regauge.evaluation.subsets import Subset
from regauge.evaluation.targets import Target
from regauge.records.arrays import NO_CLASS, BoolArray, CountArray, IntArray
from regauge.records.frequencies import AnnotatorSpread, SelectionCounts
from regauge.records.scores import ScoreSettings
from regauge.stats.frequency_means import limit_mean_frequency

OVER_ANNOTATORS = "score, over images and annotators"
FOR_THESE_ANNOTATORS = "score, over images, for these annotators"
"""Limits where nobody knows who gave which vote: they do not say what other annotators would select."""


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyMeasure:
    """Selection counts bound to the rows of a target.

    Attributes:
        counts: the counts.
        lookup: from (row, class) to the place in the counts.
        is_known: the rows whose images were asked about at all.
    """

    counts: SelectionCounts
    lookup: PairLookup
    is_known: BoolArray


def find_frequency_measures(target: Target) -> tuple[FrequencyMeasure, ...]:
    """One measure per table of counts."""
    return tuple(_bind(target, counts) for counts in target.frequencies)


def score_frequency(
    measure: FrequencyMeasure, answers: IntArray, *, target: Target, subsets: Sequence[Subset], settings: ScoreSettings
) -> pl.DataFrame:
    """One row per subset: the mean frequency over predictions that people were asked about, with interval and bounds."""
    places = measure.lookup.find(answers[:, 0])
    n_shown = np.where(places == NO_PAIR, 0, measure.counts.n_shown[places])
    n_selected = np.where(places == NO_PAIR, 0, measure.counts.n_selected[places])
    is_counted = measure.is_known & (answers[:, 0] != NO_CLASS)
    return pl.DataFrame(
        [
            _score_subset(n_shown[rows], n_selected[rows], measure.counts.spread, settings)
            for rows in (np.flatnonzero(is_counted & _find_members(subset, target)) for subset in subsets)
        ]
    )


def _score_subset(
    n_shown: CountArray, n_selected: CountArray, spread: AnnotatorSpread | None, settings: ScoreSettings
) -> dict[str, float | int | str | None]:
    is_judged = n_shown > 0
    n, n_unjudged = int(is_judged.sum()), int((~is_judged).sum())
    total = float((n_selected[is_judged] / n_shown[is_judged]).sum())
    limits = limit_mean_frequency(n_selected[is_judged], n_shown[is_judged], spread=spread, level=settings.level)
    has_limits = n > 1
    n_all = n + n_unjudged
    return {
        "n": n,
        "value": total / n if n else None,
        "low": float(limits.low) if has_limits else None,
        "high": float(limits.high) if has_limits else None,
        "interval": name_limits(spread) if has_limits else None,
        "lower_bound": total / n_all if n_all else None,
        "upper_bound": (total + n_unjudged) / n_all if n_all else None,
        "n_unjudged": n_unjudged,
    }


def name_limits(spread: AnnotatorSpread | None) -> str:
    """What the limits of a mean frequency hold for."""
    return FOR_THESE_ANNOTATORS if spread is None else OVER_ANNOTATORS


def _bind(target: Target, counts: SelectionCounts) -> FrequencyMeasure:
    rows = find_target_rows(target, counts.image_ids)
    is_known = np.zeros(len(target.image_ids), np.bool_)
    is_known[rows[rows != NO_PAIR]] = True
    lookup = make_lookup(target, counts.image_ids, images=counts.images, classes=counts.classes)
    return FrequencyMeasure(counts, lookup, is_known)


def _find_members(subset: Subset, target: Target) -> BoolArray:
    if subset.classes is not None:
        return np.isin(target.dataset_labels, subset.classes)
    is_member = np.zeros(len(target.image_ids), np.bool_)
    is_member[slice(None) if subset.rows is None else subset.rows] = True
    return is_member
