"""The distribution behind counts: found again where it is known, never less likely than a beta, exact where it is simple."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import beta as beta_function
from scipy.special import betainc

from regauge.errors import InputError
from regauge.stats.beta_binomial import fit_beta
from regauge.stats.deconvolution import (
    _MAX_PRODUCTS,
    GRID,
    N_CELLS,
    climb,
    deconvolve,
    expect,
    find_likelihoods,
    find_pairs,
    make_betas,
)

counts = st.lists(st.tuples(st.integers(1, 15), st.floats(0, 1)), min_size=1, max_size=60).map(
    lambda rows: tuple(np.array(column) for column in zip(*((round(n * share), n) for n, share in rows), strict=True))
)


def test_pairs_are_distinct_and_every_count_finds_its_own():
    pairs = find_pairs([1, 3, 1, 0], [4, 4, 4, 2])
    assert (pairs.n_selected.tolist(), pairs.n_shown.tolist()) == ([0, 1, 3], [2, 4, 4])
    assert pairs.places.tolist() == [1, 2, 1, 0]
    assert pairs.weights.tolist() == [1, 2, 1]


def test_a_likelihood_peaks_at_the_observed_share():
    found = find_likelihoods([3], [4])[0]
    assert found.max() == 1
    assert GRID[found.argmax()] == pytest.approx(0.75, abs=1 / N_CELLS)
    # s³(1 − s) at 0.50625 against its value at the peak of the grid.
    peak = GRID[found.argmax()]
    assert found[40] == pytest.approx(GRID[40] ** 3 * (1 - GRID[40]) / (peak**3 * (1 - peak)))


def test_two_lumps_are_found_where_a_beta_finds_a_slope(rng: np.random.Generator):
    true = np.where(rng.random(4_000) < 0.25, 0.05, 0.85)
    found = deconvolve(rng.binomial(10, true), np.full(4_000, 10))
    assert found.shares[GRID < 0.3].sum() == pytest.approx(0.25, abs=0.03)
    assert found.shares[(GRID > 0.3) & (GRID < 0.6)].sum() < 0.03
    assert found.mean == pytest.approx(true.mean(), abs=0.01)


@given(counts)
def test_no_beta_on_the_grid_is_more_likely_by_much(given_counts: tuple[np.ndarray, np.ndarray]):
    k, n = given_counts
    fit, found = fit_beta(k, n), deconvolve(k, n)
    shares = np.diff(betainc(fit.a, fit.b, np.linspace(0, 1, N_CELLS + 1)))
    pairs = find_pairs(k, n)
    likelihoods = find_likelihoods(pairs.n_selected, pairs.n_shown)
    gain = pairs.weights @ (np.log(likelihoods @ found.shares) - np.log(np.maximum(likelihoods @ shares, 1e-300)))
    # Climbing stops when a step gains less than 1e-6 per count, a little before the maximum.
    assert gain / k.size > -0.005


@given(counts)
def test_shares_are_shares(given_counts: tuple[np.ndarray, np.ndarray]):
    found = deconvolve(*given_counts)
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1)
    assert found.n_counts == len(given_counts[0])


def test_counts_that_nobody_gave_have_no_distribution():
    found = deconvolve([0, 0], [0, 0])
    assert np.isnan(found.shares).all()
    assert (found.n_counts, np.isnan(found.log_likelihood)) == (0, True)


def test_the_log_likelihood_is_that_of_the_mixture():
    found = deconvolve([1, 2, 2], [2, 2, 3])
    chances = [(found.shares * GRID**k * (1 - GRID) ** (n - k)).sum() for k, n in ((1, 2), (2, 2), (2, 3))]
    assert found.log_likelihood == pytest.approx(np.log(chances).sum())


def test_samples_climb_as_if_alone():
    weights = np.array([[3.0, 1, 4], [0, 5, 2]])
    likelihoods = find_likelihoods([0, 2, 5], [5, 5, 5])
    together = climb(weights, likelihoods, max_steps=20)
    assert np.allclose(together, [climb(one[np.newaxis], likelihoods, max_steps=20)[0] for one in weights])


def test_many_sets_of_weights_climb_as_few_do(rng: np.random.Generator):
    # A hundred sets of 66 pairs are more than climb at once.
    n, k = np.meshgrid(np.arange(11), np.arange(11))
    likelihoods = find_likelihoods(k[k <= n], n[k <= n])
    weights = rng.multinomial(500, np.full(66, 1 / 66), 100).astype(np.float64)
    assert 100 * likelihoods.size > _MAX_PRODUCTS > 10 * likelihoods.size
    together = climb(weights, likelihoods, max_steps=30)
    apart = np.concatenate([climb(weights[at : at + 10], likelihoods, max_steps=30) for at in range(0, 100, 10)])
    assert np.allclose(together, apart, rtol=1e-9, atol=1e-12)


def test_a_sample_without_counts_is_refused():
    with pytest.raises(InputError, match="at least one count"):
        climb(np.zeros((1, 2)), find_likelihoods([0, 1], [1, 1]))


def test_posterior_means_under_a_beta_are_the_textbook_ones():
    # Under Beta(2, 3), the second of four, k of n has the posterior mean (k + 2)/(n + 5).
    found = expect(make_betas(4)[1:2], find_likelihoods([0, 4, 9], [9, 9, 9]), of=GRID[:, np.newaxis])
    assert found[0, :, 0].tolist() == pytest.approx([2 / 14, 6 / 14, 11 / 14], abs=1e-3)


def test_cells_hold_the_mass_of_the_beta():
    density = GRID * (1 - GRID) / beta_function(2, 2) / N_CELLS
    assert np.allclose(make_betas(3)[1], density, atol=1e-4)


def test_a_mixture_of_betas_finds_the_share_of_each(rng: np.random.Generator):
    betas = make_betas(9)
    true = np.where(rng.random(20_000) < 0.3, rng.beta(1, 9, 20_000), rng.beta(8, 2, 20_000))
    pairs = find_pairs(rng.binomial(15, true), np.full(true.size, 15))
    shares = climb(pairs.weights[np.newaxis], find_likelihoods(pairs.n_selected, pairs.n_shown) @ betas.T)[0]
    assert (shares @ betas @ GRID) == pytest.approx(true.mean(), abs=0.01)
    assert shares[:3].sum() == pytest.approx(0.3, abs=0.03)
    assert shares[6:].sum() == pytest.approx(0.7, abs=0.03)
