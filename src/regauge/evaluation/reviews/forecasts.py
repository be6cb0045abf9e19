"""What a sampled review is expected to take: many of it are simulated and settled as a real one is."""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray, CountArray
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.reviews.betting import expect_pair, find_differences, settle_pair
from regauge.records.evaluation.sampled_reviews import (
    PairForecast,
    ReviewEffort,
    ReviewForecast,
    SampledReviewPlan,
    SettledBy,
)


def forecast_review(
    plan: SampledReviewPlan, *, done: OutcomeArray | None = None, effort: ReviewEffort | None = None
) -> ReviewForecast:
    """How many items every pair takes until it is settled, over simulated reviews in the order of the plan.

    What is simulated are the verdicts: every open class is correct with the chance that the plan's predictor gives it, the same
    for all who answer it, and an image is problematic with the predictor's chance. So the difference between participants is the
    predicted one, give or take; where it is really smaller, the review takes longer.

    Args:
        plan: what was frozen.
        done: what answers on the first images of the order are worth by verdicts that are there [participants, reviewed]; an
            image with an unjudged one enters at its worst value.
        effort: what one item takes.
    """
    rng = np.random.default_rng([plan.terms.seed, 1])
    start = np.zeros((len(plan.participants), 0), np.int8) if done is None else done
    is_worst = np.zeros(len(plan), np.bool_)
    is_worst[: start.shape[1]] = (start == Outcome.UNJUDGED).any(axis=0)
    spent = np.concatenate(([0], np.cumsum(plan.n_items)))
    items = np.zeros((len(plan.pairs), plan.terms.n_simulations), np.int64)
    is_early = np.zeros(items.shape, np.bool_)
    places = _number_answers(plan)
    expected = [expect_pair(plan, pair) for pair in plan.pairs]
    for review in range(plan.terms.n_simulations):
        outcomes = _simulate(plan, places, rng)
        outcomes[:, : start.shape[1]] = start
        for number, pair in enumerate(plan.pairs):
            values = find_differences(outcomes, pair)
            found = settle_pair(plan, pair, values=values, is_worst=is_worst, expected=expected[number])
            items[number, review] = spent[found.n_images]
            is_early[number, review] = found.by is SettledBy.SAMPLE
    pairs = tuple(
        _tell(plan, pair, items=taken, is_early=early)
        for pair, taken, early in zip(plan.pairs, items, is_early, strict=True)
    )
    return ReviewForecast(pairs, len(plan), int(spent[-1]), effort or ReviewEffort())


def _tell(plan: SampledReviewPlan, pair: tuple[int, int], *, items: CountArray, is_early: BoolArray) -> PairForecast:
    rows = list(pair)
    is_counted = (plan.outcomes[rows] != Outcome.NOT_COUNTED).all(axis=0)
    differs = is_counted & (plan.answers[pair[0]] != plan.answers[pair[1]])
    n_open = int(((plan.outcomes[rows] == Outcome.UNJUDGED) & differs).sum())
    return PairForecast(plan.participants[pair[0]], plan.participants[pair[1]], n_open, items, is_early)


def _number_answers(plan: SampledReviewPlan) -> CountArray:
    """The number of every answer [participants, images], the same for all who give one class to one image."""
    stride = int(plan.answers.max(initial=0)) + 2
    keys = np.arange(len(plan), dtype=np.int64) * stride + plan.answers + 1
    places: CountArray = np.unique(keys, return_inverse=True)[1].reshape(keys.shape)
    return places


def _simulate(plan: SampledReviewPlan, places: CountArray, rng: np.random.Generator) -> OutcomeArray:
    """What answers turn out to be worth [participants, images]; one class of an image has one verdict for all who answer it."""
    is_right = rng.random(int(places.max(initial=-1)) + 1)[places] < plan.chances
    outcomes = np.where(is_right, Outcome.RIGHT, Outcome.WRONG).astype(np.int8)
    outcomes[plan.outcomes == Outcome.NOT_COUNTED] = Outcome.NOT_COUNTED
    outcomes[:, rng.random(len(plan)) < plan.predictor.problematic] = Outcome.NOT_COUNTED
    return outcomes
