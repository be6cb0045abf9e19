"""The accuracy that participants would have on original images with the selection frequencies of the new set.

All splits of a gap come down to this one number M: original − new = (original − M) + (M − new), the part that selection explains
and the remainder at equal frequency. The methods differ in what "equal frequency" means. The naive one takes the observed
frequencies at their word. A count of a few annotators regresses to the mean, though, and to different means in the two sets:
of two images with 8 of 10, the one from a poorer pool is the poorer one. So a set that is matched by counts is harder than it
looks, and the naive remainder is too large (Engstrom et al. 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.polynomial.legendre import legvander

from regauge.errors import InputError
from regauge.evaluation.gap_samples import Material, Samples, merge_bins
from regauge.records.arrays import FloatArray
from regauge.records.gaps import GapMethod
from regauge.stats.beta_binomial import fit_beta
from regauge.stats.deconvolution import (
    GRID,
    Pairs,
    climb,
    discretise_betas,
    expect,
    find_likelihoods,
    shift_betas,
)
from regauge.stats.thinning import thin

Estimate: TypeAlias = Callable[[Samples], FloatArray]
"""From samples to M [samples, participants]."""

Distributions: TypeAlias = Callable[[FloatArray], FloatArray]
"""From images per pair of counts [samples, pairs] to shares of the grid [samples, grid]."""

CURVE_DEGREE = 4
FREE_DEGREE = 2
CURVE_SPREAD = 0.2
"""Accuracy is a polynomial of the true frequency. Up to the free degree its coefficients are the data's alone; beyond it they are
expected within this of 0, so that a few annotators per image give a plain curve and many a supple one."""
MAX_VARIANCE = 0.25
"""Of a right or wrong answer."""
MIN_ANNOTATORS = 4
"""Fewer cannot be halved twice over for an extrapolation."""
BOOTSTRAP_STEPS = 40
"""EM steps of a sample, from where those of the images themselves ended."""

_PENALTIES = np.where(np.arange(CURVE_DEGREE + 1) > FREE_DEGREE, MAX_VARIANCE / CURVE_SPREAD**2, 1e-6)


def make_estimate(method: GapMethod, material: Material) -> Estimate:
    """The method, ready for samples of this material; whatever can be fitted once is fitted here."""
    return _METHODS[method](material)


def _make_naive(material: Material) -> Estimate:
    """Bins of the observed frequency: M = Σ p_new,b · a_original,b."""

    def estimate(samples: Samples) -> FloatArray:
        counts = merge_bins(samples.original_counts[:, :, np.newaxis], material.original_pairs)
        correct = merge_bins(samples.original_correct, material.original_pairs)
        accuracies = _fill_empty(counts[:, :, 0], correct)
        shares = merge_bins(samples.new_counts[:, :, np.newaxis], material.new_pairs)[:, :, 0]
        shares /= shares.sum(axis=1, keepdims=True)
        return np.asarray(np.matmul(shares[:, np.newaxis], accuracies)[:, 0], np.float64)

    return estimate


def _fill_empty(counts: FloatArray, correct: FloatArray) -> FloatArray:
    """Accuracies by bin; a bin without images takes that of the nearest one that has some, the lower of two."""
    numbers = np.arange(counts.shape[1])
    distances = np.abs(numbers[:, np.newaxis] - numbers) + 0.5 * (numbers > numbers[:, np.newaxis])
    nearest = np.where(counts[:, np.newaxis] > 0, distances, np.inf).argmin(axis=2)
    accuracies = correct / np.maximum(counts, 1e-9)[:, :, np.newaxis]
    return np.asarray(np.take_along_axis(accuracies, nearest[:, :, np.newaxis], axis=1), np.float64)


def _make_jackknife(material: Material) -> Estimate:
    """The estimate by observed frequencies from m annotators and from half of them, extrapolated to endlessly many.

    Its bias falls as 1/m, so that M = (m·M_m − h·M_h)/(m − h) is free of the leading term. Leaving out half rather than one keeps
    the noise in bounds, which leaving out one multiplies by m. Observed frequencies enter through the same curve as true
    ones do elsewhere; bins would jump from one m to another. It assumes that the votes did not choose the images.

    Reference:
        Quenouille (1956), Notes on bias in estimation; Cook, Stefanski (1994), Simulation-extrapolation estimation in parametric
        measurement error models; Engstrom et al. (2020) for the use on selection frequencies.
    """
    fewest = int(min(material.original.n_shown.min(), material.new.n_shown.min()))
    if fewest < MIN_ANNOTATORS:
        raise InputError(
            f"The jackknife needs {MIN_ANNOTATORS} or more annotators for every image; one has {fewest}. Leave such images out, "
            "or use another method."
        )
    sizes = (fewest, fewest // 2)
    parts = [[thin(one.n_selected, one.n_shown, n_left=m) for m in sizes] for one in _get_pairs(material)]

    def estimate(samples: Samples) -> FloatArray:
        found = [
            _fit_observed(samples, of_original, of_new) for of_original, of_new in zip(parts[0], parts[1], strict=True)
        ]
        return (sizes[0] * found[0] - sizes[1] * found[1]) / (sizes[0] - sizes[1])

    return estimate


def _fit_observed(samples: Samples, of_original: FloatArray, of_new: FloatArray) -> FloatArray:
    """M by the curve of the accuracy in the observed frequency, once all counts are thinned."""
    counts = samples.original_counts @ of_original
    correct = np.matmul(of_original.T, samples.original_correct)
    n_left = of_original.shape[1] - 1
    curve = _make_curve(np.arange(n_left + 1) / n_left)
    rows = np.broadcast_to(curve, (len(counts), *curve.shape))
    shares = samples.new_counts @ of_new
    shares /= shares.sum(axis=1, keepdims=True)
    return _predict(_fit_curve(rows, counts, correct), shares @ curve)


def _make_beta(material: Material) -> Estimate:
    """True frequencies from a beta distribution of each set."""
    return _make_corrected(material, [_fit_beta_to(pairs) for pairs in _get_priors(material)])


def _fit_beta_to(pairs: Pairs) -> Distributions:
    fit = fit_beta(pairs.n_selected[pairs.places], pairs.n_shown[pairs.places])

    def find(weights: FloatArray) -> FloatArray:
        return discretise_betas(shift_betas(fit, pairs, weights=weights))

    return find


def _make_deconvolution(material: Material) -> Estimate:
    """True frequencies from a distribution of any shape for each set."""
    return _make_corrected(material, [fit_shape(pairs) for pairs in _get_priors(material)])


def fit_shape(pairs: Pairs) -> Distributions:
    """The distribution of true frequencies of samples, each found from that of the images themselves."""
    likelihoods = find_likelihoods(pairs.n_selected, pairs.n_shown)
    whole = climb(pairs.weights[np.newaxis], likelihoods)[0]

    def find(weights: FloatArray) -> FloatArray:
        if len(weights) == 1 and np.array_equal(weights[0], pairs.weights):
            return np.asarray(whole[np.newaxis], np.float64)
        return climb(weights, likelihoods, start=whole, max_steps=BOOTSTRAP_STEPS)

    return find


def _make_corrected(material: Material, priors: list[Distributions]) -> Estimate:
    """Accuracy as a curve of the true frequency, averaged over the true frequencies of the new set.

    Whether a participant is right on an image and how its annotators vote are independent given the image, so given k of n the
    share right is the posterior mean of the curve: a regression on posterior means of its terms finds the curve without bias.
    The new set's true frequencies are posteriors under what it was drawn from. Votes that chose an image say of it what they say
    of any candidate with these votes, and no more.
    """
    curve = _make_curve(GRID)
    of_original, of_new = (find_likelihoods(one.n_selected, one.n_shown) for one in _get_pairs(material))

    def estimate(samples: Samples) -> FloatArray:
        rows = expect(priors[0](samples.original_counts), of_original, of=curve)
        coefficients = _fit_curve(rows, samples.original_counts, samples.original_correct)
        terms = expect(priors[1](samples.prior_counts), of_new, of=curve)
        shares = samples.new_counts / samples.new_counts.sum(axis=1, keepdims=True)
        return _predict(coefficients, np.matmul(shares[:, np.newaxis], terms)[:, 0])

    return estimate


def _make_curve(frequencies: FloatArray) -> FloatArray:
    """The terms of the curve at some frequencies [frequencies, terms]."""
    return np.asarray(legvander(2 * frequencies - 1, CURVE_DEGREE), np.float64)


def _fit_curve(rows: FloatArray, counts: FloatArray, correct: FloatArray) -> FloatArray:
    """Coefficients [samples, terms, participants] by least squares, which is linear in the right answers.

    So the mean over participants of what comes out is what comes out of their mean.
    """
    weighted = rows * counts[:, :, np.newaxis]
    gram = np.matmul(weighted.transpose(0, 2, 1), rows) + np.diag(_PENALTIES)
    return np.asarray(np.linalg.solve(gram, np.matmul(rows.transpose(0, 2, 1), correct)), np.float64)


def _predict(coefficients: FloatArray, terms: FloatArray) -> FloatArray:
    return np.asarray(np.matmul(terms[:, np.newaxis], coefficients)[:, 0], np.float64)


def _get_pairs(material: Material) -> tuple[Pairs, Pairs]:
    return material.original_pairs, material.new_pairs


def _get_priors(material: Material) -> tuple[Pairs, Pairs]:
    """The counts that tell the distribution which each set was drawn from."""
    return material.original_pairs, material.new_pairs if material.pool_pairs is None else material.pool_pairs


_METHODS: Mapping[GapMethod, Callable[[Material], Estimate]] = {
    GapMethod.NAIVE: _make_naive,
    GapMethod.JACKKNIFE: _make_jackknife,
    GapMethod.BETA_BINOMIAL: _make_beta,
    GapMethod.DECONVOLUTION: _make_deconvolution,
}
