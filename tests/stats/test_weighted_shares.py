"""Shares of images that stand for different numbers of others: worked numbers, what they reduce to, and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.stats.intervals import clopper_pearson, newcombe
from regauge.stats.weighted_shares import weigh_difference, weigh_shares

N_SAMPLES = 4_000


def test_a_weighed_share_is_what_the_images_stand_for() -> None:
    # 3 of 10 that stand for 2 each, and 4 of 5 that stand for themselves: (6 + 4) / (20 + 5).
    value, low, high = weigh_shares([3, 4], [10, 5], weights=[2, 1])
    assert float(value) == pytest.approx(0.4)
    limits = clopper_pearson([3, 4], [10, 5])
    assert float(low) == pytest.approx(0.4 - np.hypot(0.8 * (0.3 - limits.low[0]), 0.2 * (0.8 - limits.low[1])))
    assert float(high) == pytest.approx(0.4 + np.hypot(0.8 * (limits.high[0] - 0.3), 0.2 * (limits.high[1] - 0.8)))


@given(st.integers(0, 20), st.integers(20, 40), st.integers(0, 5), st.integers(5, 9))
def test_equal_weights_give_the_exact_interval_of_all_together(k: int, n: int, j: int, m: int) -> None:
    value, low, high = weigh_shares([k, j], [n, m], weights=[3, 3])
    exact = clopper_pearson(k + j, n + m)
    assert (float(value), float(low), float(high)) == ((k + j) / (n + m), float(exact.low), float(exact.high))


def test_a_stratum_without_images_has_no_part_and_nothing_at_all_has_no_share() -> None:
    alone, exact = weigh_shares([3, 0], [10, 0], weights=[2, 1]), clopper_pearson(3, 10)
    assert [float(one) for one in alone] == pytest.approx([0.3, float(exact.low), float(exact.high)])
    assert all(np.isnan(one) for one in weigh_shares([0, 0], [0, 0], weights=[2, 1]))


def test_a_difference_with_equal_weights_is_newcombes() -> None:
    found = weigh_difference(([30, 26], [40, 30]), ([28, 20], [50, 30]), weights=[1, 1])
    exact = newcombe(56, 70, n_correct_b=48, n_b=80)
    assert [float(one) for one in found] == pytest.approx([0.2, float(exact.low), float(exact.high)])


def test_a_difference_turns_round_with_its_sides() -> None:
    one, other = ([3, 4], [10, 5]), ([1, 2], [7, 4])
    first, second = (weigh_difference(*pair, weights=[2, 1]) for pair in ((one, other), (other, one)))
    assert [float(x) for x in first] == pytest.approx([-float(second.value), -float(second.high), -float(second.low)])


@pytest.mark.parametrize(
    ("shares", "sizes"), [((0.2, 0.9), (40, 30)), ((0.02, 0.0), (200, 100)), ((0.5, 0.5), (12, 60))]
)
def test_limits_cover_the_share_of_all_images(
    shares: tuple[float, float], sizes: tuple[int, int], rng: np.random.Generator
) -> None:
    weights = np.array([2.5, 1.0])
    truth = float(weights * sizes @ np.array(shares) / (weights @ np.array(sizes)))
    k = rng.binomial(sizes, shares, size=(N_SAMPLES, 2))
    _, low, high = weigh_shares(k, np.broadcast_to(sizes, k.shape), weights=weights)
    covered = int(((low <= truth) & (truth <= high)).sum())
    # It fails only where the simulation rules out that it covers 95%.
    assert float(clopper_pearson(covered, N_SAMPLES, level=0.999).high) >= 0.95


def test_limits_of_a_difference_cover_it(rng: np.random.Generator) -> None:
    weights, sizes, other = np.array([2.0, 1.0]), np.array([60, 40]), np.array([50, 0])
    k, j = rng.binomial(sizes, [0.7, 0.9], size=(N_SAMPLES, 2)), rng.binomial(other, [0.6, 0.0], size=(N_SAMPLES, 2))
    truth = (120 * 0.7 + 40 * 0.9) / 160 - 0.6
    both = [np.broadcast_to(one, k.shape) for one in (sizes, other)]
    _, low, high = weigh_difference((k, both[0]), (j, both[1]), weights=weights)
    covered = int(((low <= truth) & (truth <= high)).sum())
    assert float(clopper_pearson(covered, N_SAMPLES, level=0.999).high) >= 0.95
