"""Whether somebody has passed what comes before the first task of a campaign."""

from __future__ import annotations

from regauge.campaigns.quizzes import judge_attempts
from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.quizzes import NO_QUIZ, Qualification, QualificationState
from regauge.storage.campaigns.attempts import list_attempts
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
