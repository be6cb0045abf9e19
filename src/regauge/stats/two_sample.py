"""Whether two samples of feature vectors come from one distribution: can a classifier tell them apart on images it has not seen?

After Lopez-Paz and Oquab (2017). The vectors come in pairs, one of each sample, at random or at random within a class. A pair
stays together in one fold, so that a fold holds as many of either sample; if the samples do not differ, it is chance which
member of a pair belongs to which, and every swap within pairs is as likely as the truth. Hence the p-value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, ndtri

from regauge.arrays import CountArray, FloatArray, ScoreArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.intervals import Limits

MAX_STEPS = 50
CLOSE = 1e-3
"""A fit ends when no weight moves further. Samples that hardly differ, as all do after a swap, take three steps or four."""
MAX_EXACT_FEATURES = 512
"""Up to so many features, the principal components come from all of their covariances."""

_N_MORE = 10
_MIN_VARIANCE = 1e-6
_N_SWAPS_AT_ONCE = 128
_BOTH_WAYS = 2
# Means of equal AUCs may differ in their last bits.
_TIE = 1e-9


class Separation(NamedTuple):
    """How well held-out vectors are told apart.

    Attributes:
        scores: [2, pairs], how much each vector of the first and of the second sample looks like the second one, from the
            fit of the folds that it is not in: the log-odds.
        auc: mean over folds of the chance that a vector of the second sample scores above one of the first.
        limits: of the AUC, given the fits.
        p: (1 + b)/(1 + n_swaps) with b swaps whose AUC is at least as high; NaN without swaps.
        n_swaps: how many times the members of all pairs were swapped at random.
    """

    scores: FloatArray
    auc: float
    limits: Limits
    p: float
    n_swaps: int


def find_components(features: NDArray[np.floating], *, n_components: int, rng: np.random.Generator) -> ScoreArray:
    """The leading principal components of standardised features, each with variance 1; [n, at most n_components].

    Whatever is constant is left out. Which sample a vector belongs to plays no part, so swaps stay as likely as before. With
    many features the components are found by a random sketch with one power iteration, in a few products of matrices.

    Reference:
        Halko, Martinsson, Tropp (2011), Finding structure with randomness.
    """
    values = _standardise(features)
    wanted = min(n_components, *values.shape)
    if not wanted:
        return np.zeros((len(values), 0), np.float32)
    if values.shape[1] > MAX_EXACT_FEATURES:
        values = _sketch(values, wanted + _N_MORE, rng)
    squares, axes = np.linalg.eigh(values.T @ values / np.float32(len(values)))
    kept = np.flatnonzero(squares > _MIN_VARIANCE * squares[-1])[::-1][:wanted]
    return np.asarray(values @ (axes[:, kept] / np.sqrt(squares[kept])), np.float32)


def separate(
    first: ScoreArray, second: ScoreArray, *, folds: CountArray, swaps: NDArray[np.bool_], level: float = DEFAULT_LEVEL
) -> Separation:
    """Tell two samples apart by a logistic regression with a ridge, each fold by the fit of the others.

    The statistic of the test is the AUC, which uses the order of all scores; the share of vectors on the right side throws
    most of it away. All swaps are fitted at once.

    Args:
        first: [pairs, features], one member of each pair.
        second: likewise the other.
        folds: per pair, its fold, from 0.
        swaps: [swaps, pairs], whether the members of the pair are swapped, each with probability ½.
        level: nominal coverage of the limits.

    Raises:
        InputError: the samples do not fit, or a fold has no pair.

    Reference:
        Lopez-Paz, Oquab (2017), Revisiting classifier two-sample tests; Phipson, Smyth (2010) on the p-value; DeLong et al.
        (1988) on the variance of the AUC.
    """
    _check(first, second, folds)
    # The truth is a swap of nothing.
    columns = np.concatenate([np.zeros((1, len(first)), np.bool_), swaps])
    held_out, aucs = _cross_fit((first, second), folds, columns)
    auc = float(aucs[0])
    n_high = int((aucs[1:] >= auc - _TIE).sum())
    p = (1 + n_high) / (1 + len(swaps)) if len(swaps) else np.nan
    return Separation(held_out, auc, find_auc_limits(held_out, folds=folds, level=level), p, len(swaps))


def measure_auc(low: FloatArray | ScoreArray, high: FloatArray | ScoreArray) -> float:
    """The chance that one of the second scores exceeds one of the first, ties counting half; NaN where there are none.

    >>> measure_auc(np.array([0.1, 0.4]), np.array([0.35, 0.8]))
    0.75
    """
    if not len(low) or not len(high):
        return np.nan
    return float(_find_shares_below(low, high).mean())


def find_auc_limits(scores: FloatArray, *, folds: CountArray, level: float = DEFAULT_LEVEL) -> Limits:
    """Limits of the mean AUC over folds: twice DeLong's variance, normal on the logit scale.

    In cross-fitting, the fit that judges one vector was shaped by a second one, whose own fit was shaped by the first. What the
    two have in common by chance thus counts both ways, which doubles the variance where the samples do not differ. Where
    they do, the doubling is more than needed: the limits err on the wide side.

    Where all scores of one sample lie above all of the other there is no variance; then the pairs, which are independent, give
    the exact limit of a share of one.

    Args:
        scores: [2, pairs], of the first and the second sample.
        folds: per pair, its fold.
        level: nominal coverage.
    """
    tail = (1 - check_level(level)) / 2
    n_folds = int(folds.max()) + 1
    values, variance = [], 0.0
    for fold in range(n_folds):
        first, second = scores[:, folds == fold]
        values.append(measure_auc(first, second))
        variance += _find_auc_variance(first, second) / n_folds**2
    auc = float(np.mean(values))
    if auc in {0.0, 1.0} or not variance:
        end = tail ** (_BOTH_WAYS / scores.shape[1])
        return Limits(np.array(end if auc > 0.5 else 0.0), np.array(1.0 if auc >= 0.5 else 1 - end))
    half = -float(ndtri(tail)) * np.sqrt(_BOTH_WAYS * variance) / (auc * (1 - auc))
    middle = np.log(auc / (1 - auc))
    return Limits(np.asarray(expit(middle - half)), np.asarray(expit(middle + half)))


def find_accuracy_limits(n_correct: int, n: int, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Clopper–Pearson limits of the share of held-out vectors on the right side, as if they were half as many.

    For the reason that `find_auc_limits` gives.

    >>> low, high = find_accuracy_limits(60, 100)
    >>> print(f"{low:.3f} {high:.3f}")
    0.452 0.736
    """
    tail = (1 - check_level(level)) / 2
    k, whole = n_correct / _BOTH_WAYS, n / _BOTH_WAYS
    low = betaincinv(k, whole - k + 1, tail) if n_correct else 0.0
    high = betaincinv(k + 1, whole - k, 1 - tail) if n_correct < n else 1.0
    return Limits(np.asarray(low, np.float64), np.asarray(high, np.float64))


class _CrossFit(NamedTuple):
    """Held-out scores [2, pairs] of the first swap, which is the truth, and of every swap the mean AUC over folds."""

    scores: FloatArray
    aucs: FloatArray


def _check(first: ScoreArray, second: ScoreArray, folds: CountArray) -> None:
    if first.ndim != 2 or first.shape != second.shape or folds.shape != first.shape[:1]:
        raise InputError(
            f"Pairs need two samples of one shape and a fold each, not {first.shape}, {second.shape} and {folds.shape}."
        )
    if len(np.unique(folds)) < 2 or len(np.unique(folds)) != int(folds.max()) + 1:
        raise InputError("Pairs are dealt out to folds 0, 1, …, at least two of them and none empty.")


def _cross_fit(samples: tuple[ScoreArray, ScoreArray], folds: CountArray, swaps: NDArray[np.bool_]) -> _CrossFit:
    first, second = (np.concatenate([one, np.ones((len(one), 1), np.float32)], axis=1) for one in samples)
    n_folds = int(folds.max()) + 1
    scores, aucs = np.empty((2, len(first))), np.zeros(len(swaps))
    # The first, the truth, may take more steps than the others, so it goes by itself.
    batches = [slice(0, 1), *_split(1, len(swaps))]
    for fold in range(n_folds):
        held = folds == fold
        fit = _Logistic(np.concatenate([first[~held], second[~held]]))
        for batch in batches:
            signs = 1 - 2 * swaps[batch].T.astype(np.float32)
            weights = fit.find_weights(np.concatenate([-signs[~held], signs[~held]]))
            found = np.stack([first[held] @ weights, second[held] @ weights])
            aucs[batch] += _measure_aucs(found, signs[held]) / n_folds
            if batch.start == 0:
                scores[:, held] = found[:, :, 0]
    return _CrossFit(scores, aucs)


def _split(start: int, stop: int) -> Iterator[slice]:
    for begin in range(start, stop, _N_SWAPS_AT_ONCE):
        yield slice(begin, min(begin + _N_SWAPS_AT_ONCE, stop))


class _Logistic:
    """Logistic regressions with a ridge on one design, one per column of labels ±1.

    The ridge is as if weights of a squared length of one in all were expected. Every step minimises a quadratic bound of the
    loss that is the same for all columns and all steps, so that one inverse serves them all (Böhning, Lindsay 1988).
    """

    def __init__(self, design: ScoreArray) -> None:
        self.design = design
        self.ridge = np.float32(design.shape[1] / len(design))
        bound = design.T @ design / np.float32(4 * len(design))
        bound[np.diag_indices_from(bound)] += self.ridge
        # SciPy's factorisations bring a second pool of threads, which is slow on a busy machine; the ridge keeps this sound.
        self.inverse = np.linalg.inv(bound)

    def find_weights(self, labels: ScoreArray) -> ScoreArray:
        """The weights [features, columns]."""
        is_second = (labels > 0).astype(np.float32)
        weights = np.zeros((self.design.shape[1], labels.shape[1]), np.float32)
        for _ in range(MAX_STEPS):
            pull = is_second - expit(self.design @ weights)
            step = self.inverse @ (self.design.T @ pull / np.float32(len(labels)) - self.ridge * weights)
            weights += step
            if np.abs(step).max() < CLOSE:
                break
        return weights


def _measure_aucs(scores: ScoreArray, signs: ScoreArray) -> FloatArray:
    """The AUC of every column: where a pair is swapped, its first member is of the second sample."""
    low = np.where(signs > 0, scores[0], scores[1])
    high = np.where(signs > 0, scores[1], scores[0])
    return np.array([measure_auc(low[:, column], high[:, column]) for column in range(signs.shape[1])])


def _find_auc_variance(first: FloatArray, second: FloatArray) -> float:
    """DeLong's variance of the AUC of one fold; 0 with a single pair."""
    if len(first) < 2:
        return 0.0
    above, below = _find_shares_below(first, second), _find_shares_below(second, first)
    return float(above.var(ddof=1) / len(second) + below.var(ddof=1) / len(first))


def _find_shares_below(scores: FloatArray | ScoreArray, others: FloatArray | ScoreArray) -> FloatArray:
    """For each of the others, the share of the scores below it, ties counting half."""
    ordered = np.sort(scores)
    return (np.searchsorted(ordered, others, "left") + np.searchsorted(ordered, others, "right")) / (2 * len(ordered))


def _standardise(features: NDArray[np.floating]) -> ScoreArray:
    """Every feature that varies with mean 0 and variance 1, in an array of its own.

    Whether one varies is asked of its values: less a mean that was rounded, a constant is no longer nought, and divided by its
    spread it would outweigh all others.
    """
    varies = features.min(axis=0) < features.max(axis=0)
    values = np.array(features if varies.all() else features[:, varies], np.float32)
    values -= values.mean(axis=0, dtype=np.float64).astype(np.float32)
    # By the largest first, so that no square is too large or too small to be a number.
    values /= np.abs(values).max(axis=0, initial=0)
    values /= np.sqrt(np.square(values).mean(axis=0, dtype=np.float64)).astype(np.float32)
    return values


def _sketch(values: ScoreArray, n_columns: int, rng: np.random.Generator) -> ScoreArray:
    """The values along the directions in which they vary most, found by random ones."""
    directions = rng.standard_normal((values.shape[1], n_columns), dtype=np.float32)
    basis, _ = np.linalg.qr(values.T @ np.linalg.qr(values @ directions)[0])
    return np.asarray(values @ basis, np.float32)
