"""Training: what people are told after an answer, what they confuse, and what they ask for more of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from regauge.errors import InputError
from regauge.estimates import Share, make_share
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import AssignmentId, is_report
from regauge.records.campaigns.evaluations import GROUP_REVIEW, get_requests, set_requests
from regauge.stats.intervals import clopper_pearson
from regauge.storage.campaigns.campaign import get_campaign, set_settings
from regauge.storage.people.pseudonyms import find_pseudonyms
from regauge.storage.study import Study
from regauge.taxonomy.picking import pick_all
from regauge.workflows.annotation.admission import get_own_campaign
from regauge.workflows.annotation.tasks import get_own_assignment
from regauge.workflows.annotation.training.lessons import (
    LessonConfusion,
    check_trains,
    count_confusions,
    find_accepted,
    find_own,
    find_uncovered,
    load_answered,
)
from regauge.workflows.guide.entries import measure_coverage

N_SUGGESTED = 5
MAX_REQUESTS = 20
BLOCK = 25
"""Answers of a point of a learning curve."""


@dataclass(frozen=True, slots=True)
class LessonFeedback:
    """What somebody is told after an answer.

    Attributes:
        is_right: whether the class that they named is accepted.
        named: that class.
        accepted: the classes that are, the dataset label first unless it was judged wrong.
    """

    is_right: bool
    named: int
    accepted: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TraineeLessons:
    """How somebody does in a training.

    Attributes:
        n: answers.
        n_right: those that were right.
        confusions: what they confuse, the most frequent first.
        requests: what they asked for more of, as they said it.
        suggested: classes that they confuse most and did not ask for, by number.
        has_group: whether they may look at everybody's answers.
    """

    n: int
    n_right: int
    confusions: tuple[LessonConfusion, ...]
    requests: tuple[str, ...]
    suggested: tuple[int, ...]
    has_group: bool = False


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A stretch of somebody's answers to images of a group of classes.

    Attributes:
        annotator: what they are called.
        group: the classes.
        first: the first answer of the stretch, counted from 1 among those to the group.
        last: the last one.
        right: the share of right answers.
    """

    annotator: str
    group: str
    first: int
    last: int
    right: Share[float | None]


def tell(study: Study, assignment_id: AssignmentId, *, annotator_id: int) -> LessonFeedback:
    """What somebody is told of an image that they answered; before that, nothing.

    Raises:
        InputError: it is not theirs, not answered yet, or nobody is trained in its campaign.
    """
    campaign, assignment = get_own_assignment(study, assignment_id, annotator_id=annotator_id)
    check_trains(campaign)
    if assignment.answer is None or is_report(assignment.answer):
        raise InputError("What is right is told after the answer.")
    (number,) = find_kind(study.around.kinds, campaign.kind).task.list_images(assignment.payload)
    accepted, named = find_accepted(study, campaign, [number])[number], int(assignment.answer["class"])
    return LessonFeedback(named in accepted, named, accepted)


def find_lessons(study: Study, campaign_id: int, *, annotator_id: int) -> TraineeLessons:
    """How somebody does in a training, and what they might ask for next.

    Raises:
        InputError: there is no such campaign, or nobody is trained in it.
        AccessError: it is for a panel that they are not on.
    """
    campaign = get_own_campaign(study, campaign_id, annotator_id=annotator_id)
    check_trains(campaign)
    found = load_answered(study, campaign)
    mine = find_own(found, annotator_id)
    confusions = count_confusions(found, mine)
    requests = tuple(get_requests(campaign.plan.settings).get(str(annotator_id), ()))
    asked = set(pick_all(study.taxonomy, requests)) if requests else set()
    both = dict.fromkeys(one for pair in confusions for one in (pair.accepted, pair.named))
    suggested = tuple(one for one in both if one not in asked)[:N_SUGGESTED]
    is_right = found.is_right
    has_group = bool(campaign.plan.settings.get(GROUP_REVIEW))
    return TraineeLessons(len(mine), sum(is_right[row] for row in mine), confusions, requests, suggested, has_group)


def request_classes(study: Study, campaign_id: int, *, annotator_id: int, names: Sequence[str]) -> tuple[str, ...]:
    """Give somebody images of some classes first, named as classes, nodes or groups; of none, all in their order again.

    Raises:
        InputError: nothing is called so, there are too many, or nobody is trained in the campaign.
        AccessError: it is for a panel that they are not on.
    """
    campaign = get_own_campaign(study, campaign_id, annotator_id=annotator_id)
    check_trains(campaign)
    wanted = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    if len(wanted) > MAX_REQUESTS:
        raise InputError(f"Ask for {MAX_REQUESTS} classes or groups at most, not {len(wanted):,}.")
    pick_all(study.taxonomy, wanted)
    requests = {**get_requests(campaign.plan.settings), str(annotator_id): list(wanted)}
    set_settings(study, campaign, set_requests(campaign.plan.settings, requests))
    return wanted


def pick_named(study: Study, words: str) -> tuple[int, ...]:
    """The classes that some words name: a class, a node of the hierarchy or a group.

    Raises:
        InputError: nothing is called so.
    """
    return pick_all(study.taxonomy, [words])


def measure_learning(  # noqa: PLR0913 - what is measured and how people are called, all by name
    study: Study,
    name: str,
    *,
    groups: Mapping[str, Sequence[int]],
    block: int = BLOCK,
    level: float = 0.95,
    with_names: bool = False,
) -> tuple[CurvePoint, ...]:
    """Per person and group of classes, the share of right answers in one stretch of their answers after the other.

    An image is of a group if its first accepted class is. Limits are those of Clopper and Pearson. People have pseudonyms unless
    names are asked for.

    Raises:
        InputError: there is no such campaign, or nobody is trained in it.
    """
    campaign = get_campaign(study, name)
    check_trains(campaign)
    found = load_answered(study, campaign)
    is_right, firsts = np.array(found.is_right, np.bool_), np.array([own[0] for own in found.accepted], np.int64)
    points, call = [], find_pseudonyms(study, with_names=with_names).call
    for place, annotator in enumerate(map(call, found.answers.names.tolist())):
        for group, classes in groups.items():
            rows = np.flatnonzero((found.answers.annotators == place) & np.isin(firsts, list(classes)))
            for start in range(0, len(rows), block):
                own = is_right[rows[start : start + block]]
                k, n = int(own.sum()), len(own)
                limits = clopper_pearson(np.array([k]), np.array([n]), level=level)
                right = make_share(k, n, limits=(limits.low[0], limits.high[0]), method="clopper-pearson")
                points.append(CurvePoint(annotator, group, start + 1, start + n, right))
    return tuple(points)


def list_uncovered(study: Study, name: str) -> tuple[tuple[int, int], ...]:
    """The classes of which the guide says nothing, with how often they were confused in a training, the most often first.

    Raises:
        InputError: there is no such campaign, or nobody is trained in it.
    """
    campaign = get_campaign(study, name)
    check_trains(campaign)
    missing = measure_coverage(study).missing
    confused = find_uncovered(load_answered(study, campaign), missing)
    rest = set(missing) - {one for one, _ in confused}
    return (*confused, *((one, 0) for one in sorted(rest)))
