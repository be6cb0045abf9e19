"""The beta distribution of many proportions, and posteriors: by hand, against SciPy's optimiser, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import betaln
from scipy.stats import beta

from regauge.errors import InputError
from regauge.stats.beta_binomial import MAX_SHAPE, MIN_SHAPE, BetaFit, find_posterior, fit_beta
from regauge.stats.intervals import clopper_pearson


def find_maximum(k: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The same maximum by a general optimiser without derivatives."""

    def measure(logs: np.ndarray) -> float:
        a, b = np.exp(logs)
        return -float(np.sum(betaln(k + a, n - k + b) - betaln(a, b)))

    found = minimize(
        measure, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 4_000}
    )
    return np.asarray(np.exp(found.x))


def test_one_vote_each_has_the_mean_of_the_votes():
    # With n = 1 the likelihood depends on a/(a + b) alone: its maximum is the share of ones.
    assert fit_beta([1, 1, 1, 0], [1, 1, 1, 1]).mean == pytest.approx(0.75, abs=1e-6)


def test_counts_at_both_ends_give_a_distribution_with_both_ends():
    # Half of the pairs are selected by all nine, half by none; one in the middle keeps the maximum from the edge.
    fit = fit_beta([0] * 10 + [9] * 10 + [4, 5], [9] * 22)
    assert fit.a == pytest.approx(fit.b)
    assert fit.a < 0.2
    assert (fit.n_pairs, fit.is_at_edge) == (22, False)


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.5), (2.0, 5.0), (8.0, 1.5), (0.9, 0.2)])
def test_the_maximum_is_that_of_a_general_optimiser(a, b, rng):
    n = rng.integers(2, 13, 400)
    k = rng.binomial(n, rng.beta(a, b, 400))
    fit = fit_beta(k, n)
    assert [fit.a, fit.b] == pytest.approx(find_maximum(k, n), rel=1e-4)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)), min_size=1, max_size=30))
def test_no_nearby_shapes_are_likelier(pairs):
    k, n = np.array([(min(k, n), n) for k, n in pairs]).T
    fit = fit_beta(k, n)
    assert MIN_SHAPE <= fit.a <= MAX_SHAPE * (1 + 1e-9)
    for factor_a, factor_b in [(1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99), (1.01, 1.01), (0.99, 0.99)]:
        a = np.clip(fit.a * factor_a, MIN_SHAPE, MAX_SHAPE)
        b = np.clip(fit.b * factor_b, MIN_SHAPE, MAX_SHAPE)
        nearby = float(np.sum(betaln(k + a, n - k + b) - betaln(a, b)))
        assert nearby <= fit.log_likelihood + 1e-6 * (1 + abs(fit.log_likelihood))


@pytest.mark.parametrize("k", [[0, 0, 0], [9, 9, 9], [4, 5, 4]])
def test_counts_without_a_maximum_are_said_to_be_at_the_edge(k):
    assert fit_beta(k, [9, 9, 9]).is_at_edge


def test_no_counts_give_no_distribution():
    fit = fit_beta([0, 0], [0, 0])
    assert np.isnan(fit.a)
    assert fit.n_pairs == 0
    with pytest.raises(InputError, match="no distribution to shrink towards"):
        find_posterior([1], [2], fit=fit)


def test_a_posterior_is_the_beta_of_both_counts():
    # Beta(2, 3) and 3 of 4: Beta(5, 4), whose mean is 5/9.
    fit = BetaFit(2.0, 3.0, n_pairs=10, log_likelihood=0.0, is_at_edge=False)
    posterior = find_posterior([[3, 0], [4, 0]], [[4, 4], [4, 0]], fit=fit)
    assert posterior.means == pytest.approx(np.array([[5 / 9, 2 / 9], [6 / 9, 2 / 5]]))
    assert posterior.limits.low[0, 0] == pytest.approx(beta.ppf(0.025, 5, 4))
    assert posterior.limits.high[0, 0] == pytest.approx(beta.ppf(0.975, 5, 4))
    # Nobody saw the last pair: what is known of it is what is known of all.
    assert posterior.limits.high[1, 1] == pytest.approx(beta.ppf(0.975, 2, 3))


@given(st.integers(0, 20), st.integers(0, 20), st.floats(0.05, 50), st.floats(0.05, 50))
def test_a_posterior_mean_lies_between_the_share_and_the_mean_of_all(k, n, a, b):
    k = min(k, n)
    fit = BetaFit(a, b, n_pairs=1, log_likelihood=0.0, is_at_edge=False)
    posterior = find_posterior(k, n, fit=fit)
    share = k / n if n else fit.mean
    assert min(share, fit.mean) - 1e-12 <= posterior.means <= max(share, fit.mean) + 1e-12
    assert posterior.limits.low <= posterior.limits.high


def test_credible_limits_cover_their_share_of_the_proportions(rng):
    """Empirical Bayes on 4,000 pairs of a U-shaped campaign with 5 to 10 annotators each."""
    n = rng.integers(5, 11, 4_000)
    truth = rng.beta(0.6, 0.8, n.size)
    k = rng.binomial(n, truth)
    limits = find_posterior(k, n, fit=fit_beta(k, n)).limits
    n_covered = np.count_nonzero((limits.low <= truth) & (truth <= limits.high))
    low, high = clopper_pearson(n_covered, n.size, level=0.999)
    assert low <= 0.95 <= high


def test_posterior_means_are_nearer_the_truth_than_shares(rng):
    n = np.full(4_000, 5)
    truth = rng.beta(2, 2, n.size)
    k = rng.binomial(n, truth)
    means = find_posterior(k, n, fit=fit_beta(k, n)).means
    # In expectation the squared error is p(1 − p)/n = 0.2/5 = 0.04 of shares; of means it is the posterior variance, 0.05·4/9.
    assert np.mean((k / n - truth) ** 2) == pytest.approx(0.04, abs=0.004)
    assert np.mean((means - truth) ** 2) == pytest.approx(0.05 * 4 / 9, abs=0.003)
