"""Rows of a ledger come in the order in which first answers came, however they stand."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.responses.ledgers import CODE_OF, LedgerColumns


def make_columns(firsts: list[int], statuses: list[ResponseStatus]) -> LedgerColumns:
    n = len(firsts)
    return LedgerColumns(
        firsts=np.array(firsts, np.int64),
        ids=np.array(firsts, np.int64),
        tasks=np.zeros(n, np.int32),
        annotators=np.arange(n, dtype=np.int32),
        masks=np.zeros(n, np.uint64),
        not_shown=np.zeros(n, np.uint64),
        mains=np.zeros(n, np.int8),
        statuses=np.array([CODE_OF[status] for status in statuses], np.uint8),
        revisions=np.zeros(n, np.int32),
        received=np.zeros(n, np.int64),
        seconds=np.zeros(n),
        is_impossible=np.zeros(n, np.bool_),
        annotator_ids=np.arange(n, dtype=np.int64),
    )


COUNTED, SURPLUS, DROPPED = ResponseStatus.COUNTED, ResponseStatus.SURPLUS, ResponseStatus.DROPPED


@pytest.mark.parametrize(
    ("firsts", "expected"),
    [([2, 3, 5, 7], [0, 2, 3]), ([3, 5, 7, 2], [3, 0, 2]), ([7, 5, 3, 2], [3, 2, 0])],
    ids=["in their order", "one was added late", "backwards"],
)
def test_rows_of_some_statuses_come_in_the_order_of_first_answers(firsts, expected):
    columns = make_columns(firsts, [COUNTED, DROPPED, SURPLUS, COUNTED])
    assert columns.find_rows({COUNTED, SURPLUS}).tolist() == expected


def test_a_ledger_without_answers_has_no_rows():
    assert make_columns([], []).find_rows({COUNTED}).tolist() == []
