"""Counts that make no sense never reach a formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.stats.counts import MAX_COUNT, check_counts


def test_counts_come_back_whole_in_one_shape_and_in_order() -> None:
    first, second, n = check_counts(first=[1, 2], second=3.0, n=np.uint8(9))
    np.testing.assert_array_equal([first, second, n], [[1, 2], [3, 3], [9, 9]])
    assert {first.dtype, second.dtype, n.dtype} == {np.dtype(np.int64)}


def test_narrow_integers_do_not_wrap_around_when_they_are_added() -> None:
    with pytest.raises(InputError, match="item 0 has first = 200, second = 100, n = 250"):
        check_counts(first=np.uint8(200), second=np.uint8(100), n=np.uint8(250))


def test_flags_are_added_as_numbers() -> None:
    with pytest.raises(InputError, match="item 1"):
        check_counts(first=np.array([True, True]), second=np.array([False, True]), n=1)


@pytest.mark.parametrize(
    ("n_correct", "n"),
    [(-1, 5), (6, 5), (1.5, 5), (1, 5.5), (np.nan, 5), (1, np.nan), (1, np.inf), (0, -1), (0, MAX_COUNT + 1)],
)
def test_the_first_bad_pair_is_named(n_correct: float, n: float) -> None:
    with pytest.raises(InputError, match=r"item 1 has n_correct = .*, n = .*\.$"):
        check_counts(n_correct=[1, n_correct, -7], n=[5, n, 5])


def test_parts_without_a_whole_may_be_any_counts() -> None:
    np.testing.assert_array_equal(check_counts(first=[4], second=[MAX_COUNT]), [[4], [MAX_COUNT]])


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match=r"n_correct \(3,\), n \(2,\)"):
        check_counts(n_correct=[1, 2, 3], n=[4, 5])


@pytest.mark.parametrize("values", [["3"], [None], [1j]])
def test_what_is_no_number_is_refused(values: list[object]) -> None:
    with pytest.raises(InputError, match="n_correct holds values of type"):
        check_counts(n_correct=np.array(values), n=5)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=8))
def test_every_part_and_rest_make_valid_counts(pairs: list[tuple[int, int]]) -> None:
    part = np.array([pair[0] for pair in pairs], int)
    whole = part + np.array([pair[1] for pair in pairs], int)
    checked_part, checked_whole = check_counts(part=part, n=whole)
    np.testing.assert_array_equal(checked_part, part)
    np.testing.assert_array_equal(checked_whole, whole)
