"""The accuracy on original images with the frequencies of the new set, by leaving annotators out.

A parabola of the true frequency needs no distribution of true frequencies: the counts have unbiased estimates of its powers, in
which annotators who are left out stand for the truth about an image and those who are kept for what was seen of it.
"""

from __future__ import annotations

import numpy as np

from regauge.arrays import CountArray, FloatArray
from regauge.evaluation.gap_curves import DEGREE, TERMS, Parabola, predict, see, tabulate
from regauge.evaluation.gap_samples import GapSamples, Material, Pooled, PooledEstimator
from regauge.stats.deconvolution import DistinctCounts
from regauge.stats.thinning import thin

MIN_ANNOTATORS = 2 * DEGREE
"""For every image: as many as the highest power of the frequency that a least-squares fit needs."""
MAX_KEPT = 200
"""Annotators who sort the candidates at most: beyond, a count is hardly better than the truth, and tables would grow."""


def make_jackknife(material: Material, *, change: FloatArray | float = 0.0) -> PooledEstimator:
    """M by the accuracy as a parabola of the true frequency, at the true frequencies of the new set.

    The parabola is fitted to the original set by least squares, with unbiased estimates of the powers of the frequency in its
    normal equations. Where fresh votes tell the frequencies of the new set, the same estimates tell the powers there. Where the
    votes chose the images, each looks better to those who chose it than to others. How much better is seen by leaving
    annotators out: those kept sort the candidates by count, those left out say what they are worth.

    Args:
        material: both sets and the pool.
        change: what it makes of the mean terms that every class has candidates of its own [terms]; 0 where classes are not known.

    Reference:
        Quenouille (1956), Notes on bias in estimation; Robbins (1956), An empirical Bayes approach to statistics, for the
        annotator left out; Engstrom et al. (2020) for the jackknife of selection frequencies.
    """
    parabola, rows = Parabola(material.original_pairs), Parabola(material.new_pairs).rows
    pool = material.pool_pairs
    flattery = None if pool is None else _make_bands(pool, material.new_pairs)

    def estimate(samples: GapSamples) -> Pooled:
        shares = samples.new_counts / samples.new_counts.sum(axis=1, keepdims=True)
        if flattery is None:
            terms = shares @ rows
        else:
            parts = [band.sum_terms(shares[:, members], samples.prior_counts) for members, band in flattery]
            terms = np.sum(parts, axis=0) + change
        return Pooled(predict(parabola.fit(samples), terms), terms)

    return estimate


def _make_bands(pool: DistinctCounts, new: DistinctCounts) -> list[tuple[CountArray, _Flattery]]:
    """The pairs of the new set in bands of n to 2n annotators, with what flatters each of them.

    What two annotators show of twenty is little: the fewer are kept, the farther the difference has to be carried on. So images
    that many saw are corrected by candidates that many saw.
    """
    seen = np.minimum(new.n_shown, pool.n_shown.max())
    bands = np.floor(np.log2(seen / seen.min()))
    members = [np.flatnonzero(bands == band) for band in np.unique(bands)]
    return [
        (mine, _Flattery(pool, new.n_selected[mine], new.n_shown[mine], fewest=int(seen[mine].min())))
        for mine in members
    ]


class _Flattery:
    """How much better candidates look to those who chose them than to others, by observed frequency and number of annotators.

    A term t of an image with the observed frequency x of n annotators is expected to be t(x) − f(x)/n − g(x)/n². Both f and g are
    found from two smaller numbers of annotators, with at least as many left out as the parabola has powers.
    """

    def __init__(self, pool: DistinctCounts, n_selected: CountArray, n_shown: CountArray, *, fewest: int) -> None:
        """From the candidates and the counts of chosen images; `fewest` annotators saw each candidate that is looked at."""
        # A candidate that fewer annotators saw than any chosen image was not up for choice.
        self._is_eligible = pool.n_shown >= fewest
        k, n = pool.n_selected[self._is_eligible], pool.n_shown[self._is_eligible]
        many = min(fewest - DEGREE, MAX_KEPT)
        self._sizes = (many, (many + 1) // 2)
        self._splits = [np.stack([thin(k, n, n_left=size, n_out=r) for r in range(DEGREE + 1)]) for size in self._sizes]
        self._observed = n_selected / n_shown
        self._inverse = 1 / n_shown[:, np.newaxis]

    def sum_terms(self, shares: FloatArray, candidates: FloatArray) -> FloatArray:
        """The terms of these images, weighted by their shares [samples, terms].

        Args:
            shares: of these pairs of counts in the new set [samples, pairs].
            candidates: how many candidates have each pair [samples, pairs].
        """
        eligible = candidates[:, self._is_eligible]
        first, second = (self._measure(eligible, split) for split in self._splits)
        step = 1 / self._sizes[0] - 1 / self._sizes[1]
        flattery = (first + (first - second) / step * (self._inverse - 1 / self._sizes[0])) * self._inverse
        terms = see(self._observed) - flattery
        return np.asarray(np.matmul(shares[:, np.newaxis], terms)[:, 0], np.float64)

    def _measure(self, eligible: FloatArray, split: FloatArray) -> FloatArray:
        """How far terms by those kept are above those by others, times those kept [samples, pairs of the new set, terms]."""
        size = split.shape[2] - 1
        sums = np.stack([eligible @ one for one in split], axis=2)
        truth = sums / np.maximum(sums[:, :, :1], 1e-12) @ tabulate(TERMS, DEGREE)
        # Counts that no candidate has in a sample say nothing.
        excess = np.where(sums[:, :, :1] > 0, see(np.arange(size + 1) / size) - truth, 0.0)
        return np.asarray(size * np.matmul(_interpolate(self._observed * size, size), excess), np.float64)


def _interpolate(places: FloatArray, size: int) -> FloatArray:
    """Weights that join values at 0, 1, …, size by straight lines [places, size + 1].

    >>> _interpolate(np.array([0.25]), 2).tolist()
    [[0.75, 0.25, 0.0]]
    """
    return np.maximum(0.0, 1.0 - np.abs(places[:, np.newaxis] - np.arange(size + 1)))
