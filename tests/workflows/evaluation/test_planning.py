"""Plans from what was measured, and what they cost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from regauge.campaigns.packing import ControlPool, pack_grids
from regauge.errors import InputError
from regauge.records.campaigns.terms import Pay
from regauge.records.evaluation.planning import FrequencySpread, PlanSettings, StudyDesign, Workforce
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import GridShape
from regauge.workflows.evaluation.planning import Expectations, WorkSettings, make_plan, measure_design

DESIGN = StudyDesign(n_classes=10, original_per_class=20, n_candidates=50)
TINY = PlanSettings(annotators=(5,), per_class=(10,), n_studies=3, target=0.2)


def make_counts(n: int = 3_000, n_votes: int = 20, shapes: tuple[float, float] = (2.0, 1.0)) -> SelectionCounts:
    rng = np.random.default_rng(0)
    selected = rng.binomial(n_votes, rng.beta(*shapes, n))
    ids = np.array([f"i{number}" for number in range(n)])
    return SelectionCounts(ids, np.arange(n, dtype=np.int32), np.zeros(n, np.int32), np.full(n, n_votes), selected)


def test_cost_counts_grids_with_controls_in_which_original_images_and_candidates_stand_together():
    work = WorkSettings(GridShape(18, n_positive=3, n_negative=3), Pay(0.25, fee=0.2), 60.0, Workforce(5, 2.0))
    (point,) = make_plan(DESIGN, TINY, work=work).points
    # Twelve pairs fit a grid: of a class, 20 original images and the candidates fill so many.
    n_tasks = 10 * -(-(20 + point.candidates) // 12)
    assert (point.n_tasks, point.n_answers) == (n_tasks, 5 * n_tasks)
    assert point.hours == pytest.approx(5 * n_tasks / 60)
    assert point.days == pytest.approx(point.hours / 10)
    assert point.cost == pytest.approx(5 * n_tasks * 0.25 * 1.2)


@pytest.mark.parametrize(("original", "per_class"), [(20, 10), (22, 10), (5, 2), (41, 20)])
def test_a_plan_has_as_many_grids_as_a_campaign_on_both_packs(original, per_class):
    design = StudyDesign(n_classes=3, original_per_class=original, n_candidates=60)
    shape = GridShape()
    settings = PlanSettings((5,), (per_class,), n_studies=2)
    (point,) = make_plan(design, settings, work=WorkSettings(shape)).points
    n = original + point.candidates
    images, classes = np.arange(3 * n, dtype=np.int32), np.repeat(np.arange(3, dtype=np.int32), n)
    others = {index: np.arange(1_000, 1_010, dtype=np.int32) for index in range(3)}
    grids = pack_grids(images, classes, controls=ControlPool(others, others), shape=shape, rng=np.random.default_rng(0))
    assert point.n_tasks == len(grids)


def test_a_thousand_classes_are_not_paid_for_twice():
    """20 original images and 27 to 64 candidates make two grids of 42 pairs, where apart they made up to three."""
    design = StudyDesign(n_classes=1_000, original_per_class=20, n_candidates=60, pool=FrequencySpread(0.2, 0.5))
    (point,) = make_plan(design, PlanSettings((10,), (20,), n_studies=2), work=WorkSettings(pay=Pay(0.2))).points
    assert 42 < point.candidates <= 64
    assert point.n_tasks == 2_000
    assert point.cost == pytest.approx(4_000)


def test_without_pay_there_is_no_cost_and_the_notes_say_what_was_assumed():
    plan = make_plan(DESIGN, TINY)
    assert plan.points[0].cost is None
    assert plan.currency == ""
    assert any("60 s, a default of ours" in note for note in plan.notes)
    assert not any("classes were simulated" in note for note in plan.notes)
    assert any("50 of the 500 classes" in note for note in make_plan(StudyDesign(500), TINY).notes)


def test_a_naive_plan_warns_of_its_bias():
    plan = make_plan(DESIGN, PlanSettings((5,), (10,), n_studies=2, method="naive"))  # type: ignore[arg-type]
    assert any("naive split is biased" in note for note in plan.notes)


def test_spreads_are_measured_on_tables_of_votes():
    design, notes = measure_design(DESIGN, Expectations(make_counts(), make_counts(shapes=(0.7, 0.9))))
    assert (design.original.a, design.original.b) == pytest.approx((2.0, 1.0), rel=0.15)
    assert (design.pool.a, design.pool.b) == pytest.approx((0.7, 0.9), rel=0.15)
    assert all("3,000 pairs with a median of 20 votes" in note for note in notes)


def test_accuracy_and_slope_are_measured_on_answers(tmp_path: Path):
    counts = make_counts(n_votes=40)
    rng = np.random.default_rng(4)
    right = rng.random(len(counts)) < expit(-1 + 3 * counts.frequencies)
    (tmp_path / "truth.csv").write_text("image_id,label\n" + "".join(f"i{n},0\n" for n in range(len(counts))))
    answers = "".join(f"i{n},{int(not one)}\n" for n, one in enumerate(right.tolist()))
    (tmp_path / "answers.csv").write_text("image_id,class\n" + answers)
    found = Expectations(counts, None, tmp_path / "truth.csv", tmp_path / "answers.csv")
    design, notes = measure_design(DESIGN, found)
    assert design.accuracy == pytest.approx(right.mean())
    assert design.slope == pytest.approx(3, abs=0.6)
    assert any("measured on 3,000" in note for note in notes)
    assumed, notes = measure_design(DESIGN, Expectations(None, None, found.truth, found.predictions))
    assert assumed.slope == DESIGN.slope
    assert any("is assumed" in note for note in notes)


def test_other_labels_of_original_images_do_not_count_as_their_frequencies(tmp_path: Path):
    # Of every image people were asked about its label, 0, and about another one that nobody saw in it.
    own = make_counts(500)
    others = SelectionCounts(
        own.image_ids,
        np.repeat(own.images, 2),
        np.tile(np.array([0, 1], np.int32), 500),
        np.repeat(own.n_shown, 2),
        np.column_stack((own.n_selected, np.zeros(500, np.int64))).ravel(),
    )
    (tmp_path / "truth.csv").write_text("image_id,label\n" + "".join(f"i{n},0\n" for n in range(500)))
    (tmp_path / "answers.csv").write_text("image_id,class\n" + "".join(f"i{n},{n % 2}\n" for n in range(500)))
    files = {"truth": tmp_path / "truth.csv", "predictions": tmp_path / "answers.csv"}
    assert measure_design(DESIGN, Expectations(others, **files)) == measure_design(DESIGN, Expectations(own, **files))
    strangers = SelectionCounts(np.array(["x"]), np.array([0]), np.array([0]), np.array([9]), np.array([9]))
    with pytest.raises(InputError, match="no image of the truth with its label"):
        measure_design(DESIGN, Expectations(strangers, **files))


def test_nothing_measured_changes_nothing():
    assert measure_design(DESIGN, Expectations()) == (DESIGN, ())


def test_half_of_what_an_accuracy_needs_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="both a truth and predictions"):
        measure_design(DESIGN, Expectations(truth=tmp_path / "truth.csv"))


def test_answers_about_other_images_are_refused(tmp_path: Path):
    (tmp_path / "truth.csv").write_text("image_id,label\na,0\nb,0\n")
    (tmp_path / "answers.csv").write_text("image_id,class\nx,0\ny,0\n")
    found = Expectations(truth=tmp_path / "truth.csv", predictions=tmp_path / "answers.csv")
    with pytest.raises(InputError, match="0 of the 2 images"):
        measure_design(DESIGN, found)


def test_a_table_without_votes_is_refused():
    empty = SelectionCounts(np.array(["a"]), np.array([0]), np.array([0]), np.array([0]), np.array([0]))
    with pytest.raises(InputError, match="has no votes"):
        measure_design(DESIGN, Expectations(frequencies=empty))
    with pytest.raises(InputError, match="One vote on each pair does not show"):
        measure_design(DESIGN, Expectations(pool_frequencies=make_counts(n_votes=1)))


@pytest.mark.parametrize("seconds", [0.0, 1e6, float("nan")])
def test_a_grid_takes_some_time(seconds: float):
    with pytest.raises(InputError, match="more than 0 seconds"):
        WorkSettings(seconds=seconds)
