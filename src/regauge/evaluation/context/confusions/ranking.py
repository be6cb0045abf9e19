"""How firmly cells stand in a list of the fullest: how often each would be listed if the images were redrawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.records.evaluation.context.confusion import ConfusionCells
from regauge.stats.intervals import Limits
from regauge.stats.resampling import percentile_limits

_BATCH_NUMBERS = 2**22


class ListStability(NamedTuple):
    """What redrawn images make of a list.

    Attributes:
        stays: per entry, the share of the redraws in which it is listed.
        n_leaving: how many entries are not, on average.
        limits: between which numbers of entries most redraws lie.
    """

    stays: FloatArray
    n_leaving: float
    limits: Limits


class ListPlan(NamedTuple):
    """How a list is made and tried: its length, images in all, redraws, seed, and how many of the redraws the limits hold."""

    n_listed: int
    n_images: int
    n_resamples: int
    seed: int
    level: float


def try_list(cells: ConfusionCells, plan: ListPlan) -> ListStability:
    """How often each of the first cells is among the fullest when the images are drawn again with replacement.

    Of cells that are equally full, chance says which are listed, as they are in no order that means anything. A cell without
    an image is not listed.
    """
    n_listed = min(plan.n_listed, len(cells))
    if not n_listed:
        return ListStability(np.zeros(0), 0.0, Limits(np.array(0.0), np.array(0.0)))
    rng = np.random.default_rng(plan.seed)
    images, image = np.unique(cells.rows, return_inverse=True)
    parts = cells.parts.astype(np.float32)
    starts = cells.starts[:-1]
    n_stay = np.zeros(n_listed)
    n_leaving = np.empty(plan.n_resamples)
    step = max(1, _BATCH_NUMBERS // len(cells.rows))
    for first in range(0, plan.n_resamples, step):
        n = min(step, plan.n_resamples - first)
        drawn = _draw(images.size, plan.n_images, n=n, rng=rng)
        counts = np.add.reduceat(drawn[:, image] * parts, starts, axis=1)
        is_empty = counts[:, :n_listed] <= 0
        counts += rng.random(counts.shape, np.float32) * np.float32(1e-3)
        least = np.partition(counts, len(cells) - n_listed, axis=1)[:, len(cells) - n_listed]
        is_listed = (counts[:, :n_listed] >= least[:, np.newaxis]) & ~is_empty
        n_stay += is_listed.sum(axis=0)
        n_leaving[first : first + n] = n_listed - is_listed.sum(axis=1)
    limits = percentile_limits(n_leaving, level=plan.level)
    return ListStability(n_stay / plan.n_resamples, float(n_leaving.mean()), limits)


def _draw(n_used: int, n_images: int, *, n: int, rng: np.random.Generator) -> FloatArray:
    """How often each of the used images comes up when all are redrawn [n, used]."""
    sizes = rng.binomial(n_images, n_used / n_images, n)
    places = rng.integers(n_used, size=int(sizes.sum())) + np.repeat(np.arange(n) * n_used, sizes)
    return np.bincount(places, minlength=n * n_used).reshape(n, n_used).astype(np.float32)
