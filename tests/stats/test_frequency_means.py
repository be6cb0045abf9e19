"""Means of selection frequencies: arithmetic, properties, and coverage over images and annotators."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.stats.frequency_means import find_information, limit_mean_frequency, measure_spread
from regauge.stats.intervals import clopper_pearson


def test_limits_by_hand() -> None:
    # 50 images at 0.2 and 50 at 0.8: the mean is ½ and its variance 100/99 · 0.09/100 = 0.00090909. With t = 1.98422 (99
    # degrees of freedom) and (0.25 + 0.0025)/(0.00090909 + 0.000025) = 270.32 images, t²/n = 0.014565, so that the limits
    # are ½ ± √(0.014565/4 + 0.014565²/4)/1.014565 = ½ ± 0.05991.
    low, high = limit_mean_frequency([2, 8] * 50, [10] * 100)
    assert (float(low), float(high)) == pytest.approx((0.44009, 0.55991), abs=1e-4)
    # Five annotators whose logits vary by 0.25 add 0.25/5 · 0.17778² = 0.0015802; p(1 − p) of 2 of 10 is 2·8/90 = 0.17778.
    wider = limit_mean_frequency([2, 8] * 50, [10] * 100, spread=AnnotatorSpread(5, 5.0, 0.25))
    assert wider.high - wider.low > 1.6 * (high - low)


def test_everybody_agreeing_on_few_images_has_a_width_and_one_image_no_limits() -> None:
    low, high = limit_mean_frequency([9] * 10, [9] * 10)
    assert 0.6 < low < 0.75
    assert high == 1
    assert np.isnan(limit_mean_frequency([9], [9])).all()
    assert np.isnan(limit_mean_frequency([], [])).all()


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 12)), min_size=2, max_size=30), st.floats(0, 4))
def test_limits_hold_the_mean_and_annotators_only_widen_them(votes: list[tuple[int, int]], variance: float) -> None:
    shown = np.array([n for n, _ in votes])
    selected = np.minimum([k for _, k in votes], shown)
    low, high = limit_mean_frequency(selected, shown)
    mean = (selected / shown).mean()
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1
    wide = limit_mean_frequency(selected, shown, spread=AnnotatorSpread(40, 40.0, variance))
    assert wide.high - wide.low >= (1 - 1e-9) * (high - low)


def test_annotators_who_differ_by_chance_have_no_spread_and_one_alone_none_to_tell() -> None:
    # Surplus 2, −2, 2, −2 with information 4 each: shifts ±½, Σ4·¼ = 4 less 3 degrees of freedom, over 16 − 64/16 = 12.
    found = measure_spread([2, -2, 2, -2], [4, 4, 4, 4])
    assert found is not None
    assert (found.n_annotators, found.n_effective) == (4, 4.0)
    assert found.variance == pytest.approx(1 / 12)
    assert measure_spread([1, -1, 1, -1], [4, 4, 4, 4]) == AnnotatorSpread(4, 4.0, 0.0)
    assert measure_spread([3, 0], [4, 0]) is None


def test_information_is_unbiased_for_the_variance_of_a_vote(rng: np.random.Generator) -> None:
    selected = rng.binomial(5, 0.3, 200_000)
    assert find_information(selected, np.full(200_000, 5)).mean() == pytest.approx(0.21, abs=0.002)
    assert find_information(np.array([1]), np.array([1]))[0] == 0


def draw_votes(
    rng: np.random.Generator, *, n_images: int, n_annotators: int, n_votes: int, spread: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Who saw and who selected [images, annotators]; images come in grids of 20 that go to the same annotators."""
    logits = rng.normal(2.5, 1.5, n_images)[:, np.newaxis] + rng.normal(0, spread, n_annotators)
    grids = np.arange(n_images) // 20
    ranks = rng.random((grids.max() + 1, n_annotators)).argsort(axis=1).argsort(axis=1)
    return (ranks < n_votes)[grids], rng.random((n_images, n_annotators)) < 1 / (1 + np.exp(-logits))


def sum_votes(seen: NDArray[np.bool_], selected: NDArray[np.bool_]) -> AnnotatorSpread | None:
    shown, chosen = seen.sum(axis=1), (seen & selected).sum(axis=1)
    stretch = np.sqrt(shown / (shown - 1))[:, np.newaxis]
    surplus = (seen * (selected - (chosen / shown)[:, np.newaxis]) * stretch).sum(axis=0)
    return measure_spread(surplus, (seen * find_information(chosen, shown)[:, np.newaxis]).sum(axis=0))


@pytest.mark.parametrize(
    ("n_images", "n_annotators", "n_votes", "spread"),
    [(1_000, 15, 15, 1.0), (1_000, 15, 10, 1.0), (200, 15, 10, 1.0), (1_000, 15, 10, 0.0), (400, 60, 10, 1.0)],
)
def test_limits_cover_the_mean_over_other_images_and_annotators(
    n_images: int, n_annotators: int, n_votes: int, spread: float, rng: np.random.Generator
) -> None:
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    truth = float(weights @ (1 / (1 + np.exp(-(2.5 + np.hypot(1.5, spread) * points)))) / weights.sum())
    n, n_covered, n_covered_for_these = 2_000 if n_images < 1_000 else 1_000, 0, 0
    for _ in range(n):
        seen, chosen = draw_votes(rng, n_images=n_images, n_annotators=n_annotators, n_votes=n_votes, spread=spread)
        counts = (seen & chosen).sum(axis=1), seen.sum(axis=1)
        low, high = limit_mean_frequency(*counts, spread=sum_votes(seen, chosen))
        n_covered += bool(low <= truth <= high)
        low, high = limit_mean_frequency(*counts)
        n_covered_for_these += bool(low <= truth <= high)
    assert clopper_pearson(n_covered, n, level=0.999).high >= 0.95
    assert clopper_pearson(n_covered, n, level=0.999).low <= 0.975
    if n_annotators == 15 and n_images == 1_000 and spread:
        # Without the annotators' part the limits hold for these annotators alone.
        assert n_covered_for_these < 0.5 * n
