"""Hard classes and mistakes to look at: counted by dataset label, called hard only where all classes at once allow it."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.evaluation.hard_classes import JudgedColumns, choose_mistakes, measure_classes
from regauge.evaluation.outcomes import Outcome
from regauge.stats.intervals import clopper_pearson

NAMES = [f"class {index}" for index in range(10)]


def judge(labels: list[int], answers: list[int], **outcomes: list[int]) -> JudgedColumns:
    """Answers that are right where they equal the label, but for rows that are said to be otherwise."""
    found = np.where(np.array(labels) == np.array(answers), Outcome.RIGHT, Outcome.WRONG).astype(np.int8)
    for name, rows in outcomes.items():
        found[rows] = Outcome[name.upper()]
    return JudgedColumns(np.array(labels, np.int32), np.array(answers, np.int32), found)


def test_classes_come_hardest_first_with_what_is_answered_instead() -> None:
    labels = [0] * 20 + [1] * 20 + [2] * 20
    answers = [0] * 18 + [2] * 2 + [2] * 12 + [0] * 6 + [1] * 2 + [2] * 20
    found = measure_classes(judge(labels, answers), NAMES)
    assert [(one.name, one.share.k, one.share.n) for one in found] == [
        ("class 1", 2, 20),
        ("class 0", 18, 20),
        ("class 2", 20, 20),
    ]
    worst = found[0]
    assert (worst.share.low, worst.share.high) == pytest.approx([float(end) for end in clopper_pearson(2, 20)])
    assert (worst.rest.k, worst.rest.n) == (38, 40)
    # 12 of the 18 mistakes are class 2, 6 are class 0.
    assert [(one.name, one.share.k, one.share.n) for one in worst.confusions] == [
        ("class 2", 12, 18),
        ("class 0", 6, 18),
    ]
    assert [one.is_hard for one in found] == [True, False, False]
    assert found[-1].confusions == ()


def test_unjudged_answers_make_no_class_hard_and_images_that_do_not_count_are_left_out() -> None:
    labels, answers = [0] * 20 + [1] * 20, [0] * 20 + [2] * 20
    assert measure_classes(judge(labels, answers), NAMES)[0].is_hard
    unsure = measure_classes(judge(labels, answers, unjudged=list(range(20, 40))), NAMES)[0]
    assert (unsure.is_hard, unsure.share.value, unsure.share.high) == (False, 0.0, 1.0)
    fewer = measure_classes(judge(labels, answers, not_counted=list(range(20, 40))), NAMES)
    assert [(one.name, one.share.n) for one in fewer] == [("class 0", 20)]


def test_one_class_is_not_harder_than_nothing_and_images_without_label_have_no_class() -> None:
    (only,) = measure_classes(judge([0] * 9 + [-1], [1] * 9 + [1]), NAMES)
    assert (only.is_hard, only.rest.value, only.share.n) == (False, None, 9)
    assert measure_classes(judge([-1], [1]), NAMES) == ()


def test_where_all_classes_are_alike_one_is_called_hard_in_at_most_one_study_of_twenty() -> None:
    rng, n_wrong_claims = np.random.default_rng(0), 0
    labels = np.repeat(np.arange(10, dtype=np.int32), 25)
    for _ in range(300):
        is_right = rng.random(250) < 0.8
        judged = JudgedColumns(
            labels, np.where(is_right, labels, 9 - labels).astype(np.int32), is_right.astype(np.int8)
        )
        n_wrong_claims += any(one.is_hard for one in measure_classes(judged, NAMES))
    assert clopper_pearson(n_wrong_claims, 300).low <= 0.05


def test_mistakes_are_one_of_each_confusion_the_most_frequent_first_by_the_seed() -> None:
    labels = [0] * 6 + [1] * 4 + [2] * 3
    answers = [5, 5, 5, 6, 6, 0, 7, 1, 1, 1, -1, 8, 8]
    judged = judge(labels, answers)
    rows = choose_mistakes(judged, 4, rng=np.random.default_rng(0))
    # 0 → 5 three times, then 0 → 6 and 2 → 8 twice, then 1 → 7 once.
    assert [(labels[row], answers[row]) for row in rows] == [(0, 5), (0, 6), (2, 8), (1, 7)]
    # Then the second of each, as far as there are any; no answer is not a mistake to look at.
    everything = choose_mistakes(judged, 50, rng=np.random.default_rng(0))
    assert [(labels[row], answers[row]) for row in everything[4:]] == [(0, 5), (0, 6), (2, 8), (0, 5)]
    assert len(set(everything)) == 8
    assert choose_mistakes(judged, 4, rng=np.random.default_rng(0)) == rows
    draws = {tuple(choose_mistakes(judged, 1, rng=np.random.default_rng(seed))) for seed in range(30)}
    assert draws == {(0,), (1,), (2,)}
    assert choose_mistakes(judge([0], [0]), 4, rng=np.random.default_rng(0)) == []
