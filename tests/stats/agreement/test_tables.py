from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.stats.agreement.tables import count_answers, count_members, sort_votes


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 40)), max_size=80), st.sampled_from([41, 500]))
def test_counts_are_those_of_a_dense_table(votes, n_labels):
    tasks, answers = (np.array([vote[i] for vote in votes], np.int32) for i in (0, 1))
    found = count_answers(tasks, answers, n_tasks=7, n_labels=n_labels)
    dense = np.zeros((7, n_labels), int)
    np.add.at(dense, (tasks, answers), 1)
    rebuilt = np.zeros_like(dense)
    rows = np.repeat(np.arange(7), np.diff(found.list_starts))
    rebuilt[rows, found.labels] = found.counts
    assert (rebuilt == dense).all()
    assert found.counts.min(initial=1) > 0
    for task in range(7):
        own = found.labels[found.list_starts[task] : found.list_starts[task + 1]]
        assert (np.diff(own) > 0).all()
    assert (found.labels[found.slots] == found.answers).all()
    assert (found.sort(answers) == found.answers).all()
    assert (np.diff(found.sort(tasks)) >= 0).all()


def test_few_labels_are_listed_like_many(rng):
    tasks, answers = rng.integers(0, 50, 400), rng.integers(0, 9, 400)
    few, many = count_answers(tasks, answers, n_labels=9), count_answers(tasks, answers, n_labels=99)
    for name in ("labels", "counts", "slots", "list_starts"):
        assert (getattr(few, name) == getattr(many, name)).all()


def test_votes_that_lie_in_order_are_not_moved():
    starts, order = sort_votes(np.array([0, 0, 2], np.int32), 4)
    assert starts.tolist() == [0, 2, 2, 3, 3]
    assert order is None
    starts, order = sort_votes(np.array([2, 0, 2, 0], np.int32), 3)
    assert order is not None
    assert order.tolist() == [1, 3, 0, 2]
    assert count_members(np.array([2, 0, 2], np.int32), 4).tolist() == [1, 0, 2, 0]


@pytest.mark.parametrize(
    ("tasks", "answers", "message"),
    [([0, 1], [0], "one task and one label"), ([0, -1], [0, 0], "tasks"), ([0, 0], [0, 3], "labels")],
)
def test_codes_outside_their_range_are_refused(tasks, answers, message):
    with pytest.raises(InputError, match=message):
        count_answers(tasks, answers, n_labels=3)
