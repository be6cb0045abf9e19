"""What Mechanical Turk charges, against its price list."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.records.campaigns.hits import HitPlan
from regauge.recruitment.hits import count_bonus_cost, count_cost


def make_plan(reward: str, *, hits: int = 1, assignments: int = 1) -> HitPlan:
    return HitPlan("Label images", "Label images", Decimal(reward), hits, assignments, 2, "https://labels.example")


@pytest.mark.parametrize(
    ("reward", "assignments", "fee"),
    [
        # 20% of 0.50 is 0.10; with ten assignments it is 40%, 0.20.
        ("0.50", 9, "0.10"),
        ("0.50", 10, "0.20"),
        # 20% of 0.01 is 0.002, and no fee is below a cent.
        ("0.01", 1, "0.01"),
        ("0.05", 1, "0.01"),
        # 20% of 0.52 is 0.104, and of 0.53 it is 0.106.
        ("0.52", 1, "0.10"),
        ("0.53", 1, "0.11"),
        # 40% of 0.06 is 0.024. A fee is never half a cent: 20% and 40% of a cent are 0.2 and 0.4 of it.
        ("0.06", 10, "0.02"),
        ("1.00", 1, "0.20"),
    ],
)
def test_the_fee_is_that_of_the_price_list(reward, assignments, fee):
    assert count_cost(make_plan(reward, assignments=assignments)).fee == Decimal(fee)


@pytest.mark.parametrize(("form", "fee"), [("{}", "0.25"), ("{}>=1", "0.25"), ("!{}", "0.20")])
def test_masters_cost_five_percent_more_however_they_are_asked_for(form, fee):
    plan = replace(make_plan("1.00"), qualifications=("hits>=5", form.format("2F1QJWKUDD8XADTFD2Q0G6UTO95ALH")))
    assert count_cost(plan).fee == Decimal(fee)


def test_the_total_is_what_everybody_gets_with_the_fee_of_each():
    # 20 HITs of 3 assignments are 60 payments of 0.50 and 0.10.
    found = count_cost(make_plan("0.50", hits=20, assignments=3))
    assert (found.n_payments, found.total) == (60, Decimal("36.00"))


def test_a_bonus_has_the_lower_fee_however_many_there_are():
    assert count_bonus_cost(50, Decimal("1.00")).total == Decimal("60.00")


@given(cents=st.integers(1, 100_000), hits=st.integers(1, 50), assignments=st.integers(1, 50))
def test_costs_are_whole_cents_and_never_below_the_rewards(cents, hits, assignments):
    found = count_cost(make_plan(str(Decimal(cents) / 100), hits=hits, assignments=assignments))
    assert found.total == found.total.quantize(Decimal("0.01"))
    assert found.total >= hits * assignments * (Decimal(cents) / 100 + Decimal("0.01"))


@pytest.mark.parametrize("reward", ["0", "-1", "0.001", "1000.01", "NaN", "Infinity"])
def test_a_reward_that_cannot_be_paid_is_refused(reward):
    with pytest.raises(InputError, match="whole cents"):
        make_plan(reward)


@pytest.mark.parametrize(
    "address",
    [
        "http://labels.example",
        "labels.example",
        "https://",
        "https://a@labels.example",
        "https://labels.example?x=1",
        "https://labels.example/x",
    ],
)
def test_an_address_that_mechanical_turk_cannot_show_is_refused(address):
    with pytest.raises(InputError, match=r"over HTTPS|begins with http|root of its host"):
        HitPlan("t", "d", Decimal("0.10"), 1, 1, 1, address)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": " "}, "title"),
        ({"description": "x" * 2_001}, "description"),
        ({"n_hits": 0}, "number of HITs"),
        ({"n_assignments": 0}, "assignments per HIT"),
        ({"n_tasks": 0}, "tasks per assignment"),
        ({"lifetime": 29}, "lifetime"),
        ({"duration": 24 * 3600 + 1}, "duration"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(change, words):
    fields = {
        "title": "t",
        "description": "d",
        "reward": Decimal("0.10"),
        "n_hits": 1,
        "n_assignments": 1,
        "n_tasks": 1,
    }
    with pytest.raises(InputError, match=words):
        HitPlan(**{**fields, "base_url": "https://labels.example", **change})
