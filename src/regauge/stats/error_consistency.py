"""Do two participants err on the same images more often than their accuracies alone would have it?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.all_pairs import count_common
from regauge.stats.counts import check_counts
from regauge.stats.intervals import Limits

N_CONSISTENCY_RESAMPLES = 1_000
PRIOR = 0.5
"""Images added to each of the four cells that are redrawn, so that a cell in which none is seen can be drawn as well."""
_BATCH_NUMBERS = 2**20


class Consistencies(NamedTuple):
    """Cohen's kappa between who is right and who is wrong; arrays in the shape of the counts.

    Attributes:
        observed: the share of images on which both are right or both are wrong; NaN without an image.
        expected: what it would be if they erred independently of each other.
        kappa: (observed − expected)/(1 − expected): 1 where both err on the same images, 0 where as often as chance has it,
            negative where they err on different ones; NaN where both are always right, or both always wrong.
        limits: bootstrap limits of kappa.
    """

    observed: FloatArray
    expected: FloatArray
    kappa: FloatArray
    limits: Limits


class MeanConsistency(NamedTuple):
    """The mean kappa over pairs.

    Attributes:
        value: the mean; NaN without a pair that has one.
        limits: limits over images.
        n_pairs: pairs that have a kappa.
    """

    value: float
    limits: Limits
    n_pairs: int


def error_consistency(
    cells: ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int = N_CONSISTENCY_RESAMPLES,
    level: float = DEFAULT_LEVEL,
) -> Consistencies:
    """Kappa of pairs of participants from four counts each, with bootstrap limits.

    To draw images with replacement is to draw the four counts from a multinomial distribution, so that a pair costs the same
    whatever the number of images. Half an image is added to each cell that is drawn from: plain resampling never draws what
    was not seen, and then covers far too little where two participants hardly ever fail together (39% in place of 95% where
    that is true of one image in two thousand), and not at all where they never differ.

    Args:
        cells: [..., 4], images that both get right, only the first, only the second, and neither.
        rng: the source of the draws.
        n_resamples: how many times to draw.
        level: the nominal coverage.

    References:
        Geirhos, Meding, Wichmann (2020), Beyond accuracy: quantifying trial-by-trial behaviour of CNNs and humans by measuring
        error consistency; Klein et al. (2025), Quantifying uncertainty in error consistency.

    >>> found = error_consistency([90, 5, 3, 2], rng=np.random.default_rng(0))
    >>> print(found.kappa.round(4))
    0.292
    """
    tail = (1 - check_level(level)) / 2
    (counts,) = check_counts(cells=cells)
    if not counts.ndim or counts.shape[-1] != 4:
        raise InputError(
            f"Two participants have four counts of images, [..., 4], not an array of shape {counts.shape}."
        )
    if n_resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample, not {n_resamples}.")
    observed, expected, kappa = _find_kappas(counts)
    flat, values = counts.reshape(-1, 4), kappa.ravel()
    low, high = np.full(values.size, np.nan), np.full(values.size, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    step = max(1, _BATCH_NUMBERS // (4 * n_resamples))
    for start in range(0, known.size, step):
        batch = known[start : start + step]
        n = flat[batch].sum(axis=1)
        shares = (flat[batch] + PRIOR) / (n + 4 * PRIOR)[:, np.newaxis]
        drawn = rng.multinomial(n[:, np.newaxis], shares[:, np.newaxis], size=(batch.size, n_resamples))
        # Draws in which nobody errs, or everybody does, have no kappa.
        limits = np.nanquantile(_find_kappas(drawn)[2], [tail, 1 - tail], axis=1)
        low[batch], high[batch] = np.minimum(limits[0], values[batch]), np.maximum(limits[1], values[batch])
    return Consistencies(observed, expected, kappa, Limits(low.reshape(kappa.shape), high.reshape(kappa.shape)))


def mean_error_consistency(
    right: ArrayLike,
    *,
    is_counted: ArrayLike,
    is_paired: ArrayLike,
    rng: np.random.Generator,
    level: float = DEFAULT_LEVEL,
) -> MeanConsistency:
    """The mean kappa over some pairs, with limits over images.

    One image serves many pairs, so pairs are not independent. Limits are normal ones from the derivatives of the mean by the
    weight of every image (the infinitesimal jackknife), within [−1, 1]; a bootstrap of the images would draw for each sample
    what these have in closed form.

    Args:
        right: bool [participants, images].
        is_counted: bool [participants, images].
        is_paired: bool [participants, participants], the pairs; each once, whichever of the two comes first.
        rng: the source of these draws.
        level: the nominal coverage.

    Reference:
        Efron (1982), The Jackknife, the Bootstrap and Other Resampling Plans, chapter 6.
    """
    z = -float(ndtri((1 - check_level(level)) / 2))
    good = np.asarray(right) & np.asarray(is_counted)
    bad = np.asarray(is_counted) & ~good
    signs: tuple[BoolArray, BoolArray] = (good, bad)
    cells = np.stack([count_common(one, other) for one in signs for other in signs], axis=-1)
    kappa = _find_kappas(cells)[2]
    chosen = np.asarray(is_paired) & ~np.isnan(kappa)
    n_pairs = int(chosen.sum())
    if not n_pairs:
        return MeanConsistency(np.nan, Limits(np.array(np.nan), np.array(np.nan)), 0)
    value = float(kappa[chosen].mean())
    weights = np.where(chosen[..., np.newaxis], _differentiate(cells), 0) / n_pairs
    influences = np.zeros(good.shape[1])
    for place, (one, other) in enumerate((one, other) for one in signs for other in signs):
        influences += np.einsum("pi,pi->i", weights[..., place].T @ one, other.astype(np.float64))
    half = z * float(np.sqrt((influences**2).sum()))
    if half < np.finfo(np.float32).eps:
        low, high = error_consistency(cells[chosen], rng=rng, level=level).limits
        return MeanConsistency(value, Limits(low.mean(), high.mean()), n_pairs)
    return MeanConsistency(value, Limits(np.array(max(value - half, -1)), np.array(min(value + half, 1))), n_pairs)


def _find_kappas(cells: CountArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Observed and expected agreement and kappa; NaN where there is none."""
    both, first, second, neither = np.moveaxis(cells.astype(np.float64), -1, 0)
    n = both + first + second + neither
    with np.errstate(invalid="ignore", divide="ignore"):
        one, other = (both + first) / n, (both + second) / n
        observed = (both + neither) / n
        expected = one * other + (1 - one) * (1 - other)
        is_constant = (both == n) | (neither == n)
        kappa = np.where(is_constant, np.nan, (observed - expected) / (1 - expected))
    return observed, expected, kappa


def _differentiate(cells: CountArray) -> FloatArray:
    """The derivative of kappa by the weight of an image in each cell [..., 4]; over all images of a pair they add up to 0."""
    both, first, second, neither = np.moveaxis(cells.astype(np.float64), -1, 0)
    n = both + first + second + neither
    with np.errstate(invalid="ignore", divide="ignore"):
        one, other = (both + first) / n, (both + second) / n
        chance = one * (1 - other) + other * (1 - one)
        apart = (first + second) / n
        # kappa = 1 − apart/chance, with apart and chance both functions of the shares of the cells.
        parts = []
        for is_one in (1.0, 0.0):
            for is_other in (1.0, 0.0):
                moved = float(is_one != is_other) - apart
                bent = (is_one - one) * (1 - 2 * other) + (is_other - other) * (1 - 2 * one)
                parts.append(-(moved / chance - apart * bent / chance**2) / n)
    return np.stack(parts, axis=-1)
