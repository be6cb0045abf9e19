"""Referrals where the terms ask for new people: what this campaign showed an expert is no reason, what another showed them is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.kinds.review.reviewed_study import ask, send, told
from tests.kinds.review.test_referrals import REFERS, make_expert
from tests.server.served_study import Visitor
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.storage.campaigns.campaign import measure_progress
from regauge.workflows.annotation.barred_experts import UnreachedLabels, count_unreached, describe_unreached

__all__ = ["database", "postgres", "postgres_database", "told"]

REQUIRED = ("--new-annotators", "required")


def open_both(told: Told, *words: str) -> None:
    """A review of an image with two labels, and another one with it that asks the last of the panel alone."""
    few = told.study.paths.folder.parent / "few.csv"
    few.write_text("image_id,class\ni1,1\ni1,6\n", encoding="utf-8")
    other = ("--annotators", "1", "--panel", told.panel[2].annotator.name)
    told.run("campaign", "create", "review", "other", "--pairs", str(few), *other)
    told.run("campaign", "open", "other")
    ask(told, "--pairs", str(few), *words)


def take(told: Told, place: int, name: str = "experts", *, n: int = 5) -> tuple[Visitor, list[dict[str, Any]]]:
    visitor, campaign = told.enter(told.panel[place]), told.get(name)
    visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    return visitor, visitor.take(campaign, n) if n else []


def refer(told: Told) -> None:
    ann, (task,) = take(told, 0)
    assert send(ann, task, REFERS).status_code == 200


def test_an_expert_who_judged_the_image_in_this_campaign_gets_the_referral(told: Told) -> None:
    open_both(told, *REQUIRED)
    make_expert(told, 2, "frogs")
    expert, (task,) = take(told, 2)
    assert send(expert, task, {"verdicts": {"1": "correct", "6": "wrong"}}).status_code == 200
    refer(told)
    _, (alone,) = take(told, 2)
    assert alone["view"]["expertise"] == "frog"
    with told.study.read() as reading:
        assert count_unreached(reading, told.get("experts")) == ({}, {})


@pytest.mark.parametrize("n", [1, 5])
def test_an_expert_who_got_the_referral_first_still_judges_what_everybody_does(told: Told, n: int) -> None:
    open_both(told, *REQUIRED)
    make_expert(told, 2, "frogs")
    refer(told)
    bob, (task,) = take(told, 1)
    assert send(bob, task, {"verdicts": {"1": "correct"}}).status_code == 200
    expert, campaign, got = take(told, 2, n=0)[0], told.get("experts"), []
    while tasks := expert.take(campaign, n):
        got += [one["view"]["expertise"] for one in tasks]
        for one in tasks:
            key = "6" if one["view"]["expertise"] else "1"
            assert send(expert, one, {"verdicts": {key: "correct"}}).status_code == 200
    assert got == ["frog", ""]
    with told.study.read() as reading:
        assert measure_progress(reading, told.get("experts")).n_counted == 4


def test_an_expert_whom_another_campaign_showed_the_image_does_not_get_it_and_the_manager_is_told(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    open_both(told, *REQUIRED)
    make_expert(told, 2, "frogs")
    assert take(told, 2, "other")[1]
    refer(told)
    assert take(told, 2)[1] == []
    (sentence,) = describe_unreached("experts", UnreachedLabels({"frog": 1}, {}))
    assert "1 label waits for an expert in frog, and nobody gets it" in sentence
    page = told.enter(told.manager).get(f"/manage/campaigns/{told.get('experts').id}").text
    assert sentence in page
    capsys.readouterr()
    told.run("campaign", "referrals", "experts", "--format", "json")
    said = capsys.readouterr()
    assert sentence in " ".join(said.err.split())
    assert json.loads(said.out)["referrals"][0]["n_experts"] == 1
    # Somebody new, or other terms, let it go on.
    make_expert(told, 1, "frogs")
    with told.study.read() as reading:
        assert count_unreached(reading, told.get("experts")) == ({}, {})
    told.run("campaign", "terms", "experts", "--new-annotators", "preferred")
    assert "nobody gets it" not in told.enter(told.manager).get(f"/manage/campaigns/{told.get('experts').id}").text
    assert take(told, 2)[1][0]["view"]["expertise"] == "frog"


def test_what_nobody_is_an_expert_of_is_told_of_elsewhere(told: Told) -> None:
    open_both(told, *REQUIRED)
    take(told, 2, "other")
    refer(told)
    with told.study.read() as reading:
        assert count_unreached(reading, told.get("experts")) == ({}, {})


def test_an_expert_who_has_the_task_is_not_kept_from_it(told: Told) -> None:
    open_both(told, *REQUIRED)
    make_expert(told, 2, "frogs")
    refer(told)
    assert "frog" in [one["view"]["expertise"] for one in take(told, 2)[1]]
    assert take(told, 2, "other")[1]
    with told.study.read() as reading:
        assert count_unreached(reading, told.get("experts")) == ({}, {})


def test_where_every_expert_has_answered_without_a_verdict_the_manager_is_told(told: Told) -> None:
    open_both(told)
    make_expert(told, 2, "frogs")
    refer(told)
    expert, tasks = take(told, 2)
    mine = next(one for one in tasks if one["view"]["expertise"])
    assert send(expert, mine, {"returned": True, "comment": "I cannot tell."}).status_code == 200
    page = told.enter(told.manager).get(f"/manage/campaigns/{told.get('experts').id}").text
    assert "1 label waits for an expert in frog, and nobody is left who gets it" in page
    with told.study.read() as reading:
        assert count_unreached(reading, told.get("experts")) == ({}, {"frog": 1})
    make_expert(told, 1, "frogs")
    with told.study.read() as reading:
        assert count_unreached(reading, told.get("experts")) == ({}, {})


def test_what_is_assigned_to_others_than_experts_is_told_too(told: Told) -> None:
    open_both(told)
    make_expert(told, 2, "frogs")
    refer(told)
    told.run("campaign", "assign", "experts", "--to", told.panel[1].annotator.name, "--expertise", "frogs")
    with told.study.read() as reading:
        assert count_unreached(reading, told.get("experts")) == ({}, {"frog": 1})
