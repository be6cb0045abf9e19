"""Referrals that go another way: experts who give no verdict or refer on, late answers, images taken out, forged bundles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.kinds.review.reviewed_study import ask, send, told
from tests.kinds.review.test_referrals import REFERS, TASK, WRONG, count, enter, find_second, make_expert, refer
from tests.sentences.entries import Maker
from tests.sentences.review_kind import labels
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.campaigns.eligibility import EXPERTISE
from regauge.formats.taxonomies import load_taxonomy
from regauge.kinds.review import referrals
from regauge.kinds.review import task as review_task
from regauge.kinds.review.referrals import mark, split_off
from regauge.records.campaigns.campaign import AssignmentId, NewAnswer, ResponseStatus
from regauge.records.campaigns.referrals import Referral, ReferralCount
from regauge.records.labels.verdicts import Verdict
from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.campaigns.ledgers import find_images_called
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import find_verdicts, get_label_set
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.image_reports import take_out_image
from regauge.workflows.campaigns.rounds import extend_campaign
from regauge.workflows.people.expertises import change_expertises
from regauge.workflows.studies.payload_checks import is_marked, is_task

__all__ = ["database", "postgres", "postgres_database", "told"]


def test_words_without_a_letter_are_refused_and_other_answers_that_come_with_them_stored(told: Told) -> None:
    ask(told)
    first, second = (find_second(enter(told, place), told)["id"] for place in (0, 1))
    alice, bob = (told.panel[place].annotator.id for place in (0, 1))
    with told.study.begin() as begun:
        bad, good = submit_answers(
            begun,
            [
                NewAnswer("one", AssignmentId(first), alice, {"refers": {"6": "?!"}}),
                NewAnswer("two", AssignmentId(second), bob, WRONG),
            ],
        )
    assert (bad.status, good.status) == (None, ResponseStatus.COUNTED)
    assert "letters among them" in bad.refusal


@pytest.mark.parametrize(
    "answer", [{"problems": ["inappropriate"]}, {"returned": True, "comment": "too small"}], ids=["problem", "returned"]
)
def test_an_expert_who_gives_no_verdict_leaves_the_label_to_another(told: Told, answer: dict[str, Any]) -> None:
    ask(told)
    for place in (1, 2):
        make_expert(told, place, "frog")
    refer(told)
    expert = enter(told, 2)
    (first, *_) = expert.take(told.get("experts"), 1)
    reply = send(expert, first, answer)
    assert reply.status_code == 200, reply.text
    assert count(told) == (ReferralCount("frog", 1, 0, 2),)
    bob = enter(told, 1)
    (second, *_) = bob.take(told.get("experts"), 1)
    assert second["view"]["expertise"] == "frog"
    with told.study.begin() as begun:
        assert extend_campaign(begun, "experts", is_trial=True).n_asked == 0
    assert send(bob, second, {"verdicts": {"6": "wrong"}}).status_code == 200
    assert count(told) == (ReferralCount("frog", 0, 1, 2),)
    # The first thinks better of it; the verdict of one of them stands.
    reply = send(expert, first, {"verdicts": {"6": "correct"}}, revision=1)
    assert reply.status_code == 200, reply.text
    assert count(told) == (ReferralCount("frog", 0, 1, 2),)
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.read() as begun:
        assert len(find_evidence(begun, get_label_set(begun, "known")).by_pair["i1", 6].votes) == 1


def test_what_an_expert_refers_on_waits_for_the_next_one_alone(told: Told) -> None:
    ask(told)
    make_expert(told, 2, "animals")
    make_expert(told, 1, "pond life")
    visitor, task = refer(told)
    expert = enter(told, 2)
    (first, *_) = expert.take(told.get("experts"), 1)
    assert send(expert, first, {"refers": {"6": "pond life"}}).status_code == 200
    assert count(told) == (ReferralCount("pond life", 1, 0, 1),)
    # It does not go back to everybody when the first reviewer thinks better of it.
    assert send(visitor, task, WRONG, revision=1).status_code == 200
    bob = enter(told, 1)
    (second, *_) = bob.take(told.get("experts"), 1)
    assert second["view"]["expertise"] == "pond life"
    assert send(bob, second, {"verdicts": {"6": "wrong"}}).status_code == 200
    assert count(told) == (ReferralCount("pond life", 0, 1, 1),)


def test_who_answered_while_all_was_referred_counts_when_it_is_taken_back(told: Told) -> None:
    ask(told)
    alice, bob = enter(told, 0), enter(told, 1)
    first, second = find_second(alice, told), find_second(bob, told)
    assert send(alice, first, {"refers": {"1": "cars", "6": "frogs"}}).status_code == 200
    assert send(bob, second, WRONG).status_code == 200
    assert send(alice, first, WRONG, revision=1).status_code == 200
    with told.study.read() as begun:
        assert measure_progress(begun, told.get("experts")).n_surplus == 0


def test_a_label_stays_open_that_somebody_referred_whose_answer_was_one_too_many(told: Told) -> None:
    ask(told)
    alice, bob = enter(told, 0), enter(told, 1)
    first, second = find_second(alice, told), find_second(bob, told)
    both = {"refers": {"1": "cars", "6": "frogs"}}
    assert send(alice, first, both).status_code == 200
    assert send(bob, second, both).status_code == 200
    assert send(alice, first, WRONG, revision=1).status_code == 200
    assert sum(one.n_waiting for one in count(told)) == 2
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.read() as begun:
        assert "i1" not in find_verdicts(begun, get_label_set(begun, "known"), image_ids=["i1"])


def test_experts_who_cannot_be_asked_are_not_counted(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told)
    carol = make_expert(told, 2, "frog")
    with told.study.begin() as begun:
        change_expertises(begun, told.outsider.annotator.name, add=["frog"])
    refer(told)
    assert count(told) == (ReferralCount("frog", 1, 0, 1),)
    with told.study.begin() as begun:
        drop_annotator(begun, "experts", annotator=carol, reason="left")
    assert count(told) == (ReferralCount("frog", 1, 0, 0),)
    told.run("campaign", "referrals", "experts")
    assert "nobody who works on the campaign is one" in " ".join(capsys.readouterr().err.split())


def test_an_image_that_was_taken_out_waits_for_no_expert(told: Told) -> None:
    ask(told)
    make_expert(told, 2, "frog")
    refer(told)
    # Somebody has it, so that the task stays.
    assert enter(told, 2).take(told.get("experts"), 1)[0]["view"]["expertise"]
    campaign = told.get("experts")
    with told.study.begin() as begun:
        number = find_images_called(begun, campaign, "i1")[0].number
        take_out_image(begun, campaign.id, number=number, reason="somebody's face")
    assert count(told) == ()


def test_an_expert_who_was_asked_one_thing_alone_may_find_it_unclear(told: Told) -> None:
    ask(told)
    make_expert(told, 2, "frog")
    refer(told)
    expert = enter(told, 2)
    (first, *_) = expert.take(told.get("experts"), 1)
    assert send(expert, first, {"verdicts": {"6": "unclear"}}).status_code == 200
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.read() as begun:
        found = find_verdicts(begun, get_label_set(begun, "known"), image_ids=["i1"])
    assert found["i1"][6] is Verdict.UNCLEAR


def test_a_further_look_tells_what_the_expert_said_and_not_what_others_thought(told: Told, tmp_path: Path) -> None:
    (tmp_path / "some.csv").write_text("image_id,class\ni1,1\ni1,6\n", encoding="utf-8")
    ask(told, "--mode", "complete", "--pairs", str(tmp_path / "some.csv"))
    make_expert(told, 2, "animals")
    for place, said in enumerate(({**REFERS, "more": [5]}, {**WRONG, "more": [5]}, {**WRONG, "more": [5]})):
        visitor = enter(told, place)
        while tasks := visitor.take(told.get("experts"), 1):
            is_referred = bool(tasks[0]["view"]["expertise"])
            reply = send(visitor, tasks[0], {"verdicts": {"6": "correct"}} if is_referred else said)
            assert reply.status_code == 200, reply.text
    told.run("campaign", "extend", "experts")
    (task,) = enter(told, 0).take(told.get("experts"), 1)
    assert {one["class"]: one["verdict"] for one in task["view"]["known"]}[6] == "correct"


def test_a_gold_item_that_was_referred_does_not_wait_for_its_verdict() -> None:
    assert "for an expert" in tell(labels(n_referred=1))
    assert "for an expert" not in tell(labels(n_referred=1, gold=Verdict.WRONG))


def tell(make: Maker) -> str:
    return " ".join(map(str, make(Path())))


@pytest.mark.parametrize("said", [{"6": ["frog"]}, {"6": ["frog", 32]}, {"6": [7, 31]}, {"6": 31}, ["6"]], ids=str)
def test_a_bundle_whose_tasks_refer_to_nothing_is_refused(said: object) -> None:
    assert is_marked(referrals, mark(TASK, {"6": Referral("frog", 31)}), task_ids={31})
    assert not is_marked(referrals, {**TASK, "referred": said}, task_ids={31})


@pytest.mark.parametrize("words", ["frog", [], [7]], ids=str)
def test_a_bundle_whose_tasks_ask_nobody_is_refused(words: object) -> None:
    taxonomy = load_taxonomy("cifar-10")
    assert is_task(review_task, split_off(TASK, "6", expertises=["frog"]), taxonomy=taxonomy, n_images=9)
    assert not is_task(review_task, {**TASK, EXPERTISE: words}, taxonomy=taxonomy, n_images=9)
