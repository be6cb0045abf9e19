"""Screening by controls: a small campaign by hand, the edges of every rule, and a slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.responses.contains_rows import Row, draw_rows, judge, make_votes

from regauge.errors import InputError
from regauge.records.responses.answers import ContainsResponses, Control
from regauge.records.responses.screening import DropReason, Screening, ScreeningRules
from regauge.responses.grouping import group_votes
from regauge.responses.screening import RestoredAnnotators, screen


def make_responses(shares: dict[str, list[tuple[int, int]]], n_others: int = 1) -> ContainsResponses:
    """Per annotator, responses to tasks t0, t1 … with (selected, shown) positive controls, and images that are none."""
    rows = [
        Row(f"{annotator}-t{task}", annotator, 0, f"c{place}", Control.POSITIVE, place < k)
        for annotator, tasks in shares.items()
        for task, (k, n) in enumerate(tasks)
        for place in range(n)
    ]
    rows += [
        Row(f"{annotator}-t{task}", annotator, 0, f"x{place}", Control.NONE, selected=True)
        for annotator, tasks in shares.items()
        for task in range(len(tasks))
        for place in range(n_others)
    ]
    return group_votes(make_votes(rows))


def find_reasons(screening: Screening) -> list[DropReason]:
    return [DropReason(code) for code in screening.reasons.tolist()]


def test_the_published_rules_on_a_small_campaign():
    # Five controls per task, so below 20% is 0 of 5 and below 40% is 0 or 1 of 5.
    # ann: 0, 0, 5, 5: poor on 2 of 4 tasks, which is half: dropped with all four.
    # bea: 0, 5, 5: poor on 1 of 3: stays, but her first response (0 of 5) goes.
    # cid: 1, 1, 2: 1/5 is not below 20%, so no task is poor; the first two are below 40% and go, the third (2/5) stays.
    responses = make_responses(
        {"ann": [(0, 5), (0, 5), (5, 5), (5, 5)], "bea": [(0, 5), (5, 5), (5, 5)], "cid": [(1, 5), (1, 5), (2, 5)]}
    )
    screening = screen(responses, ScreeningRules())
    none, annotator, controls = DropReason
    assert find_reasons(screening) == [annotator] * 4 + [controls, none, none] + [controls, controls, none]
    assert screening.is_dropped.tolist() == [True, False, False]
    assert screening.n_poor_tasks.tolist() == [2, 1, 0]
    assert screening.describe(0, annotator=0) == "selected less than 20% of the positive controls on 2 of 4 tasks"
    assert screening.describe(4, annotator=1) == "selected 0 of 5 positive controls, less than 40%"
    assert screening.describe(5, annotator=1) == ""
    assert repr(screening) == "<Screening: 3 of 10 responses accepted, 1 of 3 annotators dropped>"


@pytest.mark.parametrize(
    ("k", "n", "is_poor", "is_low"),
    [
        (0, 5, True, True),
        (1, 5, False, True),
        (2, 5, False, False),
        (0, 1, True, True),
        (1, 1, False, False),
        # 20% of 3 is 0.6: 0 is below it, 1 is not; 40% is 1.2: 1 is below it.
        (0, 3, True, True),
        (1, 3, False, True),
        (2, 3, False, False),
        # 12/60 is 20% and 24/60 is 40% exactly, where floats may err.
        (11, 60, True, True),
        (12, 60, False, True),
        (23, 60, False, True),
        (24, 60, False, False),
    ],
)
def test_shares_are_compared_in_whole_numbers(k, n, is_poor, is_low):
    responses = make_responses({"w": [(k, n)], "good": [(5, 5)]})
    screening = screen(responses, ScreeningRules())
    assert bool(screening.is_dropped[0]) is is_poor
    assert bool(screening.is_accepted[0]) is not is_low


@pytest.mark.parametrize(
    ("n_poor", "n_tasks", "is_dropped"), [(1, 2, True), (1, 3, False), (2, 3, True), (2, 5, False), (3, 6, True)]
)
def test_half_of_the_tasks_is_enough_to_be_dropped(n_poor, n_tasks, is_dropped):
    tasks = [(0, 5)] * n_poor + [(5, 5)] * (n_tasks - n_poor)
    screening = screen(make_responses({"w": tasks, "good": [(5, 5)]}), ScreeningRules())
    assert bool(screening.is_dropped[0]) is is_dropped


@given(
    draw_rows(), st.sampled_from([("0.2", "0.5", "0.4"), ("0.5", "0.34", "0.5"), ("0", "1", "0.75"), ("1", "1", "0")])
)
def test_screening_is_that_of_the_slow_reference(rows, limits):
    reference = judge(rows, limits=limits)
    rules = ScreeningRules(float(limits[0]), float(limits[1]), float(limits[2]))
    responses = group_votes(make_votes(rows))
    if not reference.accepted:
        with pytest.raises(InputError, match="drops all"):
            screen(responses, rules)
        return
    screening = screen(responses, rules)
    tasks = responses.grids.task_ids[responses.response_grids].tolist()
    annotators = responses.annotator_ids[responses.response_annotators].tolist()
    accepted = {
        key for key, is_in in zip(zip(tasks, annotators, strict=True), screening.is_accepted, strict=True) if is_in
    }
    assert accepted == reference.accepted
    assert set(responses.annotator_ids[screening.is_dropped].tolist()) == reference.dropped


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(2, 9)), min_size=1, max_size=4), min_size=2, max_size=4)
)
def test_at_twice_the_share_no_accepted_control_vote_decides_about_its_annotator(shares):
    # What the docstring of screen says: an annotator dropped by all controls has no vote that counts without one of them.
    campaign = {f"w{who}": [(min(k, n), n) for k, n in tasks] for who, tasks in enumerate(shares)}
    responses = make_responses(campaign | {"good": [(9, 9)]})
    screening = screen(responses, ScreeningRules())
    of_dropped = screening.is_dropped[responses.response_annotators]
    assert not (screening.counts_selected & (screening.n_positive_selected > 0))[of_dropped].any()
    assert not (screening.counts_unselected & (screening.n_positive_selected < screening.n_positive))[of_dropped].any()


def test_without_rules_everybody_is_believed_and_no_controls_are_needed():
    screening = screen(make_responses({"w": [(0, 3), (0, 0)]}), None)
    assert screening.is_accepted.all()
    assert find_reasons(screening) == [DropReason.NONE] * 2
    assert screening.describe(0, annotator=0) == screening.describe_annotator(0) == ""


def test_a_task_without_positive_controls_is_refused():
    responses = make_responses({"w": [(3, 3), (0, 0)]})
    with pytest.raises(InputError, match=r"Task 'w-t1' has no positive control \(1 of 2 grids have none\)"):
        screen(responses, ScreeningRules())


def test_when_nobody_is_left_that_is_an_error():
    with pytest.raises(InputError, match="Screening drops all 2 responses of 2 annotators"):
        screen(make_responses({"v": [(0, 5)], "w": [(1, 5)]}), ScreeningRules())


def test_a_restored_annotator_is_kept_but_their_poor_responses_still_go():
    responses = make_responses({"ann": [(0, 5), (5, 5)], "bob": [(5, 5)]})
    screening = screen(responses, ScreeningRules(), restored=RestoredAnnotators(annotators=["ann"]))
    assert screening.is_accepted.tolist() == [False, True, True]
    assert find_reasons(screening) == [DropReason.ANNOTATOR, DropReason.ANNOTATOR, DropReason.NONE]
    assert screening.is_restored.tolist() == [True, False]
    assert screening.restored_responses.tolist() == [1]
    # Their votes on controls count by the others: 4 of 4 in the second response.
    assert screening.counts_selected.tolist() == [False, True, True]


def test_a_restored_response_counts_whatever_its_controls_say():
    responses = make_responses({"ann": [(0, 5), (5, 5), (5, 5)]})
    screening = screen(responses, ScreeningRules(), restored=RestoredAnnotators(responses=[("ann-t0", "ann")]))
    assert screening.is_accepted.tolist() == [True, True, True]
    assert screening.counts_unselected.tolist() == [True, True, True]
    assert screening.restored_responses.tolist() == [0]
    assert screening.describe(0, annotator=0) == "selected 0 of 5 positive controls, less than 40%"


def test_somebody_unknown_cannot_be_restored():
    responses = make_responses({"ann": [(5, 5)]})
    with pytest.raises(InputError, match="no annotator 'zoe' to keep"):
        screen(responses, ScreeningRules(), restored=RestoredAnnotators(annotators=["zoe"]))
    with pytest.raises(InputError, match="no response of annotator 'ann' to task 'other' to keep"):
        screen(responses, ScreeningRules(), restored=RestoredAnnotators(responses=[("other", "ann")]))


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ({"annotator_controls": 1.2}, "annotator_controls is a share between 0 and 1, not 1.2"),
        ({"task_controls": -0.1}, "task_controls is a share between 0 and 1, not -0.1"),
        ({"poor_tasks": 0}, "poor_tasks must be above 0"),
        ({"task_controls": float("nan")}, "share between 0 and 1, not nan"),
    ],
)
def test_thresholds_are_shares(thresholds, message):
    with pytest.raises(InputError, match=message):
        ScreeningRules(**thresholds)


def test_negative_controls_are_counted_but_drop_nobody():
    rows = [
        Row("t", "w", 0, "p", Control.POSITIVE, selected=True),
        Row("t", "w", 0, "q", Control.NEGATIVE, selected=True),
    ]
    screening = screen(group_votes(make_votes(rows)), ScreeningRules())
    assert (screening.n_negative.tolist(), screening.n_negative_selected.tolist()) == ([1], [1])
    assert screening.is_accepted.all()


def simulate(rng: np.random.Generator, *, leave_one_out: bool, n: int = 40_000) -> float:
    """The frequency of a control that everybody selects with probability 0.5, whatever else they do."""
    rules = ScreeningRules(leave_one_out=leave_one_out)
    selected = rng.random((n, 5)) < 0.5
    rows = np.flatnonzero(np.ones(selected.shape, np.bool_))
    task = np.zeros(rows.size, np.int32)
    votes = make_votes([Row("t", "w", 0, f"c{place}", Control.POSITIVE, selected=True) for place in range(5)])
    many = type(votes)(
        votes.task_ids,
        np.array([f"w{who}" for who in range(n)]),
        votes.image_ids,
        tasks=task,
        annotators=(rows // 5).astype(np.int32),
        images=(rows % 5).astype(np.int32),
        classes=task,
        controls=np.full(rows.size, int(Control.POSITIVE), np.uint8),
        is_selected=selected.ravel(),
    )
    responses = group_votes(many)
    screening = screen(responses, rules)
    shown = np.where(selected, screening.counts_selected[:, np.newaxis], screening.counts_unselected[:, np.newaxis])
    return float(selected[shown].mean())


def test_judging_a_vote_by_itself_inflates_control_frequencies_and_leaving_it_out_does_not(rng):
    # Each of five controls is selected with probability 1/2, independently. Accepted are responses with k ≥ 2 of 5: 26 of 32.
    # Among them the mean share is (10·2 + 10·3 + 5·4 + 1·5)/(26·5) = 75/130 = 0.577, not 0.5.
    plain = simulate(rng, leave_one_out=False)
    left_out = simulate(rng, leave_one_out=True)
    # With 40,000 responses of five votes the standard error is about 0.5/√(5 · 26/32 · 40,000) = 0.0013.
    assert plain == pytest.approx(75 / 130, abs=0.006)
    assert left_out == pytest.approx(0.5, abs=0.006)
