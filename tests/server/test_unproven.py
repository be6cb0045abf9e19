"""What an id in an address does not open: other studies, codes before a judgement, other accounts, anybody's data."""

from __future__ import annotations

import pytest
from tests.server.platform_campaign import HTML, STUDY_ID, SUBMIT_TO
from tests.server.served_study import Visitor, make_body
from tests.workflows.campaign_studies import add_contains, get_clock
from tests.workflows.platform_visitors import ASSIGNMENT, DONE, OTHER_PID, PID, SESSION, WORKER, change_terms

from regauge.errors import InputError
from regauge.records.campaigns.terms import Prolific
from regauge.storage.events import list_events
from regauge.workflows.campaigns.assigning import drop_annotator, restore_annotator
from regauge.workflows.people.erasure import list_pending_erasures
from regauge.workflows.people.visits import judge_visits


@pytest.mark.parametrize("study_id", [None, "", "s", STUDY_ID[:-1], "f" * 24, "{{%STUDY_ID%}}"])
def test_a_link_of_another_study_on_prolific_lets_nobody_in(doors, study_id):
    change_terms(doors.served.study, doors.campaign, prolific=Prolific(DONE, "OUT1", 2, study_id=STUDY_ID))
    sent = {"PROLIFIC_PID": PID, "SESSION_ID": SESSION}
    reply = doors.open_prolific(**sent, **({} if study_id is None else {"STUDY_ID": study_id}))
    assert reply.status_code == 400
    assert "another study on Prolific" in reply.text
    assert "set-cookie" not in reply.headers
    assert doors.count_visits() == 0
    assert doors.open_prolific(**sent, STUDY_ID=STUDY_ID.upper()).status_code == 303
    # Whoever was here before does not come back by it either.
    assert doors.open_prolific(**sent, STUDY_ID="f" * 24).status_code == 400


@pytest.mark.parametrize("failed", ["", "FAIL1"])
def test_the_code_waits_for_a_judgement_where_the_campaign_says_so(doors, failed):
    terms = Prolific(DONE, "OUT1", 2, judges_first=True, failed=failed)
    change_terms(doors.served.study, doors.campaign, prolific=terms)
    good, bad = doors.come_from_prolific(), doors.come_from_prolific(OTHER_PID)
    for who in (good, bad):
        assert doors.work(who) == 2
        for _ in range(2):
            reply = doors.ask(who, "finish").json()
            assert (reply["state"], reply["n_done"], reply["code"], reply["link"]) == ("waiting", 2, "", "")
        assert who.take(doors.campaign) == []
        assert doors.ask(who, "return").status_code == 409
    again = doors.open_prolific(PROLIFIC_PID=PID, SESSION_ID=SESSION)
    assert again.headers["location"].endswith("/thanks")
    page = doors.served.enter(doors.served.manager).get(f"/manage/campaigns/{doors.campaign.id}", headers=HTML).text
    assert "regauge campaign judge grids" in page
    assert "Judge 2 visits" in page
    name = bad.get("/api/session").json()["name"]
    with doors.served.study.begin() as begun:
        drop_annotator(begun, "grids", annotator=name, reason="controls")
        assert {one.state.value for one in judge_visits(begun, "grids")} == {"completed", "failed"}
    reply = doors.ask(good, "finish").json()
    assert (reply["state"], reply["code"]) == ("completed", DONE)
    reply = doors.ask(bad, "finish").json()
    assert (reply["state"], reply["code"], bool(reply["link"])) == ("failed", failed, bool(failed))
    assert DONE not in str(reply)
    with doors.served.study.begin() as begun, pytest.raises(InputError, match="Nobody waits"):
        judge_visits(begun, "grids")


def test_the_manager_judges_by_a_button_and_again_after_a_drop_was_taken_back(doors):
    change_terms(
        doors.served.study, doors.campaign, prolific=Prolific(DONE, "OUT1", 2, judges_first=True, failed="FAIL1")
    )
    good, bad = doors.come_from_prolific(), doors.come_from_prolific(OTHER_PID)
    for who in (good, bad):
        doors.work(who)
        doors.ask(who, "finish")
    manager, name = doors.served.enter(doors.served.manager), bad.get("/api/session").json()["name"]
    address = f"/api/manage/campaigns/{doors.campaign.id}/judgement"
    with doors.served.study.begin() as begun:
        drop_annotator(begun, "grids", annotator=name, reason="controls")
    outlook = manager.get(address).json()
    assert sorted(one["outcome"] for one in outlook) == ["completed", "failed"]
    body = {"looked_at": [one["id"] for one in outlook], "reason": "I looked at all of them"}
    # Nobody but the manager, and only by a page of ours.
    assert good.get(address).status_code == good.post(address, body).status_code == 403
    assert Visitor(manager.client, {"Cookie": manager.headers["Cookie"]}).post(address, body).status_code == 403
    assert manager.post(address, {"looked_at": [999]}).status_code == 409
    assert manager.post(address, {"looked_at": []}).status_code == 422
    assert manager.post(address, body).json() == {"n_completed": 1, "n_failed": 1}
    assert doors.ask(bad, "finish").json()["code"] == "FAIL1"
    assert "I looked at all of them" in manager.get("/manage/log", headers=HTML).text
    with doors.served.study.begin() as begun:
        restore_annotator(begun, "grids", annotator=name, reason="they were right")
    (one,) = manager.get(address).json()
    assert (one["annotator"], one["outcome"]) == (name, "completed")
    assert "Judge 1 visit" in manager.get(f"/manage/campaigns/{doors.campaign.id}", headers=HTML).text
    assert manager.post(address, {"looked_at": [one["id"]]}).json() == {"n_completed": 1, "n_failed": 0}
    assert (doors.ask(bad, "finish").json()["code"], manager.get(address).json()) == (DONE, [])


@pytest.mark.parametrize("platform", ["prolific", "mturk"])
def test_whoever_comes_by_an_id_later_is_told_nothing_of_what_was_done_before(doors, platform):
    come = doors.come_from_prolific if platform == "prolific" else doors.come_from_mturk
    first = come()
    (task,) = first.take(doors.campaign)
    assert first.post("/api/answers", make_body(task)).status_code == 200
    get_clock(doors.served.study).jump(1)
    page = doors.open_frame().text if platform == "mturk" else ""
    later = come()
    if platform == "prolific":
        page = later.get(f"/campaigns/{doors.campaign.id}", headers=HTML).text
        # Neither is true of whoever has done something before: that they have not begun, or that this is all of it.
        assert "no tasks done since you arrived" in later.get("/", headers=HTML).text
        text = first.get("/", headers=HTML).text
        assert "1 of " in text
        assert "counted since you arrived" in text
    assert 'data-done="0"' in page
    assert doors.ask(later, "finish").json()["n_done"] == 0
    assert doors.ask(first, "finish").json()["n_done"] == 1
    # Only what is shown changes: the share goes on, and is paid for as one.
    assert doors.work(later) == 1
    reply = doors.ask(later, "finish").json()
    assert (reply["state"], reply["n_done"]) == ("completed", 1)
    assert doors.ask(first, "finish").json()["n_done"] == 2


@pytest.mark.parametrize("present", ["link", "prolific"])
def test_a_link_of_another_person_asks_before_anybody_is_switched(doors, present):
    mturk = {"assignmentId": ASSIGNMENT, "workerId": WORKER, "turkSubmitTo": SUBMIT_TO}
    addresses = {"p": {"PROLIFIC_PID": OTHER_PID, "STUDY_ID": "s", "SESSION_ID": SESSION}, "m": mturk}
    who = doors.served.enter(doors.served.people[0]) if present == "link" else doors.come_from_prolific()
    name, n_visits = who.get("/api/session").json()["name"], doors.count_visits()
    for door, parameters in addresses.items():
        reply = who.get(f"/{door}/{doors.campaign.id}", params=parameters, headers=HTML)
        assert reply.status_code == 409
        assert "Are you somebody else?" in reply.text
        assert name in reply.text
        assert OTHER_PID not in reply.text
        assert WORKER not in reply.text
        assert "data-token" not in reply.text
        assert "set-cookie" not in reply.headers
    assert doors.count_visits() == n_visits
    assert who.get("/api/session").json()["name"] == name
    # Leaving is a change, so it takes the token of a page; after it the link lets in.
    bare = Visitor(who.client, {"Cookie": who.headers["Cookie"]})
    assert bare.ask("DELETE", "/api/session").status_code == 403
    assert who.ask("DELETE", "/api/session").status_code == 204
    assert doors.open_prolific(**addresses["p"]).status_code == 303


def test_the_link_of_the_same_person_does_not_ask(doors):
    who = doors.come_from_prolific()
    again = doors.open_prolific(who, PROLIFIC_PID=PID.upper(), STUDY_ID="s", SESSION_ID=SESSION)
    assert again.status_code == 303
    guest = doors.served.enter_as_guest()
    assert doors.open_prolific(guest, PROLIFIC_PID=OTHER_PID, STUDY_ID="s", SESSION_ID=SESSION).status_code == 303


def test_a_link_that_lets_nobody_in_asks_nothing(doors):
    who = doors.served.enter(doors.served.people[0])
    assert doors.open_prolific(who, PROLIFIC_PID="x").status_code == 400
    other = add_contains(doors.served.study, "others")
    reply = who.get(f"/p/{other.id}", params={"PROLIFIC_PID": PID}, headers=HTML)
    assert (reply.status_code, "does not take people from" in reply.text) == (400, True)


@pytest.mark.parametrize("platform", ["prolific", "mturk"])
def test_an_id_in_an_address_opens_nobodys_data_and_asks_for_no_erasure(doors, platform):
    who = doors.come_from_prolific() if platform == "prolific" else doors.come_from_mturk()
    assert doors.work(who) == 2
    name = who.get("/api/session").json()["name"]
    page = who.get("/me", headers=HTML)
    assert page.status_code == 403
    assert "does not prove who you are" in page.text
    assert {"prolific": "message on Prolific", "mturk": "on Mechanical Turk"}[platform] in page.text
    for reply in (who.get("/api/me"), who.post("/api/me/erasure", {"with_answers": True})):
        assert reply.status_code == 403
        assert "does not prove who you are" in reply.json()["detail"]
        assert doors.campaign.name not in reply.text
    # What was answered in this session is there to be changed; whoever comes by the same id later is shown none of it.
    previous = f"/api/campaigns/{doors.campaign.id}/previous"
    assert who.get(previous).json()["answer"]["mask"] == "5"
    get_clock(doors.served.study).jump(1)
    again = doors.come_from_prolific() if platform == "prolific" else doors.come_from_mturk()
    assert again.get("/api/session").json()["name"] == name
    assert again.get(previous).json() is None
    assert who.get(previous).json() is not None
    with doors.served.study.read() as reading:
        assert list_pending_erasures(reading) == ()
        assert name not in {event.who for event in list_events(reading)}
    # Whoever came by a personal link is who they are.
    assert doors.served.enter(doors.served.people[0]).get("/api/me").status_code == 200
