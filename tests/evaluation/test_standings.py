"""Who can be told apart: by McNemar's test and Holm's rule over all pairs, and never by what unjudged answers might be."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.standings import compare_standings, find_standings
from regauge.records.evaluation.details import Standings
from regauge.stats.multiplicity import holm
from regauge.stats.paired import exact_mcnemar

NAMES = ("a", "b", "c", "d")


def make_outcomes(*n_right: int, n: int = 40) -> OutcomeArray:
    """Participants that are right on so many images, from the first one on."""
    return np.array([[row < k for row in range(n)] for k in n_right], np.int8)


def test_pairs_are_told_apart_as_the_test_of_each_and_the_rule_of_all_say() -> None:
    # a and b differ on 6 images, p = 2/2⁶ = 0.031, the largest of three, which Holm leaves as it is; c is far behind.
    found = find_standings(NAMES[:3], make_outcomes(30, 24, 4))
    assert found.order.tolist() == [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]
    # With one more such pair, c and d, 2 · 0.031 is above 5%.
    more = find_standings(NAMES, np.vstack([make_outcomes(30, 24, 4), make_outcomes(10)]))
    assert more.list_beside("a") == ("b",)
    assert (more.n_pairs, more.n_clear, more.n) == (6, 4, 40)


@given(st.lists(st.lists(st.sampled_from([0, 1]), min_size=25, max_size=25), min_size=2, max_size=4))
def test_all_pairs_at_once_give_what_each_pair_gives(rows: list[list[int]]) -> None:
    outcomes = np.array(rows, np.int8)
    found = find_standings(NAMES[: len(rows)], outcomes)
    pairs = list(combinations(range(len(rows)), 2))
    only = [(int((outcomes[i] > outcomes[j]).sum()), int((outcomes[j] > outcomes[i]).sum())) for i, j in pairs]
    adjusted = holm([float(exact_mcnemar(*counts)) for counts in only])
    for (i, j), (first, second), p in zip(pairs, only, adjusted, strict=True):
        assert found.order[i, j] == (np.sign(first - second) if p <= 0.05 else 0)
        assert found.order[j, i] == -found.order[i, j]


def test_unjudged_answers_tell_nobody_apart_that_they_could_make_equal() -> None:
    outcomes = make_outcomes(30, 20)
    assert find_standings(NAMES[:2], outcomes).n_clear == 1
    for row, column in ((0, slice(0, 10)), (1, slice(20, 30))):
        unsure = outcomes.copy()
        unsure[row, column] = Outcome.UNJUDGED
        assert find_standings(NAMES[:2], unsure).n_clear == 0
    # What is unjudged where both are right anyway changes little.
    little = outcomes.copy()
    little[1, 0] = Outcome.UNJUDGED
    assert find_standings(NAMES[:2], little).order.tolist() == [[0, 1], [-1, 0]]


def test_only_images_that_count_for_both_count() -> None:
    outcomes = make_outcomes(40, 20)
    outcomes[1, 20:] = Outcome.NOT_COUNTED
    found = find_standings(NAMES[:2], outcomes)
    assert (found.n, found.n_clear) == (20, 0)


def test_one_participant_stands_alone() -> None:
    found = find_standings(["only"], make_outcomes(10))
    assert (found.n_pairs, found.n_clear, found.list_beside("only"), found.n) == (0, 0, (), 40)


def test_standings_turn_where_a_pair_is_clear_both_times_and_the_other_way_round() -> None:
    first = find_standings(NAMES[:3], make_outcomes(35, 15, 14))
    second = find_standings(("c", "a", "x"), make_outcomes(35, 10, 1))
    found = compare_standings(first, second)
    assert (found.n_pairs, found.n_clear, found.turned) == (1, 1, (("a", "c"),))
    same = compare_standings(first, first)
    assert (same.n_pairs, same.n_clear, same.turned) == (3, 2, ())
    assert compare_standings(first, find_standings(("x", "y"), make_outcomes(1, 2))) == (0, 0, ())


def test_an_order_of_another_size_is_refused() -> None:
    with pytest.raises(InputError, match="2 participants have an order of 2 by as many"):
        Standings(("a", "b"), np.zeros((1, 1), np.int8), 10, 0.95)
