"""Findings of an evaluation: each says what its limits allow, and nothing where the data do not tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.report.small_reports import make_content, make_details, make_ids, make_reviewed, make_scores

from regauge.records.evaluation.details import EvaluationDetails, TurnedPairs
from regauge.records.labels.label_set import LabelSet
from regauge.report.findings.evaluations import find_in_evaluation, tell_order
from regauge.report.findings.ranks import Question, ReportFinding

COUNTS = {"a": 36, "b": 20}
TWO_CLASSES = [0] * 20 + [1] * 20


def find(details: EvaluationDetails | None) -> dict[Question, ReportFinding]:
    content = make_content([make_scores(COUNTS)], details=[details])
    return {one.question: one for one in find_in_evaluation(content.evaluations[0], "scores-1")}


def lifting(n_lifted: int) -> LabelSet:
    """People found class 1 too in the last images, where all answers are class 1."""
    correct = [[0, 1] if row >= 40 - n_lifted else [0] for row in range(40)]
    wrong = [[] if row >= 40 - n_lifted else [1] for row in range(40)]
    return LabelSet.from_lists("people@1", make_ids(), correct=correct, wrong=wrong)


def test_without_a_closer_look_nothing_is_found() -> None:
    assert find(None) == {}


def test_labels_that_lift_all_models_are_said_to_with_the_change_of_the_least_the_most_and_the_best() -> None:
    found = find(make_details({"a": 25, "b": 10}, label_set=lifting(15)))[Question.LIFT]
    assert found.claim == "The labels people@1 lift all 2 models on drawn."
    # 25 → 40 and 10 → 25 of 40.
    assert found.evidence.startswith("+37.5 [")
    assert "points, from top-1 accuracy to multi-label accuracy (lenient) on the same 40 images." in found.evidence
    assert "a, the best, goes from 62.5% to 100.0%: +37.5 [" in found.evidence
    assert found.is_clear


@pytest.mark.parametrize(
    ("counts", "labels", "claim"),
    [
        ({"a": 40, "b": 20}, lifting(15), "The labels people@1 lift 1 of 2 models clearly on drawn."),
        ({"a": 40, "b": 39}, make_reviewed(), "The labels people@1 do not clearly move any model on drawn."),
        ({"a": 40}, make_reviewed(), "The labels people@1 do not clearly move a on drawn."),
        ({"a": 20}, lifting(15), "The labels people@1 lift a on drawn."),
        (
            {"a": 40, "b": 30},
            LabelSet.from_lists("people@1", make_ids(), correct=[[1]] * 40, wrong=[[0]] * 40),
            "The labels people@1 lower all 2 models on drawn.",
        ),
        (
            {"a": 40, "b": 5},
            LabelSet.from_lists("people@1", make_ids(), correct=[[1]] * 40, wrong=[[0]] * 40),
            "The labels people@1 lift 1 and lower 1 of 2 models clearly on drawn.",
        ),
    ],
)
def test_what_labels_do_is_counted_by_limits(counts: dict[str, int], labels: LabelSet, claim: str) -> None:
    found = find(make_details(counts, label_set=labels))[Question.LIFT]
    assert found.claim == claim
    assert found.is_clear is ("move" not in claim)


def test_dataset_labels_lift_nobody_and_change_no_rank() -> None:
    assert set(find(make_details(COUNTS))) == {Question.TIES}


def test_who_leads_is_the_best_only_where_nobody_is_beside() -> None:
    def claim(**counts: int) -> str:
        return find(make_details(counts))[Question.TIES].claim

    assert claim(a=36, b=20) == "a is clearly the best of 2 models on drawn."
    assert claim(a=36, b=34) == "No two of the 2 models can be told apart on drawn."
    assert claim(a=36, b=34, c=5) == "a leads on drawn, but cannot be told apart from b."
    assert claim(a=36, b=36, c=35, d=35, e=34, f=34, z=2) == (
        "a leads on drawn, but cannot be told apart from b, c, d, e and 1 more model."
    )
    evidence = find(make_details({"a": 36, "b": 34, "c": 5}))[Question.TIES].evidence
    assert evidence == (
        "By top-1 accuracy, 1 of 3 pairs of models cannot be told apart (McNemar’s test, 5% over all pairs; n ≥ 40)."
    )
    assert Question.TIES not in find(make_details({"only": 10}))


@pytest.mark.parametrize(
    ("found", "claim", "evidence", "is_clear"),
    [
        (
            TurnedPairs(3, 2, (("a", "b"),)),
            "1 pair of models clearly swaps places on x.",
            "a is clearly better than b",
            True,
        ),
        (TurnedPairs(3, 2, (("a", "b"), ("a", "c"))), "2 pairs of models clearly swap places on x.", "", True),
        (TurnedPairs(3, 2, ()), "No two models clearly swap places on x.", "2 of 3 pairs", True),
        (TurnedPairs(3, 0, ()), "Whether models swap places on x stays open.", "Of 3 pairs, none can", False),
    ],
)
def test_models_swap_places_only_where_both_orders_are_clear(
    found: TurnedPairs, claim: str, evidence: str, is_clear: bool
) -> None:
    told = tell_order(found, ("before", "after"), where=" on x", anchor="")
    assert told.claim == claim
    assert told.evidence.startswith(evidence)
    assert told.is_clear is is_clear


def test_hard_classes_are_named_with_what_they_are_mistaken_for() -> None:
    found = find(make_details({"a": 20}, labels=TWO_CLASSES))[Question.CLASSES]
    assert found.claim == "On drawn, a is clearly weaker on class 1."
    assert found.evidence == (
        "Top-1 accuracy: class 1 0.0% [0.0, 16.8] (n = 20), the other classes 100.0% [83.2, 100.0]; mistaken for class 2 (20 of "
        "20 mistakes)."
    )
    assert found.anchor == "scores-1-classes"
    alike = find(make_details({"a": 37}, labels=TWO_CLASSES))[Question.CLASSES]
    assert alike.claim == "No class of drawn is clearly harder for a than the others."
    assert not alike.is_clear
    assert Question.CLASSES not in find(make_details({"a": 20}))


def test_many_hard_classes_are_counted_and_equal_confusions_named_together() -> None:
    labels = np.repeat(np.arange(10), 30)
    details = make_details({"a": 120}, n=300, labels=labels)
    claim = find(details)[Question.CLASSES].claim
    assert claim == "On drawn, a is clearly weaker on class 4, class 5, class 6, class 7 and 2 more classes."
    one = details.classes[0]
    twice = (one.confusions[0], replace(one.confusions[0], name="class 9"))
    tied: Any = replace(details, classes=(replace(one, confusions=twice), *details.classes[1:]))
    assert "mistaken for class 5 and class 9 (30 of 30 mistakes each)" in find(tied)[Question.CLASSES].evidence
    none: Any = replace(details, classes=(replace(one, confusions=()), *details.classes[1:]))
    assert "the other classes 44.4% [38.4, 50.6]. class 5" in find(none)[Question.CLASSES].evidence
