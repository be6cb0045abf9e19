"""Bootstrap of a mean of selection frequencies."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from regauge.stats.frequency_means import bootstrap_mean_frequency
from regauge.stats.intervals import clopper_pearson
from regauge.stats.resampling import percentile_limits


def test_replicates_vary_as_images_and_votes_do() -> None:
    # Two kinds of images, 50 each: 2 of 10 and 8 of 10. Drawing images, the mean has the variance 0.3² / 100 = 0.0009;
    # drawing the votes of each adds 0.2 · 0.8 / 10 / 100 = 0.00016.
    means = bootstrap_mean_frequency([2, 8] * 50, [10] * 100, rng=np.random.default_rng(0), n_resamples=100_000)
    assert abs(means.mean() - 0.5) < 4 * np.sqrt(0.00106 / 100_000)
    assert abs(means.var() / 0.00106 - 1) < 0.03


def test_no_image_gives_no_replicate() -> None:
    assert np.isnan(bootstrap_mean_frequency([], [], rng=np.random.default_rng(0), n_resamples=100)).all()


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 12)), min_size=1, max_size=30), st.integers(0, 2**32))
def test_replicates_are_frequencies_and_certain_votes_stay_certain(votes: list[tuple[int, int]], seed: int) -> None:
    shown = np.array([n for n, _ in votes])
    selected = np.minimum([k for _, k in votes], shown)
    means = bootstrap_mean_frequency(selected, shown, rng=np.random.default_rng(seed), n_resamples=100)
    assert ((means >= 0) & (means <= 1)).all()
    assert (bootstrap_mean_frequency(shown, shown, rng=np.random.default_rng(seed), n_resamples=100) == 1).all()


def test_intervals_cover_the_mean_of_the_population_at_least_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    n_covered, n = 0, 2_000
    for _ in range(n):
        chances = rng.beta(2, 1, size=150)
        selected = rng.binomial(9, chances)
        means = bootstrap_mean_frequency(selected, np.full(150, 9), rng=rng, n_resamples=400)
        limits = percentile_limits(means)
        n_covered += bool(limits.low <= 2 / 3 <= limits.high)
    # It errs on the wide side, so only too little coverage is a failure.
    assert clopper_pearson(n_covered, n).high >= 0.95
