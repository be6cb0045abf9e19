"""Accuracies drawn anew where only counts are known."""

from __future__ import annotations

import numpy as np

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.stats.image_fits import ResampledAccuracies
from regauge.stats.scales import move_inside

# Tells these draws from those of models with one seed.
_COUNT_STREAM = 2


def resample_counts(original: CountArray, new: CountArray, *, seed: int, n_resamples: int) -> ResampledAccuracies:
    """The accuracies of models whose right answers are drawn anew from binomial distributions, each by itself.

    Which images a model gets right is not known, nor so whether two models err on the same ones. Where they do, as models
    mostly do, differences between them vary less than here: limits of a model's distance from others are then too wide
    rather than too short. An accuracy of 0 or 1 is moved half an answer inside, so that it varies as well.

    Args:
        original: [models, 2], right answers and counted images on the original set.
        new: the same models on the new set.
        seed: a whole number from 0.
        n_resamples: how many replicates.
    """
    if n_resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample, not {n_resamples}.")
    rng = np.random.default_rng([seed, _COUNT_STREAM])
    accuracies = [_draw(side, rng, n_resamples) for side in (original, new)]
    sizes = [np.full(n_resamples, side[:, 1].min(), np.int64) for side in (original, new)]
    return ResampledAccuracies(accuracies[0], accuracies[1], sizes[0], sizes[1])


def _draw(counts: CountArray, rng: np.random.Generator, n_resamples: int) -> FloatArray:
    n_correct, n = counts.T
    drawn: FloatArray = rng.binomial(n, move_inside(n_correct / n, n), (n_resamples, len(counts))) / n
    return drawn
