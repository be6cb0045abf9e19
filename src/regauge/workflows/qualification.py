"""Whether somebody has passed what comes before the first task of a campaign."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.records.campaigns import CampaignEntry, TaskRole
from regauge.records.quizzes import NO_QUIZ, Attempt, Qualification, QualificationState
from regauge.records.terms import Quiz
from regauge.storage.attempts import list_attempts
from regauge.storage.extra_tasks import load_extra_tasks, load_tasks_of
from regauge.storage.study import Study
from regauge.workflows.kinds import get_kind

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


def judge_attempts(attempts: tuple[Attempt, ...], quiz: Quiz) -> Qualification:
    """The same from somebody's attempts."""
    n_left = max(0, quiz.max_attempts - len(attempts))
    ended = [attempt for attempt in attempts if attempt.has_passed is not None]
    score = ended[-1].score if ended else None
    if any(attempt.has_passed for attempt in ended):
        state = QualificationState.PASSED
    elif len(ended) < len(attempts):
        state = QualificationState.TAKING
    else:
        state = QualificationState.TRAINING if n_left else QualificationState.FAILED
    return Qualification(state, n_left, score)


def check_qualified(study: Study, campaign: CampaignEntry, annotator_id: int) -> None:
    """Make sure that somebody may be given tasks.

    Raises:
        InputError: the annotator has not passed the quiz.
    """
    found = find_qualification(study, campaign, annotator_id)
    if not found.is_qualified:
        raise InputError(REFUSALS[found.state])


def list_quiz_images(study: Study, campaign: CampaignEntry, annotator_id: int) -> frozenset[int]:
    """The images that somebody was asked about in the quiz or shown as examples, by their number in the campaign."""
    if campaign.plan.terms.quiz is None:
        return frozenset()
    attempts = list_attempts(study, campaign, annotator_id=annotator_id)
    asked = {question.task_id for attempt in attempts for question in attempt.questions}
    examples = load_extra_tasks(study, campaign, TaskRole.EXAMPLE)
    shown = [*examples.values(), *load_tasks_of(study, asked).values()]
    list_images = get_kind(study, campaign.kind).task.list_images
    return frozenset(number for task in shown for number in list_images(task))
