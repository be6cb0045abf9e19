"""Stored tasks and answers as columns, and these as responses and as lines of a file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.responses.live.small_ledgers import COUNTED, DROPPED, REPEAT, SURPLUS, book, make_choices, make_grids

from regauge.errors import InputError
from regauge.kinds.classify import answers as classify_answers
from regauge.kinds.contains import answers as contains_answers
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.responses.ledgers import NO_TASKS, HeldAnswers
from regauge.responses.ledger import Ledger

IDS, NONE = np.array([3, 5]), np.zeros(2, np.int64)
IMAGE_IDS = np.array([f"i{number}" for number in range(12)])


def hold(ledger: Ledger, *statuses: ResponseStatus) -> HeldAnswers:
    """The answers of a ledger that have one of the statuses, with names."""
    columns = ledger.columns.keep(ledger.columns.find_rows(statuses or (COUNTED,))).leave_out_idle()
    names = np.array([f"a{number}" for number in columns.annotator_ids.tolist()], np.str_)
    return HeldAnswers(ledger.tasks, columns, IMAGE_IDS, names)


def test_a_grid_has_a_class_images_and_controls():
    texts = ['{"version":1,"class":7,"cells":[[4,0],[9,1]]}', '{"version": 1, "class": 8, "cells": [[4, 2]]}']
    tasks = contains_answers.parse_tasks(texts, ids=IDS, sources=NONE)
    assert (tasks.subjects.tolist(), tasks.starts.tolist()) == ([7, 8], [0, 2, 3])
    assert (tasks.items.tolist(), tasks.controls.tolist()) == ([4, 9, 4], [0, 1, 2])


def test_tasks_follow_each_other():
    texts = ['{"version":1,"image":7,"candidates":[4,9]}', '{"version":1,"image":8,"candidates":[2]}']
    first = classify_answers.parse_tasks(texts, ids=IDS, sources=NONE)
    both = NO_TASKS.extend(first).extend(
        classify_answers.parse_tasks(texts[1:], ids=np.array([9]), sources=np.array([3]))
    )
    assert (both.ids.tolist(), both.sources.tolist(), both.sizes.tolist()) == ([3, 5, 9], [0, 0, 3], [2, 1, 1])
    assert both.is_work.tolist() == [True, True, False]
    with pytest.raises(InputError, match="order of their numbers"):
        both.extend(first)


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1) | st.none()), max_size=5))
def test_masks_are_read_whole_and_lack_what_earlier_versions_did_not_say(answers):
    texts = [
        json.dumps({"version": 1, "mask": f"{mask:x}"} | ({} if missing is None else {"not_shown": f"{missing:x}"}))
        for mask, missing in answers
    ]
    said = contains_answers.parse_answers(texts, tasks=NO_TASKS, places=np.zeros(len(texts), np.int32))
    assert said.masks.tolist() == [mask for mask, _ in answers]
    assert said.not_shown.tolist() == [missing or 0 for _, missing in answers]


@given(st.lists(st.lists(st.sampled_from([4, 9, 11]), unique=True), max_size=5))
def test_selections_become_masks_over_the_candidates(answers):
    texts = [json.dumps({"version": 1, "selected": one, "main": one[0] if one else None}) for one in answers]
    task = '{"version":1,"image":7,"candidates":[9,4,11]}'
    tasks = classify_answers.parse_tasks([task], ids=IDS[:1], sources=NONE[:1])
    said = classify_answers.parse_answers(texts, tasks=tasks, places=np.zeros(len(answers), np.int32))
    assert said.masks.tolist() == [sum(1 << [9, 4, 11].index(label) for label in one) for one in answers]
    assert said.mains.tolist() == [[9, 4, 11].index(one[0]) if one else -1 for one in answers]
    assert not said.not_shown.any()


def test_responses_have_the_annotators_of_their_answers_alone_in_the_order_in_which_they_come():
    ledger = book(make_grids([(0, 0), (1, 0)]), (1, 7, 1), status=DROPPED)
    book(ledger, (1, 9, 2), (1, 8, 3), first=2)
    found = contains_answers.make_responses(hold(ledger))
    assert (found.annotator_ids.tolist(), found.response_annotators.tolist()) == (["a9", "a8"], [0, 1])
    everybody = contains_answers.make_responses(hold(ledger, COUNTED, DROPPED))
    assert everybody.annotator_ids.tolist() == ["a7", "a9", "a8"]


def test_hidden_repeats_are_no_grids_and_their_answers_no_responses():
    ledger = make_grids([(5, 0), (6, 1)], [(6, 1), (5, 0)], [(7, 2)], sources=[0, 1, 0])
    book(ledger, (1, 7, 1), (3, 7, 1))
    book(ledger, (2, 7, 2), first=3, status=REPEAT)
    found = contains_answers.make_responses(hold(ledger))
    assert (found.grids.task_ids.tolist(), found.response_grids.tolist()) == (["1", "3"], [0, 1])
    assert found.grids.image_ids[found.grids.cell_images].tolist() == ["i5", "i6", "i7"]
    assert found.grids.cell_controls.tolist() == [0, 1, 2]


def test_the_number_of_an_answer_is_that_of_the_revision_that_holds():
    ledger = book(make_grids([(0, 0)]), (1, 7, 0), (1, 8, 0), (1, 7, 1), revisions=[0, 0, 1])
    assert (ledger.columns.firsts.tolist(), ledger.columns.ids.tolist()) == ([1, 2], [3, 2])
    book(ledger, (1, 8, 1), first=4, revisions=[2])
    assert ledger.columns.ids.tolist() == [3, 4]


def test_labels_come_back_from_their_masks():
    ledger = make_choices([5, 2, 9], [2, 5], [9, 2, 5], sources=[0, 0, 1])
    book(ledger, (1, 7, [9, 5]), (2, 7, [5]), (1, 8, []), seconds=[2.0, np.nan, 4.0])
    book(ledger, (3, 7, [9]), first=4, status=REPEAT)
    found = classify_answers.make_responses(hold(ledger))
    assert found.image_ids.tolist() == ["i1", "i2"]
    assert (found.response_images.tolist(), found.main.tolist()) == ([0, 1, 0], [9, 5, -1])
    assert (found.starts.tolist(), found.selected.tolist()) == ([0, 2, 3, 3], [5, 9, 5])
    assert found.candidates is not None
    assert found.candidates.tolist() == [5, 2, 9, 2, 5]


def test_labels_without_answers_are_empty_columns():
    found = classify_answers.make_responses(hold(make_choices([5, 2])))
    assert (len(found), found.starts.tolist(), found.image_ids.tolist()) == (0, [0], ["i1"])
    assert list(classify_answers.write_answers(hold(make_choices([5, 2])))) == []


def test_lines_of_labels_are_in_the_order_of_the_candidates():
    ledger = book(make_choices([5, 2, 9]), (1, 7, [9, 5]), (1, 8, []), seconds=[2.5, np.nan])
    assert [json.loads(line) for line in classify_answers.write_answers(hold(ledger))] == [
        {
            "image_id": "i1",
            "annotator_id": "a7",
            "selected": [5, 9],
            "main": 9,
            "candidates": [5, 2, 9],
            "seconds": 2.5,
        },
        {
            "image_id": "i1",
            "annotator_id": "a8",
            "selected": [],
            "main": None,
            "candidates": [5, 2, 9],
            "seconds": None,
        },
    ]


def test_lines_of_grids_are_one_per_cell():
    ledger = book(make_grids([(3, 1), (4, 0)]), (1, 7, 0b10), seconds=[1.5])
    book(ledger, (1, 8, 0b01), first=2, status=SURPLUS)
    assert list(contains_answers.write_answers(hold(ledger)))[1:] == [
        "1,a7,1,i3,positive,0,1.5",
        "1,a7,1,i4,,1,1.5",
    ]
