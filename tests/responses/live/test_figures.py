"""Every annotator's figures, worked by hand and against the stages for finished campaigns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.responses.live.small_ledgers import (
    COUNTED,
    DROPPED,
    REPEAT,
    SURPLUS,
    book,
    make_choices,
    make_grids,
    make_tally,
)

from regauge.records.labels.classify import ClassifyScreening
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.responses.figures import AnnotatorFigures
from regauge.responses.classify_annotators import compare_mains

# Two images under study, a positive control (1) and a negative one (2).
GRID = [(0, 0), (1, 0), (2, 1), (3, 2)]


def list_shares(figures: AnnotatorFigures, name: str) -> list[tuple[int, int]]:
    counts = getattr(figures, name)
    return list(zip(counts.n_right.tolist(), counts.n.tolist(), strict=True))


def test_controls_are_right_where_positive_ones_are_selected_and_negative_ones_are_not():
    # Annotator 7 selects the positive control alone, 8 both controls, 9 nothing.
    ledger = book(make_grids(GRID), (1, 7, 0b0100), (1, 8, 0b1100), (1, 9, 0))
    figures = make_tally(ledger).update()
    assert list_shares(figures, "positive") == [(1, 1), (1, 1), (0, 1)]
    assert list_shares(figures, "negative") == [(1, 1), (0, 1), (1, 1)]


def test_agreement_leaves_out_controls_own_votes_and_ties():
    # Image 0: 7 and 8 select it, 9 does not. Image 1: 8 alone does.
    # To 7 the others are divided on image 0 (8 yes, 9 no) and on image 1 (8 yes, 9 no): nothing to compare.
    # To 8 they are divided on image 0, and say no to image 1, which 8 selects: 0 of 1.
    # To 9 they say yes to image 0, which 9 leaves out, and are divided on image 1: 0 of 1.
    ledger = book(make_grids(GRID), (1, 7, 0b0001), (1, 8, 0b0011), (1, 9, 0b0000))
    assert list_shares(make_tally(ledger).update(), "agreement") == [(0, 0), (0, 1), (0, 1)]


def test_those_who_do_not_count_are_compared_with_those_who_do_and_not_the_other_way_round():
    ledger = book(make_grids(GRID), (1, 7, 0b0001))
    book(ledger, (1, 8, 0b0001), first=2, status=SURPLUS)
    book(ledger, (1, 9, 0b0010), first=3, status=DROPPED)
    # 7 has nobody to be compared with; 8 agrees with 7 on both images, 9 on neither.
    figures = make_tally(ledger).update()
    assert list_shares(figures, "agreement") == [(0, 0), (2, 2), (0, 2)]
    assert figures.n_answers.tolist() == [1, 1, 1]
    assert figures.n_counted.tolist() == [1, 0, 0]


def test_the_rule_counts_tasks_on_which_too_few_positive_controls_were_selected():
    grids = [[(0, 0), *((image, 1) for image in range(1, 6))]] * 4
    # One of five is 20%, which is not less than 20%; none of five is. Two of four tasks are half.
    ledger = book(make_grids(*grids), (1, 7, 0), (2, 7, 0), (3, 7, 0b10), (4, 7, 0b10))
    book(ledger, (1, 8, 0), (2, 8, 0b10), (3, 8, 0b10), (4, 8, 0b10), first=5)
    figures = make_tally(ledger).update()
    assert figures.n_poor.tolist() == [2, 1]
    assert figures.is_bad.tolist() == [True, False]


def test_grids_without_positive_controls_speak_against_nobody():
    figures = make_tally(book(make_grids([(0, 0), (1, 0)]), (1, 7, 0))).update()
    assert (figures.n_poor.tolist(), figures.is_bad.tolist()) == ([0], [False])
    assert np.isnan(figures.positive.values).all()


def test_more_than_a_third_of_answers_without_a_label_is_too_many():
    ledger = make_choices(*[[1, 2]] * 6)
    book(ledger, (1, 7, []), (2, 7, [1]), (3, 7, [1]), (1, 8, []), (2, 8, []), (3, 8, [1]))
    figures = make_tally(ledger).update()
    assert (figures.n_poor.tolist(), figures.is_bad.tolist()) == ([1, 2], [False, True])


def test_consistency_compares_cells_of_one_image_whatever_their_order():
    again = [GRID[3], GRID[2], GRID[1], GRID[0]]
    ledger = book(make_grids(GRID, again, sources=[0, 1]), (1, 7, 0b0101), (1, 8, 0b0001))
    # 7 selects images 0 and 2 again; 8 selects image 0 before and images 0 and 1 now.
    book(ledger, (2, 7, 0b1010), (2, 8, 0b1100), first=3, status=REPEAT)
    figures = make_tally(ledger).update()
    assert list_shares(figures, "consistency") == [(4, 4), (3, 4)]
    assert figures.n_answers.tolist() == [1, 1]
    assert figures.positive.n.tolist() == [1, 1]


def test_consistency_follows_a_revision_of_the_first_answer():
    ledger = book(make_grids(GRID, GRID, sources=[0, 1]), (1, 7, 0b0001))
    book(ledger, (2, 7, 0b0011), first=2, status=REPEAT)
    tally = make_tally(ledger)
    assert list_shares(tally.update(), "consistency") == [(3, 4)]
    book(ledger, (1, 7, 0b0011), first=3, revisions=[1])
    assert list_shares(tally.update(), "consistency") == [(4, 4)]


def test_main_labels_are_consistent_where_they_name_the_same_class():
    ledger = book(make_choices([4, 6], [6, 4], sources=[0, 1]), (1, 7, [4]), (1, 8, [4]), (1, 9, []))
    book(ledger, (2, 7, [4]), (2, 8, [6]), (2, 9, []), first=4, status=REPEAT)
    assert list_shares(make_tally(ledger).update(), "consistency") == [(1, 1), (0, 1), (1, 1)]


def test_a_repeat_whose_first_answer_is_gone_says_nothing():
    ledger = make_grids(GRID, GRID, sources=[0, 1])
    book(ledger, (2, 7, 0b0011), status=REPEAT)
    assert list_shares(make_tally(ledger).update(), "consistency") == [(0, 0)]


def test_the_median_is_of_known_times_and_missing_where_none_is():
    ledger = make_grids(GRID, GRID, GRID, GRID)
    book(ledger, (1, 7, 0), (2, 7, 0), (3, 7, 0), (4, 7, 0), (1, 8, 0), seconds=[4.0, np.nan, 1.0, 2.0, np.nan])
    # 1, 2 and 4: the median is 2.
    assert make_tally(ledger).update().median_seconds.tolist() == pytest.approx([2.0, np.nan], nan_ok=True)


votes = st.tuples(st.integers(1, 3), st.integers(1, 5), st.sampled_from([[], [1], [2], [3], [2, 1]]), st.booleans())


@given(st.lists(votes, min_size=1, max_size=25, unique_by=lambda vote: vote[:2]))
def test_agreement_on_main_labels_is_that_of_finished_campaigns(rows):
    ledger = make_choices(*[[1, 2, 3]] * 3)
    for number, (task, who, labels, counts) in enumerate(rows, 1):
        book(ledger, (task, who, labels), first=number, status=COUNTED if counts else DROPPED)
    figures = make_tally(ledger).update()
    who, place = np.unique([row[1] for row in rows], return_inverse=True)
    responses = ClassifyResponses(
        image_ids=np.array(["1", "2", "3"]),
        annotator_ids=who.astype(np.str_),
        response_images=np.array([row[0] - 1 for row in rows], np.int32),
        response_annotators=place.astype(np.int32),
        starts=np.concatenate(([0], np.cumsum([len(row[2]) for row in rows]))).astype(np.int64),
        selected=np.array([label for row in rows for label in row[2]], np.int32),
        main=np.array([row[2][0] if row[2] else -1 for row in rows], np.int32),
    )
    counted = np.array([row[3] and bool(row[2]) for row in rows])
    nobody = np.zeros(len(who), np.bool_)
    screening = ClassifyScreening(
        np.where([bool(row[2]) for row in rows], 0, 1),
        counted,
        np.bincount(place),
        nobody.astype(np.int64),
        nobody,
        nobody,
    )
    agreement = compare_mains(responses, screening)
    expected = {
        int(one): (int(agreement.is_alike[place == at].sum()), int(agreement.is_compared[place == at].sum()))
        for at, one in enumerate(who)
    }
    told = dict(zip(ledger.columns.annotator_ids.tolist(), list_shares(figures, "agreement"), strict=True))
    assert told == expected


def test_nothing_gives_no_figures():
    assert len(make_tally(make_grids(GRID)).update()) == 0
