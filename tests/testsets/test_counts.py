"""Counts of several tables: none is added up, and a pair that nobody was asked about has none."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation.test_gap_joins import make_counts

from regauge.testsets.counts import look_up, merge_tables

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 2), st.integers(0, 3), st.just(0)),
    max_size=6,
    unique_by=lambda row: row[:2],
)


def test_merged_tables_hold_the_counts_with_most_annotators_and_of_equal_ones_the_last():
    first = make_counts([("b", 1, 9, 2), ("a", 0, 5, 1), ("a", 2, 3, 3)])
    merged = merge_tables([first, make_counts([("b", 1, 4, 4), ("a", 0, 5, 5), ("c", 0, 0, 0)])])
    columns = merged.image_ids[merged.images], merged.classes, merged.n_shown, merged.n_selected
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    assert rows == [("b", 1, 9, 2), ("a", 0, 5, 5), ("a", 2, 3, 3), ("c", 0, 0, 0)]


@given(st.lists(ROWS.filter(bool), min_size=1, max_size=3))
def test_merging_is_what_a_loop_over_the_pairs_gives(tables):
    held: dict[tuple[str, int], int] = {}
    for image_id, index, n_shown, _ in (row for table in tables for row in table):
        held[image_id, index] = max(n_shown, held.get((image_id, index), 0))
    merged = merge_tables([make_counts(table) for table in tables])
    ids = merged.image_ids[merged.images].tolist()
    assert dict(zip(zip(ids, merged.classes.tolist(), strict=True), merged.n_shown.tolist(), strict=True)) == held


def test_a_pair_that_nobody_was_asked_about_has_no_counts():
    counts = make_counts([("b", 1, 9, 2), ("a", 0, 5, 1)])
    n_shown, n_selected = look_up(counts, np.array(["a", "b", "b", "z"]), classes=np.array([0, 1, 2, 0], np.int32))
    assert n_shown.tolist() == [5, 9, 0, 0]
    assert n_selected.tolist() == [1, 2, 0, 0]
    assert not look_up(merge_tables([]), np.array(["a"]), classes=np.array([0], np.int32))[0].any()
