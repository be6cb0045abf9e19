"""Rows of answers become grids and masks, in whatever order they come; what contradicts itself is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.responses.contains_rows import Row, draw_rows, make_votes

from regauge.errors import InputError
from regauge.records.responses.answers import ContainsResponses, Control
from regauge.responses.grouping import group_votes

NONE, POSITIVE, NEGATIVE = Control


def unfold(responses: ContainsResponses) -> set[Row]:
    """Every vote again as a row."""
    grids = responses.grids
    rows = set()
    for grid, annotator, mask in zip(
        responses.response_grids.tolist(), responses.response_annotators.tolist(), responses.masks.tolist(), strict=True
    ):
        for place, cell in enumerate(range(grids.starts[grid], grids.starts[grid + 1])):
            rows.add(
                Row(
                    str(grids.task_ids[grid]),
                    str(responses.annotator_ids[annotator]),
                    int(grids.classes[grid]),
                    str(grids.image_ids[grids.cell_images[cell]]),
                    Control(int(grids.cell_controls[cell])),
                    bool(mask >> place & 1),
                )
            )
    return rows


def row(
    task: str = "t",
    annotator: str = "w",
    asked: int = 0,
    image: str = "a",
    control: Control = NONE,
    selected: bool = True,
) -> Row:
    return Row(task, annotator, asked, image, control, selected)


@given(draw_rows(min_positive=0), st.randoms(use_true_random=False))
def test_no_vote_is_lost_or_changed_in_whatever_order_rows_come(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    for order in (rows, shuffled):
        responses = group_votes(make_votes(order))
        assert unfold(responses) == set(rows)
        assert len(responses) == len({one[:2] for one in rows})


@given(draw_rows(min_positive=0))
def test_responses_come_in_the_order_of_their_first_rows(rows):
    responses = group_votes(make_votes(rows))
    tasks = responses.grids.task_ids[responses.response_grids].tolist()
    annotators = responses.annotator_ids[responses.response_annotators].tolist()
    assert list(zip(tasks, annotators, strict=True)) == list(dict.fromkeys(one[:2] for one in rows))


def test_annotators_who_were_shown_the_same_cells_share_a_grid_in_any_order():
    rows = [row(image=one, annotator="u", selected=one == "a") for one in "abc"]
    rows += [row(image=one, annotator="v", selected=one == "a") for one in "cab"]
    responses = group_votes(make_votes(rows))
    assert len(responses.grids) == 1
    assert responses.masks.tolist() == [0b001, 0b001]


def test_annotators_who_were_shown_other_cells_have_grids_of_their_own():
    rows = [row(image=one, annotator="u") for one in "ab"] + [row(image=one, annotator="v") for one in "ac"]
    responses = group_votes(make_votes(rows))
    assert responses.grids.task_ids.tolist() == ["t", "t"]
    assert responses.response_grids.tolist() == [0, 1]


def test_a_grid_may_have_64_cells():
    rows = [row(image=f"i{place}", selected=place == 63) for place in range(64)]
    assert group_votes(make_votes(rows)).masks.tolist() == [1 << 63]


def test_seconds_of_a_response_are_those_of_its_rows_or_their_sum():
    rows = [row(image=one, annotator=who) for who in "uvw" for one in "ab"]
    responses = group_votes(make_votes(rows, seconds=[30, 30, 10, 15, np.nan, 3]))
    assert responses.seconds[:2].tolist() == [30, 25]
    assert np.isnan(responses.seconds[2])
    assert np.isnan(group_votes(make_votes(rows)).seconds).all()


REFUSED = {
    "equal repeat": ([row(), row(image="b"), row()], "'w' answers for image 'a' of task 't' twice, both times alike"),
    "contradiction": (
        [row(), row(selected=False)],
        "'w' answers for image 'a' of task 't' twice, once selected and once not",
    ),
    "far apart": ([row(), row(annotator="v"), row(selected=False)], "twice, once selected and once not"),
    "whole grid again": ([row(image=f"i{n}") for n in range(48)] * 2, "twice, both times alike"),
    "too many cells": (
        [row(image=f"i{n}") for n in range(65)],
        "shows annotator 'w' 65 images; a grid shows at most 64",
    ),
    "two classes": ([row(), row(image="b", asked=4)], "Task 't' asks for two classes, 0 and 4"),
    "two classes by annotator": ([row(), row(annotator="v", asked=2)], "Task 't' asks for two classes, 0 and 2"),
    "two marks": (
        [row(), row(annotator="v", control=POSITIVE)],
        "Image 'a' of task 't' has two control marks, none and positive",
    ),
}


@pytest.mark.parametrize(("rows", "message"), REFUSED.values(), ids=REFUSED)
def test_rows_that_contradict_each_other_are_refused(rows, message):
    with pytest.raises(InputError, match=message):
        group_votes(make_votes(rows))


def test_no_rows_are_refused():
    votes = make_votes([row()])
    nothing = np.zeros(0, np.int32)
    columns: dict[str, Any] = dict.fromkeys(("task_ids", "annotator_ids", "image_ids"), np.zeros(0, np.str_))
    columns |= dict.fromkeys(("tasks", "annotators", "images", "classes", "controls", "is_selected"), nothing)
    empty = type(votes)(**columns)
    with pytest.raises(InputError, match="There are no answers"):
        group_votes(empty)
