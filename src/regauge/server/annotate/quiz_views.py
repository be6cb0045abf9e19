"""What pages get to see of training and quiz: never the answer of a question before it was answered."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from regauge.records.campaigns.campaign import Assignment, AssignmentId, CampaignEntry, Payload
from regauge.server.annotate.api import NO_TASK, TaskView, show_task
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation.quizzes import Example, Feedback, QuizProgress, find_own_question
from regauge.workflows.annotation.tasks import get_task
from regauge.workflows.studies.study import Study

EXAMPLE, TRIAL = "example", "trial"
"""What ids begin with that are signed instead of stored: those of examples, and of questions that a manager tries."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class BeginRequest(_Strict):
    """Which attempt begins."""

    attempt: Annotated[int, Field(ge=1, le=100)]


class QuizAnswer(_Strict):
    """An answer to a question."""

    question: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    answer: dict[str, Any]


class QuizReport(_Strict):
    """A question whose image is not shown."""

    question: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


class QuizView(_Strict):
    """Where somebody stands: the question at hand, without its answer."""

    state: str
    n_attempts: int = 0
    n_attempts_left: int = 0
    n_questions: int = 0
    n_needed: int = 0
    n_answered: int = 0
    n_right: int = 0
    question: TaskView | None = None


class FeedbackView(_Strict):
    """Whether an answer was right, why, and what comes next."""

    is_right: bool
    shows: dict[str, Any]
    asked: dict[str, Any] | None
    next: QuizView


class ExampleView(_Strict):
    """An image with its answer."""

    image: str
    is_positive: bool
    shows: dict[str, Any]
    asked: dict[str, Any] | None


def show_seat(state: ServerState, seat: QuizProgress) -> QuizView:
    """Where somebody stands."""
    quiz, attempt = seat.campaign.plan.terms.quiz, seat.attempt
    view = QuizView(state=seat.qualification.state.value, n_attempts_left=seat.qualification.n_attempts_left)
    if quiz is not None:
        view.n_questions = quiz.n_questions
        view.n_needed = count_needed(quiz.pass_mark, quiz.n_questions)
    if attempt is not None:
        view.n_attempts, view.n_answered, view.n_right = attempt.number, attempt.n_answered, attempt.n_right
        if attempt.current is not None and seat.task is not None:
            view.question = show_question(
                state, seat.campaign, shown_id=attempt.current.id, task=seat.task, annotator_id=attempt.annotator_id
            )
    return view


def show_question(
    state: ServerState, campaign: CampaignEntry, *, shown_id: str, task: Payload, annotator_id: int
) -> TaskView:
    """One question, or one example."""
    return show_task(state, campaign, Assignment(AssignmentId(shown_id), NO_TASK, campaign.id, annotator_id, task, ""))


def show_example(state: ServerState, session: Session, campaign: CampaignEntry, example: Example) -> ExampleView:
    """One image with its answer."""
    shown_id = sign(state, session, kind=EXAMPLE, task_id=example.task_id)
    shown = show_question(state, campaign, shown_id=shown_id, task=example.task, annotator_id=session.annotator_id)
    return ExampleView(
        image=shown.images[0],
        is_positive=example.is_positive,
        shows=dict(example.shows),
        asked=None if example.asked is None else dict(example.asked),
    )


def show_feedback(feedback: Feedback, after: QuizView) -> FeedbackView:
    """What somebody learns after an answer, and what comes next."""
    return FeedbackView(
        is_right=feedback.is_right,
        shows=dict(feedback.shows),
        asked=None if feedback.asked is None else dict(feedback.asked),
        next=after,
    )


def find_quiz_task(
    study: Study, shown_id: str, *, session: Session, state: ServerState
) -> tuple[CampaignEntry, Payload] | None:
    """The example or question of that id, with its campaign; None where there is none, or it is somebody else's."""
    kind, _, rest = shown_id.partition("-")
    number = rest.partition("-")[0]
    if kind not in {EXAMPLE, TRIAL}:
        return find_own_question(study, shown_id, annotator_id=session.annotator_id)
    is_ours = number.isdecimal() and shown_id == sign(state, session, kind=kind, task_id=int(number))
    return get_task(study, int(number)) if is_ours else None


def sign(state: ServerState, session: Session, *, kind: str, task_id: int) -> str:
    """An id that only we can make, good for one person."""
    text = f"{kind}-{task_id}"
    return f"{text}-{state.sessions.sign(f'{text}-{session.annotator_id}')}"


def count_needed(pass_mark: float, n_questions: int) -> int:
    """Right answers that pass."""
    return math.ceil(pass_mark * n_questions - 1e-9)
