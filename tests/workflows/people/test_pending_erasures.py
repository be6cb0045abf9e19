"""Requests to be erased: each person's last word, until it is carried out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import add_contains, add_people, get_clock, make_pictured

from regauge.workflows.people.erasure import ask_for_erasure, erase_annotator, list_pending_erasures
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with make_pictured(tmp_path) as made:
        yield made


def ask(study: Study, who: Invitation, *, with_answers: bool) -> None:
    get_clock(study).jump(60)
    with study.begin() as begun:
        ask_for_erasure(begun, who.annotator.id, with_answers=with_answers)


def list_requests(study: Study) -> list[tuple[str, bool]]:
    with study.read() as reading:
        return [(one.annotator.name, one.with_answers) for one in list_pending_erasures(reading)]


def test_nobody_waits_before_anybody_asks(study: Study) -> None:
    assert list_requests(study) == []


def test_whoever_waits_longest_comes_first_with_their_last_word(study: Study) -> None:
    first, second, third = add_people(study, add_contains(study), 3)
    for who, with_answers in ((first, False), (second, True), (third, False), (first, True)):
        ask(study, who, with_answers=with_answers)
    names = [who.annotator.name for who in (second, third, first)]
    assert list_requests(study) == [(names[0], True), (names[1], False), (names[2], True)]


def test_a_request_that_was_carried_out_is_none_any_more(study: Study) -> None:
    first, second = add_people(study, add_contains(study), 2)
    ask(study, first, with_answers=False)
    ask(study, second, with_answers=False)
    with study.begin() as begun:
        erase_annotator(begun, first.annotator.id, reason="asked")
    assert list_requests(study) == [(second.annotator.name, False)]
