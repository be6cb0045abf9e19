"""Findings about people: medians with limits where there are enough of them, and what it took."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.report.small_reports import make_campaign, make_pulse

from regauge.report.findings.people import find_in_campaign
from regauge.report.findings.ranks import Question, ReportFinding

NOTHING = ((0, 0),) * 8


def find(**changes: Any) -> dict[Question, ReportFinding]:
    return {one.question: one for one in find_in_campaign(make_campaign(**changes), "people")}


def test_the_median_annotator_is_told_by_controls_or_else_by_agreement() -> None:
    found = find()[Question.ANNOTATORS]
    assert found.claim == "The median annotator of asked gets 90.0% of controls right."
    assert found.evidence.startswith(
        "Controls: 90.0% [90.0, 90.0] (median of 8; 90.0% to 90.0%). Agreement with the majority of the others: 90.0% ["
    )
    assert "Krippendorff’s α over 6 pairs of image and class: 0." in found.evidence
    agreeing = find(controls=NOTHING)[Question.ANNOTATORS]
    assert (
        agreeing.claim
        == "The median annotator of asked gets 90.0% of answers that agree with the majority of the others."
    )
    assert "Controls" not in agreeing.evidence
    assert Question.ANNOTATORS not in find(controls=NOTHING, agreement=NOTHING)


def test_few_annotators_have_a_range_and_no_median_is_claimed() -> None:
    few = find(controls=((10, 20), (20, 20)), agreement=((0, 0),) * 2)[Question.ANNOTATORS]
    assert few.claim == "The 2 annotators of asked get from 50.0% to 100.0% of controls right."
    assert not few.is_clear
    one = find(controls=((10, 20),), agreement=((0, 0),))[Question.ANNOTATORS]
    assert one.claim == "The only annotator of asked gets 50.0% of controls right."
    assert one.evidence.startswith("Controls: 50.0% [27.2, 72.8] (one annotator, 10 of 20).")


def test_dropped_annotators_are_counted() -> None:
    people = make_campaign().annotators
    told = find(annotators=(replace(people[0], is_dropped=True), *people[1:]))[Question.ANNOTATORS].evidence
    assert told.endswith("1 annotator dropped.")
    assert "dropped" not in find()[Question.ANNOTATORS].evidence


def test_divided_pairs_are_a_share_with_limits() -> None:
    found = find()[Question.DISPUTES]
    assert found.claim == "Annotators of asked are divided on 16.7% of the questions."
    assert found.evidence == (
        "Between a quarter and three quarters of them selected the class for 1 of 6 pairs of image and class: 16.7% "
        "[0.4, 64.1]."
    )
    assert find(selected=(10, 0))[Question.DISPUTES].is_clear is False
    silent = make_campaign(summary=replace(make_campaign().summary, divided=None))
    assert Question.DISPUTES not in {one.question for one in find_in_campaign(silent, "people")}


def test_time_and_cost_are_told_where_they_are_known() -> None:
    paid = make_pulse(cost_so_far=42.5, currency="USD")
    found = find(pulse=paid)[Question.EFFORT]
    assert found.claim == "8 annotators gave 160 answers to asked."
    assert found.evidence == (
        "Median time per task: 12 s (n = 160). Cost with fees: 42.50 USD. 40 of 40 tasks have all the answers they "
        "need."
    )
    unknown = find(pulse=make_pulse(median_seconds=None, n_timed=0))[Question.EFFORT].evidence
    assert unknown == "40 of 40 tasks have all the answers they need."
