"""Plan a sampled review, and read what became of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import combinations

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray
from regauge.errors import InputError
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.reviews.betting import PairColumns, Settlement, expect_pair, find_differences, settle_pair
from regauge.evaluation.reviews.outcomes import find_field_items, judge_field
from regauge.records.evaluation.reviews import ReviewField, ReviewTerms
from regauge.records.evaluation.sampled_reviews import (
    MAX_SAMPLED,
    AgreementPredictor,
    PairStanding,
    ReviewProgress,
    SampledReviewPlan,
    SettledBy,
)

_SHARE_BY_SPREAD = 0.7
_LEAST_CHANCE = 0.02


def plan_review(
    field: ReviewField,
    names: tuple[str, ...],
    *,
    terms: ReviewTerms | None = None,
    predictor: AgreementPredictor | None = None,
) -> SampledReviewPlan:
    """The images on which open verdicts decide who of these participants is ahead, in the random order of their review.

    An image is drawn with all its open classes. Its weight is 0.7·u / mean(u) + 0.3, where u is the standard deviation of the
    difference that is predicted, over the pairs; the order is that of Exp(1) / weight, so that the next image is always drawn in
    proportion to the weights of those that remain. All participants of the field say how likely a class is; only the named ones
    are compared.

    Raises:
        InputError: a participant is not there, there are fewer than two or too many, or nothing is left to review.
    """
    terms, predictor = terms or ReviewTerms(), predictor or AgreementPredictor()
    rows = field.find_rows(names)
    if len(rows) > MAX_SAMPLED:
        raise InputError(f"A sampled review compares at most {MAX_SAMPLED} participants, not {len(rows)}; name fewer.")
    chosen = replace(field, participants=names, answers=field.answers[rows])
    outcomes = judge_field(chosen, terms.metric)
    items = np.diff(find_field_items(chosen).starts)
    whole = SampledReviewPlan(
        test_set=field.test_set.name,
        labels="" if field.label_set is None else field.label_set.name,
        participants=names,
        terms=terms,
        trust_dataset_labels=field.trust_dataset_labels,
        predictor=predictor,
        image_ids=field.test_set.image_ids,
        n_items=items.astype(np.int32),
        weights=np.ones(len(field.test_set)),
        answers=chosen.answers,
        outcomes=outcomes,
        chances=_predict(field, rows, outcomes, predictor),
        known=np.zeros(len(list(combinations(names, 2))), np.int64),
    )
    drawn = (outcomes == Outcome.UNJUDGED).any(axis=0) & _find_decisive(whole)
    if not drawn.any():
        raise InputError(
            f"Nothing is left to review between {' and '.join(names)}: where they differ, there are verdicts; see their scores."
        )
    known = [int(find_differences(outcomes[:, ~drawn], pair).sum()) for pair in whole.pairs]
    return _put_in_order(whole, drawn, np.array(known, np.int64))


def follow_review(plan: SampledReviewPlan, field: ReviewField, *, without: Collection[str] = ()) -> ReviewProgress:
    """How far a review has come, by the verdicts that are there now.

    Evidence rests on the finished beginning of the order: up to the first image that has an open answer. Images of which nothing
    can be known enter at their worst value and are never skipped. Finished images after the first gap count in the bounds.

    Args:
        plan: what was frozen before the first verdict.
        field: the same answers with the verdicts of now.
        without: images that were referred or whose file is missing.

    Raises:
        InputError: answers or verdicts on which the plan rests have changed.
    """
    now = read_outcomes(plan, field)
    is_done = ~(now == Outcome.UNJUDGED).any(axis=0)
    is_worst = np.isin(plan.image_ids, list(without)) & ~is_done
    is_gap = ~is_done & ~is_worst
    n = int(np.argmax(is_gap)) if is_gap.any() else len(plan)
    standings = []
    for number, pair in enumerate(plan.pairs):
        values, expected = find_differences(now, pair), expect_pair(plan, pair)
        _check_range(plan, values, expected=expected, is_done=is_done)
        found = settle_pair(plan, pair, values=values[:n], is_worst=is_worst[:n])
        known = int(plan.known[number])
        ends = tuple(known + int(np.where(is_done, values, one).sum()) for one in (expected.lowest, expected.highest))
        standings.append(_tell(plan, pair, found=found, ends=(ends[0], ends[1])))
    return ReviewProgress(tuple(standings), n, int(is_done[n:].sum()), int(is_worst[:n].sum()))


def read_outcomes(plan: SampledReviewPlan, field: ReviewField) -> OutcomeArray:
    """What the plan's answers are worth by the verdicts of now [participants, images], in the order of the plan.

    Raises:
        InputError: answers or verdicts on which the plan rests have changed.
    """
    rows = field.find_rows(plan.participants)
    row_by_id = {image_id: row for row, image_id in enumerate(field.test_set.image_ids.tolist())}
    missing = [one for one in plan.image_ids.tolist() if one not in row_by_id]
    if missing:
        raise InputError(
            f"Image {missing[0]!r} of the plan is not in {field.test_set.name}; name the plan's own test set."
        )
    places = np.array([row_by_id[one] for one in plan.image_ids.tolist()], np.int64)
    if not np.array_equal(field.answers[rows][:, places], plan.answers):
        raise InputError("The participants' answers are not those that the plan was made with; make a new plan.")
    chosen = replace(
        field,
        participants=plan.participants,
        answers=field.answers[rows],
        trust_dataset_labels=plan.trust_dataset_labels,
    )
    outcomes = judge_field(chosen, plan.terms.metric)
    rest = np.ones(len(field.test_set), np.bool_)
    rest[places] = False
    if [int(find_differences(outcomes[:, rest], pair).sum()) for pair in plan.pairs] != plan.known.tolist():
        raise InputError("Verdicts on images outside the plan have changed since it was made; make a new plan.")
    return outcomes[:, places]


def _tell(plan: SampledReviewPlan, pair: tuple[int, int], *, found: Settlement, ends: tuple[int, int]) -> PairStanding:
    """A standing; bounds over all that is finished settle what the sample does not, and overrule it where it was mistaken."""
    sign, by = found.sign, found.by
    if (ends[0] > 0 or ends[1] < 0 or ends[0] == ends[1]) and sign != int(np.sign(ends[0] + ends[1])):
        sign, by = int(np.sign(ends[0] + ends[1])), SettledBy.BOUNDS
    return PairStanding(
        first=plan.participants[pair[0]],
        second=plan.participants[pair[1]],
        sign=sign,
        by=by,
        n_images=found.n_images,
        n_items=int(plan.n_items[: found.n_images].sum()),
        evidence_first=found.evidence[0],
        evidence_second=found.evidence[1],
        lower=ends[0],
        upper=ends[1],
    )


def _predict(field: ReviewField, rows: list[int], outcomes: OutcomeArray, predictor: AgreementPredictor) -> FloatArray:
    """The chance that each answer is right, from the share of all participants who give it; 0 or 1 where that is known."""
    n_answers = np.maximum((field.answers != NO_CLASS).sum(axis=0), 1)
    shares = np.stack([(field.answers == field.answers[row]).sum(axis=0) / n_answers for row in rows])
    is_label = field.answers[rows] == field.test_set.labels
    chances = np.where(is_label, predictor.label + (1 - predictor.label) * shares, predictor.other * shares)
    chances = np.clip(chances, _LEAST_CHANCE, 1 - _LEAST_CHANCE)
    return np.where(outcomes == Outcome.UNJUDGED, chances, (outcomes == Outcome.RIGHT).astype(np.float64))


def _find_decisive(plan: SampledReviewPlan) -> BoolArray:
    """The images on which some pair can differ."""
    is_decisive = np.zeros(len(plan), np.bool_)
    for pair in plan.pairs:
        expected = expect_pair(plan, pair)
        is_decisive |= (expected.lowest != 0) | (expected.highest != 0)
    return is_decisive


def _put_in_order(plan: SampledReviewPlan, is_drawn: BoolArray, known: CountArray) -> SampledReviewPlan:
    """The plan on the images that are drawn, weighted and in their order."""
    variances = sum((expect_pair(plan, pair).variances[is_drawn] for pair in plan.pairs), np.zeros(int(is_drawn.sum())))
    spread = np.sqrt(variances / len(plan.pairs))
    even = np.ones_like(spread)
    weights = _SHARE_BY_SPREAD * (spread / spread.mean() if spread.any() else even) + (1 - _SHARE_BY_SPREAD)
    order = np.argsort(np.random.default_rng(plan.terms.seed).exponential(size=len(weights)) / weights, kind="stable")
    places = np.flatnonzero(is_drawn)[order]
    return replace(
        plan,
        image_ids=plan.image_ids[places],
        n_items=plan.n_items[places],
        weights=weights[order],
        answers=plan.answers[:, places],
        outcomes=plan.outcomes[:, places],
        chances=plan.chances[:, places],
        known=known,
    )


def _check_range(plan: SampledReviewPlan, values: CountArray, *, expected: PairColumns, is_done: BoolArray) -> None:
    """A difference that the plan held impossible means that a verdict is another one than it took as known."""
    is_odd = is_done & ((values < expected.lowest) | (values > expected.highest))
    if is_odd.any():
        first = str(plan.image_ids[int(np.argmax(is_odd))])
        raise InputError(f"A verdict on image {first!r} that the plan took as known has changed; make a new plan.")
