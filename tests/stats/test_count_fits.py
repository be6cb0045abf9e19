"""Accuracies drawn anew from counts: apart, and those of the same answers by two metrics together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.stats.count_fits import resample_counts

COUNTS = np.array([[80, 100], [0, 100], [100, 100]])
CELLS = np.array([[630, 70, 120, 80]])
ORIGINAL, NEW = np.array([[750, 1_000], [600, 1_000]]), np.array([[750, 900], [500, 900]])


def test_drawn_accuracies_have_the_mean_and_the_variance_of_a_binomial() -> None:
    drawn = resample_counts(COUNTS, COUNTS, seed=3, n_resamples=20_000)
    # 0.8 · 0.2 / 100 = 0.0016.
    assert drawn.original[:, 0].mean() == pytest.approx(0.8, abs=0.002)
    assert drawn.original[:, 0].var() == pytest.approx(0.0016, rel=0.05)
    # The two sets, and the models, are drawn independently.
    assert abs(np.corrcoef(drawn.original[:, 0], drawn.new[:, 0])[0, 1]) < 0.03


def test_accuracies_at_the_ends_vary_as_well() -> None:
    drawn = resample_counts(COUNTS, COUNTS, seed=3, n_resamples=2_000)
    assert drawn.original[:, 1].max() > 0
    assert drawn.original[:, 2].min() < 1
    assert drawn.n_original.tolist() == [100] * 2_000


def test_the_same_seed_gives_the_same_draws_and_no_draws_are_refused() -> None:
    first, second = (resample_counts(COUNTS, COUNTS, seed=3, n_resamples=5) for _ in range(2))
    assert np.array_equal(first.new, second.new)
    with pytest.raises(InputError, match="at least one resample, not 0"):
        resample_counts(COUNTS, COUNTS, seed=3, n_resamples=0)


def test_both_accuracies_of_a_model_are_drawn_with_their_covariance() -> None:
    drawn = resample_counts(ORIGINAL, NEW, seed=1, n_resamples=40_000, joint=CELLS)
    x, y = drawn.original[:, 0], drawn.new[:, 0]
    # Of 900 images 700 are right by the first and 750 by the second, 630 by both; 50 of 100 others are right by the first.
    # Cov = 900 (630/900 − 700/900 · 750/900) / (1000 · 900) = 5.185e-5.
    assert np.cov(x, y)[0, 1] == pytest.approx(5.185e-5, rel=0.05)
    # Var(x) = (900 · 7/9 · 2/9 + 100 · 0.5 · 0.5) / 1000² = 1.806e-4, Var(y) = 5/6 · 1/6 / 900 = 1.543e-4.
    assert (x.var(), y.var()) == (pytest.approx(1.806e-4, rel=0.05), pytest.approx(1.543e-4, rel=0.05))
    assert (x.mean(), y.mean()) == (pytest.approx(0.75, abs=0.001), pytest.approx(750 / 900, abs=0.001))


def test_models_without_joint_counts_are_drawn_as_before() -> None:
    alone = resample_counts(ORIGINAL, NEW, seed=1, n_resamples=2_000)
    drawn = resample_counts(ORIGINAL, NEW, seed=1, n_resamples=2_000, joint=CELLS)
    assert (drawn.original[:, 1] == alone.original[:, 1]).all()
    assert (drawn.new[:, 1] == alone.new[:, 1]).all()
    assert abs(np.corrcoef(drawn.original[:, 1], drawn.new[:, 1])[0, 1]) < 0.1


def test_answers_that_are_never_judged_differently_still_vary_a_little() -> None:
    side = np.array([[15, 20]])
    drawn = resample_counts(side, side, seed=1, n_resamples=2_000, joint=np.array([[15, 0, 0, 5]]))
    assert 0 < (drawn.original != drawn.new).mean() < 0.8


def test_joint_counts_that_contradict_those_of_a_side_are_refused() -> None:
    for cells in ([[800, 0, 0, 100]], [[0, 0, 0, 900]]):
        with pytest.raises(InputError, match="than the counts of each side allow"):
            resample_counts(ORIGINAL, NEW, seed=1, n_resamples=10, joint=np.array(cells))


@given(st.lists(st.integers(0, 50), min_size=8, max_size=8).filter(lambda one: sum(one[:4]) > 0))
def test_draws_are_shares_of_the_images_on_each_side(counts: list[int]) -> None:
    both, only_first, only_second, neither, right_a, wrong_a, right_b, wrong_b = counts
    n = both + only_first + only_second + neither
    original = np.array([[both + only_first + right_a, n + right_a + wrong_a]])
    new = np.array([[both + only_second + right_b, n + right_b + wrong_b]])
    joint = np.array([counts[:4]])
    drawn = resample_counts(original, new, seed=3, n_resamples=50, joint=joint)
    for side, accuracies in ((original, drawn.original), (new, drawn.new)):
        assert accuracies.shape == (50, 1)
        assert ((accuracies >= 0) & (accuracies <= 1)).all()
        assert np.allclose(np.rint(accuracies * side[0, 1]), accuracies * side[0, 1])
    again = resample_counts(original, new, seed=3, n_resamples=50, joint=joint)
    assert (again.original == drawn.original).all()
