"""Who may work at a campaign: it is open, it is for them, and they have passed its quiz; and what eligibility goes by."""

from __future__ import annotations

from regauge.campaigns.eligibility import Taker, is_on_panel
from regauge.campaigns.quizzes import judge_attempts
from regauge.errors import AccessError, InputError
from regauge.records.campaigns.campaign import CampaignEntry, CampaignState
from regauge.records.campaigns.quizzes import NO_QUIZ, Qualification, QualificationState
from regauge.storage.campaigns.assignments import list_given_positions
from regauge.storage.campaigns.attempts import list_attempts
from regauge.storage.campaigns.campaign import NO_CAMPAIGN, get_campaign
from regauge.storage.people.expertises import find_expertises
from regauge.storage.study import Study

REFUSALS = {
    QualificationState.TRAINING: "Please pass the quiz of the campaign first.",
    QualificationState.TAKING: "Please finish the quiz of the campaign first.",
    QualificationState.FAILED: "You did not pass the quiz of the campaign, so there are no tasks for you. Thank you for trying.",
}


def find_qualification(study: Study, campaign: CampaignEntry, annotator_id: int) -> Qualification:
    """Where somebody stands before the first task of a campaign."""
    quiz = campaign.plan.terms.quiz
    if quiz is None:
        return NO_QUIZ
    return judge_attempts(list_attempts(study, campaign, annotator_id=annotator_id), quiz)


def check_qualified(study: Study, campaign: CampaignEntry, annotator_id: int) -> None:
    """Make sure that somebody may be given tasks.

    Raises:
        InputError: the annotator has not passed the quiz.
    """
    found = find_qualification(study, campaign, annotator_id)
    if not found.is_qualified:
        raise InputError(REFUSALS[found.state])


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


def find_taker(study: Study, campaign: CampaignEntry, annotator_id: int) -> Taker:
    """Somebody who wants a task, with what they were given and have answered."""
    given, answered = (
        list_given_positions(study, campaign, annotator_id=annotator_id, is_answered=is_answered)
        for is_answered in (False, True)
    )
    own = find_expertises(study, annotator_id)
    return Taker(annotator_id, given.get(annotator_id, set()), answered.get(annotator_id, set()), own)
