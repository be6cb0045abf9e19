"""Plans as figures."""

from __future__ import annotations

from dataclasses import replace

from tests.records.evaluation.test_planning import POINT

from regauge.records.evaluation.planning import PlanSettings, StudyDesign, StudyPlan
from regauge.report.plan_figures import plot_plan

POINTS = tuple(
    replace(POINT, annotators=n, per_class=m, cost=cost) for n, m, cost in ((3, 5, 10.0), (3, 20, 30.0), (10, 5, 40.0))
)
SETTINGS = PlanSettings((3, 10), (5, 20), target=0.02)


def list_rows(plan: StudyPlan) -> list[list[dict[str, object]]]:
    """The tables of a figure, the longest first."""
    return sorted(plot_plan(plan).to_dict()["datasets"].values(), key=len, reverse=True)


def test_every_combination_is_a_point_and_the_target_a_line():
    points, target = list_rows(StudyPlan(StudyDesign(), SETTINGS, POINTS, "EUR"))
    assert [(row["images"], row["annotators"], row["price"]) for row in points] == [
        ("5 per class", 3, 10.0),
        ("20 per class", 3, 30.0),
        ("5 per class", 10, 40.0),
    ]
    assert points[0]["half_width"] == 100 * POINT.adjusted_half_width
    assert (points[0]["low"], points[0]["high"]) == (2.0, 4.0)
    assert target == [{"half_width": 2.0}]


def test_without_pay_hours_are_the_price():
    unpaid = tuple(replace(point, cost=None) for point in POINTS)
    figure = plot_plan(StudyPlan(StudyDesign(), SETTINGS, unpaid)).to_dict()
    (points, _) = list_rows(StudyPlan(StudyDesign(), SETTINGS, unpaid))
    assert {row["price"] for row in points} == {POINT.hours}
    titles = {layer["encoding"]["x"]["title"] for layer in figure["layer"] if "x" in layer["encoding"]}
    assert titles == {"hours of work"}


def test_many_lines_have_a_shade_each():
    for n, is_shaded in ((6, False), (7, True)):
        settings = PlanSettings((3,), tuple(range(1, n + 1)))
        points = tuple(replace(POINT, annotators=3, per_class=one) for one in settings.per_class)
        scale = plot_plan(StudyPlan(StudyDesign(), settings, points)).to_dict()["layer"][1]["encoding"]["color"][
            "scale"
        ]
        assert len(scale["domain"]) == n
        assert ("scheme" in scale) is is_shaded
        assert len(set(scale.get("range", scale["domain"]))) == n
