"""Sampled review against every order in which images can be drawn, and simulated where the truth is known."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.simulate_reviews import WORLDS, count_errors, load_reviewers, make_plan, measure_reach

from regauge.arrays import CountArray, FloatArray
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.reviews._kernels import grow_wealth
from regauge.evaluation.reviews.betting import expect_pair, settle_pair
from regauge.records.evaluation.reviews import ReviewTerms
from regauge.records.evaluation.sampled_reviews import AgreementPredictor, SampledReviewPlan, SettledBy

NEVER = 1e300


def make_small(chances: FloatArray, weights: list[float]) -> SampledReviewPlan:
    n = len(weights)
    return SampledReviewPlan(
        test_set="t",
        labels="",
        participants=("a", "b"),
        terms=ReviewTerms(),
        trust_dataset_labels=False,
        predictor=AgreementPredictor(problematic=0.1),
        image_ids=np.array([f"i{one}" for one in range(n)]),
        n_items=np.full(n, 2),
        weights=np.array(weights),
        answers=np.repeat([[0], [1]], n, axis=1),
        outcomes=np.full((2, n), Outcome.UNJUDGED),
        chances=chances,
        known=np.zeros(1, np.int64),
    )


def grow(plan: SampledReviewPlan, values: CountArray, order: tuple[int, ...], *, known: int = 0) -> FloatArray:
    expected = expect_pair(plan, (0, 1))
    columns = np.stack([*expected[:2], expected.lowest.astype(np.float64), plan.weights])[:, order]
    return grow_wealth(values[list(order)].astype(np.float64), columns, float(known), np.array([0.5, 2.0]), NEVER)


def weigh(plan: SampledReviewPlan, order: tuple[int, ...]) -> float:
    """The probability of an order: each image in proportion to the weights of those that remain."""
    weights = plan.weights[list(order)]
    remaining = np.cumsum(weights[::-1])[::-1]
    return float(np.prod(weights / remaining))


@given(
    st.lists(st.sampled_from([-1, 0, 1]), min_size=4, max_size=4),
    st.lists(st.floats(0.02, 0.98), min_size=8, max_size=8),
    st.lists(st.floats(0.3, 3), min_size=4, max_size=4),
    st.integers(0, 2),
)
def test_over_all_orders_nobody_gains_by_betting_on_a_difference_that_is_not_there(values, chances, weights, behind):
    plan, differences = make_small(np.reshape(chances, (2, 4)), weights), np.array(values)
    known = -int(differences.sum()) - behind
    paths = [(weigh(plan, order), grow(plan, differences, order, known=known)) for order in permutations(range(4))]
    assert sum(share for share, _ in paths) == pytest.approx(1)
    mean = sum(share * path for share, path in paths)
    # With T = 0 the bet is fair, so what it is worth stays 1 to the last digit; below 0 it loses.
    if behind == 0:
        assert mean == pytest.approx(np.ones(4))
    assert np.max(mean) <= 1 + 1e-9
    factors = np.concatenate([path / np.concatenate(([1.0], path[:-1])) for _, path in paths])
    assert factors.min() >= 0.25 - 1e-9


def test_a_worked_step():
    # Two images of weight 1, predicted 0 each, known difference 1. X of the first image, worth 1, is 1 + 0 + (1 − 0) / (1/2) = 3;
    # the lowest that X could be is 1 − 2 = −1, so stakes are at most 3/4. The variance is 0.9·0.5 each, 2·(0.45 + 0.45) = 1.8;
    # stakes are 0.5/(1.8 + 0.25) and 2/(1.8 + 4). Half of the wealth is in either purse.
    plan = make_small(np.full((2, 2), 0.5), [1.0, 1.0])
    path = grow(plan, np.array([1, 0]), (0, 1), known=1)
    assert path[0] == pytest.approx(1 + 3 * (0.5 / 2.05 + 2 / 5.8) / 2)


@pytest.mark.parametrize("world", [WORLDS[0], WORLDS[3], WORLDS[6], WORLDS[9], WORLDS[13]], ids=str)
def test_looked_at_after_every_image_few_reviews_settle_wrongly(world):
    found = count_errors(world, n_reviews=200)
    # At 5%, 20 or more of 200 have a probability of 0.3%. The usual interval errs in two of five where the difference is 0.
    assert found.n_false < 20
    if world.n_ahead == world.n_behind and world.n_ahead > 100:
        assert found.n_peeked > 60


def test_a_review_of_everything_ends_with_the_truth():
    rng = np.random.default_rng(5)
    for world in WORLDS:
        plan, values = make_plan(world, rng, level=1 - 1e-12)
        found = settle_pair(plan, (0, 1), values=values)
        assert (found.sign, found.by) == (np.sign(world.n_ahead - world.n_behind), SettledBy.BOUNDS)
        assert found.ends == (int(values.sum()),) * 2


def test_a_clear_difference_is_settled_by_a_part_of_the_images_and_stays_so():
    plan, values = make_plan(replace(WORLDS[0], n_ahead=240, n_behind=60), np.random.default_rng(2))
    found = settle_pair(plan, (0, 1), values=values)
    assert (found.sign, found.by) == (1, SettledBy.SAMPLE)
    assert found.n_images < 200
    assert settle_pair(plan, (0, 1), values=values[: found.n_images]).n_images == found.n_images
    before = settle_pair(plan, (0, 1), values=values[: found.n_images - 1])
    assert (before.sign, before.by, before.n_images) == (None, None, found.n_images - 1)
    mirrored = replace(plan, chances=plan.chances[::-1])
    assert settle_pair(mirrored, (0, 1), values=-values)[:3] == (-1, SettledBy.SAMPLE, found.n_images)


def test_what_nobody_can_judge_enters_at_its_worst_for_either_side():
    plan, values = make_plan(replace(WORLDS[0], n_ahead=240, n_behind=60), np.random.default_rng(2))
    hidden = np.zeros(len(values), np.bool_)
    hidden[::5] = True
    with_gaps = settle_pair(plan, (0, 1), values=np.where(hidden, 1, values), is_worst=hidden)
    worst = settle_pair(plan, (0, 1), values=np.where(hidden, -1, values))
    assert with_gaps.evidence[0] == pytest.approx(worst.evidence[0])
    assert with_gaps.ends[1] - with_gaps.ends[0] == 2 * hidden.sum()
    # Nothing but unknown images settles nothing.
    nothing = settle_pair(plan, (0, 1), values=np.zeros_like(values), is_worst=np.ones_like(hidden))
    assert (nothing.sign, nothing.evidence) == (None, (1.0, 1.0))


def test_more_statements_need_more_evidence():
    plan = make_small(np.full((2, 2), 0.5), [1.0, 1.0])
    assert plan.enough == pytest.approx(40)
    field = {name: getattr(plan, name) for name in plan.__dataclass_fields__}
    of_four = {"answers": np.arange(8).reshape(4, 2), "outcomes": np.full((4, 2), Outcome.UNJUDGED)}
    many = SampledReviewPlan(
        **{**field, **of_four, "participants": tuple("abcd"), "chances": np.full((4, 2), 0.5), "known": np.zeros(6)}
    )
    assert len(many.pairs) == 6
    assert many.enough == pytest.approx(240)


def test_pairs_five_and_ten_ranks_apart_are_settled_by_hundreds_of_items(published: Path):
    reviewers = load_reviewers(published)
    assert np.median(measure_reach(reviewers, 5, step=5)[0]) <= 700
    assert np.median(measure_reach(reviewers, 10, step=5)[0]) <= 220
