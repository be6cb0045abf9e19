"""Pace, expected end, pay and cost of a running campaign, worked by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflows.busy_campaigns import ask_again
from tests.workflows.campaign_studies import (
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.terms import Pay, Terms
from regauge.records.responses.quality import CampaignPulse
from regauge.storage.campaigns.campaign import get_campaign, set_terms
from regauge.storage.moments import format_milliseconds, parse_moment
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.openings import close_campaign
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study

PAY = Pay(0.1, "EUR", minimum_hourly=12.0, fee=0.5)


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def measure(study: Study) -> CampaignPulse:
    with study.read() as reading:
        return LiveCampaigns().pulse(reading, get_campaign(reading, "grids"))


def work(study: Study, campaign: CampaignEntry, person: Invitation, *, n: int = 6, seconds: float = 36.0) -> None:
    """Answer tasks one by one, a minute each."""
    for _ in range(n):
        (one,) = take(study, campaign, person)
        get_clock(study).jump(60)
        answer(study, replace(make_answer(one), seconds=seconds))


def test_the_end_is_expected_by_the_pace_of_late(pictured):
    campaign = add_contains(pictured, quota=10)
    people = add_people(pictured, campaign, 4)
    for person in people:
        work(pictured, campaign, person)
    pulse = measure(pictured)
    # 24 answers in 24 minutes since it was opened: 56 more take as many minutes.
    assert pulse.progress.n_counted == 24
    assert pulse.expected_end is not None
    assert parse_moment(pulse.expected_end) - parse_moment(pulse.at) == 56 * 60_000
    assert pulse.expectation == "56 more answers needed; those that count came in at 60 an hour in the last 24 minutes."
    assert (pulse.n_last_hour, sum(n for _, n in pulse.answers_per_hour)) == (24, 24)
    # In the last ten minutes the fourth answered six times, and the third four times before.
    assert pulse.n_working == 2


def test_a_campaign_that_is_closed_or_done_says_so(pictured):
    campaign = add_contains(pictured, quota=1)
    (person,) = add_people(pictured, campaign, 1)
    work(pictured, campaign, person, n=5)
    with pictured.begin() as begun:
        close_campaign(begun, "grids")
    assert measure(pictured).expectation == "The campaign is closed, so no answers are coming in."
    assert measure(pictured).expected_end is None


def test_a_campaign_with_all_its_answers_expects_none(pictured):
    campaign = add_contains(pictured, quota=1)
    (person,) = add_people(pictured, campaign, 1)
    work(pictured, campaign, person, n=8)
    assert (measure(pictured).expected_end, measure(pictured).expectation) == (
        None,
        "Every task has all the answers it needs.",
    )


def test_every_stored_answer_costs_whatever_became_of_it_and_a_revision_does_not(pictured):
    campaign = add_contains(pictured, quota=2)
    first, second = add_people(pictured, campaign, 2)
    with pictured.begin() as begun:
        set_terms(begun, campaign, Terms(pay=PAY, repeats=0.5))
    (one,) = take(pictured, campaign, first)
    answer(pictured, make_answer(one), make_answer(one, "1", revision=1))
    ask_again(pictured, campaign, one, {"mask": "0"}, first)
    work(pictured, campaign, second, n=2)
    with pictured.begin() as begun:
        drop_annotator(begun, "grids", annotator=second.annotator.name, reason="guesses")
    pulse = measure(pictured)
    # One answer, its repeat, and two that were dropped: 4 × 0.10 EUR and half of it on top.
    assert (pulse.n_answers, pulse.n_repeats, pulse.n_dropped) == (4, 1, 2)
    assert pulse.cost_so_far == pytest.approx(0.6)
    # Fifteen of sixteen are missing, with half as many repeats.
    assert pulse.cost_expected == pytest.approx(0.6 + 15 * 1.5 * 0.15)
    assert pulse.currency == "EUR"


@pytest.mark.parametrize(("seconds", "hourly", "is_low"), [(36.0, 10.0, True), (30.0, 12.0, False)])
def test_pay_per_hour_is_that_of_the_median_answer(pictured, seconds, hourly, is_low):
    campaign = add_contains(pictured, quota=2)
    (person,) = add_people(pictured, campaign, 1)
    with pictured.begin() as begun:
        set_terms(begun, campaign, Terms(pay=PAY))
    work(pictured, campaign, person, n=3, seconds=seconds)
    pulse = measure(pictured)
    assert pulse.hourly_pay == pytest.approx(hourly)
    assert bool(pulse.pay_warning) is is_low
    if is_low:
        assert "10.00 EUR an hour, less than the 12.00 EUR" in pulse.pay_warning


def test_times_of_people_who_were_dropped_are_left_out_those_of_their_repeats_too(pictured):
    campaign = add_contains(pictured, quota=2)
    honest, rushed = add_people(pictured, campaign, 2)
    work(pictured, campaign, honest, n=3, seconds=30.0)
    (one,) = take(pictured, campaign, rushed)
    answer(pictured, replace(make_answer(one), seconds=1.0))
    for source in (one, *take(pictured, campaign, honest, n=4)):
        ask_again(pictured, campaign, source, {"mask": "0"}, rushed)
    with pictured.begin() as begun:
        drop_annotator(begun, "grids", annotator=rushed.annotator.name, reason="rushes")
    pulse = measure(pictured)
    assert (pulse.n_repeats, pulse.n_timed, pulse.median_seconds) == (5, 3, 30.0)


def test_moments_go_there_and_back():
    assert format_milliseconds(parse_moment("2026-01-31T12:00:00.123Z")) == "2026-01-31T12:00:00.123Z"
