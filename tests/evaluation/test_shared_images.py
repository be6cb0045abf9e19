"""Which images two sets share: by digest, by id only where that is said, and one to one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.evaluation.shared_images import find_shared_images, match_numbers, number_images
from regauge.evaluation.targets import Target, line_up
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.testsets.shared_images import SharedBy, SharedImages
from regauge.records.testsets.test_set import TestSet


def make_target(name: str, ids: Sequence[str], digests: Sequence[str] | None = None) -> Target:
    labels = np.zeros(len(ids), np.int32)
    return line_up(Truth(TestSet(name, np.array(list(ids)), labels, None if digests is None else np.array(digests))))


def read(shared: SharedImages) -> list[tuple[int, int]]:
    return list(zip(shared.rows_original.tolist(), shared.rows_new.tolist(), strict=True))


def test_equal_digests_are_the_same_image_whatever_the_ids() -> None:
    old, fresh = make_target("old", "abc", ["x", "y", "z"]), make_target("fresh", "dea", ["z", "x", "w"])
    shared = find_shared_images(old, fresh)
    # Image a is in both by its id, but its bytes differ: no question is open about it.
    assert (read(shared), shared.n_by_id, shared.n_open) == ([(0, 1), (2, 0)], 0, 0)
    assert read(find_shared_images(old, fresh, by=SharedBy.IDS)) == [(0, 1), (2, 0)]


def test_equal_ids_without_digests_stay_open_unless_somebody_says_what_they_mean() -> None:
    old, fresh = make_target("old", "abc"), make_target("fresh", "bxc")
    shared = find_shared_images(old, fresh)
    assert (len(shared), shared.n_open) == (0, 2)
    said = find_shared_images(old, fresh, by=SharedBy.IDS)
    assert (read(said), said.n_by_id, said.n_open) == ([(1, 0), (2, 2)], 2, 0)


def test_ids_count_only_for_images_without_a_digest() -> None:
    old = make_target("old", "abcd", ["x", "", "z", "v"])
    fresh = make_target("fresh", "abcd", ["x", "y", "", "w"])
    # a by its digest; b and c lack one on a side; d has two that differ.
    shared = find_shared_images(old, fresh)
    assert (read(shared), shared.n_open) == ([(0, 0)], 2)
    said = find_shared_images(old, fresh, by=SharedBy.IDS)
    assert (read(said), said.n_by_id) == ([(0, 0), (1, 1), (2, 2)], 2)


def test_an_image_that_has_found_its_like_by_digest_has_no_other_by_id() -> None:
    old, fresh = make_target("old", "ab", ["x", ""]), make_target("fresh", "ba", ["x", ""])
    assert read(find_shared_images(old, fresh, by=SharedBy.IDS)) == [(0, 0)]


def test_an_image_that_a_set_holds_twice_is_paired_as_often_as_both_hold_it() -> None:
    old, fresh = make_target("old", "abc", ["x", "x", "x"]), make_target("fresh", "de", ["x", "x"])
    assert read(find_shared_images(old, fresh)) == [(0, 0), (1, 1)]


def test_images_that_only_a_label_set_knows_have_no_digest() -> None:
    labels = LabelSet.from_lists("more", ["b", "z"], correct=[[0], [0]])
    test_set = TestSet("old", np.array(["a", "b"]), np.zeros(2, np.int32), np.array(["x", "y"]))
    target = line_up(Truth(test_set, (labels,)))
    assert target.digests is not None
    assert target.digests.tolist() == ["x", "y", ""]


def test_sets_number_their_images_in_common() -> None:
    sets = [make_target(name, ids) for name, ids in (("old", "abc"), ("one", "cd"), ("two", "dac"))]
    numbers, pairs = number_images(sets, by=SharedBy.IDS)
    assert {places: len(shared) for places, shared in pairs.items()} == {(0, 1): 1, (0, 2): 2, (1, 2): 2}
    assert [one.tolist() for one in numbers] == [[0, 1, 2], [2, 4], [4, 0, 2]]
    assert [one.tolist() for one in number_images(sets).numbers] == [[0, 1, 2], [3, 4], [5, 6, 7]]


def test_no_number_comes_twice_in_a_set_that_holds_an_image_twice() -> None:
    sets = [make_target("old", "a", ["x"]), make_target("one", "bc", ["x", "x"]), make_target("two", "de", ["x", "x"])]
    numbers = number_images(sets).numbers
    assert [one.tolist() for one in numbers] == [[0], [0, 2], [0, 2]]


@given(
    st.lists(st.text("abc", min_size=1, max_size=2), unique=True, min_size=1, max_size=8),
    st.lists(st.text("abc", min_size=1, max_size=2), unique=True, min_size=1, max_size=8),
)
def test_shared_ids_are_those_in_both_sets_of_ids(first: list[str], second: list[str]) -> None:
    old, fresh = make_target("old", first), make_target("fresh", second)
    shared = find_shared_images(old, fresh, by=SharedBy.IDS)
    assert {first[row] for row in shared.rows_original.tolist()} == set(first) & set(second)
    assert [first[row] for row in shared.rows_original] == [second[row] for row in shared.rows_new]
    assert read(match_numbers(*number_images([old, fresh], by=SharedBy.IDS).numbers)) == read(shared)


def test_the_sentences_say_how_many_and_what_to_do() -> None:
    old, fresh = make_target("old", "abc", ["x", "", ""]), make_target("fresh", "dbc", ["x", "", ""])
    assert find_shared_images(old, fresh).describe("old", "fresh") == (
        "old and fresh share 1 image (by equal bytes); shared images are drawn together.",
        (
            "2 image ids are in both old and fresh, and no digest says whether the images are the same. They are taken for "
            'different ones; if they are the same, say so with `shared="ids"`.'
        ),
    )
    said = find_shared_images(old, fresh, by=SharedBy.IDS)
    assert said.describe("old", "fresh") == (
        "old and fresh share 3 images (by equal bytes, 2 by equal ids); shared images are drawn together.",
    )
    assert find_shared_images(old, make_target("other", "xyz")).describe("old", "other") == ()


def test_columns_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="one row in either set"):
        SharedImages(np.array([0]), np.array([0, 1]))
    with pytest.raises(InputError, match="one digest per image"):
        TestSet("old", np.array(["a", "b"]), np.zeros(2, np.int32), np.array(["x"]))


def test_what_is_left_of_shared_images_has_the_rows_of_what_is_left() -> None:
    shared = SharedImages(np.array([0, 2, 3]), np.array([1, 0, 2]))
    kept = shared.keep(np.array([True, False, True, False]), np.array([True, True, True]))
    # Rows 0 and 2 of the original are left as 0 and 1; row 3 is not.
    assert read(kept) == [(0, 1), (1, 0)]
    assert read(shared.keep(np.ones(4, bool), np.array([False, True, True]))) == [(0, 0), (3, 1)]
