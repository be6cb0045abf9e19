"""Limits of balanced means hold where classes are small, and are those of the bootstrap where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats

from regauge.errors import InputError
from regauge.stats.balanced import (
    find_balanced_difference_limits,
    find_balanced_limits,
    find_balanced_score_limits,
    measure_small_classes,
    subtract_limits,
)
from regauge.stats.intervals import Limits, clopper_pearson, newcombe, wilson

N_STUDIES = 4_000


def find_lower_mid_p(k: float, n: float, tail: float = 0.025) -> float:
    """The root of P(X > k) + P(X = k)/2 = tail, by bisection on SciPy's beta distributions."""
    if k == 0:
        return 0.0

    def exceed(p: float) -> float:
        more = stats.beta.cdf(p, k + 1, n - k) if k < n else 0.0
        return float(stats.beta.cdf(p, k, n - k + 1) + more) / 2 - tail

    return float(optimize.brentq(exceed, 1e-12, 1 - 1e-12, xtol=1e-13))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (2, 2), (7, 10), (0, 30), (399, 400)])
def test_one_class_has_the_mid_p_limits_of_its_count(k: int, n: int, level: float) -> None:
    low, high = find_balanced_limits([k], [n], level=level)
    tail = (1 - level) / 2
    assert low == pytest.approx(find_lower_mid_p(k, n, tail), abs=1e-9)
    assert high == pytest.approx(1 - find_lower_mid_p(n - k, n, tail), abs=1e-9)


def test_the_mid_p_limits_are_those_of_whole_counts_too() -> None:
    low, _ = find_balanced_limits([7], [10])
    # At the lower limit, half the chance of 7 and all the chance of 8, 9 and 10 make 2.5%.
    assert stats.binom.pmf(7, 10, low) / 2 + stats.binom.sf(7, 10, low) == pytest.approx(0.025)
    # A single image that is right excludes p where p/2 < 2.5%.
    assert find_balanced_limits([1], [1]).low == pytest.approx(0.05)


def test_classes_of_one_image_beside_large_ones_by_hand() -> None:
    low, high = find_balanced_limits([80] * 8 + [1, 1], [100] * 8 + [1, 1])
    # The mean is 0.8·0.8 + 0.2·1 = 0.84. The two single images are 2 of 2 and borrow 1.5·800/802 images, of which 0.8 are right.
    # In a class of 100 the variance is 0.8·0.2/99, so the eight count as 0.16/(0.16/99/8) + 1 = 793 images; they borrow
    # 1.5·(2/793)·2/802 that are right.
    n_lent, n_borrowed = 1.5 * 800 / 802, 1.5 * (2 / 793) * 2 / 802
    n_large = 793 + n_borrowed
    large, single = find_lower_mid_p(0.8 * 793 + n_borrowed, n_large), find_lower_mid_p(2 + 0.8 * n_lent, 2 + n_lent)
    assert low == pytest.approx(0.84 - np.hypot(0.8 * (0.8 - large), 0.2 * (1 - single)), abs=1e-9)
    assert high == pytest.approx(0.84 + 0.8 * (1 - find_lower_mid_p(0.2 * 793, n_large) - 0.8), abs=1e-9)


def test_a_spread_between_classes_counts_for_more_images_and_students_t_for_fewer() -> None:
    low, high = find_balanced_limits([2] * 9 + [1] + [0] * 10, [2] * 20)
    # One class of twenty shows a variance, 1·1/(4·1) = 0.25, so that of the mean is 0.25/400 = 1/1600. With q = 19/40,
    # q(1 − q)·1600 + 1 = 400; with 20 degrees of freedom t is 2.08596, and (1.95996/2.08596)²·400 = 353.1 images.
    n = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 20)) ** 2 * 400
    assert n == pytest.approx(353.1, abs=0.1)
    assert low == pytest.approx(find_lower_mid_p(19 / 40 * n, n), abs=1e-9)
    assert high == pytest.approx(1 - find_lower_mid_p(21 / 40 * n, n), abs=1e-9)


def test_classes_that_show_no_variance_count_as_equally_accurate() -> None:
    np.testing.assert_allclose(find_balanced_limits([2, 2, 0, 0], [2] * 4), find_balanced_limits([4], [8]), atol=1e-9)


def test_two_participants_without_a_difference_still_have_a_width() -> None:
    low, high = find_balanced_difference_limits([0, 0], [0, 0], n_by_class=[10, 10])
    # Neither share exceeds u with (1 − u)²⁰/2 = 0.025; the two add up as squares.
    assert high == pytest.approx(2**0.5 * (1 - 0.05 ** (1 / 20)) / 2**0.5, abs=1e-9)
    assert low == -high


def test_a_paired_difference_by_hand() -> None:
    low, _ = find_balanced_difference_limits([6], [2], n_by_class=[20])
    # b = 0.3, c = 0.1; their correlation is −√(0.3·0.1/(0.7·0.9)) = −0.2182.
    below, above = 0.3 - find_lower_mid_p(6, 20), 1 - find_lower_mid_p(18, 20) - 0.1
    reach = np.sqrt(below**2 + above**2 + 2 * 0.2182179 * below * above)
    assert low == pytest.approx(0.2 - reach, abs=1e-6)


def test_small_classes_are_counted_with_the_variance_that_they_carry() -> None:
    found = measure_small_classes([100, 50, 4, 1, 0, 5])
    # 1/4 + 1 of 1/100 + 1/50 + 1/4 + 1 + 1/5.
    assert found[:4] == (5, 2, 5, 160)
    assert found.variance_share == pytest.approx(1.25 / 1.48)
    assert found.is_carried_by_few
    assert not measure_small_classes([4, 4, 4]).is_carried_by_few
    assert not measure_small_classes([100, 100, 100, 100]).is_carried_by_few
    assert np.isnan(measure_small_classes([]).variance_share)


def test_limits_of_a_difference_of_proportions_are_newcombes() -> None:
    a, b = wilson(56, 70), wilson(48, 80)
    ours = subtract_limits(np.array(56 / 70), np.array(48 / 80), limits=(a, b))
    np.testing.assert_allclose(ours, newcombe(56, 70, n_correct_b=48, n_b=80))


# Missing, wrong, many at once.


@pytest.mark.parametrize("nothing", [[], [0, 0]])
def test_no_class_gives_no_limits(nothing: list[int]) -> None:
    assert np.isnan(find_balanced_limits(nothing, nothing)).all()
    assert np.isnan(find_balanced_difference_limits(nothing, nothing, n_by_class=nothing)).all()


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(InputError, match="item 1"):
        find_balanced_limits([5, 6], [5, 5])
    with pytest.raises(InputError, match="do not exceed"):
        find_balanced_difference_limits([3], [3], n_by_class=[5])
    with pytest.raises(InputError, match="one column"):
        find_balanced_limits(3, 5)
    with pytest.raises(InputError, match="one column"):
        find_balanced_limits([[1, 1], [1, 1]], [[2, 3], [2, 4]])


@given(data=st.data())
def test_many_rows_are_solved_as_each_alone(data: st.DataObject) -> None:
    n = np.array(data.draw(st.lists(st.integers(0, 40), min_size=1, max_size=12)))
    rows = np.array([[data.draw(st.integers(0, int(size))) for size in n] for _ in range(3)])
    together = find_balanced_limits(rows, n)
    for place, row in enumerate(rows):
        np.testing.assert_allclose(
            [limit[place] for limit in together], find_balanced_limits(row, n), atol=1e-8, equal_nan=True
        )


counts = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=12
).filter(lambda rows: any(map(any, rows)))


@given(rows=counts)
def test_limits_hold_the_mean_and_turn_with_right_and_wrong(rows: list[tuple[int, int, int]]) -> None:
    first, second, rest = np.array(rows).T
    n = first + second + rest
    used = n > 0
    low, high = find_balanced_limits(first, n)
    assert 0 <= low <= (first[used] / n[used]).mean() + 1e-12
    assert 1 >= high >= (first[used] / n[used]).mean() - 1e-12
    turned = find_balanced_limits((n - first)[::-1], n[::-1])
    np.testing.assert_allclose([turned.low, turned.high], [1 - high, 1 - low], atol=1e-8)


@given(rows=counts)
def test_limits_of_a_difference_hold_it_and_turn_with_the_participants(rows: list[tuple[int, int, int]]) -> None:
    first, second, rest = np.array(rows).T
    n = first + second + rest
    used = n > 0
    difference = ((first - second)[used] / n[used]).mean()
    low, high = find_balanced_difference_limits(first, second, n_by_class=n)
    assert -1 <= low <= difference + 1e-12
    assert 1 >= high >= difference - 1e-12
    turned = find_balanced_difference_limits(second, first, n_by_class=n)
    np.testing.assert_allclose([turned.low, turned.high], [-high, -low], atol=1e-8)
    narrow = find_balanced_difference_limits(first, second, n_by_class=n, level=0.8)
    assert low - 1e-9 <= narrow.low <= narrow.high <= high + 1e-9


# The bootstrap of images within classes is right where classes are large, and there the limits are its own.


@pytest.mark.parametrize("n_by_class", [[60] * 40, [30, 100, 45, 300, 80, 64, 65, 200]])
def test_large_classes_have_the_limits_of_resampled_images(n_by_class: list[int]) -> None:
    rng = np.random.default_rng(3)
    n = np.array(n_by_class)
    k = rng.binomial(n, rng.beta(6, 2, size=n.size))
    replicates = (rng.binomial(n - 1, k / n, size=(50_000, n.size)) / (n - 1)).mean(axis=1)
    low, high = np.quantile(replicates, [0.025, 0.975])
    ours = find_balanced_limits(k, n)
    np.testing.assert_allclose(ours, (low, high), atol=0.05 * (high - low))
    assert ours.high - ours.low == pytest.approx(high - low, rel=0.03)


def test_large_classes_have_the_limits_of_resampled_pairs() -> None:
    rng = np.random.default_rng(4)
    n = np.full(40, 60)
    drawn = rng.multinomial(n, rng.dirichlet([2, 1, 8], size=40))
    replicates = rng.multinomial(n - 1, drawn / 60, size=(20_000, 40))[..., :2] / 59
    low, high = np.quantile((replicates[..., 0] - replicates[..., 1]).mean(axis=1), [0.025, 0.975])
    ours = find_balanced_difference_limits(drawn[:, 0], drawn[:, 1], n_by_class=n)
    np.testing.assert_allclose(ours, (low, high), atol=0.03 * (high - low))


# Coverage over redrawn images at fixed accuracies; docs/statistics.md has a table of many more worlds.


def count_covered(limits: Limits, truth: float) -> NDArray[np.bool_]:
    return (limits.low <= truth) & (limits.high >= truth)


def assert_covers(covered: NDArray[np.bool_]) -> None:
    assert clopper_pearson(covered.sum(), covered.size, level=0.999).high >= 0.95


@pytest.mark.parametrize("accuracy", [0.5, 0.75, 0.95])
@pytest.mark.parametrize(
    "n_by_class",
    [[100] * 8 + [1] * 2, [100] * 9 + [1], [2] * 10, [50] * 90 + [2] * 10, [1] * 100, [2] * 100, [5] * 100],
    ids=["8 × 100 + 2 × 1", "9 × 100 + 1", "10 × 2", "90 × 50 + 10 × 2", "100 × 1", "100 × 2", "100 × 5"],
)
def test_limits_of_a_balanced_mean_cover_it(n_by_class: list[int], accuracy: float) -> None:
    rng = np.random.default_rng(1)
    n = np.array(n_by_class)
    shares = rng.beta(10 * accuracy, 10 * (1 - accuracy), size=n.size)
    limits = find_balanced_limits(rng.binomial(n, shares, size=(N_STUDIES, n.size)), n)
    assert_covers(count_covered(limits, float(shares.mean())))


def test_rare_classes_may_be_harder_than_the_others() -> None:
    rng = np.random.default_rng(2)
    n = np.repeat([100, 8, 2, 1], [20, 10, 10, 10])
    shares = np.repeat([0.95, 0.8, 0.4, 0.2], [20, 10, 10, 10])
    limits = find_balanced_limits(rng.binomial(n, shares, size=(N_STUDIES, n.size)), n)
    assert_covers(count_covered(limits, float(shares.mean())))


def test_limits_that_cover_are_not_merely_wide() -> None:
    rng = np.random.default_rng(5)
    n = np.repeat([50, 2], [90, 10])
    shares = rng.beta(6, 2, size=n.size)
    limits = find_balanced_limits(rng.binomial(n, shares, size=(N_STUDIES, n.size)), n)
    known = 2 * 1.96 * np.sqrt((shares * (1 - shares) / n).sum()) / n.size
    assert (limits.high - limits.low).mean() < 1.25 * known


@pytest.mark.parametrize("n_images", [1, 2, 5, 50])
def test_limits_of_a_balanced_difference_cover_it(n_images: int) -> None:
    rng = np.random.default_rng(7)
    n = np.full(30, n_images)
    shares = rng.dirichlet([1, 0.5, 8], size=30)
    drawn = rng.multinomial(n, shares, size=(N_STUDIES, 30))
    limits = find_balanced_difference_limits(drawn[..., 0], drawn[..., 1], n_by_class=n)
    assert_covers(count_covered(limits, float((shares[:, 0] - shares[:, 1]).mean())))


# Scores between 0 and 1, such as the share of several models that is right on an image.


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=60))
def test_scores_of_0_and_1_have_the_limits_of_their_counts(images: list[tuple[int, bool]]) -> None:
    classes, scores = np.array([label for label, _ in images]), np.array([is_right for _, is_right in images], float)
    n = np.bincount(classes)
    k = np.bincount(classes, scores).astype(np.int64)
    found, expected = find_balanced_score_limits(scores, classes), find_balanced_limits(k, n)
    np.testing.assert_allclose([found.low, found.high], [expected.low, expected.high], atol=1e-9)


@pytest.mark.parametrize("sizes", [(1,) * 40, (2,) * 40, (10,) * 20, (60, 60, 2, 1)])
def test_limits_of_mean_scores_cover_the_mean_of_several_models(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(sizes))
    classes = np.repeat(np.arange(len(sizes)), sizes)
    ease = rng.normal(1, 1, len(sizes))
    # Ten models see the same images, some of which are hard for all of them.
    many = 1 / (1 + np.exp(-(ease[:, np.newaxis] + rng.normal(0, 2, 40_000))))
    truth, covered = many.mean(), 0
    for _ in range(2_000):
        chances = 1 / (1 + np.exp(-(ease[classes] + rng.normal(0, 2, len(classes)))))
        low, high = find_balanced_score_limits(rng.binomial(10, chances) / 10, classes)
        covered += int(low <= truth <= high)
    assert clopper_pearson(covered, 2_000, level=0.999).high >= 0.95


def test_scores_outside_0_to_1_and_columns_of_other_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        find_balanced_score_limits([0.5, 1.5], [0, 0])
    with pytest.raises(InputError, match="two columns of one length"):
        find_balanced_score_limits([0.5], [0, 0])
    assert np.isnan(find_balanced_score_limits([], np.array([], np.int64)).low)
