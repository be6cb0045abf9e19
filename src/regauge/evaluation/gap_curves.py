"""Accuracy as a curve of the true selection frequency: terms with coefficients by least squares, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial import Legendre, Polynomial

from regauge.arrays import BoolArray, FloatArray
from regauge.evaluation.gap_samples import GapSamples
from regauge.records.testsets.sampling import N_BINS, find_bins
from regauge.stats.deconvolution import DistinctCounts
from regauge.stats.thinning import estimate_powers

MAX_VARIANCE = 0.25
"""Of a right or wrong answer."""
DEGREE = 2
SPREADS = (1e3, 0.5, 0.1)
"""The terms of a parabola are expected within these of 0: a few annotators per image give nearly a line, and images that are
all alike no steep one."""
TERMS = [Legendre.basis(one, domain=[0, 1]).convert(kind=Polynomial) for one in range(DEGREE + 1)]


def solve(gram: FloatArray, moments: FloatArray, *, spreads: Sequence[float]) -> FloatArray:
    """Coefficients [samples, terms, participants] of least squares, whose terms are expected within the spreads of 0.

    Images that hardly differ in frequency tell no slope; the spreads keep it from running away.

    Args:
        gram: sums of products of terms [samples, terms, terms].
        moments: sums of terms over images on which a participant is right [samples, terms, participants].
        spreads: of the terms.
    """
    return np.asarray(np.linalg.solve(gram + np.diag(MAX_VARIANCE / np.square(spreads)), moments), np.float64)


def combine(coefficients: FloatArray, terms: FloatArray) -> FloatArray:
    """Accuracies [samples, participants] of a set with these mean terms [samples, terms]."""
    return np.asarray(np.matmul(terms[:, np.newaxis], coefficients)[:, 0], np.float64)


def predict(coefficients: FloatArray, terms: FloatArray) -> FloatArray:
    """Accuracies of a set with these mean terms, as `combine` has them; none is below 0 or above 1."""
    return combine(coefficients, terms).clip(0, 1)


def lift(grams: FloatArray) -> FloatArray:
    """The nearest matrices without a negative direction: noise may leave less than no spread of true frequencies."""
    values, vectors = np.linalg.eigh(grams)
    return np.asarray((vectors * np.maximum(values, 0)[:, np.newaxis]) @ vectors.transpose(0, 2, 1), np.float64)


class Parabola:
    """The terms 1, s, s² of the true frequency s, as Legendre polynomials, and the curve that they make.

    Counts have unbiased estimates of the terms and of their products, so the normal equations of a least-squares fit to true
    frequencies can be had from the counts, whatever the distribution of true frequencies. Products take twice as many
    annotators as the terms' degree.

    Attributes:
        degree: of the curve; 1 for a line.
        is_used: per pair of counts, whether it has annotators enough.
        rows: estimates of the terms [pairs, terms]; 0 where they are not used.
        products: estimates of their products [pairs, terms, terms]; 0 where they are not used.
    """

    degree: int
    is_used: BoolArray
    rows: FloatArray
    products: FloatArray

    def __init__(self, pairs: DistinctCounts, *, degree: int = DEGREE, is_exact: bool = False) -> None:
        """From distinct counts; `is_exact` takes observed frequencies for true ones, in bins."""
        self.degree = degree
        terms = TERMS[: degree + 1]
        size = (len(pairs.n_shown), degree + 1)
        if is_exact:
            self.is_used = np.ones(size[0], np.bool_)
            self.rows = see_bins(pairs)[:, : degree + 1]
            self.products = self.rows[:, :, np.newaxis] * self.rows[:, np.newaxis]
            return
        self.is_used = pairs.n_shown >= 2 * degree
        self.rows, self.products = np.zeros(size), np.zeros((*size, degree + 1))
        used = pairs.n_selected[self.is_used], pairs.n_shown[self.is_used]
        powers = estimate_powers(*used, degree=2 * degree)
        self.rows[self.is_used] = powers @ tabulate(terms, 2 * degree)
        products = tabulate([one * other for one in terms for other in terms], 2 * degree)
        self.products[self.is_used] = (powers @ products).reshape(-1, degree + 1, degree + 1)

    def fit(self, samples: GapSamples) -> FloatArray:
        """Coefficients for the original images of every sample [samples, terms, participants]."""
        n = self.degree + 1
        gram = (samples.original_counts @ self.products.reshape(-1, n * n)).reshape(-1, n, n)
        return solve(lift(gram), np.matmul(self.rows.T, samples.original_correct), spreads=SPREADS[:n])


def see(frequencies: FloatArray) -> FloatArray:
    """The terms at observed frequencies [frequencies, terms]."""
    return np.stack([one(frequencies) for one in TERMS], axis=1)


def see_bins(pairs: DistinctCounts) -> FloatArray:
    """The terms in the middles of the bins of observed frequencies [pairs, terms]."""
    return see((find_bins(pairs.n_shown, pairs.n_selected) + 0.5) / N_BINS)


def tabulate(polynomials: Sequence[Polynomial], degree: int) -> FloatArray:
    """Coefficients of the powers [degree + 1, polynomials]."""
    return np.stack([np.pad(one.coef, (0, degree + 1 - len(one.coef))) for one in polynomials], axis=1)
