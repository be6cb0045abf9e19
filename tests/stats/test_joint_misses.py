"""Images that everybody would miss if errors were independent."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.stats.intervals import clopper_pearson
from regauge.stats.joint_misses import expect_joint_misses


def test_a_thousand_images_by_hand():
    # Error rates of 10%, 20% and 50% would leave 1,000 · .1 · .2 · .5 = 10 images that all three miss.
    rows = np.array([np.arange(1_000) < n for n in (100, 200, 500)])
    found = expect_joint_misses(rows)
    assert found.value == pytest.approx(10)
    assert found.low < 10 < found.high


def test_nobody_and_nothing_have_no_number():
    for shape in ((0, 5), (3, 0)):
        assert np.isnan(expect_joint_misses(np.zeros(shape, bool))).all()


def test_somebody_who_never_errs_makes_it_nought_with_a_limit_above():
    wrong = np.array([[True, True, False, False, False], [False] * 5])
    found = expect_joint_misses(wrong)
    assert found.value == found.low == 0
    # More images that the one never misses say more.
    assert expect_joint_misses(np.tile(wrong, 100)).high / 500 < found.high / 5 <= 1


def test_the_limits_are_within_what_there_is():
    wrong = np.ones((2, 4), bool)
    found = expect_joint_misses(wrong)
    assert found == (4, 4, 4)


@pytest.mark.parametrize("is_dependent", [False, True])
def test_limits_cover_whether_errors_are_independent_or_not(is_dependent: bool):
    rng = np.random.default_rng(5)
    n, rates = 1_000, np.array([0.1, 0.2, 0.3])
    truth = n * rates.prod()
    n_covered = 0
    for _ in range(2_000):
        draws = np.tile(rng.random(n), (3, 1)) if is_dependent else rng.random((3, n))
        found = expect_joint_misses(draws < rates[:, np.newaxis])
        n_covered += found.low <= truth <= found.high
    low, high = clopper_pearson(n_covered, 2_000, level=0.999)
    assert low <= 0.95 <= high


def test_numbers_are_refused():
    with pytest.raises(InputError, match="bool"):
        expect_joint_misses([[1, 0]])
