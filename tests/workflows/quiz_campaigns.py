"""Campaigns with a quiz or repeats for tests, and people who take them."""

from __future__ import annotations

from pathlib import Path

from tests.workflows.campaign_studies import LEASE, SHAPE, write_pictures

from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignTexts, Kind, Payload
from regauge.records.campaigns.quizzes import AskedQuestion
from regauge.records.campaigns.terms import Quiz, Terms
from regauge.storage.campaigns.campaign import find_task
from regauge.workflows.annotation.quizzes import Feedback, QuizProgress, answer_question, begin_attempt, find_quiz_seat
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import (
    ClassifyQuestions,
    ContainsQuestions,
    create_classify,
    create_contains,
)
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

CONTAINS = Kind("contains")

QUIZ = Quiz(4, pass_mark=0.75, max_attempts=2)


def add_known(study: Study, folder: Path) -> None:
    """A test set to take controls from."""
    with study.begin() as begun:
        add_test_set(begun, write_pictures(folder / "known", prefix="k", n_images=32), name="known")


def add_quizzed(study: Study, terms: Terms, *, kind: Kind = CONTAINS, quota: int = 2, n: int = 5) -> CampaignEntry:
    """An open campaign about the pictures, with controls from the known ones."""
    plan = CampaignPlan("quizzed", kind, quota, LEASE, CampaignTexts("Look.", "Agree?", training="Learn."), terms=terms)
    with study.begin() as begun:
        if kind == Kind("contains"):
            create_contains(begun, plan, ContainsQuestions("pictures", None, "known", SHAPE, seed=0))
        else:
            candidates = {f"i{number}": [number % 4, 7, 9] for number in range(n)}
            create_classify(begun, plan, ClassifyQuestions(candidates, "pictures", 0, "known"))
        return open_campaign(begun, "quizzed")


def begin(study: Study, campaign: CampaignEntry, who: Invitation, number: int = 1) -> QuizProgress:
    """Begin an attempt in a transaction of its own."""
    with study.begin() as begun:
        return begin_attempt(begun, campaign.id, annotator_id=who.annotator.id, number=number)


def respond(study: Study, campaign: CampaignEntry, who: Invitation, answer: Payload) -> tuple[QuizProgress, Feedback]:
    """Answer the question at hand."""
    with study.begin() as begun:
        question = get_current(begun, campaign, who)
        return answer_question(
            begun, campaign.id, annotator_id=who.annotator.id, question_id=question.id, answer=answer
        )


def get_current(study: Study, campaign: CampaignEntry, who: Invitation) -> AskedQuestion:
    """The question at hand."""
    attempt = find_quiz_seat(study, campaign.id, annotator_id=who.annotator.id).attempt
    assert attempt is not None
    assert attempt.current is not None
    return attempt.current


def find_answer(task: Payload, *, is_right: bool) -> Payload:
    """What somebody who knows, or does not, answers to a question."""
    if "class" in task:
        return {"mask": "1" if (task["shows"] == task["class"]) is is_right else "0"}
    label = task["shows"] if is_right else next(one for one in task["candidates"] if one != task["shows"])
    return {"selected": [label], "main": label}


def take_quiz(
    study: Study, campaign: CampaignEntry, who: Invitation, *, number: int = 1, n_right: int = 4
) -> QuizProgress:
    """A whole attempt, with so many right answers at first."""
    seat = begin(study, campaign, who, number)
    assert seat.attempt is not None
    for place, question in enumerate(seat.attempt.questions):
        with study.read() as reading:
            found = find_task(reading, question.task_id)
        assert found is not None
        seat, feedback = respond(study, campaign, who, find_answer(found[1], is_right=place < n_right))
        assert feedback.is_right is (place < n_right)
    return seat
