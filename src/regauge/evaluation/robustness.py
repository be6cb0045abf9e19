"""Effective robustness: how far a model's new accuracy lies above the line through a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.evaluation.side_pairs import Pair
from regauge.records.evaluation.fits import Baseline, Scale
from regauge.stats.fits import LineReplicates, fit_line
from regauge.stats.image_fits import ResampledAccuracies, fit_resampled, resample_weights
from regauge.stats.resampling import percentile_limits
from regauge.stats.scales import from_scale, move_inside, to_scale

FEW_RESAMPLED = 10
"""With fewer models or families a percentile interval covers much less than it says."""


class Robustness(NamedTuple):
    """Value, lower and upper limit of every model, in accuracy; and what they are measured against."""

    columns: tuple[FloatArray, FloatArray, FloatArray]
    baseline: Baseline


def measure_robustness(pair: Pair, names: Sequence[str]) -> Robustness:
    """Every model's new accuracy less what the line through the baseline predicts from its original accuracy.

    Three things are chance: the images on which the model itself is measured, those on which the line is, which are the same
    images and so move both together, and which models happened to make up the baseline. A bootstrap sample draws the
    images of both sets anew, for all models at once, and the models of the baseline; the model stays. The limits are the
    percentiles of what the samples make of its distance from their line. Where a side has only counts, right answers are
    drawn in place of images, those of each model by themselves.

    Raises:
        InputError: no bootstrap sample has a line.

    Reference:
        Taori, Dave, Shankar, Carlini, Recht, Schmidt (2020), Measuring robustness to natural distribution shifts in image
        classification.
    """
    settings, scale = pair.settings, pair.settings.scales[0]
    resample, places = settings.robustness_resample, pair.find_places(names)
    line = fit_line(*pair.place_on_scale(names, scale))
    values = pair.accuracies[1] - from_scale(line.at(pair.place_on_scale(pair.models, scale)[0]), scale)
    resampled, groups = pair.resampled, pair.name_groups(names, resample)
    weights = resample_weights(groups, n_replicates=len(resampled.original), seed=settings.seed)
    lines = fit_resampled(resampled.choose(places), scale=scale, weights=weights)
    has_line = ~np.isnan(lines.slopes)
    if not has_line.any():
        raise InputError(f"not one of {len(has_line):,} bootstrap samples has a line through the baseline.")
    moved = _measure(resampled, lines, scale)[has_line]
    limits = percentile_limits(moved - _find_centre(pair, places, scale), level=settings.level)
    n_lines = int(has_line.sum())
    baseline = Baseline(scale, tuple(names), resample, n_lines, len(has_line) - n_lines)
    return Robustness((values, values + limits.low, values + limits.high), baseline)


def note_robustness(pair: Pair, baseline: Baseline) -> Iterator[str]:
    """Sentences where the baseline is too small for its limits, and where samples had to be left out."""
    n_drawn = len(set(pair.name_groups(baseline.models, baseline.resample)))
    if n_drawn < FEW_RESAMPLED:
        what = "families" if baseline.resample.has_families else "models"
        yield (
            f"The limits of effective robustness come from resampling the {n_drawn} {what} of the baseline, which are "
            "too few "
            "to trust them."
        )
    if baseline.n_dropped:
        n = baseline.n_dropped + baseline.n_bootstrap
        yield (
            f"{baseline.n_dropped:,} of {n:,} bootstrap samples have no line through the baseline, for all its models are "
            "equally accurate in them; effective robustness leaves them out."
        )


def _measure(resampled: ResampledAccuracies, lines: LineReplicates, scale: Scale) -> FloatArray:
    """[replicates, models], how far every model lies above the line of its replicate."""
    x = resampled.original
    if scale is not Scale.LINEAR:
        x = to_scale(move_inside(x, resampled.n_original[:, np.newaxis]), scale)
    slopes, offsets = (column[:, np.newaxis] for column in lines)
    above: FloatArray = resampled.new - from_scale(slopes * x + offsets, scale)
    return above


def _find_centre(pair: Pair, places: Sequence[int], scale: Scale) -> FloatArray:
    """What all images that are drawn from give: the values, unless images that do not count for everybody are left out."""
    if not pair.has_images:
        (k_a, n_a), (k_b, n_b) = (side.counts[pair.settings.metric].T for side in (pair.original, pair.new))
        sizes = np.array([n_a.min()]), np.array([n_b.min()])
        return _find_above(ResampledAccuracies((k_a / n_a)[np.newaxis], (k_b / n_b)[np.newaxis], *sizes), places, scale)
    original, new = pair.original.is_right, pair.new.is_right
    sizes = np.array([original.shape[1]]), np.array([new.shape[1]])
    whole = ResampledAccuracies(original.mean(axis=1)[np.newaxis], new.mean(axis=1)[np.newaxis], *sizes)
    return _find_above(whole, places, scale)


def _find_above(whole: ResampledAccuracies, places: Sequence[int], scale: Scale) -> FloatArray:
    above: FloatArray = _measure(whole, fit_resampled(whole.choose(places), scale=scale), scale)[0]
    return above
