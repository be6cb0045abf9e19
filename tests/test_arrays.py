"""Columns of records: typed, read-only, and never what a cast would quietly make of a wrong value."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import find_repeated, freeze, freeze_ids
from regauge.errors import InputError


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float32, np.float64, np.bool_])
def test_a_frozen_array_has_the_type_and_cannot_be_written(dtype: type[np.generic]) -> None:
    frozen = freeze([0, 1, 1], dtype)
    assert frozen.dtype == dtype
    assert frozen.tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        frozen[0] = 1


def test_the_callers_array_stays_writeable_and_is_not_copied() -> None:
    given_array = np.array([1, 2, 3], np.int32)
    frozen = freeze(given_array, np.int32)
    assert given_array.flags.writeable
    assert np.shares_memory(given_array, frozen)
    assert given_array.tolist() == [1, 2, 3]


def test_an_empty_list_is_an_empty_column_of_any_type() -> None:
    assert freeze([], np.int32).tolist() == []
    assert freeze([], np.int32).dtype == np.int32
    assert freeze([], np.str_).shape == (0,)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.7], "Class indices and counts are whole numbers of at most 32 bits, not 1.7."),
        ([0.0, np.nan], "Class indices and counts are whole numbers of at most 32 bits, not nan."),
        ([[3.0, np.inf]], "Class indices and counts are whole numbers of at most 32 bits, not inf."),
        ([2**32], "Class indices and counts are whole numbers of at most 32 bits, not 4294967296."),
        ([-(2**31) - 1], "Class indices and counts are whole numbers of at most 32 bits, not -2147483649."),
        (["3"], "Class indices and counts are whole numbers, not values of type <U1."),
        ([None], "Class indices and counts are whole numbers, not values of type object."),
    ],
)
def test_a_value_that_is_no_whole_number_of_the_type_is_refused(values: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        freeze(values, np.int32)


def test_whole_numbers_written_as_floats_are_taken() -> None:
    assert freeze(np.array([3.0, -1.0]), np.int32).tolist() == [3, -1]


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1))
def test_freezing_either_keeps_every_number_or_refuses(numbers: list[int]) -> None:
    if all(-(2**31) <= number < 2**31 for number in numbers):
        assert freeze(numbers, np.int32).tolist() == numbers
    else:
        with pytest.raises(InputError, match="32 bits"):
            freeze(numbers, np.int32)


def test_ids_keep_their_order_and_numbers_become_text() -> None:
    assert freeze_ids(["b", "a"], owner="x").tolist() == ["b", "a"]
    assert freeze_ids([7, 12], owner="x").tolist() == ["7", "12"]
    assert not freeze_ids(["b", "a"], owner="x").flags.writeable


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([["a", "b"]], "The image ids of Test set t must be one column, not an array of shape (1, 2)."),
        ("a", "The image ids of Test set t must be one column, not an array of shape ()."),
        (["a", "", "b", ""], "Test set t has an empty image id at position 1."),
        (
            ["a", "b", "c", "b", "a"],
            "Test set t lists image 'b' more than once; an image id stands for one image.",
        ),
    ],
)
def test_ids_that_do_not_name_one_image_each_are_refused(ids: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        freeze_ids(ids, owner="Test set t")


def test_the_first_text_to_occur_again_is_found() -> None:
    assert find_repeated(["a", "b", "b", "a"]) == "b"
    assert find_repeated(iter("abc")) is None
    assert find_repeated([]) is None
