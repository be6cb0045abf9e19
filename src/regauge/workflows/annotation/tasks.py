"""What an annotator does: see where they stand, agree, and look at the last answer again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from regauge.campaigns.eligibility import is_on_panel
from regauge.errors import InputError
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
from regauge.records.campaigns.evaluations import withholds
from regauge.records.campaigns.quizzes import NO_QUIZ, Qualification
from regauge.storage.campaigns.assignments import (
    count_answered,
    find_assignment,
    find_first_unfinished,
    find_last_answered,
    note_shown,
)
from regauge.storage.campaigns.campaign import find_task, get_campaign, list_campaigns
from regauge.storage.moments import format_moment, parse_moment
from regauge.storage.people.annotators import (
    find_annotator,
    has_consented,
    insert_consent,
)
from regauge.storage.people.visits import list_visited
from regauge.storage.study import Study
from regauge.workflows.annotation.admission import find_qualification, get_announced, get_own_campaign


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


def find_previous(study: Study, campaign_id: int, *, annotator_id: int, came_at: float = 0.0) -> Assignment | None:
    """What the annotator answered last, to look at it again or change it; None before the first answer.

    Whom an id in an address let in is shown only what was answered since they came, in seconds since 1970. Once a campaign that
    tested them is closed they are shown nothing of it, unless the study allows it.
    """
    campaign = get_announced(study, campaign_id)
    if campaign.state is CampaignState.CLOSED and withholds(campaign.plan.settings):
        return None
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


def note_on_screen_since(
    study: Study, assignment_id: AssignmentId, *, annotator_id: int, seconds_ago: float = 0.0
) -> None:
    """Keep since when a page shows a task to whoever has it; the first moment that is told holds.

    Raises:
        InputError: the assignment is not the annotator's.
    """
    assignment = find_assignment(study, assignment_id)
    if assignment is None or assignment.annotator_id != annotator_id:
        raise InputError(NOT_YOURS)
    note_shown(study, assignment_id, at=study.around.now(after=-timedelta(seconds=seconds_ago)))


def find_shown_seconds(study: Study, assignment: Assignment) -> float | None:
    """How long a task is on somebody's screen by now, whatever page showed it; of one that was answered, as long as it took.

    None where no page has said that it shows it.
    """
    if assignment.answer is not None or assignment.shown_at is None:
        return assignment.shown_seconds
    return max(0.0, (parse_moment(study.around.now()) - parse_moment(assignment.shown_at)) / 1_000)


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
