"""The answers that hold, kept up to date."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.responses.live.small_ledgers import COUNTED, DROPPED, book, make_choices, make_grids

from regauge.records.responses.ledgers import CODE_OF
from regauge.responses.ledger import Ledger

CELLS = [(image, 0) for image in range(4)]


def list_rows(ledger: Ledger) -> list[tuple[int, ...]]:
    """First number, task, annotator, mask and revision of every row."""
    columns = ledger.columns
    who = columns.annotator_ids[columns.annotators]
    names = (columns.firsts, ledger.tasks.ids[columns.tasks], who, columns.masks, columns.revisions)
    return [tuple(int(cell) for cell in row) for row in zip(*names, strict=True)]


def test_the_highest_revision_holds_in_whatever_order_they_arrive():
    ledger = book(make_grids(CELLS), (1, 7, 0b0011), (1, 7, 0b1111), (1, 7, 0b0001), revisions=[0, 2, 1])
    assert list_rows(ledger) == [(1, 1, 7, 0b1111, 2)]
    book(ledger, (1, 7, 0b1000), first=4, revisions=[1])
    assert list_rows(ledger) == [(1, 1, 7, 0b1111, 2)]
    book(ledger, (1, 7, 0b0100), first=5, revisions=[3])
    assert list_rows(ledger) == [(1, 1, 7, 0b0100, 3)]


def test_answers_to_tasks_of_other_campaigns_are_left_out():
    ledger = book(make_grids(CELLS), (9, 7, 1), (1, 8, 2), (0, 7, 1))
    assert list_rows(ledger) == [(2, 1, 8, 2, 0)]


def test_the_same_answers_once_more_change_nothing():
    rows = [(1, 7, 1), (2, 7, 2), (1, 8, 3)]
    ledger = book(make_grids(CELLS, CELLS), *rows)
    before = list_rows(ledger)
    assert list_rows(book(ledger, *rows)) == before


def test_answers_that_are_read_anew_have_their_new_status():
    ledger = book(make_grids(CELLS, CELLS), (1, 7, 1), (2, 7, 2), (1, 8, 3))
    book(ledger, (1, 8, 5), first=4, revisions=[1])
    tasks = ledger.find_tasks_of(frozenset({8, 99}))
    assert tasks.tolist() == [1]
    book(ledger, (1, 7, 1), status=DROPPED)
    book(ledger, (1, 8, 3), first=3, status=DROPPED)
    found = dict(zip(ledger.columns.masks.tolist(), ledger.columns.statuses.tolist(), strict=True))
    assert found == {2: CODE_OF[COUNTED], 1: CODE_OF[DROPPED], 5: CODE_OF[DROPPED]}


def test_labels_become_masks_over_the_candidates_of_their_task():
    ledger = book(make_choices([5, 2, 9], [2, 5]), (1, 7, [9, 5]), (2, 7, [5]), (1, 8, []))
    assert ledger.columns.masks.tolist() == [0b101, 0b10, 0]
    assert ledger.columns.mains.tolist() == [2, 1, -1]


def test_masks_of_64_cells_keep_every_bit():
    ledger = book(make_grids([(image, 0) for image in range(64)]), (1, 7, 2**64 - 1), (1, 8, 1 << 63))
    assert ledger.columns.masks.tolist() == [2**64 - 1, 1 << 63]


def test_a_ledger_grows_beyond_its_room():
    ledger = make_grids(*[CELLS] * 3_000)
    for start in range(1, 3_001, 700):
        tasks = range(start, min(start + 700, 3_001))
        book(ledger, *((task, 7, task % 16) for task in tasks), first=start)
    assert [row[3] for row in list_rows(ledger)] == [task % 16 for task in range(1, 3_001)]


answers = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, 15), st.integers(0, 2))


@given(st.lists(answers, min_size=1, max_size=30), st.integers(1, 7))
def test_answers_in_pieces_give_what_they_give_together(rows, size):
    whole, pieces = make_grids(CELLS, CELLS, CELLS), make_grids(CELLS, CELLS, CELLS)
    book(whole, *(row[:3] for row in rows), revisions=[row[3] for row in rows])
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        book(pieces, *(row[:3] for row in part), first=start + 1, revisions=[row[3] for row in part])
    assert list_rows(pieces) == list_rows(whole)
    expected: dict[tuple[int, int], tuple[int, int, int]] = {}
    for number, (task, who, mask, revision) in enumerate(rows, 1):
        first, _, known = expected.get((task, who), (number, 0, -1))
        if revision >= known:
            expected[task, who] = (first, mask, revision)
    found = {(task, who): (first, mask, revision) for first, task, who, mask, revision in list_rows(whole)}
    assert found == expected


@pytest.mark.parametrize("n", [0, 2])
def test_changes_are_told_once(n):
    ledger = book(make_grids(CELLS, CELLS), *[(task, 7, 1) for task in range(1, n + 1)])
    assert ledger.take_changes().tasks.tolist() == [n > 0, n > 1]
    assert not ledger.take_changes().tasks.any()
