"""Findings of a comparison: a drop is one only where its limits say so, and selection explains only what is clear."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.report.small_reports import make_content, make_details, make_shift
from tests.report.test_gap_parts import make_gap

from regauge.estimates import Estimate
from regauge.records.evaluation.fits import Resample
from regauge.records.evaluation.gaps import MEAN
from regauge.records.evaluation.shifts import Shift
from regauge.report.findings.comparisons import find_in_comparison, tell_ranks
from regauge.report.findings.ranks import Question, ReportFinding

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}


def find(shift: Shift, gap: Any = None, **details: Any) -> dict[Question, ReportFinding]:
    part = replace(make_content([], [shift]).comparisons[0], gap=gap)
    return {one.question: one for one in find_in_comparison(part, details, anchor="shift-1")}


def test_a_drop_has_its_limits_its_images_and_its_models() -> None:
    found = find(make_shift(OLD, FRESH))[Question.DROP]
    assert found.claim == "Accuracy drops by 10.9 points from old to fresh."
    assert found.evidence.startswith("−10.9 [−")
    assert found.evidence.endswith(" points of top-1 accuracy, mean of 4 models (n = 200 and 80 images).")
    assert found.is_clear
    assert (
        find(make_shift({"a": 20}, {"a": 70}))[Question.DROP].claim
        == "Accuracy rises by 77.5 points from old to fresh."
    )


def test_what_is_not_clear_is_not_called_a_drop() -> None:
    unclear = find(make_shift({"a": 180}, {"a": 71}))[Question.DROP]
    assert unclear.claim == "Accuracy does not clearly change from old to fresh."
    assert not unclear.is_clear
    # One model among models that are drawn anew has no limits at all.
    alone = find(make_shift({"a": 180}, {"a": 60}, resample=Resample.MODELS))[Question.DROP]
    assert alone.claim == "Accuracy is 15.0 points lower on fresh than on old."
    assert not alone.is_clear
    higher = find(make_shift({"a": 20}, {"a": 60}, resample=Resample.MODELS))[Question.DROP]
    assert higher.claim == "Accuracy is 65.0 points higher on fresh than on old."


def make_split(selection: tuple[float, float, float], share: tuple[float, float, float] | None) -> Any:
    gap = make_gap()
    method = gap.settings.methods[-1]
    changed = tuple(
        replace(
            one,
            selection=Estimate(*selection),
            selection_share=None if share is None else Estimate(*share),
        )
        if (one.participant, one.method) == (MEAN, method)
        else one
        for one in gap.decompositions
    )
    return replace(gap, decompositions=changed)


def test_selection_explains_a_share_only_where_its_part_is_clear() -> None:
    def read(*split: Any) -> str:
        return find(make_shift(OLD, FRESH), make_split(*split))[Question.DROP].evidence

    clear = read((0.05, 0.02, 0.08), (0.5, 0.2, 0.8))
    assert "Selection explains 50.0% [20.0, 80.0] of it: 5.0 [2.0, 8.0] points; " in clear
    assert clear.endswith("remain between images that people select equally often.")
    for split in (((0.05, -0.02, 0.08), (0.5, -0.2, 0.8)), ((0.05, 0.02, 0.08), None)):
        assert "How much of it selection explains is unclear: 5.0 [" in read(*split)


def test_ranks_are_compared_where_both_sets_were_looked_at() -> None:
    shift = make_shift(OLD, FRESH)
    first, second = make_details({"a": 36, "b": 10}), make_details({"a": 8, "b": 38})
    found = find(shift, old=first, fresh=second)[Question.ORDER]
    assert found.claim == "1 pair of models clearly swaps places from old to fresh."
    assert found.evidence == (
        "a is clearly better than b by top-1 on old, and clearly worse by top-1 on fresh; of 1 pair, 1 can be told apart both "
        "times."
    )
    assert Question.ORDER not in find(shift, old=first)
    assert Question.ORDER not in find(shift, old=first, fresh=make_details({"other": 3}))


def test_ranks_that_differ_are_counted_without_a_claim() -> None:
    assert tell_ranks(make_shift(OLD, FRESH)) == "2 of 4 models have a different rank on fresh, by chance or not."
