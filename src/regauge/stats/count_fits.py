"""Accuracies drawn anew where only counts are known."""

from __future__ import annotations

import numpy as np

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.stats.image_fits import ResampledAccuracies
from regauge.stats.scales import move_inside

# Tells these draws from those of models with one seed.
_COUNT_STREAM = 2

# Tells draws of two accuracies on the same images from those of each by itself.
_JOINT_STREAM = 3


def resample_counts(
    original: CountArray, new: CountArray, *, seed: int, n_resamples: int, joint: CountArray | None = None
) -> ResampledAccuracies:
    """The accuracies of models whose right answers are drawn anew from binomial distributions, each by itself.

    Which images a model gets right is not known, nor so whether two models err on the same ones. Where they do, as models
    mostly do, differences between them vary less than here: limits of a model's distance from others are then too wide
    rather than too short. An accuracy of 0 or 1 is moved half an answer inside, so that it varies as well.

    The two accuracies of a model may be of the same answers to the same images by two metrics. Where it is known how often they
    are right by both, by one and by neither, these four counts are drawn together, from a multinomial distribution, and
    with them the covariance of the two accuracies; answers to images that count under one metric alone are drawn by themselves.

    Args:
        original: [models, 2], right answers and counted images on the original set.
        new: the same models on the new set.
        seed: a whole number from 0.
        n_resamples: how many replicates.
        joint: of the first models [some, 4], the images that count on both sides: right on both, on the original alone, on the
            new alone, on neither. All others are drawn as if the sides had no image in common.
    """
    if n_resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample, not {n_resamples}.")
    rng = np.random.default_rng([seed, _COUNT_STREAM])
    accuracies = [_draw(side, rng, n_resamples) for side in (original, new)]
    if joint is not None:
        together = _draw_together(original, new, joint, np.random.default_rng([seed, _JOINT_STREAM]), n_resamples)
        for side, drawn in zip(accuracies, together, strict=True):
            side[:, : len(joint)] = drawn
    sizes = [np.full(n_resamples, side[:, 1].min(), np.int64) for side in (original, new)]
    return ResampledAccuracies(accuracies[0], accuracies[1], sizes[0], sizes[1])


def _draw(counts: CountArray, rng: np.random.Generator, n_resamples: int) -> FloatArray:
    n_correct, n = counts.T
    drawn: FloatArray = rng.binomial(n, move_inside(n_correct / n, n), (n_resamples, len(counts))) / n
    return drawn


def _draw_together(
    original: CountArray, new: CountArray, joint: CountArray, rng: np.random.Generator, n_resamples: int
) -> tuple[FloatArray, FloatArray]:
    """Both accuracies of the models of which it is known how they go together, [n_resamples, models] each.

    A cell without an image is drawn from as if it held half of one, so that it varies as well.
    """
    n_joint = joint.sum(axis=1)
    shares = np.maximum(joint, 0.5)
    cells = rng.multinomial(n_joint, shares / shares.sum(axis=1, keepdims=True), size=(n_resamples, len(joint)))
    is_original, is_new = np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])
    drawn = [
        _draw_rest(side[: len(joint)], joint, is_right, rng, n_resamples) + cells @ is_right
        for side, is_right in ((original, is_original), (new, is_new))
    ]
    return drawn[0] / original[: len(joint), 1], drawn[1] / new[: len(joint), 1]


def _draw_rest(
    counts: CountArray, joint: CountArray, is_right: CountArray, rng: np.random.Generator, n_resamples: int
) -> CountArray:
    """Right answers to the images that count on this side alone."""
    n_correct, n = (counts - np.stack([joint @ is_right, joint.sum(axis=1)], axis=1)).T
    if (n_correct < 0).any() or (n < n_correct).any():
        raise InputError("More answers are right on both sides, or fewer, than the counts of each side allow.")
    chances = move_inside(np.divide(n_correct, n, out=np.zeros(len(n)), where=n > 0), np.maximum(n, 1))
    drawn: CountArray = rng.binomial(n, chances, (n_resamples, len(counts)))
    return drawn
