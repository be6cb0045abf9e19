"""Credited time: what there was, no second twice, and nothing taken from those who work."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.campaigns.credit import MAX_GAPS, credit_time, find_impossible
from regauge.records.campaigns.campaign import ALL_FREE

# Answers in the order in which they come: when each came after the one before, how long before it was leased, what is claimed.
ANSWERS = st.lists(
    st.tuples(st.integers(0, 40_000), st.integers(0, 90_000), st.integers(0, 60_000)), min_size=1, max_size=24
)


def credit_all(answers: list[tuple[int, int, float]]) -> list[float]:
    """What answers are credited with: leased at, came at (milliseconds), claimed (seconds)."""
    free, found = ALL_FREE, []
    for leased_at, now, claimed in answers:
        credited, free = credit_time(free, claimed, leased_at=leased_at, now=now)
        found.append(credited)
    return found


@pytest.mark.parametrize(
    ("answers", "credited"),
    [
        # One after the other, each leased when the one before it was begun.
        ([(0, 30_000, 30.0), (0, 60_000, 30.0), (30_000, 90_000, 30.0)], [30.0, 30.0, 30.0]),
        # Fifteen at once, 0.2 s after the lease: 0.2 s for all of them together.
        ([(0, 200, 45.0)] * 15, [0.2] + [0.0] * 14),
        # Three that were worked on without a connection and come an hour later keep their time.
        ([(0, 3_600_000, 40.0)] * 3, [40.0, 40.0, 40.0]),
        # … but share it where there was less.
        ([(0, 90_000, 40.0)] * 3, [40.0, 40.0, 10.0]),
        # Begun before the next was leased, and finished after it: the 50 s before that lease belong to the first.
        ([(0, 100_000, 100.0), (50_000, 130_000, 30.0)], [100.0, 30.0]),
        ([(0, 100_000, 100.0), (50_000, 130_000, 80.0)], [100.0, 30.0]),
        # Two campaigns in turn: 1,000 s on the first, 20 s on one that was leased later, 30 s more on the first.
        ([(1_000_000, 1_020_000, 20.0), (0, 1_050_000, 1_030.0)], [20.0, 1_030.0]),
        # A clock that was put back gives nothing, and takes nothing.
        ([(100_000, 50_000, 10.0), (100_000, 120_000, 10.0)], [0.0, 10.0]),
        # What nobody can have done.
        ([(0, 1_000, 1e300), (0, 2_000, 0.0)], [1.0, 0.0]),
    ],
)
def test_worked_examples(answers: list[tuple[int, int, float]], credited: list[float]) -> None:
    assert credit_all(answers) == credited


@given(ANSWERS)
def test_the_credit_is_the_most_that_fits_and_no_second_is_used_twice(steps: list[tuple[int, int, int]]) -> None:
    answers, now = [], 100_000
    for later, held, claimed in steps:
        now += later
        answers.append((now - held, now, claimed / 1_000))
    credited = [round(1_000 * one) for one in credit_all(answers)]
    for place, (leased_at, came_at, asked_for) in enumerate(answers):
        # By the theorem on one machine: work fits if for every moment what was leased since takes no longer than the time since.
        earlier = list(zip(answers[:place], credited[:place], strict=True))
        room = min(
            came_at - since - sum(used for (other, _, _), used in earlier if other >= since)
            for since in [leased_at, *(other for (other, _, _), _ in earlier if other <= leased_at)]
        )
        assert credited[place] == max(0, min(round(1_000 * asked_for), room))


def test_what_is_remembered_does_not_grow_without_end() -> None:
    free = ALL_FREE
    for number in range(10 * MAX_GAPS):
        # Each is leased a second after the one before was done: a gap each.
        at = 3_000 * number
        credited, free = credit_time(free, 2.0, leased_at=at, now=at + 2_000)
        assert credited == 2.0
        assert len(free) <= 2 * MAX_GAPS + 1


def test_a_claim_is_impossible_where_more_is_claimed_than_clocks_explain() -> None:
    claimed = np.array([45.0, 2.5, 2.5, np.nan, 0.0])
    credited = np.array([0.2, 1.6, 1.4, np.nan, 0.0])
    assert find_impossible(claimed, credited).tolist() == [True, False, True, False, False]
