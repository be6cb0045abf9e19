"""The mean over models of new − original, with limits that take images, models or both for drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.evaluation.robustness import FEW_RESAMPLED
from regauge.evaluation.side_pairs import Pair, find_accuracies
from regauge.evaluation.sides import CHANGES, Side
from regauge.records.evaluation.fits import Resample
from regauge.records.evaluation.scores import is_balanced
from regauge.records.evaluation.shifts import MeanChange
from regauge.stats.balanced import find_balanced_score_limits, subtract_limits
from regauge.stats.intervals import Limits
from regauge.stats.resampling import bootstrap, bootstrap_group_mean, percentile_limits

N_MEAN_RESAMPLES = 10_000


class _BalancedMean(NamedTuple):
    """The mean over classes of the share of models that is right, and its limits."""

    value: FloatArray
    limits: Limits


def find_mean_changes(pair: Pair) -> dict[str, MeanChange]:
    """The mean changes of top-1, top-5 and the metric that is compared, where both sides allow them."""
    metrics = dict.fromkeys((*CHANGES, pair.settings.metric))
    both = [metric for metric in metrics if metric in pair.original.counts and metric in pair.new.counts]
    return {metric: find_mean_change(pair, metric, resample=pair.settings.change_resample) for metric in both}


def find_mean_change(pair: Pair, metric: str, *, resample: Resample) -> MeanChange:
    """The mean change under a metric.

    The mean over models is a difference of two means over images, of the share of models that is right on each. So drawing
    images anew needs no bootstrap (`gap_limits.find_gap_limits`), and one model has limits as well. Models are drawn by a
    bootstrap, and cannot be where there is one. With both, the distances to the two limits add up in squares, for what
    images and what models add is independent; no limit leaves the changes that there are, −1 to 1.
    """
    changes = find_accuracies(pair.new, metric) - find_accuracies(pair.original, metric)
    value = float(changes.mean())
    distances = []
    if resample.has_images:
        distances.append(_measure_images(pair, metric))
    if resample.has_models:
        distances.append(_measure_models(pair, changes, resample=resample))
    low, high = np.sqrt((np.array(distances) ** 2).sum(axis=0)).tolist()
    if np.isnan(low):
        return MeanChange(value=value, low=None, high=None, n=len(changes), resample=resample)
    low, high = max(value - low, -1.0), min(value + high, 1.0)
    return MeanChange(value=value, low=low, high=high, n=len(changes), resample=resample)


def note_changes(pair: Pair, changes: Mapping[str, MeanChange]) -> Iterator[str]:
    """Sentences where mean changes have no interval, and what would give one; and where too few models are drawn to trust it."""
    drawn = pair.settings.change_resample
    n_drawn = len(set(pair.name_groups(pair.models, drawn)))
    if changes and drawn.has_models and n_drawn == 1:
        one = "one family" if drawn.has_families else "one model"
        yield f"The mean change has no interval: {one} alone cannot be resampled.{_tell_other_way(pair)}"
        return
    if changes and drawn.has_models and n_drawn < FEW_RESAMPLED:
        what = "families" if drawn.has_families else "models"
        yield f"The limits of mean changes come from resampling {n_drawn} {what}, which are too few to trust them."
    for metric, change in changes.items():
        if change.low is None:
            yield f"The mean change of {metric} has no interval, for no image of a set counts for every model."


def _tell_other_way(pair: Pair) -> str:
    """What would give an interval; images of balanced means are drawn for mean changes alone, and only unasked."""
    if pair.settings.is_balanced:
        return " Without `resample=…` it has one."
    return ' With `resample="images"` it has one.'


def _measure_images(pair: Pair, metric: str) -> tuple[float, float]:
    """How far the limits lie below and above the mean change with the images of both sets drawn anew."""
    if is_balanced(metric):
        return _measure_classes(pair)
    gap = pair.limit_gap(pair.original.image_scores[metric], pair.new.image_scores[metric])
    # The change is the gap turned round, and so are its limits.
    return gap.high - gap.value, gap.value - gap.low


def _measure_classes(pair: Pair) -> tuple[float, float]:
    """The same for a mean of per-class means, on the images that count for every model, drawn anew within their classes.

    These images may have another mean than all images, so the distances are those from their own; NaN where there are none.
    """
    old, new = (_limit_balanced_mean(side, level=pair.settings.level) for side in (pair.original, pair.new))
    low, high = subtract_limits(new.value, old.value, limits=(new.limits, old.limits))
    change = new.value - old.value
    return float(change - low), float(high - change)


def _limit_balanced_mean(side: Side, *, level: float) -> _BalancedMean:
    if side.labels is None:
        raise InputError(f"{side.name} has no dataset labels, so there is no mean over classes.")
    labels, scores = side.labels[side.is_shared], side.is_right.mean(axis=0)
    _, index, n = np.unique(labels, return_inverse=True, return_counts=True)
    value = (np.bincount(index, scores) / n).mean() if n.size else np.nan
    return _BalancedMean(np.asarray(value), find_balanced_score_limits(scores, labels, level=level))


def _measure_models(pair: Pair, changes: FloatArray, *, resample: Resample) -> tuple[float, float]:
    """The same with models or families drawn anew; NaN where there is but one."""
    groups = pair.name_groups(pair.models, resample)
    if len(set(groups)) < 2:
        return np.nan, np.nan
    rng = np.random.default_rng(pair.settings.seed)
    if resample.has_families:
        replicates = bootstrap_group_mean(changes, groups, rng=rng, n_resamples=N_MEAN_RESAMPLES)
    else:
        replicates = bootstrap(changes, lambda samples: samples.mean(axis=1), rng=rng, n_resamples=N_MEAN_RESAMPLES)
    limits = percentile_limits(replicates, level=pair.settings.level)
    value = float(changes.mean())
    return value - float(limits.low), float(limits.high) - value
