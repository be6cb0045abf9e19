"""What an annotator does: see where they stand, agree, get tasks, and look at the last answer again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from regauge.campaigns.eligibility import is_on_panel
from regauge.errors import AccessError, InputError
from regauge.kinds.registry import has_kind
from regauge.records.campaigns.campaign import (
    NOT_YOURS,
    Assignment,
    AssignmentId,
    CampaignEntry,
    CampaignState,
    Payload,
    Platform,
)
from regauge.records.campaigns.quizzes import NO_QUIZ, Qualification
from regauge.storage.campaigns.assignments import (
    count_answered,
    find_assignment,
    find_first_unfinished,
    find_last_answered,
    find_unanswered,
    insert_assignments,
    renew_leases,
)
from regauge.storage.campaigns.campaign import NO_CAMPAIGN, find_task, get_campaign, list_campaigns
from regauge.storage.campaigns.comments import find_returned
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.moments import format_moment
from regauge.storage.people.annotators import (
    find_annotator,
    has_consented,
    insert_consent,
)
from regauge.storage.people.visits import list_visited
from regauge.storage.study import Study
from regauge.workflows.annotation.choosing import MAX_AT_ONCE, Chooser, ChooserMemory
from regauge.workflows.annotation.qualification import check_qualified, find_qualification
from regauge.workflows.annotation.repeats import weave_repeats


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """Where an annotator stands in a campaign.

    Attributes:
        campaign: which one.
        n_answered: how many tasks they have answered.
        has_consented: whether they have agreed to its text.
        qualification: how far they are with its quiz.
        counts_all: whether that is all that they have answered, and not only what was since they came.
    """

    campaign: CampaignEntry
    n_answered: int
    has_consented: bool
    qualification: Qualification = NO_QUIZ
    counts_all: bool = True


def list_seats(study: Study, annotator_id: int, *, came_at: float = 0.0) -> tuple[AnnotatorProgress, ...]:
    """The open campaigns, and how far the annotator is in each; not those of a panel that they are not on.

    Those of a kind that this program does not have are not among them. People from a platform see those that it sent them to.

    Nothing proves who these are, so that they see how far they are since they came, in seconds since 1970.
    """
    annotator = find_annotator(study, annotator_id)
    is_sent = annotator is not None and annotator.platform is not Platform.LINK
    visited = list_visited(study, annotator_id) if is_sent else frozenset()
    return tuple(
        _find_seat(study, campaign, annotator_id, came_at)
        for campaign in list_campaigns(study)
        if campaign.state is CampaignState.OPEN
        and has_kind(study.around.kinds, campaign.kind)
        and (campaign.id in visited if is_sent else is_on_panel(campaign.plan.settings, annotator_id))
    )


def get_seat(study: Study, campaign_id: int, *, annotator_id: int, came_at: float = 0.0) -> AnnotatorProgress:
    """Where the annotator stands in a campaign, open or not; people from a platform since they came.

    Raises:
        InputError: there is no such campaign.
        AccessError: it is for a panel that they are not on.
    """
    return _find_seat(study, get_own_campaign(study, campaign_id, annotator_id=annotator_id), annotator_id, came_at)


def preview_seat(study: Study, campaign_id: int) -> AnnotatorProgress:
    """What the manager sees of a campaign before anybody else: all of it, from the beginning."""
    return AnnotatorProgress(get_campaign(study, campaign_id), 0, has_consented=False)


def get_announced(study: Study, campaign_id: int) -> CampaignEntry:
    """A campaign that is or was open; those who work must not know of others.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = get_campaign(study, campaign_id)
    if campaign.state is CampaignState.DRAFT:
        raise InputError(NO_CAMPAIGN)
    return campaign


def get_own_campaign(study: Study, campaign_id: int, *, annotator_id: int) -> CampaignEntry:
    """A campaign that is or was open to somebody: to everybody, or to a panel that they are on.

    Raises:
        InputError: there is no such campaign.
        AccessError: it is for a panel that they are not on.
    """
    campaign = get_announced(study, campaign_id)
    if not is_on_panel(campaign.plan.settings, annotator_id):
        raise AccessError("This campaign is for other people.")
    return campaign


def get_open(study: Study, campaign_id: int) -> CampaignEntry:
    """A campaign that is open.

    Raises:
        InputError: there is no such campaign, or it is closed.
    """
    campaign = get_announced(study, campaign_id)
    if campaign.state is not CampaignState.OPEN:
        raise InputError(f"Campaign {campaign.name} is {campaign.state}; there are no tasks at the moment.")
    return campaign


def consent(study: Study, campaign_id: int, *, annotator_id: int, version: int) -> None:
    """Agree to the text of a campaign.

    Raises:
        InputError: the text has changed since it was shown.
        AccessError: it is for a panel that they are not on.
    """
    campaign = get_own_campaign(study, campaign_id, annotator_id=annotator_id)
    if campaign.plan.texts.version != version:
        raise InputError("The text has changed since you opened the page; please read it again.")
    insert_consent(study, annotator_id, campaign)


def take_tasks(
    study: Study, campaign_id: int, *, annotator_id: int, n: int = 1, known: ChooserMemory | None = None
) -> tuple[Assignment, ...]:
    """Up to n tasks for an annotator: those that were returned to them, those that they have, and new ones under a lease.

    Somebody who was dropped from the campaign gets none, nor does who is not on its panel, where it has one.

    Args:
        study: the study, inside a transaction that may write.
        campaign_id: which campaign.
        annotator_id: for whom.
        n: how many at most.
        known: what is known from before; only saves time.

    Raises:
        InputError: the campaign is not open, or the annotator has not agreed to its text or not passed its quiz.
    """
    campaign = get_open(study, campaign_id)
    if not has_consented(study, annotator_id, campaign):
        raise InputError("Please agree to the text of the campaign first.")
    check_qualified(study, campaign, annotator_id)
    if annotator_id in find_dropped(study, campaign) or not is_on_panel(campaign.plan.settings, annotator_id):
        return ()
    n = max(1, min(n, MAX_AT_ONCE))
    expires_at = _find_end(study, campaign)
    returned = _list_returned(study, campaign, annotator_id)[:n]
    # What was assigned to others meanwhile does not come back.
    mine = [
        one
        for one in find_unanswered(study, campaign, annotator_id=annotator_id)
        if is_on_panel(one.payload, annotator_id)
    ]
    held = mine[: n - len(returned)]
    renew_leases(study, [one.id for one in held], expires_at=expires_at)
    wanted = n - len(returned) - len(held)
    chooser = Chooser(campaign, annotator_id, known or ChooserMemory())
    new_work = chooser.choose(study, wanted) if wanted else []
    chosen = weave_repeats(study, campaign, chosen=new_work, annotator_id=annotator_id)
    ids = insert_assignments(study, [task.id for task in chosen], annotator_id=annotator_id, expires_at=expires_at)
    new = tuple(
        Assignment(assignment_id, task.id, campaign.id, annotator_id, task.payload, expires_at)
        for assignment_id, task in zip(ids, chosen, strict=True)
    )
    return (*returned, *held, *new)


def find_previous(study: Study, campaign_id: int, *, annotator_id: int, came_at: float = 0.0) -> Assignment | None:
    """What the annotator answered last, to look at it again or change it; None before the first answer.

    Whom an id in an address let in is shown only what was answered since they came, in seconds since 1970.
    """
    campaign = get_announced(study, campaign_id)
    since = find_shown_since(study, annotator_id, came_at=came_at)
    return find_last_answered(study, campaign, annotator_id=annotator_id, since=since)


def find_shown_since(study: Study, annotator_id: int, *, came_at: float) -> str:
    """The moment from which on: empty, for all of it, where a personal link proves who they are; guests have nothing to hide.

    Whom an id in an address let in is shown only what was done since they came, in seconds since 1970: what is older may be
    somebody else's.
    """
    annotator = find_annotator(study, annotator_id)
    is_proven = annotator is None or annotator.platform is Platform.LINK
    return "" if is_proven else format_moment(datetime.fromtimestamp(came_at, UTC))


def find_start(study: Study, campaign: CampaignEntry, *, start: int = 0) -> int:
    """The position below which all tasks are done."""
    return find_first_unfinished(study, campaign, start=start)


def get_own_assignment(
    study: Study, assignment_id: AssignmentId, *, annotator_id: int
) -> tuple[CampaignEntry, Assignment]:
    """An assignment with its campaign, if it is the annotator's.

    Raises:
        InputError: the assignment is not the annotator's.
    """
    assignment = find_assignment(study, assignment_id)
    if assignment is None or assignment.annotator_id != annotator_id:
        raise InputError(NOT_YOURS)
    return get_campaign(study, assignment.campaign_id), assignment


def get_task(study: Study, task_id: int) -> tuple[CampaignEntry, Payload]:
    """A task with its campaign.

    Raises:
        InputError: there is no task of that number.
    """
    found = find_task(study, task_id)
    if found is None:
        raise InputError(f"There is no task {task_id}.")
    campaign_id, payload = found
    return get_campaign(study, campaign_id), payload


def _find_seat(study: Study, campaign: CampaignEntry, annotator_id: int, came_at: float) -> AnnotatorProgress:
    since = find_shown_since(study, annotator_id, came_at=came_at)
    n_answered = count_answered(study, campaign, annotator_id=annotator_id, since=since)
    qualification = find_qualification(study, campaign, annotator_id)
    return AnnotatorProgress(
        campaign, n_answered, has_consented(study, annotator_id, campaign), qualification, counts_all=not since
    )


def _list_returned(study: Study, campaign: CampaignEntry, annotator_id: int) -> tuple[Assignment, ...]:
    """What was returned to somebody, each with their last answer and what was said."""
    waiting = find_returned(study, campaign, annotator_id=annotator_id)
    found = ((find_assignment(study, one), words) for one, words in waiting.items())
    return tuple(replace(one, returned=words) for one, words in found if one is not None)


def _find_end(study: Study, campaign: CampaignEntry) -> str:
    return study.around.now(after=timedelta(seconds=campaign.plan.lease_seconds))
