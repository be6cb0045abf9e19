"""Estimates of campaigns from what the study has measured, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import (
    add_classify,
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.records.campaigns.campaign import NewAnswer
from regauge.records.campaigns.terms import Pay, Terms
from regauge.records.evaluation.planning import Workforce
from regauge.storage.campaigns.campaign import set_terms
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.estimates import estimate_campaign
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def test_a_first_campaign_is_estimated_by_a_default(pictured):
    add_contains(pictured, quota=2)
    with pictured.read() as reading:
        found = estimate_campaign(reading, "grids", force=Workforce(1, 1.0))
    # Eight grids of eight images, two answers each, 1.25 s per image: 16 × 10 s.
    assert (found.n_tasks, found.n_answers, found.seconds_per_task, found.n_timed) == (8, 16, 10.0, 0)
    assert found.hours == pytest.approx(160 / 3_600)
    assert "default" in found.sources[0]


def test_a_later_campaign_is_estimated_by_the_answers_of_the_kind_but_not_of_those_who_were_dropped(pictured):
    first = add_contains(pictured, "first", quota=10)
    *people, hasty = add_people(pictured, first, 5)
    for person in (*people, hasty):
        seconds = 0.1 if person is hasty else 16.0
        while taken := take(pictured, first, person, n=5):
            for one in taken:
                get_clock(pictured).jump(seconds)
                answer(pictured, replace(make_answer(one), seconds=seconds))
    with pictured.begin() as begun:
        drop_annotator(begun, "first", annotator=hasty.annotator.name, reason="hurried")
    second = add_contains(pictured, "second", quota=3, is_open=False)
    add_classify(pictured, "labels")
    with pictured.begin() as begun:
        set_terms(begun, second, Terms(pay=Pay(0.1)))
    with pictured.read() as reading:
        found, other = estimate_campaign(reading, "second"), estimate_campaign(reading, "labels")
    # Four people answered eight grids each in 16 s.
    assert found.seconds_per_task == pytest.approx(16.0)
    assert found.n_timed == 32
    assert "the median of 32 answers to contains campaigns" in found.sources[0]
    assert found.cost == pytest.approx(24 * 0.1)
    assert (other.seconds_per_task, other.n_timed) == (20.0, 0)


def test_nineteen_answers_are_too_few(pictured):
    campaign = add_contains(pictured, quota=10)
    people = add_people(pictured, campaign, 4)
    sent = 0
    for person in people:
        while sent < 19 and (taken := take(pictured, campaign, person)):
            answer(pictured, NewAnswer(f"one-{sent:04d}", taken[0].id, person.annotator.id, {"mask": "0"}, 5.0))
            sent += 1
    with pictured.read() as reading:
        assert estimate_campaign(reading, "grids").n_timed == 0
