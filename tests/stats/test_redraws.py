"""Redraws of images: weights, replicates of ratios and of groups."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.stats.redraws import bootstrap_ratios, draw_images, draw_some, draw_weights, redraw_groups


def collect(n: int, n_resamples: int, strata: list[int] | None = None) -> np.ndarray:
    found = np.zeros((n_resamples, n))
    groups = None if strata is None else np.array(strata, np.int32)
    for rows, weights in draw_weights(n, rng=np.random.default_rng(1), n_resamples=n_resamples, strata=groups):
        found[rows] = weights
    return found


def test_a_redraw_has_as_many_images_and_every_image_is_drawn_once_on_average():
    weights = collect(7, 4_000)
    assert (weights.sum(axis=1) == 7).all()
    # The mean of 4,000 counts with variance 6/7 has a standard error of 0.015.
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.06
    assert np.abs(weights.var(axis=0) - 6 / 7).max() < 0.12


def test_strata_keep_their_sizes_in_whatever_order_they_come():
    strata = [3, 1, 3, 2, 1, 3]
    weights = collect(6, 300, strata)
    for stratum, size in ((1, 2), (2, 1), (3, 3)):
        assert (weights[:, np.array(strata) == stratum].sum(axis=1) == size).all()
    assert weights[:, 3].tolist() == [1.0] * 300


def test_a_stratum_for_every_image_is_wanted_and_at_least_one_redraw():
    with pytest.raises(InputError, match="Strata are 3 whole numbers, one per image"):
        list(draw_weights(3, rng=np.random.default_rng(0), n_resamples=2, strata=np.zeros(2, np.int32)))
    with pytest.raises(InputError, match="at least one resample"):
        list(draw_weights(3, rng=np.random.default_rng(0), n_resamples=0))


def test_ratios_are_those_of_a_plain_loop_over_the_same_draws(rng: np.random.Generator):
    above, below = rng.random((9, 3)), rng.random((9, 3))
    found = bootstrap_ratios(above, below, rng=np.random.default_rng(1), n_resamples=20)
    for row, weights in zip(found, collect(9, 20), strict=True):
        for column in range(3):
            plain = sum(w * a for w, a in zip(weights, above[:, column], strict=True))
            whole = sum(w * b for w, b in zip(weights, below[:, column], strict=True))
            assert row[column] == pytest.approx(plain / whole, rel=1e-5)


def test_a_redraw_with_nothing_below_the_line_has_no_ratio():
    found = bootstrap_ratios(
        np.array([[1.0], [0.0]]), np.array([[1.0], [0.0]]), rng=np.random.default_rng(2), n_resamples=50
    )
    assert set(np.unique(found[~np.isnan(found)]).tolist()) == {1.0}
    # One redraw of four takes the second image twice.
    assert 5 <= np.isnan(found).sum() <= 21


def test_groups_are_redrawn_by_themselves_and_unknown_values_bring_nothing():
    values = np.array([[1.0], [np.nan], [0.25], [0.25], [np.nan]])
    found = redraw_groups(
        values, np.array([0, 0, 1, 1, 2], np.int32), n_groups=4, rng=np.random.default_rng(0), n_resamples=40
    )
    assert found.shape == (1, 40, 4)
    first = found[0, :, 0]
    assert set(first[~np.isnan(first)].tolist()) == {1.0}
    assert (found[0, :, 1] == 0.25).all()
    assert np.isnan(found[0, :, 2:]).all()


def test_means_of_redrawn_groups_vary_as_means_do(rng: np.random.Generator):
    values = rng.random((10, 1))
    found = redraw_groups(values, np.zeros(10, np.int32), n_groups=1, rng=rng, n_resamples=4_000)[0, :, 0]
    assert found.mean() == pytest.approx(values.mean(), abs=0.01)
    assert found.std() == pytest.approx(values.std() / np.sqrt(10), rel=0.06)


def test_as_many_images_are_drawn_as_there_are_each_as_often_as_the_others() -> None:
    counts = draw_images(50, rng=np.random.default_rng(1), n_resamples=2_000)
    assert (counts.sum(axis=1) == 50).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(50), abs=0.12)
    # A binomial count of 50 draws at 1/50 has the variance 1 − 1/50.
    assert counts.var() == pytest.approx(0.98, abs=0.02)
    assert draw_images(0, rng=np.random.default_rng(1), n_resamples=3).shape == (3, 0)


def test_the_same_state_draws_the_same_images_and_none_are_no_bootstrap() -> None:
    first, second = (draw_images(9, rng=np.random.default_rng(4), n_resamples=5) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    with pytest.raises(InputError, match="at least one resample, not 0"):
        draw_images(9, rng=np.random.default_rng(4), n_resamples=0)


def test_images_that_matter_come_up_as_they_would_among_all() -> None:
    found = draw_some(3, 12, rng=np.random.default_rng(5), n_resamples=4_000)
    # Three of twelve are drawn 12 · 3/12 times on average, with the variance 12 · 1/4 · 3/4.
    assert found.sum(axis=1).mean() == pytest.approx(3, abs=0.1)
    assert found.sum(axis=1).var() == pytest.approx(2.25, abs=0.2)
