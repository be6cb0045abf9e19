"""Plans: what they refuse, and which combination is the cheapest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from regauge.errors import InputError
from regauge.records.evaluation.planning import (
    PLAN_COLUMNS,
    FrequencySpread,
    PlanPoint,
    PlanSettings,
    StudyDesign,
    StudyPlan,
)

POINT = PlanPoint(5, 10, 20, 100, 50, 0.02, 0.9, 0.03, 0.02, 0.04, 0.8, 0.01, 0.001, 0.0, 0.0, 4, 20, 10.0, 1.0, 50.0)


def make_plan(*points: PlanPoint) -> StudyPlan:
    return StudyPlan(StudyDesign(), PlanSettings(), points)


def test_the_cheapest_reaches_the_target_often_enough_and_does_not_fall_short():
    cheap = replace(POINT, cost=1.0, adjusted_reached=0.79)
    short = replace(POINT, cost=2.0, share_short=0.06)
    dear = replace(POINT, cost=80.0)
    assert make_plan(cheap, short, dear, POINT).find_cheapest() == POINT
    assert make_plan(cheap, short).find_cheapest() is None


def test_the_raw_gap_has_a_cheapest_of_its_own():
    cheap = replace(POINT, cost=1.0, adjusted_reached=0.0)
    assert make_plan(cheap, POINT).find_cheapest(is_adjusted=False) == cheap


def test_without_pay_hours_decide():
    slow, quick = (replace(POINT, cost=None, hours=hours) for hours in (9.0, 3.0))
    assert make_plan(slow, quick).find_cheapest() == quick


def test_the_table_has_all_columns_and_no_cost_is_null():
    frame = make_plan(replace(POINT, cost=None)).to_frame()
    assert frame.columns == list(PLAN_COLUMNS)
    assert frame["cost"].to_list() == [None]


@pytest.mark.parametrize(
    ("kind", "wrong", "words"),
    [
        (StudyDesign, {"n_classes": 0}, "1 or more classes"),
        (StudyDesign, {"n_candidates": 5_000}, "up to 2,000"),
        (StudyDesign, {"accuracy": 1.0}, "between 0 and 1, not 1.0"),
        (StudyDesign, {"gap": -1.5}, "between -1 and 1"),
        (StudyDesign, {"slope": float("nan")}, "from -50 to 50"),
        (PlanSettings, {"target": 0.0}, "half-width that is wanted"),
        (PlanSettings, {"n_studies": 1}, "2 to 10,000 studies"),
        (PlanSettings, {"annotators": ()}, "1 to 200 annotators"),
        (PlanSettings, {"per_class": (0,)}, "1 to 2,000 images"),
        (PlanSettings, {"max_short": 1.0}, "fall short"),
        (PlanSettings, {"level": 1.0}, "strictly between 0 and 1"),
    ],
)
def test_nonsense_is_refused(kind, wrong, words):
    with pytest.raises(InputError, match=words):
        kind(**wrong)


@pytest.mark.parametrize("shapes", [(0.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)])
def test_a_beta_distribution_has_two_positive_shapes(shapes):
    with pytest.raises(InputError, match="two positive shapes"):
        FrequencySpread(*shapes)
