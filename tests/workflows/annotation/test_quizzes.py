"""The quiz before the first task, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflows.answer_rows import load_tasks
from tests.workflows.campaign_studies import SHAPE, add_people, make_pictured, take
from tests.workflows.quiz_campaigns import (
    QUIZ,
    add_known,
    add_quizzed,
    begin,
    find_answer,
    get_current,
    respond,
    take_quiz,
)

from regauge.errors import InputError
from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignTexts, Kind, TaskRole
from regauge.records.campaigns.quizzes import Qualification, QualificationState, QuizScore
from regauge.records.campaigns.terms import Terms
from regauge.storage.campaigns.attempts import list_attempts
from regauge.storage.campaigns.campaign import find_task
from regauge.storage.campaigns.extra_tasks import load_extra_tasks
from regauge.workflows.annotation.admission import find_qualification
from regauge.workflows.annotation.choosing import list_quiz_images
from regauge.workflows.annotation.quizzes import answer_question, find_own_question, find_quiz_seat
from regauge.workflows.annotation.tasks import list_seats
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.studies.study import Study

KINDS_OF_TASK = pytest.mark.parametrize("kind", ["contains", "classify"])


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        add_known(study, tmp_path)
        yield study


def qualify(study: Study, campaign: CampaignEntry, annotator_id: int) -> Qualification:
    with study.read() as reading:
        return find_qualification(reading, campaign, annotator_id)


@KINDS_OF_TASK
def test_only_who_has_passed_gets_tasks(pictured, kind):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ), kind=kind)
    (person,) = add_people(pictured, campaign, 1)
    assert qualify(pictured, campaign, person.annotator.id) == Qualification(QualificationState.TRAINING, 2)
    with pytest.raises(InputError, match="Please pass the quiz"):
        take(pictured, campaign, person)
    begin(pictured, campaign, person)
    assert qualify(pictured, campaign, person.annotator.id) == Qualification(QualificationState.TAKING, 1)
    with pytest.raises(InputError, match="Please finish the quiz"):
        take(pictured, campaign, person)
    # 3 of 4 is the pass mark of 0.75.
    seat = take_quiz(pictured, campaign, person, n_right=3)
    assert seat.qualification == Qualification(QualificationState.PASSED, 1, QuizScore(3, 4))
    assert take(pictured, campaign, person)


@KINDS_OF_TASK
def test_who_fails_all_attempts_gets_no_tasks(pictured, kind):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ), kind=kind)
    (person,) = add_people(pictured, campaign, 1)
    assert take_quiz(pictured, campaign, person, n_right=2).qualification == Qualification(
        QualificationState.TRAINING, 1, QuizScore(2, 4)
    )
    last = take_quiz(pictured, campaign, person, number=2, n_right=0)
    assert last.qualification == Qualification(QualificationState.FAILED, 0, QuizScore(0, 4))
    with pytest.raises(InputError, match="did not pass the quiz"):
        take(pictured, campaign, person)
    with pytest.raises(InputError, match="cannot begin"):
        begin(pictured, campaign, person, 3)
    with pictured.read() as reading:
        (seat,) = list_seats(reading, person.annotator.id)
    assert seat.qualification.state is QualificationState.FAILED


def test_without_a_quiz_there_is_nothing_to_pass(pictured):
    campaign = add_quizzed(pictured, Terms())
    (person,) = add_people(pictured, campaign, 1)
    assert qualify(pictured, campaign, person.annotator.id).is_qualified
    with pytest.raises(InputError, match="has no quiz"):
        begin(pictured, campaign, person)


def test_who_has_not_agreed_cannot_begin(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ))
    (person,) = add_people(pictured, None, 1)
    with pytest.raises(InputError, match="agree to the text"):
        begin(pictured, campaign, person)


@KINDS_OF_TASK
def test_questions_are_never_about_images_that_the_campaign_asks_about(pictured, kind):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ), kind=kind)
    with pictured.read() as reading:
        asked = set()
        for task in load_tasks(reading, campaign).values():
            controls = {image for image, control in task.get("cells", []) if control}
            asked |= set(KINDS[kind].task.list_images(task)) - controls
        shown = [
            KINDS[kind].task.list_images(task)[0]
            for role in (TaskRole.EXAMPLE, TaskRole.QUESTION)
            for task in load_extra_tasks(reading, campaign, role).values()
        ]
    assert shown
    assert not asked & set(shown)
    assert len(shown) == len(set(shown))


def test_half_of_the_questions_show_the_class_and_another_attempt_has_others(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ))
    (person,) = add_people(pictured, campaign, 1)
    for number in (1, 2):
        take_quiz(pictured, campaign, person, number=number, n_right=0)
    with pictured.read() as reading:
        first, second = list_attempts(reading, campaign, annotator_id=person.annotator.id)
        pool = load_extra_tasks(reading, campaign, TaskRole.QUESTION)
    for attempt in (first, second):
        tasks = [pool[question.task_id] for question in attempt.questions]
        assert sum(task["shows"] == task["class"] for task in tasks) == 2
    assert not {one.task_id for one in first.questions} & {one.task_id for one in second.questions}


def test_an_answer_is_taken_once_and_stays_as_it_was(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ))
    (person,) = add_people(pictured, campaign, 1)
    begin(pictured, campaign, person)
    with pictured.read() as reading:
        question = get_current(reading, campaign, person)
        found = find_task(reading, question.task_id)
    assert found is not None
    seat, feedback = respond(pictured, campaign, person, find_answer(found[1], is_right=False))
    assert not feedback.is_right
    with pictured.begin() as begun:
        again, same = answer_question(
            begun,
            campaign.id,
            annotator_id=person.annotator.id,
            question_id=question.id,
            answer=find_answer(found[1], is_right=True),
        )
    assert not same.is_right
    assert again.attempt == seat.attempt


def test_beginning_twice_is_beginning_once(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ))
    (person,) = add_people(pictured, campaign, 1)
    assert begin(pictured, campaign, person).attempt == begin(pictured, campaign, person).attempt
    with pytest.raises(InputError, match="cannot begin"):
        begin(pictured, campaign, person, 2)


def test_people_who_press_twice_at_the_same_moment_begin_once(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ))
    (person,) = add_people(pictured, campaign, 1)
    with ThreadPoolExecutor(4) as pool:
        seats = list(pool.map(lambda _: begin(pictured, campaign, person), range(8)))
    assert len({seat.attempt.id for seat in seats if seat.attempt is not None}) == 1
    with pictured.read() as reading:
        assert len(list_attempts(reading, campaign, annotator_id=person.annotator.id)) == 1


def test_a_later_question_or_somebody_elses_cannot_be_answered_or_looked_at(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ))
    person, other = add_people(pictured, campaign, 2)
    attempt = begin(pictured, campaign, person).attempt
    assert attempt is not None
    current, later = attempt.questions[:2]
    begin(pictured, campaign, other)
    tries = [
        (person, later.id, "Another question"),
        (other, current.id, "no such question"),
        (person, "0" * 32, "no such"),
    ]
    for who, question_id, message in tries:
        with pictured.begin() as begun, pytest.raises(InputError, match=message):
            answer_question(
                begun, campaign.id, annotator_id=who.annotator.id, question_id=question_id, answer={"mask": "1"}
            )
    with pictured.read() as reading:
        assert find_own_question(reading, current.id, annotator_id=person.annotator.id) is not None
        assert find_own_question(reading, later.id, annotator_id=person.annotator.id) is None
        assert find_own_question(reading, current.id, annotator_id=other.annotator.id) is None


def test_what_is_no_answer_is_refused_and_leaves_the_question_open(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ))
    (person,) = add_people(pictured, campaign, 1)
    begin(pictured, campaign, person)
    with pytest.raises(InputError, match="beyond the 1 of the grid"):
        respond(pictured, campaign, person, {"mask": "2"})
    with pictured.read() as reading:
        seat = find_quiz_seat(reading, campaign.id, annotator_id=person.annotator.id)
    assert seat.attempt is not None
    assert seat.attempt.n_answered == 0


def test_selecting_every_label_is_not_right(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ), kind=Kind("classify"))
    (person,) = add_people(pictured, campaign, 1)
    task = begin(pictured, campaign, person).task
    assert task is not None
    everything = {"selected": list(task["candidates"]), "main": task["shows"]}
    assert not respond(pictured, campaign, person, everything)[1].is_right


def test_tasks_that_share_images_with_the_quiz_come_last(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=QUIZ), quota=5)
    (person,) = add_people(pictured, campaign, 1)
    take_quiz(pictured, campaign, person)
    with pictured.read() as reading:
        quizzed = list_quiz_images(reading, campaign, person.annotator.id)
        shared = {
            number: len(quizzed.intersection(KINDS[Kind("contains")].task.list_images(task)))
            for number, task in load_tasks(reading, campaign).items()
        }
    assert quizzed
    assert len(set(shared.values())) > 1
    (first,) = take(pictured, campaign, person)
    assert shared[first.task_id] == min(shared.values())


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("quiz", "controls", "message"),
    [
        (QUIZ, "pictures", "asks 4 questions, but its classes have 0 images"),
        (replace(QUIZ, n_questions=50), "known", "asks 50 questions, but its classes have 32 images"),
        (replace(QUIZ, classes=(9,)), "known", "about class 9, which campaign quizzed does not ask about"),
    ],
)
def test_a_quiz_that_cannot_be_made_is_refused(pictured, quiz, controls, message):
    plan = CampaignPlan("quizzed", Kind("contains"), 2, texts=CampaignTexts("", ""), terms=Terms(quiz=quiz))
    with pictured.begin() as begun, pytest.raises(InputError, match=message):
        create_contains(begun, plan, ContainsQuestions("pictures", None, controls, SHAPE, seed=0))
