"""The quiz before the first task: begin, answer with feedback, pass or try again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from regauge.campaigns.quizzes import has_passed, is_positive, judge_attempts, pick_questions
from regauge.errors import InputError
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry, Payload, TaskRole, is_report
from regauge.records.campaigns.quizzes import NO_QUIZ, AskedQuestion, Attempt, Qualification, QualificationState
from regauge.records.campaigns.terms import Quiz
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.guide.images import NOTHING_HIDDEN
from regauge.records.taxonomy import describe_class
from regauge.storage.campaigns.attempts import insert_attempt, list_attempts, list_own_attempts, update_attempt
from regauge.storage.campaigns.campaign import get_campaign, get_shown
from regauge.storage.campaigns.extra_tasks import load_extra_tasks
from regauge.storage.campaigns.image_failures import count_claims, note_failures
from regauge.storage.campaigns.ledgers import load_image_keys
from regauge.storage.people.annotators import has_consented
from regauge.storage.study import Study
from regauge.workflows.annotation.admission import get_announced, get_open
from regauge.workflows.exposure.memories import EvaluatedMemory

NO_QUESTION = "There is no such question of yours."
MAX_CLAIMS = 5
"""How often somebody may say that an image does not come, while the server knows no reason, and get another question."""


@dataclass(frozen=True, slots=True)
class QuizProgress:
    """Where somebody stands in the quiz of a campaign.

    Attributes:
        campaign: whose quiz.
        qualification: whether they may work.
        attempt: the attempt that goes on, or else the last; None before the first.
        task: what the next question asks; None where there is none.
    """

    campaign: CampaignEntry
    qualification: Qualification
    attempt: Attempt | None
    task: Payload | None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody learns after an answer.

    Attributes:
        is_right: whether it was right.
        shows: what the image shows, by names and gloss.
        asked: what was asked for, by names and gloss; None where labels were.
    """

    is_right: bool
    shows: Mapping[str, Any]
    asked: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Example:
    """An image with its answer, to learn from."""

    task_id: int
    task: Payload
    shows: Mapping[str, Any]
    asked: Mapping[str, Any] | None

    @property
    def is_positive(self) -> bool:
        """Whether the image shows what is asked for."""
        return is_positive(self.task)


def find_quiz_seat(study: Study, campaign_id: int, *, annotator_id: int) -> QuizProgress:
    """Where somebody stands in the quiz of a campaign.

    Raises:
        InputError: there is no such campaign.
    """
    return _find_seat(study, get_announced(study, campaign_id), annotator_id)


def begin_attempt(study: Study, campaign_id: int, *, annotator_id: int, number: int) -> QuizProgress:
    """Begin an attempt; one that was begun before goes on with the questions that it has.

    Args:
        study: the study, inside a transaction that may write.
        campaign_id: which campaign.
        annotator_id: who.
        number: which attempt, counted from 1: sent twice, it is begun once.

    Raises:
        InputError: the campaign is not open or has no quiz, the annotator has not agreed to its text, or no attempt is left.
    """
    campaign = get_open(study, campaign_id)
    if not has_consented(study, annotator_id, campaign):
        raise InputError("Please agree to the text of the campaign first.")
    quiz = _get_quiz(campaign)
    attempts = list_attempts(study, campaign, annotator_id=annotator_id)
    if not 1 <= number <= len(attempts):
        found = judge_attempts(attempts, quiz)
        if found.state is not QualificationState.TRAINING or number != len(attempts) + 1:
            raise InputError("This attempt at the quiz cannot begin; please reload the page.")
        questions = _pick_questions(study, campaign, attempts, annotator_id)
        insert_attempt(study, campaign, annotator_id=annotator_id, number=number, questions=questions)
    return _find_seat(study, campaign, annotator_id)


def answer_question(
    study: Study, campaign_id: int, *, annotator_id: int, question_id: str, answer: Payload
) -> tuple[QuizProgress, Feedback]:
    """Answer the question at hand and learn whether that was right; an answer that was given before stays as it was.

    Raises:
        InputError: the question is not the annotator's, another one comes first, or the answer does not fit it.
    """
    campaign = get_announced(study, campaign_id)
    attempts = list_attempts(study, campaign, annotator_id=annotator_id)
    attempt = next((one for one in attempts if any(asked.id == question_id for asked in one.questions)), None)
    if attempt is None:
        raise InputError(NO_QUESTION)
    asked = next(one for one in attempt.questions if one.id == question_id)
    task = get_shown(study, asked.task_id)
    if asked.answer is None:
        if asked != attempt.current:
            raise InputError("Another question comes first; please reload the page.")
        asked = _take_answer(study, campaign, attempt, asked, answer)
    assert asked.answer is not None  # noqa: S101 - it was answered, before or now
    return _find_seat(study, campaign, annotator_id), explain_answer(study, campaign, task=task, answer=asked.answer)


def report_question(study: Study, campaign_id: int, *, annotator_id: int, question_id: str) -> QuizProgress:
    """Say that the image of the question at hand is not shown; another question comes in its place, and the image is noted.

    Raises:
        InputError: the question is not the annotator's, another one comes first, there is no other question whose answer they
            have not been told, or they have said so `MAX_CLAIMS` times of images that the server could show.
    """
    campaign = get_announced(study, campaign_id)
    attempts = list_attempts(study, campaign, annotator_id=annotator_id)
    attempt = next((one for one in attempts if one.current is not None and one.current.id == question_id), None)
    if attempt is None or attempt.current is None:
        raise InputError(NO_QUESTION)
    if count_claims(study, campaign.id, annotator_id=annotator_id) >= MAX_CLAIMS:
        raise InputError(
            "Many images could not be shown to you. Please try another browser, or tell the person who sent you here."
        )
    told = {question.task_id for one in attempts for question in one.questions if question.answer is not None}
    asked = {question.task_id for question in attempt.questions}
    pool = _load_pool(study, campaign, annotator_id)
    left = {task_id: task for task_id, task in pool.items() if task_id not in asked | told}
    if not left:
        raise InputError("There is no other question. Please come back later, or tell the person who sent you here.")
    used = {question.task_id for one in attempts for question in one.questions}
    (chosen,) = pick_questions(left, n=1, used=used, rng=study.around.rng)
    new = AskedQuestion(secrets.token_hex(16), chosen)
    questions = tuple(new if one.id == question_id else one for one in attempt.questions)
    update_attempt(study, replace(attempt, questions=questions))
    task = get_shown(study, attempt.current.task_id)
    reasons = dict.fromkeys(find_kind(study.around.kinds, campaign.kind).task.list_images(task), "")
    note_failures(study, campaign.id, reasons, annotator_id=annotator_id)
    return _find_seat(study, campaign, annotator_id)


def parse_quiz_answer(study: Study, campaign: CampaignEntry, *, task: Payload, answer: Payload) -> Payload:
    """The answer to a question in its canonical form.

    Raises:
        InputError: the answer does not fit the question.
    """
    parsed = find_kind(study.around.kinds, campaign.kind).task.parse(task, answer)
    if is_report(parsed):
        raise InputError("An image that is not shown is reported, not answered.")
    return parsed


def explain_answer(study: Study, campaign: CampaignEntry, *, task: Payload, answer: Payload) -> Feedback:
    """Whether a parsed answer is right, and why."""
    shows, asked = _describe(study, task)
    return Feedback(find_kind(study.around.kinds, campaign.kind).task.is_right(task, answer), shows, asked)


def list_examples(
    study: Study, campaign_id: int, *, is_manager: bool = False, annotator_id: int | None = None
) -> tuple[CampaignEntry, tuple[Example, ...]]:
    """The campaign and its images with answers, to learn from; to a manager also those of a campaign not yet open.

    Somebody who is to be measured by some of these images is not shown them.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = (get_campaign if is_manager else get_announced)(study, campaign_id)
    tasks = load_extra_tasks(study, campaign, TaskRole.EXAMPLE)
    if annotator_id is not None:
        tasks = _leave_out_evaluated(study, campaign, tasks, annotator_id=annotator_id)
    return campaign, tuple(Example(task_id, task, *_describe(study, task)) for task_id, task in tasks.items())


def list_questions(study: Study, campaign: CampaignEntry) -> dict[int, Payload]:
    """What a quiz may ask, as a manager tries it: as many questions as an attempt has; none where there is no quiz."""
    quiz = campaign.plan.terms.quiz
    found = load_extra_tasks(study, campaign, TaskRole.QUESTION)
    return dict(islice(found.items(), 0 if quiz is None else quiz.n_questions))


def find_own_question(study: Study, question_id: str, *, annotator_id: int) -> tuple[CampaignEntry, Payload] | None:
    """What a question that somebody was asked shows, with its campaign; None where it is not a question of theirs.

    Only what they have been asked so far can be looked at: the questions that come next are not theirs yet.
    """
    for attempt in list_own_attempts(study, annotator_id):
        for asked in attempt.questions[: attempt.n_answered + 1]:
            if asked.id == question_id:
                return get_campaign(study, attempt.campaign_id), get_shown(study, asked.task_id)
    return None


def _find_seat(study: Study, campaign: CampaignEntry, annotator_id: int) -> QuizProgress:
    quiz = campaign.plan.terms.quiz
    if quiz is None:
        return QuizProgress(campaign, NO_QUIZ, None, None)
    attempts = list_attempts(study, campaign, annotator_id=annotator_id)
    last = attempts[-1] if attempts else None
    current = None if last is None else last.current
    task = None if current is None else get_shown(study, current.task_id)
    return QuizProgress(campaign, judge_attempts(attempts, quiz), last, task)


def _pick_questions(
    study: Study, campaign: CampaignEntry, attempts: tuple[Attempt, ...], annotator_id: int
) -> list[AskedQuestion]:
    pool, n_questions = _load_pool(study, campaign, annotator_id), _get_quiz(campaign).n_questions
    if len(pool) < n_questions:
        raise InputError(
            "Too few images are left for your quiz, as others are kept for an evaluation that you take part in. Please tell the "
            "person who sent you here."
        )
    used = {question.task_id for attempt in attempts for question in attempt.questions}
    seed = int(campaign.plan.settings.get("seed", 0))
    rng = np.random.default_rng([seed, campaign.id, annotator_id, len(attempts)])
    chosen = pick_questions(pool, n=n_questions, used=used, rng=rng)
    return [AskedQuestion(secrets.token_hex(16), task_id) for task_id in chosen]


def _load_pool(study: Study, campaign: CampaignEntry, annotator_id: int) -> dict[int, Payload]:
    """What the quiz may ask somebody, by the numbers of its tasks."""
    pool = load_extra_tasks(study, campaign, TaskRole.QUESTION)
    return _leave_out_evaluated(study, campaign, pool, annotator_id=annotator_id)


def _leave_out_evaluated(
    study: Study, campaign: CampaignEntry, tasks: Mapping[int, Payload], *, annotator_id: int
) -> dict[int, Payload]:
    """Those of some tasks that show no image by which somebody is to be measured: here they would learn what is right."""
    evaluated = EvaluatedMemory().get(study, annotator_id, role=ExposureRole.TRAINEE)
    if evaluated == NOTHING_HIDDEN or not tasks:
        return dict(tasks)
    list_images = find_kind(study.around.kinds, campaign.kind).task.list_images
    keys = load_image_keys(study, campaign)
    hidden = {
        number
        for number, (image_id, sha256) in enumerate(keys)
        if image_id in evaluated.image_ids or sha256 in evaluated.digests
    }
    return {task_id: task for task_id, task in tasks.items() if hidden.isdisjoint(list_images(task))}


def _take_answer(
    study: Study, campaign: CampaignEntry, attempt: Attempt, asked: AskedQuestion, answer: Payload
) -> AskedQuestion:
    task = get_shown(study, asked.task_id)
    is_right = find_kind(study.around.kinds, campaign.kind).task.is_right
    parsed = parse_quiz_answer(study, campaign, task=task, answer=answer)
    now = study.around.now()
    done = replace(asked, answer=dict(parsed), is_right=is_right(task, parsed), answered_at=now)
    questions = tuple(done if one.id == done.id else one for one in attempt.questions)
    after = replace(attempt, questions=questions)
    if after.current is None:
        after = replace(after, has_passed=has_passed(after, _get_quiz(campaign)), ended_at=now)
    update_attempt(study, after)
    return done


def _get_quiz(campaign: CampaignEntry) -> Quiz:
    if campaign.plan.terms.quiz is None:
        raise InputError(f"Campaign {campaign.name} has no quiz.")
    return campaign.plan.terms.quiz


def _describe(study: Study, task: Payload) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """What an image shows, and what was asked for, if that was one class."""
    classes = study.taxonomy.classes
    return describe_class(classes[task["shows"]]), describe_class(classes[task["class"]]) if "class" in task else None
