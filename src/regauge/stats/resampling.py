"""Bootstrap replicates, from the observations themselves or from counts that say as much, and limits made of them.

The first dimension of an array of replicates always counts the replicates. The same generator state gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.intervals import Limits

DEFAULT_RESAMPLES = 10_000

Statistic: TypeAlias = Callable[[NDArray[Any]], ArrayLike]
"""Takes samples [batch, n] or [batch, n, d] and gives one number for each of the batch."""

_BATCH_ELEMENTS = 2**19


def bootstrap(
    sample: ArrayLike,
    statistic: Statistic,
    *,
    rng: np.random.Generator,
    n_resamples: int = DEFAULT_RESAMPLES,
    strata: ArrayLike | None = None,
) -> FloatArray:
    """Replicates of a statistic on samples of the same size, drawn from the sample with replacement.

    Memory stays bounded: the samples are drawn in batches of about half a million numbers.

    Args:
        sample: observations along the first dimension, [n] or [n, d].
        statistic: sees a batch of samples at once.
        rng: the source of the draws.
        n_resamples: how many replicates.
        strata: one whole number per observation; draws stay within a stratum, and position i of every sample holds an
            observation of stratum strata[i].

    Returns:
        The replicates [n_resamples]; all NaN when there is no observation.

    Reference:
        Efron, Tibshirani (1993), An Introduction to the Bootstrap.
    """
    observations = np.asarray(sample)
    replicates = _make_replicates(n_resamples)
    if len(observations):
        draw = _get_row_sampler(len(observations), strata)
        for batch in _split(n_resamples, observations.size):
            rows = draw(rng, batch.stop - batch.start)
            replicates[batch] = _evaluate(statistic, observations[rows])
    return replicates


def bootstrap_group_mean(
    values: ArrayLike, groups: ArrayLike, *, rng: np.random.Generator, n_resamples: int = DEFAULT_RESAMPLES
) -> FloatArray:
    """Replicates of the mean of all values on samples of whole groups, such as families of models.

    As many groups are drawn as there are, each with all its values, so that samples vary in size and groups count by theirs.

    Returns:
        The replicates [n_resamples]; all NaN when there is no value.

    Reference:
        Davison, Hinkley (1997), Bootstrap Methods and their Application, §3.8.
    """
    column = np.asarray(values, np.float64)
    replicates = _make_replicates(n_resamples)
    _, group, sizes = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    if group.shape != column.shape:
        raise InputError(f"Groups are {column.size} names, one per value, not an array of shape {group.shape}.")
    if column.size:
        sums = np.bincount(group, column)
        for batch in _split(n_resamples, sizes.size):
            drawn = rng.integers(sizes.size, size=(batch.stop - batch.start, sizes.size))
            replicates[batch] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return replicates


def percentile_limits(replicates: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """The (1 − level)/2 and (1 + level)/2 quantiles of the replicates, linear between neighbours.

    Returns:
        Limits in the shape of one replicate; NaN where any replicate is NaN or there is none.

    >>> low, high = percentile_limits(range(101), level=0.9)
    >>> print(low.round(6), high.round(6))
    5.0 95.0
    """
    tail = (1 - check_level(level)) / 2
    values = np.asarray(replicates, np.float64)
    if not len(values):
        return Limits(np.full(values.shape[1:], np.nan), np.full(values.shape[1:], np.nan))
    low, high = np.quantile(values, [tail, 1 - tail], axis=0)
    return Limits(np.asarray(low), np.asarray(high))


def _make_replicates(n_resamples: int) -> FloatArray:
    if n_resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample, not {n_resamples}.")
    return np.full(n_resamples, np.nan)


def _split(n_rows: int, row_size: int) -> Iterator[slice]:
    """Consecutive slices of n_rows rows that hold about `_BATCH_ELEMENTS` numbers each."""
    step = max(1, _BATCH_ELEMENTS // max(1, row_size))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def _get_row_sampler(n: int, strata: ArrayLike | None) -> Callable[[np.random.Generator, int], NDArray[np.intp]]:
    """A function that draws [batch, n] row numbers with replacement."""
    if strata is None:
        return lambda rng, n_samples: rng.integers(n, size=(n_samples, n), dtype=np.intp)
    codes = np.asarray(strata)
    if codes.shape != (n,) or codes.dtype.kind not in "iu":
        raise InputError(f"Strata are {n} whole numbers, one per observation, not {codes.dtype} {codes.shape}.")
    _, stratum, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    rows_by_stratum = np.argsort(stratum, kind="stable")
    starts = (np.cumsum(sizes) - sizes)[stratum]
    own_size = sizes[stratum]
    return lambda rng, n_samples: rows_by_stratum[starts + rng.integers(own_size, size=(n_samples, n), dtype=np.intp)]


def _evaluate(statistic: Statistic, samples: NDArray[Any]) -> FloatArray:
    values = np.asarray(statistic(samples), np.float64)
    if values.shape != samples.shape[:1]:
        raise InputError(
            f"A statistic must give one number per sample: {samples.shape[:1]} for samples {samples.shape}, "
            f"not {values.shape}; reduce over the dimensions after the first."
        )
    return values
