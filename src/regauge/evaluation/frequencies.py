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
from regauge.records.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray
from regauge.records.frequencies import SelectionCounts
from regauge.records.scores import ScoreSettings
from regauge.stats.frequency_means import bootstrap_mean_frequency
from regauge.stats.intervals import Limits
from regauge.stats.resampling import percentile_limits

IMAGE_AND_VOTE_BOOTSTRAP = "bootstrap of images and votes"


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
            _score_subset(n_shown[rows], n_selected[rows], settings)
            for rows in (np.flatnonzero(is_counted & _find_members(subset, target)) for subset in subsets)
        ]
    )


def _score_subset(
    n_shown: CountArray, n_selected: CountArray, settings: ScoreSettings
) -> dict[str, float | int | str | None]:
    is_judged = n_shown > 0
    n, n_unjudged = int(is_judged.sum()), int((~is_judged).sum())
    total = float((n_selected[is_judged] / n_shown[is_judged]).sum())
    limits = _bootstrap(n_shown[is_judged], n_selected[is_judged], settings) if n else None
    n_all = n + n_unjudged
    return {
        "n": n,
        "value": total / n if n else None,
        "low": None if limits is None else float(limits.low),
        "high": None if limits is None else float(limits.high),
        "interval": None if limits is None else IMAGE_AND_VOTE_BOOTSTRAP,
        "lower_bound": total / n_all if n_all else None,
        "upper_bound": (total + n_unjudged) / n_all if n_all else None,
        "n_unjudged": n_unjudged,
    }


def _bootstrap(n_shown: CountArray, n_selected: CountArray, settings: ScoreSettings) -> Limits:
    rng = np.random.default_rng(settings.seed)
    means: FloatArray = bootstrap_mean_frequency(n_selected, n_shown, rng=rng, n_resamples=settings.n_bootstrap)
    return percentile_limits(means, level=settings.level)


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
