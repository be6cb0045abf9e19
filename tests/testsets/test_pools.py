"""What is left of a pool, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.records.testsets.pool import ExclusionRule
from regauge.records.testsets.pool_tables import POOL_STATUS_COLUMNS, PoolStatus
from regauge.records.testsets.sampling import PoolCandidates
from regauge.testsets.pools import summarise_pool
from regauge.testsets.quotas import count_to_gather, make_class_quotas, make_keyword_quotas


def make_pool(
    classes: list[int], *, n_shown: list[int] | None = None, keywords: list[str] | None = None
) -> PoolCandidates:
    n = len(classes)
    return PoolCandidates(
        np.array([f"i{row}" for row in range(n)], np.str_),
        np.array(classes, np.int32),
        np.array(n_shown or [0] * n, np.int64),
        np.zeros(n, np.int64),
        np.full(n, "", np.str_),
        np.array(keywords or [""] * n, np.str_),
    )


def mark(n: int, *rows: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.isin(np.arange(n), rows)


def test_before_anybody_was_asked_all_that_is_not_excluded_is_usable() -> None:
    pool = make_pool([0, 0, 0, 0, 1])
    excluded = {ExclusionRule.WINDOW: mark(5, 0, 1), ExclusionRule.LIST: mark(5, 1)}
    first, second = summarise_pool(pool, excluded, quotas=make_class_quotas(pool.classes, per_class=3))
    assert (first.n_gathered, first.n_excluded, first.n_usable, first.n_missing) == (4, 2, 2, 1)
    assert first.by_rule == {ExclusionRule.WINDOW: 2, ExclusionRule.LIST: 1}
    assert (first.n_annotated, first.n_open) == (None, 0)
    # One is missing and every second one is usable: 1 × 4 / 2.
    assert first.n_to_gather == 2
    # Two are missing, and the one that was gathered is usable: 2 × 1 / 1.
    assert (second.n_missing, second.n_to_gather) == (2, 2)


def test_what_is_open_is_annotated_before_more_is_gathered() -> None:
    # Of five candidates one is excluded, two were seen by ten, two by fewer.
    pool = make_pool([0] * 5, n_shown=[10, 12, 9, 0, 30])
    (row,) = summarise_pool(
        pool,
        {ExclusionRule.LIST: mark(5, 4)},
        quotas=make_class_quotas(pool.classes, per_class=4),
        min_annotations=10,
    )
    assert (row.n_annotated, row.n_open, row.n_usable, row.n_missing) == (3, 2, 2, 2)
    assert row.n_to_gather == 0


def test_nothing_usable_says_nothing_about_how_many_to_gather() -> None:
    pool = make_pool([0])
    (row,) = summarise_pool(
        pool, {ExclusionRule.REVIEW: mark(1, 0)}, quotas=make_class_quotas(pool.classes, per_class=1)
    )
    assert (row.n_missing, row.n_to_gather) == (1, None)


def test_keywords_are_shared_out_as_in_the_original() -> None:
    # 3 tabbies and 1 lion in 4 images make 7.5 and 2.5 of 10; among equal remainders the last keyword comes first.
    quotas = make_keyword_quotas({3: {"tabby": 3, "lion": 1}, 5: {"beagle": 2}}, per_class=10)
    assert quotas.wanted == {(3, "lion"): 2, (3, "tabby"): 8, (5, "beagle"): 10}
    pool = make_pool([3, 3, 3], keywords=["tabby", "puma", "tabby"])
    rows = summarise_pool(pool, {}, quotas=quotas)
    assert [(row.class_index, row.keyword, row.n_gathered, row.n_wanted, row.n_missing) for row in rows] == [
        (3, "lion", 0, 2, 2),
        (3, "puma", 1, 0, 0),
        (3, "tabby", 2, 8, 6),
        (5, "beagle", 0, 10, 10),
    ]
    # Both tabbies are usable, so six more are six to gather.
    assert rows[2].n_to_gather == 6


def test_no_keyword_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="None of the original images has a keyword"):
        make_keyword_quotas({}, per_class=10)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20), st.booleans()), min_size=1, max_size=40))
def test_every_candidate_is_excluded_open_or_usable(rows: list[tuple[int, int, bool]]) -> None:
    classes, shown, out = zip(*rows, strict=True)
    pool = make_pool(list(classes), n_shown=list(shown))
    found = summarise_pool(
        pool,
        {ExclusionRule.LIST: np.array(out)},
        quotas=make_class_quotas(pool.classes, per_class=2),
        min_annotations=10,
    )
    assert sum(row.n_gathered for row in found) == len(rows)
    assert all(row.n_excluded + row.n_open + row.n_usable == row.n_gathered for row in found)


def test_the_table_has_the_columns_it_promises() -> None:
    pool = make_pool([0])
    rows = summarise_pool(pool, {}, quotas=make_class_quotas(pool.classes, per_class=1))
    frame = PoolStatus(rows, ("p",), None).to_frame({0: ("n1", "plane")})
    assert dict(frame.schema) == dict(POOL_STATUS_COLUMNS)
    assert frame.row(0, named=True)["n_annotated"] is None


def test_rounding_goes_up() -> None:
    assert count_to_gather(1, n_gathered=10, n_usable=3) == 4
