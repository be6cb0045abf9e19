"""Changing the terms of a campaign, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import add_people, make_pictured, take
from tests.workflows.quiz_campaigns import QUIZ, add_known, add_quizzed, take_quiz

from regauge.errors import InputError
from regauge.records.campaigns.quizzes import QualificationState
from regauge.records.campaigns.terms import Pay, Prolific, Quiz, Terms
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.events import list_events
from regauge.workflows.annotation.admission import find_qualification
from regauge.workflows.campaigns.terms import revise_terms
from regauge.workflows.campaigns.texts import revise_texts
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        add_known(study, tmp_path)
        yield study


def revise(study: Study, terms: Terms) -> None:
    with study.begin() as begun:
        revise_terms(begun, "quizzed", terms)


def test_new_terms_hold_and_the_log_has_the_old_ones(pictured):
    add_quizzed(pictured, Terms(pay=Pay(0.1)))
    new = Terms(pay=Pay(0.2, minimum_hourly=12.0), break_minutes=30)
    revise(pictured, new)
    with pictured.read() as reading:
        assert get_campaign(reading, "quizzed").plan.terms == new
        event = list_events(reading)[-1]
    assert event.what == "campaign terms"
    assert event.parameters["before"]["pay"]["per_task"] == 0.1
    assert event.parameters["after"]["pay"]["per_task"] == 0.2
    assert set(event.parameters["after"]) == {"pay", "break_minutes"}


def test_codes_do_not_go_into_the_log(pictured):
    add_quizzed(pictured, Terms())
    revise(pictured, Terms(prolific=Prolific("SECRETCODE")))
    with pictured.read() as reading:
        assert "SECRETCODE" not in str(list_events(reading)[-1].parameters)


def test_an_easier_quiz_does_not_change_what_was_failed_and_more_attempts_let_people_try_again(pictured):
    campaign = add_quizzed(pictured, Terms(quiz=replace(QUIZ, max_attempts=1)))
    (person,) = add_people(pictured, campaign, 1)
    take_quiz(pictured, campaign, person, n_right=2)
    revise(pictured, Terms(quiz=replace(QUIZ, max_attempts=1, pass_mark=0.5)))
    with pictured.read() as reading:
        changed = get_campaign(reading, "quizzed")
        assert find_qualification(reading, changed, person.annotator.id).state is QualificationState.FAILED
    revise(pictured, Terms(quiz=replace(QUIZ, max_attempts=2, pass_mark=0.5)))
    take_quiz(pictured, campaign, person, number=2, n_right=2)
    assert take(pictured, campaign, person)


@pytest.mark.parametrize(
    ("quiz", "message"),
    [
        (None, "was decided when it was made"),
        (replace(QUIZ, n_questions=5), "only pass mark and attempts"),
        (replace(QUIZ, classes=(1,)), "only pass mark and attempts"),
        (QUIZ, "has these terms already"),
    ],
)
def test_the_questions_of_a_quiz_stay(pictured, quiz: Quiz | None, message: str):
    add_quizzed(pictured, Terms(quiz=QUIZ))
    with pytest.raises(InputError, match=message):
        revise(pictured, Terms(quiz=quiz))


def test_a_new_text_leaves_the_others_as_they_were(pictured):
    add_quizzed(pictured, Terms())
    with pictured.begin() as begun:
        texts = revise_texts(begun, "quizzed", warning="Mind the gap.").plan.texts
    assert (texts.instructions, texts.consent, texts.training) == ("Look.", "Agree?", "Learn.")
    assert (texts.warning, texts.version) == ("Mind the gap.", 2)


@pytest.mark.parametrize("change", [{}, {"consent": "Agree?"}, {"warning": None}])
def test_nobody_is_asked_to_agree_again_to_the_same_texts(pictured, change):
    add_quizzed(pictured, Terms())
    with pictured.begin() as begun, pytest.raises(InputError, match="has these texts already"):
        revise_texts(begun, "quizzed", **change)
    with pictured.read() as reading:
        assert get_campaign(reading, "quizzed").plan.texts.version == 1
