"""Whether somebody may work on a campaign that has a quiz, and what they answered in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from regauge.records.campaigns.campaign import Payload


class QualificationState(StrEnum):
    """Where somebody stands before the first task of a campaign."""

    NONE = "none"
    """There is no quiz."""
    TRAINING = "training"
    """They can begin the quiz, for the first time or once more."""
    TAKING = "taking"
    """They have begun and not finished."""
    PASSED = "passed"
    FAILED = "failed"
    """They have used up all attempts."""


@dataclass(frozen=True, slots=True)
class QuizScore:
    """Right answers out of the questions of an attempt."""

    n_right: int
    n_asked: int


@dataclass(frozen=True, slots=True)
class Qualification:
    """Whether somebody may work on a campaign.

    Attributes:
        state: where they stand.
        n_attempts_left: how often they may still begin; 0 where there is no quiz.
        score: of the last attempt that was finished; None before that.
    """

    state: QualificationState
    n_attempts_left: int = 0
    score: QuizScore | None = None

    @property
    def is_qualified(self) -> bool:
        """Whether tasks are given out."""
        return self.state in {QualificationState.NONE, QualificationState.PASSED}


NO_QUIZ = Qualification(QualificationState.NONE)
"""There is nothing to pass."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of an attempt.

    Attributes:
        id: a random text; whoever knows it was asked, and it tells nothing.
        task_id: what is asked.
        answer: what was answered; None before that.
        is_right: whether that was right; None before that.
        answered_at: when; None before that.
    """

    id: str
    task_id: int
    answer: Payload | None = None
    is_right: bool | None = None
    answered_at: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at the quiz of a campaign.

    Attributes:
        id: its number in the study.
        campaign_id: whose quiz.
        annotator_id: who.
        number: counted up from 1 for each person.
        questions: in the order in which they are asked.
        has_passed: None until the last is answered; later changes of the pass mark do not touch it.
        began_at: when.
        ended_at: when the last was answered; None before that.
    """

    id: int
    campaign_id: int
    annotator_id: int
    number: int
    questions: tuple[AskedQuestion, ...]
    has_passed: bool | None
    began_at: str
    ended_at: str | None

    @property
    def n_right(self) -> int:
        """Right answers so far."""
        return sum(question.is_right is True for question in self.questions)

    @property
    def n_answered(self) -> int:
        """Answers so far."""
        return sum(question.answer is not None for question in self.questions)

    @property
    def score(self) -> QuizScore:
        """Right answers out of all questions."""
        return QuizScore(self.n_right, len(self.questions))

    @property
    def current(self) -> AskedQuestion | None:
        """The first question without an answer; None at the end."""
        return next((question for question in self.questions if question.answer is None), None)
