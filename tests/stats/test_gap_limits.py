"""The gap between two sets of images, some of them in both: Newcombe's limits at either end, and coverage between."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.records.testsets.shared_images import SharedImages
from regauge.stats.gap_limits import find_gap_limits, find_mean_limits
from regauge.stats.intervals import clopper_pearson, newcombe, wilson

N_STUDIES = 4_000


def share(n: int) -> SharedImages:
    """The first n images of either set."""
    return SharedImages(np.arange(n), np.arange(n))


def test_shares_of_models_by_hand() -> None:
    # Means 0.5 and 0.25 of four images each, variances (0.25 + 0 + 0 + 0.25)/3 = 1/6 and (1/16 · 4)/3 = 1/12; as parts of
    # 0.25 and 0.1875 these are 2/3 and 4/9. Student's quantile with 3 degrees of freedom is 3.18245.
    gap = find_gap_limits([0, 0.5, 0.5, 1], [0, 0.5, 0.5, 0])
    added = [3.18245**2 * factor / 4 for factor in (2 / 3, 4 / 9)]
    ends = []
    for mean, more in zip((0.5, 0.25), added, strict=True):
        half = (more * mean * (1 - mean) + more**2 / 4) ** 0.5 / (1 + more)
        ends.append(((mean + more / 2) / (1 + more) - half, (mean + more / 2) / (1 + more) + half))
    low = 0.25 - np.hypot(0.5 - ends[0][0], ends[1][1] - 0.25)
    high = 0.25 + np.hypot(ends[0][1] - 0.5, 0.25 - ends[1][0])
    assert gap == pytest.approx((0.25, low, high), abs=1e-5)


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.lists(st.booleans(), min_size=1, max_size=30))
def test_scores_of_0_and_1_without_shared_images_have_the_limits_of_newcombe(x: list[bool], y: list[bool]) -> None:
    limits = newcombe(sum(x), len(x), n_correct_b=sum(y), n_b=len(y))
    assert find_gap_limits(x, y)[1:] == pytest.approx((float(limits.low), float(limits.high)), abs=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_pairs_of_all_images_have_the_paired_limits_of_newcombe(pairs: list[tuple[bool, bool]]) -> None:
    x, y = np.array(pairs).T
    n = len(x)
    both, only_x, only_y, none = ((x & y).sum(), (x & ~y).sum(), (~x & y).sum(), (~x & ~y).sum())
    first, second = wilson(x.sum(), n), wilson(y.sum(), n)
    # Newcombe's method 10 for paired data, with his correction of a positive ad − bc by n/2.
    product = both * none - only_x * only_y
    product = max(product - n / 2, 0) if product > 0 else product
    whole = float(x.sum() * (n - x.sum()) * y.sum() * (n - y.sum())) ** 0.5
    link = product / whole if whole else 0.0
    a, b = x.mean() - first.low, second.high - y.mean()
    c, d = first.high - x.mean(), y.mean() - second.low
    gap = x.mean() - y.mean()
    expected = gap, gap - np.sqrt(a**2 + b**2 - 2 * link * a * b), gap + np.sqrt(c**2 + d**2 - 2 * link * c * d)
    assert find_gap_limits(x, y, shared=share(n), is_same=False) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_set_has_no_gap_to_itself(scores: list[float]) -> None:
    assert find_gap_limits(scores, scores, shared=share(len(scores))) == (0, 0, 0)


@given(st.integers(0, 2**32))
def test_the_order_of_the_images_changes_no_bit_and_swapping_the_sets_turns_the_sign(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 7, 30) / 6, rng.integers(0, 7, 20) / 6
    y[:5] = x[:5]
    found = find_gap_limits(x, y, shared=share(5))
    order, other = rng.permutation(30), rng.permutation(20)
    places = np.argsort(order)[:5], np.argsort(other)[:5]
    assert find_gap_limits(x[order], y[other], shared=SharedImages(*places)) == found
    turned = find_gap_limits(y, x, shared=share(5))
    assert turned == pytest.approx((-found.value, -found.high, -found.low), abs=1e-12)


def test_shared_images_make_the_gap_surer() -> None:
    rng = np.random.default_rng(3)
    x, y = (rng.random(400) < 0.7).astype(float), (rng.random(400) < 0.7).astype(float)
    widths = []
    for n in (0, 100, 200, 300, 400):
        y[:n] = x[:n]
        gap = find_gap_limits(x, y, shared=share(n))
        widths.append(gap.high - gap.low)
    assert widths == sorted(widths, reverse=True)
    # With images of one kind, the variance falls with the share of images that are in one set only.
    assert widths[2] / widths[0] == pytest.approx(0.5**0.5, abs=0.05)
    assert widths[-1] == 0


@pytest.mark.parametrize("part", [0.0, 0.3, 0.5, 0.9])
def test_limits_with_shared_images_cover_the_gap(part: float) -> None:
    rng = np.random.default_rng(int(100 * part))
    # Images in both sets are easier than the others, as in sets of one pool that were drawn by a threshold.
    chances, n = np.array([0.55, 0.8, 0.45]), 150
    shares = np.array([1 - part, part, 1 - part]) / (2 - part)
    truth = (1 - part) * (chances[0] - chances[2])
    covered = sum(_covers(rng, chances, rng.multinomial(int(n * (2 - part)), shares), truth) for _ in range(N_STUDIES))
    low, high = clopper_pearson(covered, N_STUDIES, level=0.999)
    assert low <= 0.95 <= high


def _covers(rng: np.random.Generator, chances: FloatArray, sizes: CountArray, truth: float) -> bool:
    old, both, fresh = ((rng.random(size) < chance).astype(float) for size, chance in zip(sizes, chances, strict=True))
    gap = find_gap_limits(np.concatenate([both, old]), np.concatenate([both, fresh]), shared=share(len(both)))
    return gap.low <= truth <= gap.high


@pytest.mark.parametrize("accuracy", [0.5, 0.9])
def test_limits_of_shares_of_models_cover_the_gap_of_few_images(accuracy: float) -> None:
    rng = np.random.default_rng(5)
    # Ten models that find the same images hard: a beta distribution of the chance of being right, and a binomial on it.
    spread = 2.0
    covered = 0
    for _ in range(N_STUDIES):
        sets = [
            rng.binomial(10, rng.beta(spread * mean, spread * (1 - mean), n)) / 10
            for mean, n in ((accuracy, 40), (accuracy - 0.1, 25))
        ]
        gap = find_gap_limits(*sets)
        covered += gap.low <= 0.1 <= gap.high
    low, high = clopper_pearson(covered, N_STUDIES, level=0.999)
    assert low <= 0.95 <= high


def test_no_images_give_nothing_and_tables_are_refused() -> None:
    assert np.isnan(find_gap_limits([], [1])).all()
    with pytest.raises(InputError, match="one column"):
        find_gap_limits([[1]], [1])


def test_the_limits_of_one_mean_are_wilsons_for_right_and_wrong_answers():
    mean = find_mean_limits([1] * 8 + [0] * 2)
    low, high = wilson(8, 10)
    assert mean == pytest.approx((0.8, float(low), float(high)))
    assert np.isnan(find_mean_limits([])).all()


def test_the_limits_of_a_mean_of_shares_cover():
    rng, n_covered = np.random.default_rng(6), 0
    for _ in range(N_STUDIES):
        mean = find_mean_limits(rng.binomial(5, rng.beta(8, 2, 200)) / 5)
        n_covered += mean.low <= 0.8 <= mean.high
    low, high = clopper_pearson(n_covered, N_STUDIES, level=0.999)
    assert low <= 0.955
    assert high >= 0.945
