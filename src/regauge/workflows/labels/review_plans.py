"""Plan the review that settles a comparison, and say how far it has come."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from regauge.campaigns.fields import REVIEW_PLAN
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.reviews.forecasts import forecast_review
from regauge.evaluation.reviews.plans import follow_review, plan_review, read_outcomes
from regauge.formats.labels.review_plans import (
    load_review_plan,
    parse_review_plan,
    write_review_plan,
)
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.evaluation.reviews import ReviewField, ReviewTerms
from regauge.records.evaluation.sampled_reviews import (
    PairStanding,
    PlannedReview,
    ReviewEffort,
    ReviewForecast,
    ReviewProgress,
    SettledBy,
)
from regauge.records.names import quote_first
from regauge.storage.campaigns.documents import digest_document, find_document
from regauge.storage.evaluation.review_fields import load_review_field
from regauge.storage.files import write_whole
from regauge.storage.labels.label_set import list_label_sets
from regauge.storage.predictions import get_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set

_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """Whom to compare on what, and by which rules.

    Attributes:
        participants: globs on names; everybody by default.
        labels: the label set whose verdicts are there already, NAME@VERSION or NAME for the latest; none by default.
        test_set: on which test set; the only one by default.
        trust_dataset_labels: take dataset labels as correct where nobody has judged them.
        terms: metric, level, seed and simulations.
        effort: what one item takes.
    """

    participants: Sequence[str] = ()
    labels: str | None = None
    test_set: str | None = None
    trust_dataset_labels: bool = False
    terms: ReviewTerms = field(default_factory=ReviewTerms)
    effort: ReviewEffort = field(default_factory=ReviewEffort)


@dataclass(frozen=True, slots=True, eq=False)
class MadeReviewPlan:
    """A plan with its forecast, and what to say of it."""

    planned: PlannedReview
    forecast: ReviewForecast
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FollowedReview:
    """How far a planned review has come.

    Attributes:
        planned: the plan.
        progress: where every pair stands.
        n_more: per pair, the median of the items that it still takes; 0 where it is settled.
        sentences: of every pair, where it stands.
        notes: what the reader should know.
    """

    planned: PlannedReview
    progress: ReviewProgress
    n_more: tuple[int, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]


def plan_study_review(study: Study, request: ReviewRequest) -> MadeReviewPlan:
    """What settles the comparison of some participants of a study: the images in their order, and what they will take.

    All participants of the test set say how likely an answer is to be judged correct; only the chosen ones are compared.

    Raises:
        InputError: there is no such test set, label set or participant, or nothing is left to review.
    """
    found = open_field(study, labels=request.labels, test_set=request.test_set)
    entry = get_test_set(study, request.test_set)
    names = tuple(one.participant for one in get_predictions(study, entry, participants=request.participants))
    trusting = replace(found, trust_dataset_labels=request.trust_dataset_labels)
    plan = plan_review(trusting, names, terms=request.terms)
    forecast = forecast_review(plan, effort=request.effort)
    notes = tuple(_explain(forecast, n_simulations=plan.terms.n_simulations))
    return MadeReviewPlan(PlannedReview(plan, forecast.expect_items()), forecast, notes)


def save_review_plan(planned: PlannedReview, path: Path) -> None:
    """Write a plan to a file that does not exist yet."""
    with write_whole(path) as partial:
        write_review_plan(planned, partial)


def follow_study_review(
    study: Study, path: Path, *, labels: str | None = None, without: Collection[str] = ()
) -> FollowedReview:
    """How far a planned review has come by the verdicts of a label set.

    Args:
        study: the study; a transaction that reads is enough.
        path: the plan.
        labels: the label set with the verdicts of now; by default the latest version of the plan's own.
        without: images of the plan that were referred or whose file is missing.

    Raises:
        InputError: the plan is of another study, what it rests on has changed, it was made without a label set and none is
            named although there are some, or an image is not in the plan.
    """
    planned = load_review_plan(path)
    own, at, version = planned.plan.labels.rpartition("@")
    named = labels or (own if at else version) or None
    if named is None:
        _check_nothing_judged(study, path)
    _check_planned(without, planned)
    now = open_field(study, labels=named, test_set=planned.plan.test_set)
    return follow_planned(planned, now, without=without)


def _check_nothing_judged(study: Study, path: Path) -> None:
    """Refuse to take everything as open where verdicts may be in a label set that nobody named."""
    known = dict.fromkeys(entry.name for entry in list_label_sets(study))
    if known:
        raise InputError(
            f"{path} was made without a label set, so it does not say where the verdicts of its review are; name the label "
            f"set that has them with `labels=…`: there is {quote_first(known)}."
        )


def _check_planned(without: Collection[str], planned: PlannedReview) -> None:
    unknown = sorted(set(without) - set(planned.plan.image_ids.tolist()))
    if unknown:
        are, it = ("image is", "it") if len(unknown) == 1 else ("images are", "them")
        raise InputError(
            f"{len(unknown):,} {are} not in the plan, so `without=…` says nothing of {it}: {quote_first(unknown)}."
        )


def follow_planned(
    planned: PlannedReview, now: ReviewField, *, without: Collection[str] = (), n_simulations: int | None = None
) -> FollowedReview:
    """How far a planned review has come by the verdicts of now.

    Args:
        planned: the plan.
        now: the answers on its test set with these verdicts.
        without: images of which nothing more will be known.
        n_simulations: simulated reviews behind what is said of open pairs; as many as the plan has by default.

    Raises:
        InputError: what the plan rests on has changed.
    """
    plan = planned.plan
    progress = follow_review(plan, now, without=without)
    n_more = tuple([0] * len(plan.pairs))
    if any(one.sign is None for one in progress.standings):
        done = read_outcomes(plan, now)[:, : progress.n_reviewed]
        terms = replace(plan.terms, n_simulations=n_simulations or plan.terms.n_simulations)
        n_more = tuple(_count_more(progress, forecast_review(replace(plan, terms=terms), done=done)))
    sentences = tuple(describe_standing(*one) for one in zip(progress.standings, n_more, strict=True))
    return FollowedReview(planned, progress, n_more, sentences, tuple(_note_gaps(progress)))


def find_plan(study: Study, campaign: CampaignEntry) -> PlannedReview | None:
    """The plan that a campaign follows, as it was when the campaign was made; None where it follows none.

    Raises:
        InputError: it is not there any more, or was changed.
    """
    kept = campaign.plan.settings.get(REVIEW_PLAN.name)
    if not kept:
        return None
    text = find_document(study, campaign, REVIEW_PLAN.name) or ""
    if digest_document(text) != kept.get("digest"):
        raise InputError(
            f"The plan that campaign {campaign.name} was made by is not the one that is kept with it; bring back a backup."
        )
    return parse_review_plan(json.loads(text), Path(f"{campaign.name}.json"))


def open_field(study: Study, *, labels: str | None = None, test_set: str | None = None) -> ReviewField:
    """The first answers of everybody on a test set, with the verdicts of a label set.

    Raises:
        InputError: there is no such test set or label set, or nobody has predictions.
    """
    return load_review_field(study, get_test_set(study, test_set), labels=labels)


def describe_standing(standing: PairStanding, n_more: int) -> str:
    """Where a pair stands, in one sentence."""
    pair = f"{standing.first} against {standing.second}"
    if standing.sign is None:
        return f"{pair}: open, about {count_things(n_more, 'more item')}."
    if standing.sign == 0:
        return f"{pair}: settled, neither is ahead."
    if standing.by is SettledBy.BOUNDS:
        return f"{pair}: settled, {standing.ahead} is ahead whatever is still open."
    work = f"{count_things(standing.n_images, 'image')} with {count_things(standing.n_items, 'item')}"
    return f"{pair}: settled, {standing.ahead} is ahead, by a sample of {work}."


def _count_more(progress: ReviewProgress, forecast: ReviewForecast) -> Iterator[int]:
    for standing, expected in zip(progress.standings, forecast.expect_items(), strict=True):
        yield 0 if standing.sign is not None else max(1, round(expected.value) - standing.n_items)


def _explain(forecast: ReviewForecast, *, n_simulations: int) -> Iterator[str]:
    """Where the forecast comes from, and which pairs a sample is not for."""
    yield (
        f"The review was simulated {n_simulations:,} times, with the verdicts on open items drawn from how many participants "
        "agree. Where participants are closer than this predicts, it takes longer."
    )
    effort = forecast.effort
    yield (
        f"Answers and hours are for {count_things(effort.answers, 'verdict')} on every item, at {effort.seconds:g} s each."
    )
    for pair in forecast.pairs:
        if pair.is_early.mean() < _MOSTLY:
            yield (
                f"{pair.first} and {pair.second} are close: in most of the simulated reviews bounds settled them, not the sample."
            )


def _note_gaps(progress: ReviewProgress) -> Iterator[str]:
    if progress.n_later:
        yield (
            f"{count_things(progress.n_later, 'image')} reviewed out of turn: evidence rests on the first "
            f"{count_things(progress.n_reviewed, 'image')} of the order, up to the first that is not finished."
        )
    if progress.n_worst:
        yield f"{count_things(progress.n_worst, 'image')} without verdict entered at the worst value for either side."
