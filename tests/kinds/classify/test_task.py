"""The CLASSIFY task: candidates in an order of one's own, and which answers are taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.kinds.classify import task
from regauge.kinds.classify.task import MAX_CANDIDATES, make_classify_task

TASK = make_classify_task(4, [3, 9, 1, 7])


def view_order(order: int) -> list[int]:
    view = task.view(TASK, TaskContext(load_taxonomy("cifar-10"), order))
    return [one["class"] for one in view["candidates"]]


def test_a_task_shows_one_image():
    assert task.list_images(TASK) == [4]


def test_candidates_are_kept_by_their_numbers_however_they_are_given():
    # Two orders of the same candidates make the same task: how they were given cannot be told from it.
    assert TASK["candidates"] == [1, 3, 7, 9]
    assert make_classify_task(4, [9, 7, 3, 1]) == TASK


@given(st.sets(st.sampled_from([3, 9, 1, 7]), min_size=1), st.integers(0, 2**32 - 1))
def test_an_answer_comes_back_in_the_order_of_the_view(selected, order):
    parsed = task.parse(TASK, {"selected": sorted(selected), "main": min(selected)})
    arranged = task.arrange(parsed, task=TASK, order=order)
    assert arranged == {**parsed, "selected": [one for one in view_order(order) if one in selected]}


def test_candidates_are_shuffled_for_each_and_always_the_same_for_one():
    orders = {tuple(view_order(order)) for order in range(200)}
    assert len(orders) == 24
    assert view_order(5) == view_order(5)
    assert sorted(view_order(5)) == [1, 3, 7, 9]


@given(st.sets(st.sampled_from([3, 9, 1, 7]), min_size=1), st.data())
def test_any_selection_with_a_main_label_is_taken_in_candidate_order(selected, data):
    main = data.draw(st.sampled_from(sorted(selected)))
    mixed = data.draw(st.permutations(sorted(selected)))
    parsed = task.parse(TASK, {"selected": mixed, "main": main})
    assert parsed == {"version": 1, "selected": sorted(selected), "main": main}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({}, "lists the selected classes"),
        ({"selected": "3", "main": 3}, "lists the selected classes"),
        ({"selected": [True], "main": True}, "lists the selected classes"),
        ({"selected": [3.0], "main": 3}, "lists the selected classes"),
        ({"selected": [[3]], "main": 3}, "lists the selected classes"),
        ({"selected": [], "main": 3}, "without any there is none"),
        ({"selected": None, "main": None}, "lists the selected classes"),
        ({"selected": [3, 2], "main": 3}, "Class 2 is not among the candidates"),
        ({"selected": [10**400], "main": 3}, "not among the candidates"),
        ({"selected": [3], "main": 9}, "main label is one of those selected"),
        ({"selected": [3], "main": None}, "main label is one of those selected"),
        ({"selected": [3], "main": [3]}, "main label is one of those selected"),
    ],
)
def test_what_is_no_answer_is_refused(answer, words):
    with pytest.raises(InputError, match=words):
        task.parse(TASK, answer)


def test_who_finds_no_label_right_selects_none():
    assert task.parse(TASK, {"selected": [], "main": None}) == {"version": 1, "selected": [], "main": None}


def test_a_label_that_is_selected_twice_counts_once():
    assert task.parse(TASK, {"selected": [9, 9], "main": 9})["selected"] == [9]


@pytest.mark.parametrize("candidates", [[], [1, 1], list(range(MAX_CANDIDATES + 1))])
def test_a_task_has_distinct_candidates_and_not_too_many(candidates):
    with pytest.raises(InputError, match=r"candidate"):
        make_classify_task(0, candidates)
