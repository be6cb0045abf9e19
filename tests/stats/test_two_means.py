"""Means of two small samples of scores: arithmetic, properties, drawn tails, the level, power and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats

from regauge.errors import InputError
from regauge.stats.intervals import clopper_pearson
from regauge.stats.two_means import compare_means

TOP = 6
scores = st.lists(st.integers(0, TOP), min_size=1, max_size=12)


def test_all_wrong_against_all_right_by_hand() -> None:
    # Three images of either set. No difference: both means are ½, and either shape (3 + ¼ at its own end, 1 + ¼ at the other,
    # 4½ in all) is tilted to half and half. The chance that all are as they are is (½)^(3 · 3.5/4.5) of either set, so that
    # p = 2 · (½)^(14/3) = 0.0787.
    found = compare_means([0, 0, 0], [1, 1, 1], top=1)
    assert found.p == pytest.approx(2 * 0.5 ** (14 / 3), rel=1e-5)
    assert found.low < 0 < found.high == pytest.approx(1, abs=1e-5)


def test_swapping_the_samples_mirrors_limits_and_keeps_p() -> None:
    one, other = compare_means([5, 5, 2, 0], [1, 1, 0], top=5), compare_means([1, 1, 0], [5, 5, 2, 0], top=5)
    np.testing.assert_allclose([one.low, one.high], [-other.high, -other.low], atol=1e-6)
    assert one.p == pytest.approx(other.p, rel=1e-6)


@given(scores, scores)
def test_limits_hold_the_difference_and_exclude_nought_exactly_where_p_is_small(
    first: list[int], second: list[int]
) -> None:
    found = compare_means(first, second, top=TOP)
    difference = (np.mean(second) - np.mean(first)) / TOP
    assert -1 - 1e-9 <= found.low <= difference + 1e-6
    assert difference - 1e-6 <= found.high <= 1 + 1e-9
    assert found.low < found.high
    assert 0 <= found.p <= 1
    if min(abs(found.low), abs(found.high)) > 1e-5:
        assert (found.p < 0.05) == (found.low > 0 or found.high < 0)


@given(scores, scores, st.integers(2, 5))
def test_the_unit_of_the_scores_does_not_matter(first: list[int], second: list[int], unit: int) -> None:
    ours = compare_means(first, second, top=TOP)
    theirs = compare_means([unit * one for one in first], [unit * one for one in second], top=unit * TOP)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_equal_means_have_p_one_and_no_scores_no_value() -> None:
    assert compare_means([3, 3], [3], top=5).p == pytest.approx(1)
    assert np.isnan(compare_means([], [1, 2], top=5)).all()


def test_what_is_no_column_of_scores_is_refused() -> None:
    with pytest.raises(InputError, match="one column"):
        compare_means([[1]], [1], top=1)
    with pytest.raises(InputError, match="whole numbers"):
        compare_means([0.5], [1], top=1)
    with pytest.raises(InputError, match="from 0 to 3"):
        compare_means([4], [1], top=3)


def test_scores_without_spread_still_have_limits_that_know_their_number() -> None:
    few, many = (compare_means([7] * 5 * n, [7] * n, top=7) for n in (10, 100))
    assert -0.5 < few.low < -0.1
    assert -0.1 < many.low < 0
    assert few.high < 0.1


def tilt(shape: NDArray[np.float64], values: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The shape tilted to a mean, by a root finder of SciPy."""

    def weigh(power: float) -> NDArray[np.float64]:
        weights = shape * np.exp(power * (values - values.mean()))
        return np.asarray(weights / weights.sum())

    power = optimize.brentq(lambda one: float(weigh(one) @ values) - mean, -200, 200)
    return weigh(power)


def test_p_is_the_tail_of_drawn_samples_from_the_tilted_shapes(rng: np.random.Generator) -> None:
    first, second = rng.integers(2, 9, 40), rng.integers(1, 7, 12)
    values = np.arange(9) / 8
    counts = [np.bincount(sample, minlength=9) for sample in (first, second)]
    edges = np.zeros(9)
    edges[[0, 8]] = 0.25
    shapes = [counts[0] + counts[1] / 12 + edges, counts[1] + counts[0] / 40 + edges]
    pooled = (first.sum() + second.sum()) / 52 / 8
    n_drawn = 200_000
    means = [
        rng.multinomial(size, tilt(shape, values, pooled), size=n_drawn) @ values / size
        for size, shape in zip((40, 12), shapes, strict=True)
    ]
    observed = (second.mean() - first.mean()) / 8
    # Draws have the variance of the shape by n; the test divides by n·(W − 1)/W, so that the draws are stretched by √(W/(W − 1)).
    stretched = [
        pooled + (mean - pooled) * np.sqrt(shape.sum() / (shape.sum() - 1))
        for mean, shape in zip(means, shapes, strict=True)
    ]
    tail = np.mean(stretched[1] - stretched[0] <= observed)
    assert compare_means(first, second, top=8).p == pytest.approx(2 * tail, rel=0.15)


def test_many_scores_agree_with_welch(rng: np.random.Generator) -> None:
    first, second = rng.integers(0, 11, 4_000), rng.integers(2, 11, 3_000)
    found = compare_means(first, second, top=10)
    spread = np.sqrt(first.var() / 4_000 + second.var() / 3_000) / 10
    middle = (second.mean() - first.mean()) / 10
    assert (found.low, found.high) == pytest.approx((middle - 1.96 * spread, middle + 1.96 * spread), abs=0.02 * spread)
    near = compare_means(first, rng.integers(0, 11, 3_000), top=10)
    assert 0 < near.p <= 1


def test_p_values_are_small_enough_for_a_thousand_classes() -> None:
    found = compare_means([9, 10] * 25, [0, 1, 2, 0, 1, 2, 0, 1, 2, 3], top=10)
    assert found.p * 1_000 < 0.001
    expected = stats.ttest_ind([9, 10] * 25, [0, 1, 2, 0, 1, 2, 0, 1, 2, 3], equal_var=False).pvalue
    assert found.p > expected / 100


def draw_class(
    rng: np.random.Generator, n_images: int, *, n_models: int, easiness: float, spread: float
) -> NDArray[np.int64]:
    """How many models are right on each image: the logit of an image is normal."""
    chances = 1 / (1 + np.exp(-rng.normal(easiness, spread, n_images)))
    return rng.binomial(n_models, chances)


def find_truth(easiness: float, spread: float) -> float:
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights @ (1 / (1 + np.exp(-(easiness + spread * points)))) / weights.sum())


def test_the_level_holds_and_a_plain_change_is_found(rng: np.random.Generator) -> None:
    same = [
        compare_means(*(draw_class(rng, n, n_models=20, easiness=2, spread=2) for n in (50, 10)), top=20).p
        for _ in range(4_000)
    ]
    for level in (0.05, 0.01, 0.001):
        assert clopper_pearson(int((np.array(same) <= level).sum()), 4_000, level=0.99).low <= level
    assert np.mean(np.array(same) <= 0.05) > 0.01
    apart = [
        compare_means(
            draw_class(rng, 50, n_models=20, easiness=2.5, spread=1),
            draw_class(rng, 10, n_models=20, easiness=0, spread=1),
            top=20,
        ).p
        for _ in range(200)
    ]
    assert np.mean(np.array(apart) <= 0.05) > 0.9


WORLDS = {
    "alike": ((3.0, 2.0), (3.0, 2.0)),
    "harder": ((1.5, 2.0), (0.8, 2.0)),
    "easy": ((5.0, 1.5), (4.0, 1.5)),
    "uneven": ((0.5, 1.0), (3.0, 2.5)),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("n_new", [3, 10])
@pytest.mark.parametrize("n_models", [1, 20])
def test_limits_cover_what_they_say(world: str, n_new: int, n_models: int, rng: np.random.Generator) -> None:
    old, new = WORLDS[world]
    truth = find_truth(*new) - find_truth(*old)
    n, n_covered = 2_000, 0
    for _ in range(n):
        first, second = (
            draw_class(rng, size, n_models=n_models, easiness=easiness, spread=spread)
            for size, (easiness, spread) in ((50, old), (n_new, new))
        )
        found = compare_means(first, second, top=n_models)
        n_covered += found.low <= truth <= found.high
    # Ten scores, or three, of one model or of images that all get right, allow no more than this: measured 94 to 100%.
    assert clopper_pearson(n_covered, n, level=0.999).high >= 0.95


@pytest.mark.parametrize(("n_first", "n_second"), [(50, 1), (100, 1), (100, 3)])
def test_one_image_that_nearly_all_others_resemble_is_no_surprise(n_first: int, n_second: int) -> None:
    shares = range(n_first + 1), range(n_second + 1)
    found = [
        [compare_means(_count_right(k, n_first), _count_right(j, n_second), top=1) for j in shares[1]]
        for k in shares[0]
    ]
    p = np.array([[one.p for one in row] for row in found])
    is_outside = np.array([[not one.low <= 0 <= one.high for one in row] for row in found])
    np.testing.assert_array_equal(p < 0.05, is_outside)
    # Nothing is drawn: the chance of every pair of counts is known, so that the level is exact.
    for share in np.linspace(0.005, 0.995, 100):
        first, second = (stats.binom.pmf(k, n, share) for k, n in zip(shares, (n_first, n_second), strict=True))
        chances = np.outer(first, second)
        assert chances[p <= 0.05].sum() <= 0.05
        assert chances[p <= 0.001].sum() <= 0.001


def _count_right(n_right: int, n: int) -> NDArray[np.int64]:
    return np.repeat([1, 0], [n_right, n - n_right])
