"""The bootstrap of a mean by counts: against the bootstrap of the images themselves, and in its coverage."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.stats.few_values import resample_means
from regauge.stats.intervals import clopper_pearson
from regauge.stats.resampling import bootstrap, percentile_limits


def test_it_is_the_bootstrap_of_the_images(rng: np.random.Generator) -> None:
    values, counts = np.array([0.0, 0.5, 1.0]), np.array([[30, 50, 20]])
    drawn = resample_means(counts, values, rng=rng, n_resamples=20_000)[:, 0]
    plain = bootstrap(np.repeat(values, counts[0]), lambda batch: batch.mean(axis=1), rng=rng, n_resamples=20_000)
    # The mean is 0.45 and its standard error √(Σ/100) by both.
    assert (drawn.mean(), plain.mean()) == pytest.approx((0.45, 0.45), abs=0.002)
    assert drawn.std() == pytest.approx(plain.std(), rel=0.03)


def test_a_row_with_fewer_than_two_images_has_no_replicates(rng: np.random.Generator) -> None:
    drawn = resample_means([[0, 0], [1, 0], [2, 0]], [1.0, 2.0], rng=rng, n_resamples=3)
    assert np.isnan(drawn[:, :2]).all()
    assert drawn[:, 2].tolist() == [1.0, 1.0, 1.0]


def test_counts_and_values_must_fit(rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="one column per value"):
        resample_means([[1, 2]], [1.0], rng=rng, n_resamples=3)


def test_limits_cover_the_mean(rng: np.random.Generator) -> None:
    values, shares, n_samples = np.array([0.2, 0.5, 1.0]), np.array([0.3, 0.5, 0.2]), 2_000
    counts = rng.multinomial(200, shares, size=n_samples)
    low, high = percentile_limits(resample_means(counts, values, rng=rng, n_resamples=400))
    covered = int(((low <= values @ shares) & (values @ shares <= high)).sum())
    limits = clopper_pearson(covered, n_samples, level=0.999)
    assert float(limits.low) <= 0.95 <= float(limits.high) + 0.01
