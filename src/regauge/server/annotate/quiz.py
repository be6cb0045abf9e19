"""Training and quiz before the first task, as JSON for the page."""

from __future__ import annotations

from fastapi import APIRouter

from regauge.records.campaigns.campaign import Role
from regauge.server.annotate.api import CampaignId, Reader, State, Worker
from regauge.server.annotate.quiz_views import (
    BeginRequest,
    ExampleView,
    FeedbackView,
    QuizAnswer,
    QuizReport,
    QuizView,
    show_example,
    show_feedback,
    show_seat,
)
from regauge.server.annotate.trials import load_trial
from regauge.workflows.annotation.quizzes import (
    answer_question,
    begin_attempt,
    find_quiz_seat,
    list_examples,
    report_question,
)

router = APIRouter(prefix="/api/campaigns/{campaign_id}")


@router.get("/examples")
async def show_examples(state: State, session: Reader, campaign_id: CampaignId) -> list[ExampleView]:
    """Images with their answers, to learn from."""
    is_manager = session.role is Role.MANAGER
    who = session.annotator_id if session.role is Role.ANNOTATOR else None
    campaign, examples = await state.read(
        lambda study: list_examples(study, campaign_id, is_manager=is_manager, annotator_id=who)
    )
    return await state.beside(lambda: [show_example(state, session, campaign, one) for one in examples])


@router.get("/quiz")
async def show_quiz(state: State, session: Reader, campaign_id: CampaignId) -> QuizView:
    """Where one stands in the quiz of a campaign."""
    if session.is_trying:
        trial = await state.read(lambda study: load_trial(study, session, campaign_id))
        return await state.beside(lambda: trial.show(state, session))
    seat = await state.read(lambda study: find_quiz_seat(study, campaign_id, annotator_id=session.annotator_id))
    return await state.beside(lambda: show_seat(state, seat))


@router.post("/quiz")
async def begin_quiz(state: State, session: Worker, campaign_id: CampaignId, body: BeginRequest) -> QuizView:
    """Begin an attempt, or go on with it."""
    if session.is_trying:
        trial = await state.read(lambda study: load_trial(study, session, campaign_id))
        return await state.beside(lambda: trial.show(state, session, 0))
    seat = await state.writer.run(
        lambda study: begin_attempt(study, campaign_id, annotator_id=session.annotator_id, number=body.attempt)
    )
    return await state.beside(lambda: show_seat(state, seat))


@router.post("/quiz/answers")
async def answer_quiz(state: State, session: Worker, campaign_id: CampaignId, body: QuizAnswer) -> FeedbackView:
    """Answer the question at hand; sent again, it is answered once."""
    if session.is_trying:
        trial = await state.read(lambda study: load_trial(study, session, campaign_id))
        return await state.beside(lambda: trial.answer(state, session, body))
    seat, feedback = await state.writer.run(
        lambda study: answer_question(
            study, campaign_id, annotator_id=session.annotator_id, question_id=body.question, answer=body.answer
        )
    )
    return await state.beside(lambda: show_feedback(feedback, show_seat(state, seat)))


@router.post("/quiz/reports")
async def report_quiz(state: State, session: Worker, campaign_id: CampaignId, body: QuizReport) -> QuizView:
    """Say that the image of the question at hand is not shown, and get another question."""
    if session.is_trying:
        trial = await state.read(lambda study: load_trial(study, session, campaign_id))
        return await state.beside(lambda: trial.report(state, session, body.question))
    seat = await state.writer.run(
        lambda study: report_question(study, campaign_id, annotator_id=session.annotator_id, question_id=body.question)
    )
    return await state.beside(lambda: show_seat(state, seat))
