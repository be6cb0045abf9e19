"""The plan of a sampled review, what becomes of it, and what it is expected to take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.reviews.betting import expect_pair
from regauge.evaluation.reviews.forecasts import forecast_review
from regauge.evaluation.reviews.outcomes import judge_field
from regauge.evaluation.reviews.plans import follow_review, plan_review
from regauge.records.evaluation.reviews import ReviewField, ReviewMetric, ReviewTerms
from regauge.records.evaluation.sampled_reviews import AgreementPredictor, ReviewEffort, SettledBy
from regauge.records.labels.label_set import LabelSet
from regauge.records.testsets.test_set import TestSet

N = 300


def make_field(*, trust: bool = False) -> ReviewField:
    """Three models on 300 images: a is mostly right, b less, c is between them."""
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 5, N)
    answers = [np.where(rng.random(N) < rate, labels, rng.integers(5, 9, N)) for rate in (0.9, 0.55, 0.7)]
    test_set = TestSet("t", [f"i{one:03d}" for one in range(N)], labels)
    return ReviewField(test_set, ("a", "b", "c"), np.array(answers, np.int32), trust_dataset_labels=trust)


def review(field: ReviewField, ids: list[str], *, problematic: frozenset[str] = frozenset()) -> ReviewField:
    """The field after somebody has judged all classes of some images: the dataset label is correct, whatever else wrong."""
    label_of = dict(zip(field.test_set.image_ids.tolist(), field.test_set.labels.tolist(), strict=True))
    labels = LabelSet.from_lists(
        "L",
        ids,
        correct=[[label_of[one]] for one in ids],
        wrong=[[other for other in range(9) if other != label_of[one]] for one in ids],
        is_problematic=[one in problematic for one in ids],
    )
    return replace(field, label_set=labels)


def test_a_plan_draws_the_images_on_which_the_participants_differ():
    field = make_field()
    plan = plan_review(field, ("a", "b"))
    differ = field.answers[0] != field.answers[1]
    assert sorted(plan.image_ids.tolist()) == sorted(field.test_set.image_ids[differ].tolist())
    # Two answers, and the dataset label where neither gives it.
    is_label = (plan.answers == field.test_set.labels[[int(one[1:]) for one in plan.image_ids.tolist()]]).any(axis=0)
    assert plan.n_items.tolist() == np.where(is_label, 2, 3).tolist()
    assert plan.known.tolist() == [0]


def test_weights_follow_the_spread_of_what_is_predicted_and_the_order_follows_the_seed():
    field = make_field()
    plan = plan_review(field, ("a", "b"))
    spread = np.sqrt(expect_pair(plan, (0, 1)).variances)
    assert plan.weights == pytest.approx(0.7 * spread / spread.mean() + 0.3)
    assert plan.weights.mean() == pytest.approx(1)
    assert plan_review(field, ("a", "b")).image_ids.tolist() == plan.image_ids.tolist()
    other = plan_review(field, ("a", "b"), terms=ReviewTerms(seed=1))
    assert other.image_ids.tolist() != plan.image_ids.tolist()
    first = [plan_review(field, ("a", "b"), terms=ReviewTerms(seed=seed)).weights[:20].mean() for seed in range(40)]
    assert np.mean(first) > 1


def test_chances_come_from_how_many_agree():
    test_set = TestSet("t", ["x", "y"], [0, 0])
    field = ReviewField(test_set, ("a", "b", "c"), np.array([[0, 1], [2, 0], [2, 0]], np.int32))
    plan = plan_review(field, ("a", "b"), predictor=AgreementPredictor(other=0.9, label=0.6, problematic=0.0))
    at = plan.image_ids.tolist().index("x")
    assert plan.chances[:, at] == pytest.approx([0.6 + 0.4 / 3, 0.9 * 2 / 3])


def test_every_verdict_in_order_settles_the_pair_and_evidence_rests_on_the_finished_beginning():
    field = make_field()
    plan = plan_review(field, ("a", "b"))
    ids = plan.image_ids.tolist()
    whole = follow_review(plan, review(field, ids))
    (standing,) = whole.standings
    assert (standing.ahead, standing.by, whole.n_reviewed) == ("a", SettledBy.SAMPLE, len(ids))
    assert standing.n_images < len(ids) / 2
    half = follow_review(plan, review(field, [*ids[:5], *ids[6:40]]))
    assert (half.n_reviewed, half.n_later) == (5, 34)
    assert half.standings[0].sign is None
    nothing = follow_review(plan, field)
    assert (nothing.n_reviewed, nothing.standings[0].evidence_first) == (0, 1.0)


def test_images_that_nobody_can_judge_close_the_gap_at_their_worst_value():
    field = make_field()
    plan = plan_review(field, ("a", "b"))
    ids = plan.image_ids.tolist()
    now = review(field, [*ids[:5], *ids[6:40]])
    found = follow_review(plan, now, without=[ids[5]])
    assert (found.n_reviewed, found.n_later, found.n_worst) == (40, 0, 1)
    better = follow_review(plan, review(field, ids[:40]))
    assert found.standings[0].evidence_first <= better.standings[0].evidence_first
    assert found.standings[0].upper - found.standings[0].lower == 2 * (len(ids) - 39)


def test_problematic_images_count_for_nobody():
    field = make_field()
    plan = plan_review(field, ("a", "b"))
    ids = plan.image_ids.tolist()
    found = follow_review(plan, review(field, ids, problematic=frozenset(ids)))
    assert (found.standings[0].sign, found.standings[0].by) == (0, SettledBy.BOUNDS)
    assert (found.standings[0].lower, found.standings[0].upper) == (0, 0)


def test_what_was_known_enters_the_difference_and_may_not_change():
    field = make_field()
    ids = field.test_set.image_ids.tolist()
    start = review(field, ids[:200])
    plan = plan_review(start, ("a", "b"), terms=ReviewTerms(metric=ReviewMetric.LENIENT))
    known = judge_field(start, ReviewMetric.LENIENT)[:2, :200] == Outcome.RIGHT
    assert plan.known[0] == known[0].sum() - known[1].sum()
    assert set(plan.image_ids.tolist()) <= set(ids[200:])
    with pytest.raises(InputError, match="Verdicts on images outside the plan have changed"):
        follow_review(plan, review(field, ids, problematic=frozenset(ids[:200])))
    with pytest.raises(InputError, match="answers are not those that the plan was made with"):
        follow_review(plan, replace(start, answers=np.roll(start.answers, 1, axis=1)))
    cut = ReviewField(TestSet("t", ids[:250], field.test_set.labels[:250]), ("a", "b", "c"), field.answers[:, :250])
    with pytest.raises(InputError, match="is not in t; name the plan's own test set"):
        follow_review(plan, cut)


def test_a_verdict_that_was_known_and_is_turned_is_noticed():
    # The verdict on a's answer is there, b's is open; then a's is turned.
    test_set = TestSet("t", ["x", "y"], [0, 0])
    start = LabelSet.from_lists("L", ["x"], correct=[[1]], wrong=[[]])
    field = ReviewField(test_set, ("a", "b"), np.array([[1, 5], [2, 6]], np.int32), start)
    plan = plan_review(field, ("a", "b"))
    turned = LabelSet.from_lists("L", ["x"], correct=[[2]], wrong=[[1]])
    with pytest.raises(InputError, match="A verdict on image 'x' that the plan took as known has changed"):
        follow_review(plan, replace(field, label_set=turned))


def test_several_participants_are_reviewed_together():
    field = make_field(trust=True)
    plan = plan_review(field, ("a", "b", "c"))
    assert len(plan.pairs) == 3
    assert plan.enough == pytest.approx(120)
    found = follow_review(plan, review(field, plan.image_ids.tolist()))
    assert [one.ahead for one in found.standings] == ["a", "a", "c"]
    frame = found.to_frame(plan.enough)
    assert frame["settled"].all()
    assert frame["evidence_needed"][0] == pytest.approx(120)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("a",), "Name at least 2 participants, each once"),
        (("a", "a"), "Name at least 2 participants, each once"),
        (("a", "z"), "There is no participant 'z' on t; there are a, b, c"),
    ],
)
def test_other_participants_are_refused(names, said):
    with pytest.raises(InputError, match=said):
        plan_review(make_field(), names)


def test_nothing_left_and_too_many_are_refused():
    field = make_field()
    with pytest.raises(InputError, match="Nothing is left to review between a and b"):
        plan_review(review(field, field.test_set.image_ids.tolist()), ("a", "b"))
    names = tuple(f"m{one}" for one in range(21))
    with pytest.raises(InputError, match="at most 20 participants, not 21"):
        plan_review(replace(field, participants=names, answers=np.tile(field.answers, (7, 1))), names)


def test_a_forecast_is_the_middle_of_simulated_reviews_and_repeats_itself():
    field = make_field()
    plan = plan_review(field, ("a", "b"), terms=ReviewTerms(n_simulations=40))
    found = forecast_review(plan, effort=ReviewEffort(answers=2, seconds=36))
    row = found.to_frame().row(0, named=True)
    assert row["items_low"] <= row["items"] <= row["items_high"] <= row["n_items"]
    assert (row["answers"], row["hours"]) == (2 * row["items"], pytest.approx(2 * row["items"] / 100))
    assert row["n_open"] == 2 * len(plan)
    assert found.items.tolist() == found.pairs[0].items.tolist()
    assert forecast_review(plan).items.tolist() == found.items.tolist()


def test_a_forecast_goes_on_from_what_is_done():
    field = make_field()
    plan = plan_review(field, ("a", "b"), terms=ReviewTerms(n_simulations=20))
    done = np.zeros((2, len(plan)), np.int8)
    done[1] = Outcome.RIGHT
    # With every verdict given, all simulated reviews are the same one.
    assert len(set(forecast_review(plan, done=done).items.tolist())) == 1
    # Where no image can ever be judged, nothing is settled before all of them have entered at their worst.
    done[:] = Outcome.UNJUDGED
    assert set(forecast_review(plan, done=done).items.tolist()) == {int(plan.n_items.sum())}


def test_terms_and_effort_have_limits():
    for bad in ({"n_simulations": 5}, {"level": 1.0}, {"seed": -1}):
        with pytest.raises(InputError):
            ReviewTerms(**bad)
    for bad in ({"answers": 0}, {"seconds": 0}):
        with pytest.raises(InputError):
            ReviewEffort(**bad)
    with pytest.raises(InputError, match="chances from 0 to 1"):
        AgreementPredictor(other=2)
