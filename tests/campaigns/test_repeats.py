"""How many of somebody's tasks are repeats, and where they stand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from regauge.campaigns.repeats import MIN_APART, WINDOW, count_due, hash_to_share, is_due

shares = st.floats(0.001, 0.5)
keys = st.text(max_size=10)


@given(st.integers(0, 2_000), shares, keys)
def test_the_share_is_kept_within_one_repeat(n, share, key):
    due = count_due(n, share=share, key=key)
    assert abs(due - share * max(0, n - MIN_APART - 1)) <= 1 + 1e-6


@given(st.integers(0, 2_000), shares, keys)
def test_one_more_task_is_one_more_repeat_or_the_end_of_two_stretches(n, share, key):
    # A place behind the last task of its stretch is made up for by the next task, which may be the place of the next stretch.
    assert count_due(n + 1, share=share, key=key) - count_due(n, share=share, key=key) in {0, 1, 2}
    assert count_due(n + 2, share=share, key=key) - count_due(n, share=share, key=key) in {0, 1, 2, 3}


def test_no_share_is_no_repeat():
    assert count_due(1_000, share=0.0, key="a") == 0


def test_repeats_stand_at_all_places_of_a_stretch():
    counts = [count_due(n, share=0.1, key=f"0:1:{person}") for person in range(2_000) for n in range(6, 17)]
    steps = np.diff(np.array(counts).reshape(2_000, 11), axis=1).sum(axis=0)
    # 2,000 people, ten places: 200 each, and a standard deviation of √(2,000 · 0.1 · 0.9) = 13.4; five of them are allowed.
    assert (abs(steps - 200) < 67).all()


def test_a_share_is_the_same_for_the_same_key():
    assert hash_to_share("a") == hash_to_share("a") != hash_to_share("b")
    assert 0 <= hash_to_share("a") < 1


def give(n: int, *, share: float, first: list[bool] | None = None, start: int = 0) -> list[bool]:
    """Which of somebody's tasks are repeats, where from task `start` on each can be repeated."""
    given = list(first or [])
    while len(given) < n:
        can_repeat = len(given) >= start
        given.append(can_repeat and is_due(len(given), given[-WINDOW:], share=share, key="a"))
    return given


@given(shares, st.integers(7, 300))
def test_where_everything_can_be_repeated_the_share_is_kept(share, n):
    assert abs(sum(give(n, share=share)) - count_due(n, share=share, key="a")) <= 1


def test_a_repeat_that_could_not_be_had_comes_soon_after():
    share = 0.1
    place = give(40, share=share).index(True)
    late = give(40, share=share, start=place + 3)
    assert late.index(True) == place + 3


def test_a_share_that_is_raised_brings_no_run_of_repeats():
    given = give(200, share=0.1, first=[False] * 100)
    assert max(sum(given[at : at + WINDOW]) for at in range(100, 195)) <= 2
    assert 8 <= sum(given[100:]) <= 12
