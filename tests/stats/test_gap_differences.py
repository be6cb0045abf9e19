"""The difference of two gaps: a bootstrap of images as its oracle, images that both sets share, and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.records.testsets.shared_images import SharedImages
from regauge.stats.gap_differences import draw_gap_differences
from regauge.stats.intervals import clopper_pearson
from regauge.stats.resampling import bootstrap, percentile_limits


def make_rng() -> np.random.Generator:
    return np.random.default_rng(2)


def test_a_certain_difference_is_always_drawn():
    # Only the first is right on every original image, and both alike on every new one: 1 − 0.
    draws = draw_gap_differences([1, 1, 1], [0, 0], rng=make_rng(), n_resamples=50)
    np.testing.assert_array_equal(draws, np.ones(50))


def test_the_mean_of_the_draws_is_the_difference():
    # (3 − 1)/8 − (1 − 2)/4 = 0.25 + 0.25.
    draws = draw_gap_differences([1, 1, 1, -1, 0, 0, 0, 0], [1, -1, -1, 0], rng=make_rng(), n_resamples=40_000)
    assert draws.mean() == pytest.approx(0.5, abs=0.01)


def test_it_is_a_bootstrap_of_the_images():
    rng = make_rng()
    original, new = rng.integers(-1, 2, 80), rng.integers(-1, 2, 50)
    ours = draw_gap_differences(original, new, rng=rng, n_resamples=40_000)
    images = [bootstrap(one, lambda some: some.mean(axis=1), rng=rng, n_resamples=40_000) for one in (original, new)]
    theirs = images[0] - images[1]
    assert ours.std() == pytest.approx(theirs.std(), rel=0.02)
    np.testing.assert_allclose(percentile_limits(ours), percentile_limits(theirs), atol=0.01)


def test_images_of_both_sets_are_drawn_once():
    column = make_rng().integers(-1, 2, 60)
    shared = SharedImages(np.arange(60), np.arange(60))
    np.testing.assert_allclose(draw_gap_differences(column, column, rng=make_rng(), shared=shared), 0, atol=1e-12)
    assert draw_gap_differences(column, column, rng=make_rng()).std() > 0.05


def test_a_shared_image_may_be_right_in_one_set_alone():
    shared = SharedImages(np.array([0]), np.array([0]))
    draws = draw_gap_differences([1, 0], [-1, 0], rng=make_rng(), shared=shared, n_resamples=200)
    np.testing.assert_allclose(draws, 1)


def test_a_set_without_images_has_no_difference():
    assert np.isnan(draw_gap_differences([], [1, 0], rng=make_rng(), n_resamples=3)).all()


def test_percentile_limits_cover():
    rng, n_covered = np.random.default_rng(9), 0
    for _ in range(2_000):
        original = rng.choice([-1, 0, 1], size=300, p=[0.05, 0.85, 0.1])
        new = rng.choice([-1, 0, 1], size=200, p=[0.05, 0.75, 0.2])
        low, high = percentile_limits(draw_gap_differences(original, new, rng=rng, n_resamples=400))
        n_covered += bool(low <= 0.05 - 0.15 <= high)
    low, high = clopper_pearson(n_covered, 2_000, level=0.999)
    assert low <= 0.95
    assert high >= 0.94


def test_other_values_are_refused():
    with pytest.raises(InputError, match="who alone is right"):
        draw_gap_differences([2], [0], rng=make_rng())
    with pytest.raises(InputError, match="one column"):
        draw_gap_differences([0.5], [0], rng=make_rng())
    with pytest.raises(InputError, match="at least one resample"):
        draw_gap_differences([1], [0], rng=make_rng(), n_resamples=0)
