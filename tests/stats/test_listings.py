"""How firm a list is: worked numbers, and what random order does."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.stats.listings import measure_firmness


def test_an_entry_stays_where_fewer_are_above_it_than_the_list_is_long() -> None:
    replicates = np.array([[5.0, 4, 3, 2], [5, 1, 3, 2], [1, 4, 3, 2]])
    found = measure_firmness(replicates, 2)
    # The first entry leaves in the third redraw, the second in the second.
    assert found.stays.tolist() == pytest.approx([2 / 3, 2 / 3])
    assert found.leaving.value == pytest.approx(2 / 3)


def test_equal_values_share_the_places_that_are_left() -> None:
    found = measure_firmness(np.array([[1.0, 1, 1, 1]]), 2)
    assert found.stays.tolist() == [0.5, 0.5]
    assert found.leaving.value == 1.0


def test_what_is_missing_has_no_place() -> None:
    assert measure_firmness(np.array([[np.nan, 0.0, -1.0]]), 1).stays.tolist() == [0.0]
    # It has no place even where the list is not full without it: one leaves of two.
    assert measure_firmness(np.array([[np.nan, 1.0, np.nan]]), 2).stays.tolist() == [0.0, 1.0]


def test_a_list_of_everything_is_firm_and_one_of_nothing_has_no_number() -> None:
    assert measure_firmness(np.array([[1.0, 2.0], [2.0, 1.0]]), 15).leaving.value == 0.0
    empty = measure_firmness(np.zeros((5, 0)), 15)
    assert (empty.stays.size, empty.leaving.value) == (0, None)


def test_in_random_order_as_many_leave_as_do_not_fit(rng: np.random.Generator) -> None:
    # Of 100 candidates in random order, each is among the first 20 one time in five: 16 of 20 leave.
    found = measure_firmness(rng.random((2_000, 100)), 20)
    assert found.leaving.value == pytest.approx(16, abs=0.2)
    low, value, high = found.leaving.low, found.leaving.value, found.leaving.high
    assert low is not None
    assert value is not None
    assert high is not None
    assert low <= value <= high
