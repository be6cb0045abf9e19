"""Error consistency: Geirhos' arithmetic, Cohen's kappa as its oracle, and what the limits cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.stats.agreement.cohen import cohen_kappa
from regauge.stats.error_consistency import error_consistency, mean_error_consistency
from regauge.stats.intervals import clopper_pearson

N_SIMULATIONS = 2_000


def make_rng() -> np.random.Generator:
    return np.random.default_rng(7)


def find_kappa(cells: list[float]) -> float:
    """As Geirhos et al. (2020) write it."""
    both, first, second, neither = np.array(cells) / sum(cells)
    one, other = both + first, both + second
    expected = one * other + (1 - one) * (1 - other)
    return float((both + neither - expected) / (1 - expected))


def test_a_hundred_images_by_hand():
    # Both are right alike on 92 of 100; 95% and 93% right would be right or wrong alike on .95·.93 + .05·.07 = .887.
    # kappa = (.92 − .887)/(1 − .887) = .033/.113.
    found = error_consistency([90, 5, 3, 2], rng=make_rng())
    assert float(found.observed) == pytest.approx(0.92)
    assert float(found.expected) == pytest.approx(0.887)
    assert float(found.kappa) == pytest.approx(0.033 / 0.113)
    assert found.limits.low < found.kappa < found.limits.high


@given(st.lists(st.integers(0, 30), min_size=4, max_size=4))
def test_it_is_cohens_kappa_between_right_and_wrong(cells: list[int]):
    first = np.repeat([1, 1, 0, 0], cells)
    second = np.repeat([1, 0, 1, 0], cells)
    found = error_consistency(cells, rng=make_rng(), n_resamples=100)
    np.testing.assert_allclose(found.kappa, cohen_kappa(first, second).kappa[0], atol=1e-12)
    assert np.isnan(found.kappa) == np.isnan(found.limits.low)
    if not np.isnan(found.kappa):
        assert found.limits.low <= found.kappa <= found.limits.high


def test_it_is_what_scikit_learn_has():
    metrics = pytest.importorskip("sklearn.metrics")
    right = make_rng().random((2, 200)) < 0.8
    cells = [np.count_nonzero(one & other) for one in (right[0], ~right[0]) for other in (right[1], ~right[1])]
    kappa = error_consistency(cells, rng=make_rng()).kappa
    assert float(kappa) == pytest.approx(metrics.cohen_kappa_score(*right))


def test_two_who_never_err_have_no_kappa_and_two_who_err_alike_have_one_with_limits_below():
    found = error_consistency([[50, 0, 0, 0], [0, 0, 0, 50], [0, 0, 0, 0], [40, 0, 0, 10]], rng=make_rng())
    assert np.isnan(found.kappa[:3]).all()
    assert found.kappa[3] == 1
    assert 0.5 < found.limits.low[3] < 1
    assert found.limits.high[3] == 1


@pytest.mark.parametrize(
    ("n", "cells"),
    [
        (100, [0.85, 0.05, 0.05, 0.05]),
        (300, [0.90, 0.04, 0.04, 0.02]),
        (1_000, [0.95, 0.03, 0.015, 0.005]),
        (2_000, [0.80, 0.06, 0.06, 0.08]),
    ],
)
def test_limits_cover_as_often_as_they_say(n: int, cells: list[float]):
    rng, truth = np.random.default_rng(3), find_kappa(cells)
    found = error_consistency(rng.multinomial(n, cells, size=N_SIMULATIONS), rng=rng, n_resamples=500)
    n_covered = int(((found.limits.low <= truth) & (truth <= found.limits.high)).sum())
    low, high = clopper_pearson(n_covered, N_SIMULATIONS, level=0.999)
    assert low <= 0.96
    assert high >= 0.94


def test_limits_hold_where_two_hardly_ever_fail_together():
    # Plain resampling covers 39% here.
    cells = [0.9545, 0.02, 0.025, 0.0005]
    rng, truth = np.random.default_rng(4), find_kappa(cells)
    found = error_consistency(rng.multinomial(1_000, cells, size=N_SIMULATIONS), rng=rng, n_resamples=500)
    assert ((found.limits.low <= truth) & (truth <= found.limits.high)).mean() >= 0.94


def draw_participants(rng: np.random.Generator, n: int) -> np.ndarray:
    """Four participants who find the same images hard."""
    hard = rng.beta(1, 3, n)
    return np.asarray(rng.random((4, n)) < 1 - hard * np.array([0.5, 0.8, 1.0, 1.2])[:, np.newaxis].clip(max=1))


def test_the_mean_is_that_of_the_pairs():
    right = draw_participants(make_rng(), 400)
    pairs = np.triu(np.ones((4, 4), bool), 1)
    found = mean_error_consistency(right, is_counted=np.ones_like(right), is_paired=pairs, rng=make_rng())
    kappas = [cohen_kappa(right[i], right[j]).kappa[0] for i in range(4) for j in range(i)]
    assert found.value == pytest.approx(np.mean(kappas))
    assert found.n_pairs == 6
    assert found.limits.low < found.value < found.limits.high


def test_the_limits_of_one_pair_are_those_of_its_jackknife():
    right = draw_participants(make_rng(), 600)[:2]
    pairs = np.array([[False, True], [False, False]])
    found = mean_error_consistency(right, is_counted=np.ones_like(right), is_paired=pairs, rng=make_rng())
    left_out = [cohen_kappa(*np.delete(right, row, axis=1)).kappa[0] for row in range(600)]
    error = np.sqrt(599 / 600 * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    assert (float(found.limits.high) - found.value) / 1.959964 == pytest.approx(error, rel=0.02)


def test_the_limits_of_the_mean_cover():
    rng = np.random.default_rng(11)
    pairs = np.triu(np.ones((4, 4), bool), 1)

    def measure(n: int):
        right = draw_participants(rng, n)
        return mean_error_consistency(right, is_counted=np.ones_like(right), is_paired=pairs, rng=make_rng())

    truth = measure(1_000_000).value
    n_covered = sum(
        bool(found.limits.low <= truth <= found.limits.high) for found in (measure(500) for _ in range(1_000))
    )
    low, high = clopper_pearson(n_covered, 1_000, level=0.999)
    assert low <= 0.96
    assert high >= 0.94


def test_images_that_one_did_not_answer_count_for_the_other_pairs_alone():
    right = draw_participants(make_rng(), 300)[:3]
    counted = np.ones_like(right)
    counted[2, 100:] = False
    pairs = np.triu(np.ones((3, 3), bool), 1)
    found = mean_error_consistency(right, is_counted=counted, is_paired=pairs, rng=make_rng())
    kappas = [
        cohen_kappa(right[0], right[1]).kappa[0],
        *(cohen_kappa(right[one, :100], right[2, :100]).kappa[0] for one in (0, 1)),
    ]
    assert found.value == pytest.approx(np.mean(kappas))


@pytest.mark.parametrize(
    ("right", "kappa"), [([[True, False], [False, False]], 0.0), ([[True, False], [True, False]], 1.0)]
)
def test_two_images_that_speak_alike_do_not_make_a_mean_certain(right, kappa):
    pairs = np.array([[False, True], [False, False]])
    found = mean_error_consistency(right, is_counted=np.ones_like(right), is_paired=pairs, rng=make_rng())
    assert found.value == kappa
    assert found.limits.high - found.limits.low > 0.5
    assert found.limits.low <= kappa <= found.limits.high


def test_no_pair_has_no_mean():
    found = mean_error_consistency([[True]], is_counted=[[True]], is_paired=[[False]], rng=make_rng())
    assert found.n_pairs == 0
    assert np.isnan(found.value)


def test_other_shapes_and_too_few_draws_are_refused():
    with pytest.raises(InputError, match="four counts"):
        error_consistency([1, 2, 3], rng=make_rng())
    with pytest.raises(InputError, match="at least one resample"):
        error_consistency([1, 2, 3, 4], rng=make_rng(), n_resamples=0)
