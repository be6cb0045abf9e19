"""The quiz as a manager tries it: nothing is kept, and the id of a question says how far they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, Payload, Role
from regauge.records.campaigns.quizzes import QualificationState
from regauge.server.annotate.quiz_views import (
    TRIAL,
    FeedbackView,
    QuizAnswer,
    QuizView,
    count_needed,
    show_feedback,
    show_question,
    sign,
)
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation.admission import get_announced
from regauge.workflows.annotation.quizzes import NO_QUESTION, explain_answer, list_questions, parse_quiz_answer
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.studies.study import Study


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A quiz that is tried.

    Attributes:
        campaign: whose quiz.
        questions: what it asks, by the numbers of the tasks; nothing for guests, who must not learn the answers.
    """

    campaign: CampaignEntry
    questions: Mapping[int, Payload]

    def show(self, state: ServerState, session: Session, place: int | None = None) -> QuizView:
        """The question at a place; None for before the first."""
        quiz = self.campaign.plan.terms.quiz
        if quiz is None or not self.questions:
            return QuizView(state=QualificationState.NONE)
        n = len(self.questions)
        view = QuizView(
            state=QualificationState.TRAINING,
            n_attempts_left=1,
            n_questions=n,
            n_needed=count_needed(quiz.pass_mark, n),
            n_answered=place or 0,
        )
        if place is None:
            return view
        if place == n:
            return view.model_copy(update={"state": QualificationState.PASSED.value})
        task_id, task = list(self.questions.items())[place]
        question = show_question(
            state,
            self.campaign,
            shown_id=sign(state, session, kind=TRIAL, task_id=task_id),
            task=task,
            annotator_id=session.annotator_id,
        )
        return view.model_copy(update={"state": QualificationState.TAKING.value, "question": question})

    def answer(self, state: ServerState, session: Session, sent: QuizAnswer) -> FeedbackView:
        """Whether an answer is right, and the next question.

        Raises:
            InputError: the question is not one of the trial.
        """
        place = self._find(state, session, sent.question)
        task = list(self.questions.values())[place]
        parsed = parse_quiz_answer(state.study, self.campaign, task=task, answer=sent.answer)
        feedback = explain_answer(state.study, self.campaign, task=task, answer=parsed)
        return show_feedback(feedback, self.show(state, session, place + 1))

    def report(self, state: ServerState, session: Session, question: str) -> QuizView:
        """The question after one whose image is not shown.

        Raises:
            InputError: the question is not one of the trial.
        """
        return self.show(state, session, self._find(state, session, question) + 1)

    def _find(self, state: ServerState, session: Session, question: str) -> int:
        """The place of a question."""
        ids = [sign(state, session, kind=TRIAL, task_id=task_id) for task_id in self.questions]
        if question not in ids:
            raise InputError(NO_QUESTION)
        return ids.index(question)


def load_trial(study: Study, session: Session, campaign_id: int) -> Trial:
    """The quiz of a campaign, for somebody who only looks.

    Raises:
        InputError: there is no such campaign.
    """
    if session.role is not Role.MANAGER:
        return Trial(get_announced(study, campaign_id), {})
    campaign = get_campaign(study, campaign_id)
    return Trial(campaign, list_questions(study, campaign))
