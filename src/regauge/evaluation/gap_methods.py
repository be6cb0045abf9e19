"""The accuracy that participants would have on original images with the selection frequencies of the new set.

All splits of a gap come down to this one number M: original − new = (original − M) + (M − new), the part that selection explains
and the remainder at equal frequency. The methods differ in what "equal frequency" means. The naive one takes the observed
frequencies at their word. A count of a few annotators regresses to the mean, though, and to different means in the two sets:
of two images with 8 of 10, the one from a poorer pool is the poorer one. So a set that is matched by counts is harder than it
looks, and the naive remainder is too large (Engstrom et al. 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial

import numpy as np
from numpy.polynomial.legendre import legvander

from regauge.arrays import FloatArray, freeze
from regauge.errors import InputError
from regauge.evaluation.gap_classes import ClassPosteriors, expect_by_class
from regauge.evaluation.gap_curves import DEGREE, Parabola, predict, see_bins, solve
from regauge.evaluation.gap_effects import Effects, make_effects
from regauge.evaluation.gap_jackknife import MIN_ANNOTATORS, make_jackknife
from regauge.evaluation.gap_samples import (
    Estimator,
    GapSamples,
    Material,
    Pooled,
    PooledEstimator,
    bin_answers,
    merge_bins,
)
from regauge.records.evaluation.gaps import GapMethod
from regauge.stats.deconvolution import GRID, N_CELLS, climb, expect, find_likelihoods, make_betas

SPREADS = (1e3, 0.5, 0.2, 0.2, 0.2)
"""Accuracy is a polynomial of the true frequency whose terms are expected within these of 0: a few annotators per image give a
plain curve, many a supple one, and images that are all alike no steep one."""
N_BETAS = 20
BETAS = make_betas(N_BETAS)
ANY_SHAPE: FloatArray = freeze(np.eye(N_CELLS), np.float64)
"""What distributions of true frequencies are mixed from: twenty betas, or single frequencies."""


def make_estimates(
    methods: Sequence[GapMethod], material: Material, *, shapes: Shapes | None = None
) -> dict[GapMethod, Estimator]:
    """The methods that can be used, ready for samples of this material; whatever can be fitted once is fitted here.

    Args:
        methods: those that are wanted.
        material: both sets and the pool.
        shapes: distributions of any shape, where somebody else needs them too.

    Raises:
        InputError: no method can be used on these counts.
    """
    obstacles = find_obstacles(material)
    usable = [method for method in methods if method not in obstacles]
    if not usable:
        raise InputError(obstacles[methods[0]])
    shapes = shapes or Shapes(material)
    effects = {
        is_exact: cache(partial(_make_effects, material, shapes, is_exact=is_exact)) for is_exact in (False, True)
    }
    makers: Mapping[GapMethod, Callable[[], PooledEstimator]] = {
        GapMethod.NAIVE: lambda: _make_naive(material),
        GapMethod.JACKKNIFE: lambda: make_jackknife(material, change=shapes.by_class.change[: DEGREE + 1]),
        GapMethod.BETA_BINOMIAL: lambda: _make_corrected(material, Shapes(material, family=BETAS)),
        GapMethod.DECONVOLUTION: lambda: _make_corrected(material, shapes),
    }
    return {method: _add_effects(makers[method](), effects[method is GapMethod.NAIVE]()) for method in usable}


def _make_effects(material: Material, shapes: Shapes, *, is_exact: bool) -> Effects | None:
    """The effects of classes, by bins of observed frequencies or by what is expected of true ones."""
    pairs = material.new_pairs
    if is_exact:
        return make_effects(material, new_terms=see_bins(pairs)[pairs.places, 1:], is_exact=True)
    expected = shapes.by_class.apart[:, 1 : DEGREE + 1]
    if material.pool_pairs is None:
        # Fresh votes have unbiased estimates; what all images together say would make classes too much alike.
        fresh = Parabola(pairs)
        expected = np.where(fresh.is_used[pairs.places, np.newaxis], fresh.rows[pairs.places, 1:], expected)
    return make_effects(material, new_terms=expected)


def _add_effects(pooled: PooledEstimator, effects: Effects | None) -> Estimator:
    """M with classes compared by themselves; by one curve of all where nothing is known of classes."""

    def estimate(samples: GapSamples) -> FloatArray:
        found = pooled(samples)
        if effects is None:
            return found.accuracies
        return (found.accuracies + effects.find(samples, found.terms)).clip(0, 1)

    return estimate


def find_obstacles(material: Material) -> dict[GapMethod, str]:
    """Why some methods cannot be used here, a sentence for each of them."""
    sides = material.original_pairs.n_shown, material.new_pairs.n_shown
    priors = material.original_pairs.n_shown, (material.pool_pairs or material.new_pairs).n_shown
    fewest = min(int(one.min()) for one in sides)
    obstacles = {}
    if fewest < MIN_ANNOTATORS:
        obstacles[GapMethod.JACKKNIFE] = (
            f"The jackknife needs {MIN_ANNOTATORS} or more annotators for every image; one has {fewest}. Leave such images out, "
            "or use another method."
        )
    elif int(priors[1].max()) < MIN_ANNOTATORS:
        obstacles[GapMethod.JACKKNIFE] = (
            f"The jackknife needs candidates that {MIN_ANNOTATORS} or more annotators saw; none was seen by more than "
            f"{int(priors[1].max())}. Give the counts of all candidates, or use another method."
        )
    if min(int(one.max()) for one in priors) == 1:
        for method in (GapMethod.BETA_BINOMIAL, GapMethod.DECONVOLUTION):
            obstacles[method] = (
                f"Single votes do not tell how noisy they are, so {method} cannot correct them. Ask two or more annotators per "
                "image, or use the naive method."
            )
    return obstacles


def _make_naive(material: Material) -> PooledEstimator:
    """Bins of the observed frequency: M = Σ p_new,b · a_original,b."""
    seen = see_bins(material.new_pairs)

    def estimate(samples: GapSamples) -> Pooled:
        binned = bin_answers(samples.original_counts, samples.original_correct, pairs=material.original_pairs)
        accuracies = _fill_empty(*binned)
        wanted = merge_bins(samples.new_counts[:, :, np.newaxis], material.new_pairs)[:, :, 0]
        sums = np.matmul(wanted[:, np.newaxis], accuracies)[:, 0]
        n_new = wanted.sum(axis=1, keepdims=True)
        return Pooled(np.asarray(sums / n_new, np.float64), samples.new_counts @ seen / n_new)

    return estimate


def _fill_empty(counts: FloatArray, correct: FloatArray) -> FloatArray:
    """Accuracies by bin; a bin without images takes that of the nearest one that has some, the lower of two."""
    numbers = np.arange(counts.shape[1])
    distances = np.abs(numbers[:, np.newaxis] - numbers) + 0.5 * (numbers > numbers[:, np.newaxis])
    nearest = np.where(counts[:, np.newaxis] > 0, distances, np.inf).argmin(axis=2)
    accuracies = correct / np.maximum(counts, 1e-9)[:, :, np.newaxis]
    return np.asarray(np.take_along_axis(accuracies, nearest[:, :, np.newaxis], axis=1), np.float64)


class Shapes:
    """The distributions of true frequencies that both sets were drawn from, in samples.

    Those of the last samples are remembered, for several figures come from them.
    """

    def __init__(self, material: Material, *, family: FloatArray = ANY_SHAPE) -> None:
        """From the distributions that are mixed [members, grid]."""
        self.family = family
        self._material = material
        priors = material.original_pairs, material.pool_pairs or material.new_pairs
        self._likelihoods = [find_likelihoods(one.n_selected, one.n_shown) @ family.T for one in priors]
        self._last: tuple[GapSamples, tuple[FloatArray, FloatArray]] | None = None

    @cached_property
    def by_class(self) -> ClassPosteriors:
        """The expected terms of the curve for every new image, when every class has a distribution of its own."""
        return expect_by_class(self._material, family=self.family, of=_make_curve(GRID))

    @property
    def change_by_class(self) -> float:
        """By how much the mean true frequency of the new set changes when every class has a distribution of its own."""
        # The term of degree 1 of the curve is 2 s − 1.
        return float(self.by_class.change[1] / 2)

    def find(self, samples: GapSamples) -> tuple[FloatArray, FloatArray]:
        """Shares of the grid for the original set and for what the new set was drawn from, each [samples, grid]."""
        if self._last is None or self._last[0] is not samples:
            original, new = (
                climb(weights, likelihoods) @ self.family
                for weights, likelihoods in zip(
                    (samples.original_counts, samples.prior_counts), self._likelihoods, strict=True
                )
            )
            self._last = samples, (original, new)
        return self._last[1]


def _make_corrected(material: Material, shapes: Shapes) -> PooledEstimator:
    """Accuracy as a curve of the true frequency, averaged over the true frequencies of the new set.

    Whether a participant is right on an image and how its annotators vote are independent given the image, so given k of n the
    share right is the posterior mean of the curve: a regression on posterior means of its terms finds the curve without bias.
    The new set's true frequencies are posteriors under what it was drawn from. Votes that chose an image say of it what they say
    of any candidate with these votes, and no more.
    """
    curve = _make_curve(GRID)
    change = shapes.by_class.change
    of_original, of_new = (
        find_likelihoods(one.n_selected, one.n_shown) for one in (material.original_pairs, material.new_pairs)
    )

    def estimate(samples: GapSamples) -> Pooled:
        original, new = shapes.find(samples)
        rows = expect(original, of_original, of=curve)
        coefficients = _fit_curve(rows, samples.original_counts, samples.original_correct)
        shares = samples.new_counts / samples.new_counts.sum(axis=1, keepdims=True)
        terms = np.matmul(shares[:, np.newaxis], expect(new, of_new, of=curve))[:, 0] + change
        return Pooled(predict(coefficients, terms), terms)

    return estimate


def _make_curve(frequencies: FloatArray) -> FloatArray:
    """The terms of the curve at some frequencies [frequencies, terms]."""
    return np.asarray(legvander(2 * frequencies - 1, len(SPREADS) - 1), np.float64)


def _fit_curve(rows: FloatArray, counts: FloatArray, correct: FloatArray) -> FloatArray:
    """Coefficients [samples, terms, participants]."""
    columns = rows.transpose(0, 2, 1)
    gram = np.matmul(columns * counts[:, np.newaxis], rows)
    return solve(gram, np.matmul(columns, correct), spreads=SPREADS)
