"""`regauge campaign publish`, `mturk`, `visits`, `identities` and `invite --csv`, as the manager gives them."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3.session
import click
import pytest
from botocore.stub import ANY, Stubber
from tests.cli.command_runner import Result, Runner, make_runner
from tests.storage.small_studies import make_study
from tests.workflows.campaign_studies import add_contains, make_pictured
from tests.workflows.fake_mturk import (
    ACCESS_KEY,
    SECRET_KEY,
    expect_assignments,
    make_answer_xml,
    make_assignment,
    make_client,
)
from tests.workflows.platform_visitors import ASSIGNMENT, PID, SESSION, WORKER, change_terms, come, finish, work

from regauge.records.campaigns.campaign import CampaignEntry, Platform
from regauge.records.campaigns.terms import Prolific
from regauge.records.campaigns.visits import Admission, Arrival
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.events import list_events
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.people.visitors import admit
from regauge.workflows.studies.study import Study

STUDY_ID = "64b7f0c2a91e5d3f8c6b2a10"
HIT = [
    "--reward",
    "0.50",
    "--hits",
    "2",
    "--assignments",
    "3",
    "--tasks",
    "2",
    "--title",
    "Images",
    "--base-url",
    "https://labels.example",
]


@dataclass(eq=False)
class Desk:
    """The manager at a terminal, with Mechanical Turk played by hand."""

    study: Study
    campaign: CampaignEntry
    run: Runner
    stubber: Stubber
    asked: list[str]
    """What the manager was asked."""

    def __call__(self, *words: str) -> Result:
        result = self.run(*words, "--study", str(self.study.paths.folder))
        for secret in (ACCESS_KEY, SECRET_KEY, WORKER, ASSIGNMENT):
            assert secret not in result.out + result.err
        return result

    def list_events(self) -> list[str]:
        with self.study.read() as reading:
            return [event.what for event in list_events(reading)]

    def expect_hits(self, *hits: str) -> None:
        """Those HITs will be made."""
        self.stubber.add_response("create_hit_type", {"HITTypeId": "3TYPE"}, ANY_TYPE)
        for hit in hits:
            self.stubber.add_response("create_hit_with_hit_type", {"HIT": {"HITId": hit}}, ANY_HIT)

    def publish(self, *hits: str) -> None:
        """HITs that are there."""
        self.expect_hits(*hits)
        assert self("publish", "mturk", "grids", *HIT, "--yes").status == 0


ANY_TYPE = {
    "Title": "Images",
    "Description": "Images",
    "Keywords": ANY,
    "Reward": "0.50",
    "AssignmentDurationInSeconds": 3_600,
    "AutoApprovalDelayInSeconds": ANY,
    "QualificationRequirements": [],
}
ANY_HIT = {
    "HITTypeId": "3TYPE",
    "MaxAssignments": 3,
    "LifetimeInSeconds": 7 * 24 * 3600,
    "Question": ANY,
    "RequesterAnnotation": ANY,
    "UniqueRequestToken": ANY,
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    client, asked = make_client(), []

    def confirm(text: str, **_: Any) -> bool:
        asked.append(text)
        return False

    def prompt(text: str, **_: Any) -> str:
        asked.append(text)
        return "grids" if len(asked) > 1 else "something else"

    monkeypatch.setattr(boto3.session.Session, "client", lambda *_args, **_options: client)
    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr(click, "prompt", prompt)
    with make_pictured(tmp_path) as study:
        campaign = add_contains(study)
        with Stubber(client) as stubber:
            yield Desk(study, campaign, make_runner(monkeypatch, capsys, "campaign"), stubber, asked)
        stubber.assert_no_pending_responses()


def test_the_link_for_prolific_is_as_prolific_wants_it(desk):
    words = ("publish", "prolific", "grids", "--completed", "C0DE", "--screened-out", "OUT", "--tasks", "5")
    assert "--study-id" in desk(*words).err
    for bad in ("", "5"):
        assert "Prolific" in desk(*words, "--study-id", bad).err
    result = desk(*words, "--base-url", "https://labels.example/", "--study-id", STUDY_ID.upper())
    assert result.out == (
        "https://labels.example/p/1?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}\n"
    )
    with desk.study.read() as reading:
        assert get_campaign(reading, "grids").plan.terms.prolific == Prolific("C0DE", "OUT", 5, study_id=STUDY_ID)


def test_those_who_wait_are_judged_after_a_yes(desk):
    words = ("publish", "prolific", "grids", "--completed", "C0DE", "--tasks", "2", "--study-id", STUDY_ID)
    assert "goes with codes that wait" in desk(*words, "--failed", "BAD").err
    assert desk(*words, "--judge-first", "--failed", "BAD").status == 0
    assert "Nobody waits" in desk("judge", "grids").err
    with desk.study.read() as reading:
        campaign = get_campaign(reading, "grids")
    with desk.study.begin() as begun:
        found = admit(begun, campaign.id, Arrival(Platform.PROLIFIC, PID, "s1", STUDY_ID))
        consent(begun, campaign.id, annotator_id=found.annotator.id, version=1)
    assert work(desk.study, found, 2) == 2
    assert finish(desk.study, found).code == ""
    result = desk("judge", "grids", "--yes", "--format", "json")
    (row,) = json.loads(result.out)["visits"]
    assert (row["n_done"], row["dropped"], row["outcome"]) == (2, False, "completed")
    assert row["n_controls"] > 0
    assert finish(desk.study, found).code == "C0DE"


def test_whoever_comes_to_wait_while_the_question_stands_is_not_judged(desk, monkeypatch):
    words = ("publish", "prolific", "grids", "--completed", "C0DE", "--tasks", "1", "--study-id", STUDY_ID)
    assert desk(*words, "--judge-first").status == 0

    def wait(person: str) -> Admission:
        with desk.study.begin() as begun:
            found = admit(begun, desk.campaign.id, Arrival(Platform.PROLIFIC, person, "s1", STUDY_ID))
            consent(begun, desk.campaign.id, annotator_id=found.annotator.id, version=1)
        assert work(desk.study, found, 1) == 1
        assert finish(desk.study, found).code == ""
        return found

    first, late = wait(PID), []

    def confirm(_text: str, **_: Any) -> bool:
        late.append(wait(PID[::-1]))
        return True

    monkeypatch.setattr(click, "confirm", confirm)
    assert desk("judge", "grids").status == 0
    assert finish(desk.study, first).code == "C0DE"
    assert finish(desk.study, late[0]).code == ""


def test_the_exact_cost_is_shown_and_nothing_is_made_without_a_yes(desk):
    result = desk("publish", "mturk", "grids", *HIT)
    assert "2 HITs with 3 assignments each on the sandbox of Mechanical Turk" in result.out
    assert "6 × ($0.50 + $0.10 fee) = $3.60 (play money)" in result.out
    assert (result.status, desk.asked) == (2, ["Go ahead?"])
    assert "Nothing was done." in result.err
    assert "mturk begin" not in desk.list_events()


def test_hits_are_made_and_noted_down(desk):
    desk.expect_hits("3ONE", "3TWO")
    result = desk("publish", "mturk", "grids", *HIT, "--yes")
    assert (result.status, result.out.splitlines()[-1]) == (0, "Made 2 HITs on the sandbox of Mechanical Turk.")
    assert desk.asked == []
    assert desk.list_events()[-2:] == ["mturk begin", "mturk publish"]


def test_real_money_needs_the_name_of_the_campaign_also_with_yes(desk):
    result = desk("publish", "mturk", "grids", *HIT, "--yes", "--production")
    assert "(play money)" not in result.out
    assert "= $3.60" in result.out
    assert (result.status, len(desk.asked)) == (2, 1)
    assert "Type the name of the campaign" in desk.asked[0]
    assert "That is not the name" in result.err
    desk.expect_hits("3ONE", "3TWO")
    result = desk("publish", "mturk", "grids", *HIT, "--yes", "--production")
    assert (result.status, result.out.splitlines()[-1]) == (0, "Made 2 HITs on Mechanical Turk.")


def test_after_a_failure_the_same_command_makes_only_what_is_missing(desk):
    desk.expect_hits("3ONE")
    desk.stubber.add_client_error("create_hit_with_hit_type", "ServiceFault", "Try again.")
    result = desk("publish", "mturk", "grids", *HIT, "--yes")
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert "refuses to create hit with hit type: Try again." in result.err
    with desk.study.read() as reading:
        (begun,) = [event for event in list_events(reading) if event.what == "mturk begin"]
    there = {"HITId": "3ONE", "RequesterAnnotation": f"{begun.parameters['batch']}-00000"}
    desk.stubber.add_response("list_hits", {"HITs": [there]}, {"MaxResults": 100})
    desk.expect_hits("3TWO")
    result = desk("publish", "mturk", "grids", *HIT, "--yes")
    assert result.out.splitlines()[-1] == "Completed 2 HITs on the sandbox of Mechanical Turk."


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("--reward", "half"), "is not an amount"),
        (("--reward", "0.005"), "whole cents"),
        (("--base-url", "http://labels.example"), "over HTTPS"),
        (("--qualification", "good"), "A qualification is written"),
        (("--duration", "0"), "duration"),
        (("--lifetime", "nan"), "nan is not a time"),
        (("--duration", "inf"), "inf is not a time"),
    ],
)
def test_what_cannot_be_published_is_refused_in_words(desk, change, words):
    result = desk("publish", "mturk", "grids", *HIT, *change, "--yes")
    assert result.status == 2
    assert words in result.err
    assert "mturk begin" not in desk.list_events()


def recruit(desk: Desk) -> None:
    """One worker does the share, another half of it and is dropped."""
    desk.publish("3ONE", "3TWO")
    campaign = change_terms(desk.study, desk.campaign, mturk_tasks=2)
    good = come(desk.study, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    bad = come(desk.study, campaign, "A2BAD", reference="3BAD", platform=Platform.MTURK)
    work(desk.study, good, 2)
    work(desk.study, bad, 1)
    with desk.study.begin() as begun:
        drop_annotator(begun, "grids", annotator=bad.annotator.id, reason="clicked through")
    receipt = finish(desk.study, good).code
    expect_assignments(
        desk.stubber, "3ONE", make_assignment(WORKER, ASSIGNMENT, hit="3ONE", answer=make_answer_xml(receipt))
    )
    expect_assignments(desk.stubber, "3TWO", make_assignment("A2BAD", "3BAD", hit="3TWO"))


def test_what_was_handed_in_is_listed_with_our_records_and_without_ids_of_workers(desk):
    recruit(desk)
    rows = json.loads(desk("mturk", "list", "grids", "--format", "json").out)["assignments"]
    assert [(row["visit"], row["n_done"], row["dropped"], row["receipt"]) for row in rows] == [
        ("completed", 2, False, True),
        ("started", 1, True, False),
    ]
    # Two positive and two negative controls on each of two grids.
    assert rows[0]["n_controls"] == 8
    assert rows[0]["annotator"].startswith("mturk-")


def test_by_the_rule_those_who_did_their_share_are_approved_and_nobody_is_rejected(desk):
    recruit(desk)
    desk.stubber.add_response("approve_assignment", {}, {"AssignmentId": ASSIGNMENT})
    result = desk("mturk", "approve", "grids", "--yes", "--format", "json")
    assert [row["action"] for row in json.loads(result.out)["rulings"]] == ["approve", "leave"]
    assert "Approved 1, rejected 0." in result.err
    assert desk.list_events()[-1] == "mturk approve"


def test_rejections_are_asked_for_with_a_sentence(desk):
    assert "--feedback" in desk("mturk", "approve", "grids", "--reject", "--yes").err
    recruit(desk)
    desk.stubber.add_response("approve_assignment", {}, {"AssignmentId": ASSIGNMENT})
    desk.stubber.add_response(
        "reject_assignment", {}, {"AssignmentId": "3BAD", "RequesterFeedback": "You clicked through."}
    )
    result = desk("mturk", "approve", "grids", "--reject", "--feedback", "You clicked through.", "--yes")
    assert "Approved 1, rejected 1." in result.err


def test_nothing_is_approved_without_a_yes(desk):
    recruit(desk)
    assert "Nothing was done." in desk("mturk", "approve", "grids").err


def test_a_bonus_is_costed_confirmed_and_paid_once(desk):
    recruit(desk)
    words = ("mturk", "pay", "grids", "--bonus", "1.00", "--reason", "Good work.", "--yes")
    desk.stubber.add_response("list_bonus_payments", {"BonusPayments": []}, {"HITId": "3ONE", "MaxResults": 100})
    sent = {"WorkerId": WORKER, "AssignmentId": ASSIGNMENT, "BonusAmount": "1.00", "Reason": "Good work."}
    desk.stubber.add_response("send_bonus", {}, {**sent, "UniqueRequestToken": ANY})
    result = desk(*words)
    assert "1 bonuses on the sandbox of Mechanical Turk: 1 × ($1.00 + $0.20 fee) = $1.20" in result.out
    assert result.out.splitlines()[-1] == "Paid 1 bonuses."
    expect_assignments(desk.stubber, "3ONE", make_assignment(WORKER, ASSIGNMENT, hit="3ONE", status="Approved"))
    expect_assignments(desk.stubber, "3TWO")
    paid = {"WorkerId": WORKER, "BonusAmount": "1.00", "AssignmentId": ASSIGNMENT, "Reason": "Good work."}
    desk.stubber.add_response("list_bonus_payments", {"BonusPayments": [paid]}, {"HITId": "3ONE", "MaxResults": 100})
    assert "everybody has it" in desk(*words).out


def test_the_hits_of_a_campaign_are_ended_also_those_of_a_batch_that_was_not_finished(desk):
    desk.publish("3ONE", "3TWO")
    desk.expect_hits("3THREE")
    desk.stubber.add_client_error("create_hit_with_hit_type", "ServiceFault", "Try again.")
    assert desk("publish", "mturk", "grids", *HIT, "--yes").status == 2
    with desk.study.read() as reading:
        last = [event for event in list_events(reading) if event.what == "mturk begin"][-1]
    there = {"HITId": "3THREE", "RequesterAnnotation": f"{last.parameters['batch']}-00000"}
    desk.stubber.add_response("list_hits", {"HITs": [there]}, {"MaxResults": 100})
    for hit in ("3ONE", "3TWO", "3THREE"):
        desk.stubber.add_response("update_expiration_for_hit", {}, {"HITId": hit, "ExpireAt": ANY})
    assert "3 HITs are offered no longer" in desk("mturk", "end", "grids", "--yes").out


def test_without_hits_there_is_a_sentence(desk):
    result = desk("mturk", "list", "grids")
    assert result.status == 2
    assert "regauge campaign publish mturk grids" in result.err


def test_visits_and_identities(desk, tmp_path):
    campaign = change_terms(desk.study, desk.campaign, prolific=Prolific("DONE", "OUT", 2))
    who = come(desk.study, campaign)
    work(desk.study, who, 2)
    finish(desk.study, who)
    (row,) = json.loads(desk("visits", "grids", "--format", "json").out)["visits"]
    assert (row["annotator"], row["platform"], row["state"], row["n_done"]) == (
        who.annotator.name,
        "prolific",
        "completed",
        2,
    )
    path = tmp_path / "who.csv"
    result = desk("identities", str(path))
    assert result.out.startswith("Wrote 1 visits")
    assert PID not in result.out
    assert f"prolific,{PID},{who.annotator.name},{SESSION}," in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_list_of_people_gets_links_in_a_file_and_not_on_the_screen(tmp_path, monkeypatch, capsys):
    (tmp_path / "people.csv").write_text("name,email\nAnn,ann@example.org\nBob,\n")
    out = tmp_path / "links.csv"
    with make_study(tmp_path) as study:
        run = make_runner(monkeypatch, capsys, "campaign", "invite", "--study", str(study.paths.folder))
        result = run("--csv", str(tmp_path / "people.csv"), "--out", str(out), "--base-url", "https://labels.example")
        again = run("--csv", str(tmp_path / "people.csv"))
    assert result.status == 0
    assert "join#" not in result.out
    assert out.read_text().count("https://labels.example/join#") == 2
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert (again.status, again.out) == (2, "")
    assert "Line 2: There already is or was somebody called 'Ann'" in again.err
    assert "Line 3: There already is or was somebody called 'Bob'" in again.err
