"""What a campaign will take and cost."""

from __future__ import annotations

import pytest

from regauge.campaigns.estimates import TaskTime, estimate
from regauge.errors import InputError
from regauge.kinds.classify import making as classify_making
from regauge.kinds.contains import making as contains_making
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.campaigns.terms import Pay, Terms
from regauge.records.evaluation.planning import Workforce


def test_the_arithmetic():
    terms = Terms(pay=Pay(0.2, "EUR", minimum_hourly=12.0, fee=0.25), repeats=0.1)
    plan = CampaignPlan("one", Kind("classify"), 9, terms=terms)
    found = estimate(plan, n_tasks=100, time=TaskTime(36.0, 50, "Measured."), force=Workforce(11, 0.5))
    # 100 tasks × 9 = 900 answers and 90 repeats; 990 × 36 s = 9.9 h; 9.9 / (11 × 0.5) = 1.8 days.
    assert (found.n_answers, found.n_repeats) == (900, 90)
    assert (found.hours, found.days) == pytest.approx((9.9, 1.8))
    # 990 × 0.20 = 198 EUR, and a quarter of it on top; 0.20 in 36 s is 20 an hour.
    assert (found.pay, found.fee, found.cost) == pytest.approx((198.0, 49.5, 247.5))
    assert found.hourly_pay == pytest.approx(20.0)
    assert (found.currency, found.sources[0]) == ("EUR", "Measured.")
    assert found.sources[-1] == "The pay per hour is at least the 12.00 EUR that was asked for."


def test_low_pay_is_told_before_anybody_works():
    plan = CampaignPlan("one", Kind("classify"), 9, terms=Terms(pay=Pay(0.1, minimum_hourly=12.0)))
    # 0.10 in 36 s is 10 an hour.
    low = estimate(plan, n_tasks=100, time=TaskTime(36.0, 50, "Measured."), force=Workforce())
    assert low.sources[-1] == "The pay per hour is less than the 12.00 USD that was asked for."


def test_answers_that_took_no_time_give_no_pay_per_hour():
    plan = CampaignPlan("one", Kind("classify"), 9, terms=Terms(pay=Pay(0.1, minimum_hourly=12.0)))
    found = estimate(plan, n_tasks=100, time=TaskTime(0.0, 50, "Measured."), force=Workforce())
    assert (found.hourly_pay, found.hours) == (None, 0.0)
    assert found.cost == pytest.approx(90.0)


def test_without_pay_nothing_is_free_but_unknown():
    found = estimate(CampaignPlan("one", Kind("contains"), 1), n_tasks=3, time=TaskTime(1.0, 0, ""), force=Workforce())
    assert (found.pay, found.fee, found.cost, found.hourly_pay, found.currency) == (None, None, None, None, "")


def test_a_default_says_that_it_is_one():
    grid, choice = contains_making.assume_time({"n_cells": 24}), classify_making.assume_time({})
    assert (grid.seconds, grid.n_timed, choice.seconds) == (30.0, 0, 20.0)
    assert "1.25 s per image of a grid of 24 is a default of ours" in grid.source
    assert choice.source.startswith("20 s per image is a default")


@pytest.mark.parametrize(("people", "hours"), [(0, 1.0), (1, 0.0), (1, 25.0), (10**7, 1.0)])
def test_a_workforce_has_bounds(people, hours):
    with pytest.raises(InputError, match="not"):
        Workforce(people, hours)
