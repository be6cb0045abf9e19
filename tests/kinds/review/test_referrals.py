"""Labels that reviewers refer: they leave the tasks of the others, reach experts alone, and an expert's verdict stands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.review.reviewed_study import answer_all, ask, send, told
from tests.server.served_study import Visitor
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.campaigns.eligibility import EXPERTISE
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.kinds.review.referrals import has_open, list_marked, mark, split_off
from regauge.kinds.review.task import make_review_task, parse, view
from regauge.records.campaigns.referrals import Referral, ReferralCount
from regauge.records.labels.evidence import ExpertVote
from regauge.records.labels.verdicts import Verdict
from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import find_verdicts, get_label_set
from regauge.workflows.annotation.referrals import count_referrals
from regauge.workflows.campaigns.assigning import drop_annotator, restore_annotator
from regauge.workflows.campaigns.rounds import extend_campaign
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.people.expertises import change_expertises

__all__ = ["database", "postgres", "postgres_database", "told"]

REFERS = {"verdicts": {"1": "correct"}, "refers": {"6": "Frogs"}}
WRONG = {"verdicts": {"1": "correct", "6": "wrong"}}


def find_second(visitor: Visitor, told: Told) -> Mapping[str, Any]:
    """The task of the second image, which alone has two labels; others are answered on the way."""
    while tasks := visitor.take(told.get("experts"), 5):
        for task in tasks:
            keys = [one["key"] for one in task["view"]["items"]]
            if len(keys) == 2:
                return task
            assert send(visitor, task, {"verdicts": dict.fromkeys(keys, "correct")}).status_code == 200
    raise AssertionError("the second image was not given")


def enter(told: Told, place: int) -> Visitor:
    visitor = told.enter(told.panel[place])
    visitor.post(f"/api/campaigns/{told.get('experts').id}/consent", {"version": 1})
    return visitor


def make_expert(told: Told, place: int, words: str) -> str:
    name = told.panel[place].annotator.name
    told.run("annotators", "expertise", name, "--add", words)
    return name


def refer(told: Told) -> tuple[Visitor, Mapping[str, Any]]:
    """The first reviewer refers the frog."""
    visitor = enter(told, 0)
    task = find_second(visitor, told)
    reply = send(visitor, task, REFERS)
    assert reply.status_code == 200, reply.text
    return visitor, task


def count(told: Told) -> tuple[ReferralCount, ...]:
    with told.study.read() as begun:
        return count_referrals(begun, told.get("experts"))


def test_a_referred_label_leaves_the_queue_and_an_experts_verdict_stands_alone(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(told)
    carol = make_expert(told, 2, "animals")
    refer(told)
    assert count(told) == (ReferralCount("frog", 1, 0, 1),)
    # The others are not asked about it any more; whoever has the page open is still heard.
    bob = enter(told, 1)
    asked = find_second(bob, told)["view"]["items"]
    assert {one["key"]: one.get("referred") for one in asked} == {"1": None, "6": "frog"}
    assert told.panel[0].annotator.name not in json.dumps(asked)
    assert send(bob, find_second(enter(told, 1), told), WRONG).status_code == 200
    # The expert gets it before anything else, alone, and is told why.
    expert = enter(told, 2)
    (first, *_) = expert.take(told.get("experts"), 1)
    assert [one["key"] for one in first["view"]["items"]] == ["6"]
    assert first["view"]["expertise"] == "frog"
    assert send(expert, first, {"verdicts": {"6": "correct"}, "comment": "its feet"}).status_code == 200
    assert count(told) == (ReferralCount("frog", 0, 1, 1),)
    answer_all(told, said={})
    told.run("campaign", "labels", "experts", "--preview")
    assert "1 verdict of one expert alone, to whom reviewers referred the label." in " ".join(
        capsys.readouterr().err.split()
    )
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.read() as begun:
        entry = get_label_set(begun, "known")
        found = find_verdicts(begun, entry, image_ids=["i1"])
        evidence = find_evidence(begun, entry).by_pair["i1", 6]
        progress = measure_progress(begun, told.get("experts"))
    assert found["i1"][6] is Verdict.CORRECT
    assert (evidence.is_expert, evidence.rule, evidence.note) == (
        True,
        "an expert's verdict, after a referral",
        "its feet",
    )
    assert evidence.votes == (ExpertVote(carol, Verdict.CORRECT),)
    assert progress.n_done == progress.n_tasks
    assert progress.n_needed == progress.n_counted == 3 * (progress.n_tasks - 1) + 1


def test_what_nobody_is_an_expert_of_waits_and_stays_open(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told)
    answer_all(told, said={0: REFERS, 1: WRONG, 2: WRONG})
    assert count(told) == (ReferralCount("frog", 1, 0, 0),)
    told.run("campaign", "labels", "experts", "--preview")
    assert "1 referred label waits for an expert and stays open until then." in " ".join(
        capsys.readouterr().err.split()
    )
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.begin() as begun:
        assert 6 not in find_verdicts(begun, get_label_set(begun, "known"), image_ids=["i1"])["i1"]
        # Another round does not ask everybody about it.
        assert extend_campaign(begun, "experts", is_trial=True).n_asked == 0
    make_expert(told, 1, "frogs")
    expert = told.enter(told.panel[1])
    (task,) = expert.take(told.get("experts"), 5)
    assert send(expert, task, {"verdicts": {"6": "unclear"}}).status_code == 200
    with told.study.begin() as begun:
        assert extend_campaign(begun, "experts", is_trial=True).n_asked == 0


def test_only_experts_get_what_is_referred(told: Told) -> None:
    ask(told)
    make_expert(told, 1, "cats")
    make_expert(told, 2, "amphibian")
    taken = answer_all(told, said={0: REFERS, 1: WRONG})
    alone = [[task for task in tasks if task["view"]["expertise"]] for tasks in taken]
    assert [len(tasks) for tasks in alone] == [0, 0, 1]


def test_who_takes_a_referral_back_gives_the_label_to_everybody_again(told: Told) -> None:
    ask(told)
    make_expert(told, 2, "frog")
    visitor, task = refer(told)
    assert send(visitor, task, WRONG, revision=1).status_code == 200
    assert count(told) == ()
    bob = enter(told, 1)
    assert not [one for one in find_second(bob, told)["view"]["items"] if "referred" in one]
    expert = enter(told, 2)
    (first, *_) = expert.take(told.get("experts"), 1)
    assert not first["view"]["expertise"]


def test_what_an_expert_has_judged_stays_so_when_the_referral_is_taken_back(told: Told) -> None:
    ask(told)
    make_expert(told, 2, "frog")
    visitor, task = refer(told)
    expert = enter(told, 2)
    (first, *_) = expert.take(told.get("experts"), 1)
    assert send(expert, first, {"verdicts": {"6": "correct"}}).status_code == 200
    assert send(visitor, task, WRONG, revision=1).status_code == 200
    assert count(told) == (ReferralCount("frog", 0, 1, 1),)


def test_a_referral_counts_as_long_as_its_reviewer_does(told: Told) -> None:
    ask(told)
    make_expert(told, 2, "frog")
    refer(told)
    alice = told.panel[0].annotator.name
    with told.study.begin() as begun:
        drop_annotator(begun, "experts", annotator=alice, reason="left")
    assert count(told) == ()
    with told.study.begin() as begun:
        restore_annotator(begun, "experts", annotator=alice, reason="came back")
    assert count(told) == (ReferralCount("frog", 1, 0, 1),)
    with told.study.begin() as begun:
        erase_annotator(begun, alice, with_answers=True, reason="asked for")
    assert count(told) == ()


def test_a_task_whose_labels_are_all_referred_needs_nobody_else(told: Told) -> None:
    ask(told)
    visitor = enter(told, 0)
    task = find_second(visitor, told)
    assert send(visitor, task, {"refers": {"1": "old cars", "6": "frogs"}}).status_code == 200
    with told.study.read() as begun:
        assert [one.words for one in count_referrals(begun, told.get("experts"))] == ["old cars", "frog"]
    taken = answer_all(told, said={})
    assert not [one for tasks in taken for one in tasks if len(one["view"]["items"]) == 2]
    with told.study.read() as begun:
        progress = measure_progress(begun, told.get("experts"))
    assert progress.n_tasks - progress.n_done == 2


def test_erasing_an_expert_forgets_what_they_know_and_opens_the_label_again(told: Told) -> None:
    ask(told)
    carol = make_expert(told, 2, "frog")
    refer(told)
    expert = enter(told, 2)
    (first, *_) = expert.take(told.get("experts"), 1)
    assert send(expert, first, {"verdicts": {"6": "correct"}}).status_code == 200
    with told.study.begin() as begun:
        erase_annotator(begun, carol, with_answers=True, reason="asked for")
    assert count(told) == (ReferralCount("frog", 1, 0, 0),)


def test_votes_are_exported_with_who_was_asked_as_an_expert(told: Told, tmp_path: Path) -> None:
    ask(told)
    make_expert(told, 2, "frog")
    refer(told)
    answer_all(told, said={})
    told.run("campaign", "export", "experts", str(tmp_path / "votes.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(one["class"], one["verdict"]) for one in lines if one.get("expert")] == [(6, "correct")]
    assert [one["class"] for one in lines if one.get("referred")] == [6]


def test_the_list_of_items_says_what_waits_for_an_expert(told: Told) -> None:
    ask(told)
    make_expert(told, 2, "frog")
    refer(told)
    campaign, manager = told.get("experts"), told.enter(told.manager)

    def list_referred() -> str:
        return str(manager.get(f"/manage/campaigns/{campaign.id}/items?state=referred").text)

    assert list_referred().count("<td>referred</td>") == 1
    answer_all(told, said={})
    assert "<td>referred</td>" not in list_referred()


# What can be said


TASK = make_review_task([4], [1, 6], n_classes=10)
GRID = make_review_task([4, 5], [6], n_classes=10)


def test_an_answer_refers_to_an_expertise_or_judges() -> None:
    assert parse(TASK, {"refers": {"6": "  old   cars "}}) == {
        "version": 1,
        "verdicts": {},
        "refers": {"6": "old cars"},
    }


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"refers": {"6": ""}}, "1 to 60 characters"),
        ({"refers": {"6": "x" * 61}}, "1 to 60 characters"),
        ({"refers": {"6": "a\x00b"}}, "1 to 60 characters"),
        ({"refers": {"6": "???"}}, "letters among them"),
        ({"refers": {"6": 7}}, "by the labels that they are about"),
        ({"refers": {"9": "dogs"}}, "asks nothing about '9'"),
        ({"refers": {"6": "dogs"}, "verdicts": {"6": "wrong"}}, "has no verdict"),
    ],
)
def test_what_cannot_be_referred_is_one_sentence(answer: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        parse(TASK, answer)


def test_an_image_that_was_put_away_is_not_referred() -> None:
    with pytest.raises(InputError, match="is not referred"):
        parse(GRID, {"verdicts": {"0": "wrong"}, "refers": {"1": "dogs"}, "away": ["1"]})


def test_a_task_says_what_was_referred_and_experts_get_one_of_their_own() -> None:
    marked = mark(TASK, {"6": Referral("frog", 31)})
    assert list_marked(marked) == {"6": Referral("frog", 31)}
    assert has_open(marked)
    assert not has_open(mark(TASK, {"1": Referral("car", 30), "6": Referral("frog", 31)}))
    assert mark(marked, {}) == TASK
    assert split_off(TASK, "6", expertises=["frog", "animal"]) == {
        **make_review_task([4], [6], n_classes=10),
        EXPERTISE: ["frog", "animal"],
    }
    assert split_off(GRID, "1", expertises=["frog"])["images"] == [5]


def test_a_grid_tells_which_of_its_images_were_referred() -> None:
    shown = view(mark(GRID, {"1": Referral("frog", 31)}), TaskContext(load_taxonomy("cifar-10")))
    assert [one.get("referred") for one in shown["items"]] == [None, "frog"]


# Who is an expert


def test_expertises_are_added_listed_and_taken_away(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> Any:
        capsys.readouterr()
        told.run("annotators", *words, "--format", "json")
        return json.loads(capsys.readouterr().out)["annotators"]

    name = told.panel[0].annotator.name
    added = run("expertise", name, "--add", "Dogs", "--add", "Old cars")
    assert added == [{"name": name, "expertises": ["dog", "old cars"]}]
    assert run("expertise", name, "--remove", "dog")[0]["expertises"] == ["old cars"]
    assert {one["name"]: one["expertises"] for one in run("list")}[name] == ["old cars"]


def test_what_nobody_is_an_expert_of_cannot_be_taken_away(told: Told) -> None:
    with told.study.begin() as begun, pytest.raises(InputError, match="is not an expert of dog"):
        change_expertises(begun, told.panel[0].annotator.name, remove=["dogs"])


def test_reviewers_are_told_what_there_are_experts_of_and_not_who(told: Told) -> None:
    make_expert(told, 2, "frogs")
    reply = told.enter(told.panel[0]).get("/api/expertises")
    assert reply.json() == {"expertises": ["frog"]}
