"""Accuracies with and without exposure: worked numbers, an independent oracle, and parts without answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from regauge.evaluation.exposure_effects import LabelerOutcomes, measure_effect
from regauge.evaluation.outcomes import Outcome
from regauge.records.exposure.effects import ExposedScore, ExposureDifference, ExposureSplit

LABELERS, IMAGES, WITHIN = ExposureSplit.LABELERS, ExposureSplit.IMAGES, ExposureSplit.WITHIN
OUTCOMES = st.lists(st.sampled_from([0, 1, 3]), min_size=6, max_size=6)
SEEN = st.lists(st.booleans(), min_size=6, max_size=6)


def make(labeler: str, outcomes: str, seen: str) -> LabelerOutcomes:
    """Outcomes as + right, - wrong, ? unjudged, . not counted; seen as x or a blank."""
    codes = {"+": Outcome.RIGHT, "-": Outcome.WRONG, "?": Outcome.UNJUDGED, ".": Outcome.NOT_COUNTED}
    return LabelerOutcomes(
        labeler, np.array([codes[one] for one in outcomes], np.int8), np.array([one == "x" for one in seen])
    )


def find(
    found: tuple[tuple[ExposedScore, ...], tuple[ExposureDifference, ...]], split: ExposureSplit, labeler: str = ""
) -> tuple[list[tuple[int, int, int]], ExposureDifference]:
    """Per part, without exposure first, right answers, answers and labelers; and the difference."""
    scores, differences = found
    own = [one for one in scores if (one.split, one.labeler) == (split, labeler)]
    (difference,) = [one for one in differences if (one.split, one.labeler) == (split, labeler)]
    return [(one.accuracy.k, one.accuracy.n, one.n_labelers) for one in own], difference


def test_people_and_images_are_set_apart_as_in_a_worked_example():
    # a saw two of four images and is right on both, and on one of the others; b saw none; c saw one that c did not answer.
    people = [make("a", "+++-", "xx  "), make("b", "+--+", "    "), make("c", "-+.+", "  x ")]
    found = measure_effect(people)
    counts, difference = find(found, LABELERS)
    # b and c answered 4 + 3 images and are right on 2 + 2; a is right on 3 of 4.
    assert counts == [(4, 7, 2), (3, 4, 1)]
    assert difference.difference.value == pytest.approx(3 / 4 - 4 / 7)
    counts, difference = find(found, IMAGES)
    # Seen: a's two, both right. Not seen: a's other two, one right; b's four, two right; c's three, two right.
    assert counts == [(5, 9, 3), (2, 2, 1)]
    assert difference.difference.value == pytest.approx(1 - 5 / 9)
    counts, difference = find(found, WITHIN, "a")
    assert counts == [(1, 2, 1), (2, 2, 1)]
    assert {one.labeler for one in found[1]} == {"", "a"}


@given(st.lists(st.tuples(OUTCOMES, SEEN), min_size=1, max_size=4), st.sampled_from([0.5, 0.9, 0.95]))
def test_limits_are_those_of_another_program(drawn, level):
    people = [LabelerOutcomes(str(n), np.array(o, np.int8), np.array(s)) for n, (o, s) in enumerate(drawn)]
    scores, differences = measure_effect(people, level=level)
    for one in scores:
        if one.accuracy.n:
            low, high = proportion_confint(one.accuracy.k, one.accuracy.n, alpha=1 - level, method="beta")
            assert one.accuracy.low == pytest.approx(np.nan_to_num(low), abs=1e-9)
            assert one.accuracy.high == pytest.approx(1 if np.isnan(high) else high, abs=1e-9)
        else:
            assert one.accuracy.value is None
    for before, after, difference in zip(scores[::2], scores[1::2], differences, strict=True):
        a, b = after.accuracy, before.accuracy
        if not (a.n and b.n):
            assert difference.difference.value is None
            continue
        limits = confint_proportions_2indep(a.k, a.n, b.k, b.n, compare="diff", method="newcomb", alpha=1 - level)
        assert (difference.difference.low, difference.difference.high) == pytest.approx(limits, abs=1e-9)


@given(st.lists(st.tuples(OUTCOMES, SEEN), min_size=1, max_size=4))
def test_every_answer_is_in_one_part_of_each_split(drawn):
    people = [LabelerOutcomes(str(n), np.array(o, np.int8), np.array(s)) for n, (o, s) in enumerate(drawn)]
    scores, _ = measure_effect(people)
    n_answers = sum(int((np.array(o) != Outcome.NOT_COUNTED).sum()) for o, _ in drawn)
    for split in (LABELERS, IMAGES):
        assert sum(one.accuracy.n for one in scores if one.split is split) == n_answers


def test_unjudged_answers_are_wrong_in_the_value_and_either_in_the_limits():
    known = measure_effect([make("a", "++-+", "xx  ")])
    unjudged = measure_effect([make("a", "+?-+", "xx  ")])
    (_, difference), (_, wider) = (find(one, WITHIN, "a") for one in (known, unjudged))
    assert wider.difference.value == pytest.approx(0.0)
    assert wider.difference.holds_unjudged
    assert wider.difference.high == pytest.approx(difference.difference.high)
    assert wider.difference.low is not None
    assert difference.difference.low is not None
    assert wider.difference.low < difference.difference.low


def test_without_anybody_exposed_there_is_no_difference_and_no_zero():
    counts, difference = find(measure_effect([make("a", "+-", "  ")]), LABELERS)
    assert counts == [(1, 2, 1), (0, 0, 0)]
    assert difference.difference.value is None
    assert (difference.n_exposed, difference.n_unexposed) == (0, 2)


def test_nobody_at_all_is_two_empty_parts():
    scores, differences = measure_effect([])
    assert [one.accuracy.n for one in scores] == [0] * 4
    assert [one.difference.value for one in differences] == [None, None]
