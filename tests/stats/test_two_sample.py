"""Telling two samples apart: SciPy's AUC and minimiser, principal components, the level, power, and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from regauge.arrays import BoolArray, CountArray, ScoreArray
from regauge.errors import InputError
from regauge.stats import two_sample
from regauge.stats.intervals import clopper_pearson
from regauge.stats.two_sample import (
    Separation,
    find_accuracy_limits,
    find_auc_limits,
    find_components,
    measure_auc,
    separate,
)

scores = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


def draw(rng: np.random.Generator, n: int, n_features: int, shift: float = 0.0) -> tuple[ScoreArray, ScoreArray]:
    first, second = rng.standard_normal((2, n, n_features)).astype(np.float32)
    second[:, 0] += np.float32(shift)
    return first, second


def deal(rng: np.random.Generator, n: int, n_folds: int = 5) -> CountArray:
    return rng.permutation(np.arange(n) % n_folds)


def swap(rng: np.random.Generator, n_swaps: int, n: int) -> BoolArray:
    return np.asarray(rng.random((n_swaps, n)) < 0.5)


@given(scores, scores)
def test_the_auc_is_mann_and_whitneys(low: list[int], high: list[int]) -> None:
    u = stats.mannwhitneyu(high, low).statistic
    assert measure_auc(np.array(low, float), np.array(high, float)) == pytest.approx(u / (len(low) * len(high)))


def test_no_scores_give_no_auc() -> None:
    assert np.isnan(measure_auc(np.zeros(0), np.ones(2)))


def test_the_fit_is_the_logistic_regression_with_a_ridge(rng: np.random.Generator) -> None:
    first, second = draw(rng, 60, 3, shift=1)
    design = np.concatenate([first, second])
    labels = np.repeat([-1.0, 1.0], 60)

    def lose(weights: ScoreArray) -> float:
        losses = np.logaddexp(0, -labels * (design @ weights)).mean()
        return float(losses + 0.5 * (3 / 120) * weights @ weights)

    expected = optimize.minimize(lose, np.zeros(3), method="BFGS", options={"gtol": 1e-8}).x
    found = two_sample._Logistic(design).find_weights(labels[:, np.newaxis].astype(np.float32))
    np.testing.assert_allclose(found[:, 0], expected, atol=0.02)


def test_components_are_uncorrelated_and_of_variance_one(rng: np.random.Generator) -> None:
    mixed = rng.standard_normal((300, 6)) @ rng.standard_normal((6, 10))
    constant = np.concatenate([mixed, np.full((300, 1), 7.0)], axis=1)
    found = find_components(constant, n_components=20, rng=rng)
    # Six directions span all ten features; the constant one adds nothing.
    assert found.shape == (300, 6)
    np.testing.assert_allclose(found.T @ found / 300, np.eye(6), atol=1e-3)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-4)
    assert find_components(np.ones((5, 2)), n_components=2, rng=rng).shape == (5, 0)


@pytest.mark.parametrize("constant", [0.1, 7.7, 1e4 / 3, 0.0])
def test_a_constant_among_many_vectors_does_not_hide_what_varies(rng: np.random.Generator, constant: float) -> None:
    # The mean of so many numbers of 32 bits is not quite the number that all of them are.
    features = rng.standard_normal((30_000, 3)).astype(np.float32)
    features[:, 1] = constant
    assert find_components(features, n_components=3, rng=rng).shape == (30_000, 2)


def test_the_unit_of_a_feature_does_not_matter(rng: np.random.Generator) -> None:
    features = rng.standard_normal((50, 3)).astype(np.float32)
    plain = find_components(features, n_components=3, rng=rng)
    other = find_components(features * np.array([1e-30, 1, 1e29], np.float32), n_components=3, rng=rng)
    np.testing.assert_allclose(np.abs(other), np.abs(plain), rtol=1e-3, atol=1e-3)


def test_the_random_sketch_finds_the_same_directions(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = rng.standard_normal((400, 4)) @ rng.standard_normal((4, 60)) + 0.01 * rng.standard_normal((400, 60))
    exact = find_components(mixed, n_components=4, rng=rng)
    monkeypatch.setattr(two_sample, "MAX_EXACT_FEATURES", 10)
    sketched = find_components(mixed, n_components=4, rng=rng)
    # The same up to signs.
    np.testing.assert_allclose(np.abs(exact.T @ sketched) / 400, np.eye(4), atol=0.01)


def test_plainly_different_samples_are_told_apart_and_the_pairs_give_the_limit(rng: np.random.Generator) -> None:
    first, second = draw(rng, 40, 2, shift=30)
    found = separate(first, second, folds=deal(rng, 40), swaps=swap(rng, 99, 40))
    assert (found.auc, found.p, found.n_swaps) == (1, 0.01, 99)
    # All of 40 pairs, counted as 20: 0.025^(1/20).
    assert (float(found.limits.low), float(found.limits.high)) == pytest.approx((0.025 ** (1 / 20), 1))
    assert (found.scores[0] < 0).all()
    assert (found.scores[1] > 0).all()


def test_without_swaps_there_is_no_p_value_and_without_features_no_difference(rng: np.random.Generator) -> None:
    found = separate(*draw(rng, 20, 2), folds=deal(rng, 20), swaps=swap(rng, 0, 20))
    assert np.isnan(found.p)
    blind = np.zeros((20, 0), np.float32)
    nothing = separate(blind, blind, folds=deal(rng, 20), swaps=swap(rng, 19, 20))
    assert (nothing.auc, nothing.p) == (0.5, 1)


def test_pairs_and_folds_must_fit(rng: np.random.Generator) -> None:
    first, second = draw(rng, 10, 2)
    with pytest.raises(InputError, match="two samples of one shape"):
        separate(first, second[:9], folds=deal(rng, 10), swaps=swap(rng, 1, 10))
    with pytest.raises(InputError, match="none empty"):
        separate(first, second, folds=np.zeros(10, np.int64), swaps=swap(rng, 1, 10))


def test_the_level_holds_and_chance_is_one_half(rng: np.random.Generator) -> None:
    n = 2_000
    found = [separate(*draw(rng, 12, 2), folds=deal(rng, 12, 2), swaps=swap(rng, 19, 12)) for _ in range(n)]
    p = np.array([one.p for one in found])
    for level in (0.05, 0.5):
        low, high = clopper_pearson(int((p <= level + 1e-12).sum()), n, level=0.999)
        assert low <= level <= high
    aucs = np.array([one.auc for one in found])
    assert aucs.mean() == pytest.approx(0.5, abs=4 * aucs.std() / np.sqrt(n))


def test_half_a_standard_deviation_is_found_with_a_hundred_images(rng: np.random.Generator) -> None:
    n = 40
    found = [separate(*draw(rng, 100, 4, 0.7), folds=deal(rng, 100), swaps=swap(rng, 39, 100)) for _ in range(n)]
    assert sum(one.p <= 0.05 for one in found) >= 0.8 * n


def fit_alone(rng: np.random.Generator, n: int, n_features: int) -> Separation:
    return separate(*draw(rng, n, n_features), folds=deal(rng, n), swaps=swap(rng, 0, n))


def test_limits_of_samples_that_do_not_differ_cover_one_half(rng: np.random.Generator) -> None:
    n = 500
    found = [fit_alone(rng, 60, 4) for _ in range(n)]
    n_auc = sum(bool(one.limits.low <= 0.5 <= one.limits.high) for one in found)
    assert clopper_pearson(n_auc, n).high >= 0.95
    counts = [int((one.scores[0] < 0).sum() + (one.scores[1] > 0).sum()) for one in found]
    limits = [find_accuracy_limits(count, 120) for count in counts]
    n_accuracy = sum(bool(one.low <= 0.5 <= one.high) for one in limits)
    assert clopper_pearson(n_accuracy, n).high >= 0.95
    # Without the doubling they would not: the spread is nearly half as large again as DeLong's.
    widths = [float(one.limits.high - one.limits.low) for one in found]
    spread = np.std([one.auc for one in found])
    assert 3.92 * spread / np.sqrt(2) < 0.85 * np.mean(widths) < 3.92 * spread


def test_limits_of_accuracies_end_at_nought_and_one() -> None:
    assert float(find_accuracy_limits(0, 40).low) == 0
    assert float(find_accuracy_limits(40, 40).high) == 1
    low, high = clopper_pearson(15, 20)
    assert tuple(map(float, find_accuracy_limits(30, 40))) == pytest.approx((float(low), float(high)))


def test_an_auc_below_one_half_has_limits_too() -> None:
    values = np.array([[3.0, 4, 5, 6], [1, 2, 3.5, 0]])
    low, high = find_auc_limits(values, folds=np.array([0, 0, 1, 1]))
    assert (float(low), 0 < float(high) < 1) == (0, True)
