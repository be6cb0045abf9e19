"""Bootstrap of a mean of selection frequencies: images are drawn anew, and for each of them its votes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from regauge.records.arrays import FloatArray
from regauge.stats.counts import check_counts
from regauge.stats.resampling import DEFAULT_RESAMPLES


def bootstrap_mean_frequency(
    n_selected: ArrayLike, n_shown: ArrayLike, *, rng: np.random.Generator, n_resamples: int = DEFAULT_RESAMPLES
) -> FloatArray:
    """Replicates of the mean of n_selected / n_shown over images.

    Images are drawn with replacement, and the votes of every drawn image with replacement from its own. Images with equal
    counts are drawn together: how many of each kind come is multinomial, and what their votes add up to is binomial, so a
    replicate costs as much as there are different counts, not images. The observed frequencies hold the votes' chance
    already, so drawing them once more errs on the side of wide intervals.

    Args:
        n_selected: per image, annotators who selected the class.
        n_shown: per image, annotators who saw it; at least one.
        rng: the source of the draws.
        n_resamples: how many replicates.

    Returns:
        The replicates; all NaN when there is no image.
    """
    selected, shown = check_counts(n_selected=n_selected, n=n_shown)
    if not len(shown):
        return np.full(n_resamples, np.nan)
    kinds, counts = np.unique(np.stack([shown, selected]), axis=1, return_counts=True)
    n_images = int(counts.sum())
    drawn = rng.multinomial(n_images, counts / n_images, size=n_resamples)
    votes = rng.binomial(drawn * kinds[0], kinds[1] / kinds[0])
    means: FloatArray = (votes / kinds[0]).sum(axis=1) / n_images
    return means
