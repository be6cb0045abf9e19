"""Lines, leverages and redrawn lines: arithmetic, properties, NumPy and statsmodels, coverage, and the published fit."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.regression.linear_model import OLS

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.records.evaluation.fits import Scale
from regauge.stats import fits
from regauge.stats.fits import (
    LineReplicates,
    bootstrap_lines,
    check_seed,
    fit_line,
    leverages,
    line_band,
    line_limits,
)
from regauge.stats.intervals import clopper_pearson
from regauge.stats.scales import to_scale

DrawByHand = Callable[..., CountArray]

coordinates = st.integers(-1_000, 1_000).map(lambda value: value / 8)
points = st.lists(st.tuples(coordinates, coordinates), min_size=2, max_size=30)


def make_points(n: int, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.5, 0.85, n)
    return x, 1.1 * x - 0.2 + rng.normal(0, 0.01, n)


def load_accuracies(published: Path) -> tuple[FloatArray, FloatArray, list[str]]:
    """Top-1 accuracy of 67 models on the ImageNet validation set and on the MatchedFrequency set."""
    with (published / "recht2019_accuracy_counts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    original = np.array([int(row["val_top1"]) / 50_000 for row in rows])
    new = np.array([int(row["matched_frequency_top1"]) / 10_000 for row in rows])
    return original, new, [row["model"] for row in rows]


# The fit.


def test_three_points_by_hand() -> None:
    # Means 1 and 3; Σdx·dy = (−1)(−2) + 0·(−1) + 1·3 = 5, Σdx² = 2: slope 2.5, offset 3 − 2.5·1 = 0.5.
    # Leverages 1/3 + 1/2, 1/3, 1/3 + 1/2.
    x, y = [0, 1, 2], [1, 2, 6]
    assert fit_line(x, y) == pytest.approx((2.5, 0.5))
    np.testing.assert_allclose(leverages(x), [5 / 6, 1 / 3, 5 / 6], rtol=1e-15)
    np.testing.assert_allclose(fit_line(x, y).at([0, 4]), [0.5, 10.5], rtol=1e-15)


@pytest.mark.parametrize(
    ("x", "y", "problem"),
    [
        ([], [], "at least two points; there are none"),
        ([1], [2], "at least two points; there is one"),
        ([3, 3, 3], [1, 2, 3], "all 3 points have the same x, 3"),
        ([1, 2], [1, np.nan], r"point 1 is \(2.0, nan\)"),
        ([1, np.inf], [1, 2], r"point 1 is \(inf, 2.0\)"),
        ([1, 2], [1, 2, 3], r"two columns of one length, not to arrays \(2,\) and \(3,\)"),
        ([[1, 2]], [[1, 2]], "two columns of one length"),
    ],
)
def test_points_without_a_line_are_refused(x: ArrayLike, y: ArrayLike, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        fit_line(x, y)
    with pytest.raises(InputError, match=problem):
        bootstrap_lines(x, y, seed=0)


def test_leverages_of_one_or_of_equal_x_are_refused() -> None:
    with pytest.raises(InputError, match="at least two points"):
        leverages([1])
    with pytest.raises(InputError, match="the same x"):
        leverages([2, 2])


@given(points)
def test_numpy_and_statsmodels_give_the_same_line(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    assume(np.ptp(x) > 0)
    slope, offset = np.polyfit(x, y, 1)
    assert fit_line(x, y) == pytest.approx((slope, offset), rel=1e-8, abs=1e-8)
    oracle = OLS(y, np.stack([x, np.ones_like(x)], axis=1)).fit()
    np.testing.assert_allclose(leverages(x), oracle.get_influence().hat_matrix_diag, atol=1e-9)


@given(points)
def test_residuals_add_up_to_nothing_and_leverages_to_two(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    assume(np.ptp(x) > 0)
    residuals = y - fit_line(x, y).at(x)
    assert residuals.sum() == pytest.approx(0, abs=1e-8)
    assert residuals @ x == pytest.approx(0, abs=1e-5)
    assert leverages(x).sum() == pytest.approx(2, rel=1e-12)
    assert (leverages(x) >= 1 / x.size - 1e-15).all()
    assert (leverages(x) <= 1 + 1e-12).all()


# The draws.


@pytest.mark.parametrize("n", [2, 7, 64, 67])
@pytest.mark.parametrize("seed", [0, 12345, 2**64 - 1])
def test_replicates_are_the_lines_of_the_documented_draws(n: int, seed: int, draw_by_hand: DrawByHand) -> None:
    x, y = make_points(n)
    replicates = bootstrap_lines(x, y, seed=seed, n_resamples=25)
    for replicate in range(25):
        rows = draw_by_hand(n, seed=seed, stream=0, replicate=replicate)
        line = (np.nan, np.nan) if np.ptp(x[rows]) == 0 else np.polyfit(x[rows], y[rows], 1)
        found = (replicates.slopes[replicate], replicates.offsets[replicate])
        assert found == pytest.approx(line, rel=1e-9, nan_ok=True)


def test_all_27_samples_of_three_points_are_equally_likely() -> None:
    # Of the 27 samples 3 are one point three times, 6 hold all points, and 18 hold one of three pairs, two ways round.
    x, y = np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 9.0])
    replicates = bootstrap_lines(x, y, seed=5, n_resamples=54_000)
    codes = np.where(np.isnan(replicates.slopes), -1, replicates.slopes.round(6))
    values, counts = np.unique(codes, return_counts=True)
    whole = round(fit_line(x, y).slope, 6)
    expected = {-1.0: 3, 1.0: 6, 3.0: 6, 4.0: 6, whole: 6}
    assert set(values.tolist()) == set(expected)
    assert stats.chisquare(counts, [2_000 * expected[value] for value in values.tolist()]).pvalue > 0.001


@pytest.mark.parametrize("groups", [None, np.arange(67) % 20])
def test_neither_threads_nor_the_number_of_replicates_change_a_bit(
    groups: CountArray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = make_points(67)
    one = bootstrap_lines(x, y, seed=9, n_resamples=10_001, groups=groups)
    few = bootstrap_lines(x, y, seed=9, n_resamples=777, groups=groups)
    monkeypatch.setattr(fits, "_MIN_DRAWS_FOR_THREADS", 1)
    for n_threads in (2, 3, 7):
        monkeypatch.setattr(fits, "_N_THREADS", n_threads)
        np.testing.assert_array_equal(bootstrap_lines(x, y, seed=9, n_resamples=10_001, groups=groups), one)
    np.testing.assert_array_equal(few.slopes, one.slopes[:777])
    np.testing.assert_array_equal(few.offsets, one.offsets[:777])
    assert np.unique(one.slopes).size > 9_900


def test_another_seed_gives_other_replicates() -> None:
    x, y = make_points(67)
    seeds = [bootstrap_lines(x, y, seed=seed, n_resamples=50).slopes for seed in (0, 1, 2**63)]
    assert np.unique(seeds).size == 150


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_that_does_not_fit_is_refused(seed: int) -> None:
    with pytest.raises(InputError, match=r"from 0 to 2\*\*64 - 1"):
        bootstrap_lines([1, 2], [1, 2], seed=seed)
    assert check_seed(2**64 - 1) == np.uint64(2**64 - 1)


def test_at_least_one_resample_is_asked_for() -> None:
    with pytest.raises(InputError, match="at least one resample, not 0"):
        bootstrap_lines([1, 2], [1, 2], seed=0, n_resamples=0)


def test_scipy_draws_from_the_same_distribution(rng: np.random.Generator) -> None:
    x, y = make_points(30)

    def slope(a: FloatArray, b: FloatArray, axis: int) -> FloatArray:
        da = a - a.mean(axis=axis, keepdims=True)
        return np.asarray((da * b).sum(axis=axis) / (da * da).sum(axis=axis))

    theirs = stats.bootstrap(
        (x, y), slope, paired=True, vectorized=True, n_resamples=5_000, rng=rng, method="percentile"
    ).bootstrap_distribution
    ours = bootstrap_lines(x, y, seed=1, n_resamples=5_000).slopes
    assert stats.ks_2samp(ours, theirs).pvalue > 0.001


# Families.


def test_groups_are_drawn_whole() -> None:
    # Families a (points 0, 3) and b (points 1, 2): a sample is aa, bb or a mixture, with chances ¼, ¼ and ½.
    x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 5.0, 3.0, 1.0])
    replicates = bootstrap_lines(x, y, seed=2, n_resamples=20_000, groups=["a", "b", "b", "a"])
    lines = {fit_line(x[rows], y[rows]): share for rows, share in [([0, 3], 0.25), ([1, 2], 0.25), ([0, 1, 2, 3], 0.5)]}
    found = np.stack(replicates, axis=1)
    n_found = 0
    for line, share in lines.items():
        n_equal = int(np.count_nonzero(np.isclose(found, line, atol=1e-12).all(axis=1)))
        low, high = clopper_pearson(n_equal, 20_000, level=0.9999)
        assert low <= share <= high
        n_found += n_equal
    assert n_found == 20_000


def test_groups_of_one_point_are_the_points() -> None:
    x, y = make_points(11)
    np.testing.assert_array_equal(
        bootstrap_lines(x, y, seed=3, n_resamples=99, groups=np.arange(11)),
        bootstrap_lines(x, y, seed=3, n_resamples=99),
    )


@pytest.mark.parametrize(
    ("groups", "problem"), [(["a", "a", "a"], "all points are of one group"), (["a", "b"], "3 names, one per point")]
)
def test_groups_that_do_not_fit_are_refused(groups: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        bootstrap_lines([1, 2, 3], [1, 2, 3], seed=0, groups=groups)


# Replicates without a line.


@pytest.mark.parametrize("shift", [0.0, 0.1, 1e6, 1 / 3])
def test_a_replicate_of_equal_x_has_no_line_and_is_left_out(shift: float) -> None:
    # Two points: half of the samples are one point twice; the other half give the line through both.
    x = np.array([shift, shift + 1 / 7])
    replicates = bootstrap_lines(x, [1, 2], seed=4, n_resamples=10_000)
    low, high = clopper_pearson(replicates.n_degenerate, 10_000, level=0.9999)
    assert low <= 0.5 <= high
    np.testing.assert_array_equal(np.isnan(replicates.slopes), np.isnan(replicates.offsets))
    limits = line_limits(replicates)
    np.testing.assert_allclose([limits.slope.low, limits.slope.high], 1 / (x[1] - x[0]), rtol=1e-9)
    assert np.isfinite(line_band(replicates, [0, 1]).low).all()


def test_nearly_equal_x_keep_their_digits(draw_by_hand: DrawByHand) -> None:
    # A far point sets the centre; without it the rest spread over a millionth of the distance and must not cancel.
    x = np.array([0.0, 1e-7, 3e-7, 4e-7, 1.0])
    y = np.array([0.0, 1e-7, 5e-7, 3e-7, 2.0])
    replicates = bootstrap_lines(x, y, seed=6, n_resamples=400)
    n_near = 0
    for replicate in range(400):
        rows = draw_by_hand(5, seed=6, stream=0, replicate=replicate)
        if 4 not in rows and np.ptp(x[rows]) > 0:
            n_near += 1
            slope = np.polyfit(x[rows] * 1e7, y[rows] * 1e7, 1)[0]
            assert replicates.slopes[replicate] == pytest.approx(slope, rel=1e-7, abs=1e-8)
    assert n_near > 50


def test_no_line_at_all_gives_no_limits() -> None:
    nothing = LineReplicates(np.full(5, np.nan), np.full(5, np.nan))
    assert nothing.n_degenerate == 5
    assert np.isnan(np.array(line_limits(nothing))).all()
    assert np.isnan(np.array(line_band(nothing, [0.5, 0.6]))).all()


# Limits and bands.


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_limits_and_band_are_quantiles_of_the_lines_with_a_value(level: float) -> None:
    x, y = make_points(4)
    replicates = bootstrap_lines(x, y, seed=7, n_resamples=20_000)
    assert replicates.n_degenerate > 0
    kept = ~np.isnan(replicates.slopes)
    slopes, offsets = replicates.slopes[kept], replicates.offsets[kept]
    shares = [(1 - level) / 2, 1 - (1 - level) / 2]
    limits = line_limits(replicates, level=level)
    np.testing.assert_array_equal(np.array(limits.slope), np.quantile(slopes, shares))
    np.testing.assert_array_equal(np.array(limits.offset), np.quantile(offsets, shares))
    at = np.linspace(0.4, 0.9, 12).reshape(3, 4)
    band = line_band(replicates, at, level=level)
    np.testing.assert_array_equal(
        np.array(band), np.quantile(np.multiply.outer(slopes, at) + offsets[:, None, None], shares, axis=0)
    )


def test_a_band_at_nothing_is_empty_and_a_bad_level_is_refused() -> None:
    replicates = bootstrap_lines(*make_points(9), seed=1, n_resamples=100)
    assert line_band(replicates, []).low.shape == (0,)
    assert line_band(replicates, 0.5).low.shape == ()
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        line_limits(replicates, level=1)
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        line_band(replicates, [0.5], level=95)


@given(st.floats(-3, 3), st.floats(-3, 3), st.integers(0, 2**32))
def test_a_shear_of_the_points_moves_every_replicate_along(slope: float, offset: float, seed: int) -> None:
    x, y = make_points(12)
    plain = bootstrap_lines(x, y, seed=seed, n_resamples=20)
    sheared = bootstrap_lines(x, y + slope * x + offset, seed=seed, n_resamples=20)
    np.testing.assert_allclose(sheared.slopes, plain.slopes + slope, atol=1e-9)
    np.testing.assert_allclose(sheared.offsets, plain.offsets + offset, atol=1e-9)


def test_the_limits_cover_the_true_slope_and_the_true_height(rng: np.random.Generator) -> None:
    n_slope = n_height = 0
    for simulation in range(2_000):
        x = rng.uniform(0, 1, 150)
        # The spread grows along the line, which pairs allow for and residuals would not.
        y = 2 * x - 1 + rng.normal(0, 0.05 + 0.2 * x)
        replicates = bootstrap_lines(x, y, seed=simulation, n_resamples=1_000)
        slope, band = line_limits(replicates).slope, line_band(replicates, 0.9)
        n_slope += bool(slope.low <= 2 <= slope.high)
        n_height += bool(band.low <= 0.8 <= band.high)
    for n_covered in (n_slope, n_height):
        low, high = clopper_pearson(n_covered, 2_000, level=0.999)
        assert low <= 0.95 <= high


def test_families_that_err_together_are_covered_only_when_drawn_whole(rng: np.random.Generator) -> None:
    # With few families percentile limits cover less than their level; 300 are enough for this not to be seen.
    family = np.repeat(np.arange(300), 4)
    n_covered = dict.fromkeys(("whole", "one by one"), 0)
    for simulation in range(2_000):
        x = rng.uniform(0, 1, 300)[family] + rng.normal(0, 0.02, 1_200)
        y = x + rng.normal(0, 0.1, 300)[family] + rng.normal(0, 0.02, 1_200)
        for way, groups in (("whole", family), ("one by one", None)):
            limits = line_limits(bootstrap_lines(x, y, seed=simulation, n_resamples=800, groups=groups)).slope
            n_covered[way] += bool(limits.low <= 1 <= limits.high)
    low, high = clopper_pearson(n_covered["whole"], 2_000, level=0.999)
    assert low <= 0.95 <= high
    assert clopper_pearson(n_covered["one by one"], 2_000, level=0.999).high < 0.8


# The published fit.


def test_the_fit_of_64_convolutional_networks_is_the_published_one(published: Path) -> None:
    # Recht et al. (2019) print 1.11 [1.07, 1.19] and −20.2 [−26.0, −17.8]; from their released counts come
    # 1.1098 [1.078, 1.188] and −20.26 [−26.31, −17.87]. A limit of 100,000 replicates has a standard error of about
    # √(0.025·0.975/100,000)/density, 0.0003 for the slope and 0.02 points for the offset.
    original, new, names = load_accuracies(published)
    kept = np.array([not name.startswith("fv_") for name in names])
    assert kept.sum() == 64
    line = fit_line(original[kept], new[kept])
    assert line.slope == pytest.approx(1.1098, abs=5e-5)
    assert 100 * line.offset == pytest.approx(-20.26, abs=5e-3)
    limits = line_limits(bootstrap_lines(original[kept], new[kept], seed=2019))
    np.testing.assert_allclose(np.array(limits.slope), [1.078, 1.188], atol=5e-4 + 4 * 3e-4)
    np.testing.assert_allclose(100 * np.array(limits.offset), [-26.31, -17.87], atol=5e-3 + 4 * 0.02)


def test_all_67_models_have_another_slope_and_the_fisher_vectors_pull_it(published: Path) -> None:
    original, new, names = load_accuracies(published)
    line = fit_line(original, new)
    assert line.slope == pytest.approx(0.968, abs=5e-4)
    assert 100 * line.offset == pytest.approx(-9.46, abs=5e-3)
    farthest = np.argsort(leverages(original))[-3:]
    assert {names[place] for place in farthest} == {"fv_4k", "fv_16k", "fv_64k"}


@pytest.mark.parametrize(("scale", "slope"), [(Scale.LINEAR, 1.11), (Scale.PROBIT, 0.97), (Scale.LOGIT, 0.93)])
def test_whether_the_slope_exceeds_one_depends_on_the_scale(scale: Scale, slope: float, published: Path) -> None:
    original, new, names = load_accuracies(published)
    kept = np.array([not name.startswith("fv_") for name in names])
    line = fit_line(to_scale(original[kept], scale), to_scale(new[kept], scale))
    assert line.slope == pytest.approx(slope, abs=5e-3)
