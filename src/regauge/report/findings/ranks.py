"""Which findings a report tells: at most six, the most important answer to each question, chosen by rank.

A finding is a claim, which says no more than its interval allows, and the evidence: the numbers with n and limits. Its
importance is a number from three parts:

- 100 where it is clear: its limits leave no doubt about the direction;
- the weight of its question, from 10 to 110;
- a size, at most 9, which decides between several drops (the larger one), several campaigns (that with more answers) and several
  reviews (that of more mistakes).

Where even that is equal, the answer about the original set of the comparison that the report leads with is told, or about the
first test set where nothing is compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MAX_FINDINGS = 6
CLEAR = 100
MAX_SIZE = 9.0


class Question(StrEnum):
    """What readers ask, the most pressing question first."""

    DROP = "What drops on the new test set, and how much of it is selection?"
    LIFT = "How far do the new labels lift each model?"
    PEOPLE = "Do people lose less on the new test set than models?"
    REMAINING = "What remains of mistakes after a review, and how severe is it?"
    TIES = "Which models cannot be told apart?"
    ORDER = "Do ranks change?"
    TASK = "How far apart are benchmark and task?"
    CLASSES = "Which classes are worst, and with what are they confused?"
    ANNOTATORS = "How good were the annotators?"
    DISPUTES = "Where do annotators disagree?"
    EFFORT = "What did it take?"

    @property
    def weight(self) -> int:
        """How much the question adds to the importance of its answers.

        >>> Question.DROP.weight, Question.EFFORT.weight
        (110, 10)
        """
        return 10 * (len(Question) - list(Question).index(self))


@dataclass(frozen=True, slots=True)
class ReportFinding:
    """The answer to a question.

    Attributes:
        question: which one.
        claim: the answer in a short sentence.
        evidence: the numbers that it rests on.
        is_clear: whether limits leave no doubt about the direction.
        size: decides between answers to the same question.
        anchor: the section that tells more.
    """

    question: Question
    claim: str
    evidence: str
    is_clear: bool
    size: float = 0.0
    anchor: str = ""

    @property
    def importance(self) -> float:
        """The number that findings are chosen by: clear ones first, then by question, then by size.

        >>> ReportFinding(Question.LIFT, "", "", is_clear=True, size=4.5).importance
        204.5
        """
        return (CLEAR if self.is_clear else 0) + self.question.weight + min(MAX_SIZE, abs(self.size))


def choose_findings(candidates: Iterable[ReportFinding], limit: int = MAX_FINDINGS) -> tuple[ReportFinding, ...]:
    """The most important answer to each question, and of these the most important, in this order; of equals the first."""
    best: dict[Question, ReportFinding] = {}
    for one in candidates:
        if one.question not in best or one.importance > best[one.question].importance:
            best[one.question] = one
    ranked = sorted(best.values(), key=lambda one: -one.importance)
    return tuple(ranked[:limit])
