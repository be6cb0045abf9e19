from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.labels.simulated_votes import draw_votes, run_crowd_kit

from regauge.labels.votes.majority import find_majority, make_posterior
from regauge.labels.votes.tables import make_vote_table
from regauge.stats.intervals import clopper_pearson


def test_counts_shares_and_ties_by_hand():
    # Task 0: labels 1, 1, 0; task 1: 2, 0 tied; task 2: nothing.
    table = make_vote_table([0, 0, 0, 1, 1], [1, 1, 0, 2, 0], annotators=[0, 1, 2, 0, 1], sizes=(3, 3, 3))
    found = find_majority(table)
    assert found.labels.tolist() == [1, 0, -1]
    assert found.n_agree.tolist() == [2, 1, 0]
    assert found.is_tied.tolist() == [False, True, False]
    np.testing.assert_allclose(found.shares, [2 / 3, 1 / 2, np.nan])
    np.testing.assert_allclose(found.limits.low, clopper_pearson([2, 1, 0], [3, 2, 0]).low)


def test_labels_are_those_of_crowd_kit_where_nothing_is_tied(rng):
    drawn = draw_votes(rng, n_tasks=300, n_votes=5, skills=rng.uniform(0.3, 0.9, (12, 4)))
    theirs = run_crowd_kit(drawn, "MajorityVote")
    found = find_majority(drawn.make_table())
    same = found.labels == theirs.labels_.sort_index().to_numpy()
    assert same[~found.is_tied].all()
    assert found.is_tied.any()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=60))
def test_the_majority_is_what_a_counter_finds(votes):
    tasks, answers = (np.array(column) for column in zip(*votes, strict=True))
    table = make_vote_table(tasks, answers, annotators=np.arange(tasks.size), sizes=(6, tasks.size, 5))
    found = find_majority(table)
    for task in range(6):
        counts = Counter(answers[tasks == task].tolist())
        most = max(counts.values(), default=0)
        best = sorted(label for label, n in counts.items() if n == most)
        assert found.labels[task] == (best[0] if best else -1)
        assert found.is_tied[task] == (len(best) > 1)
        assert found.n_agree[task] == most


def test_a_known_label_has_probability_1_even_if_nobody_gave_it():
    table = make_vote_table([0, 0, 1], [1, 1, 0], annotators=[0, 1, 0], sizes=(2, 2, 3), gold=[2, -1])
    posterior = make_posterior(table)
    assert posterior.labels.tolist() == [2, 0]
    assert posterior.probabilities.tolist() == [1, 1]
    assert posterior.listed.tolist() == [0, 1]
