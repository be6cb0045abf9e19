"""The doors for people from platforms: who gets in, what they may do, and what is said and kept of them."""

from __future__ import annotations

import logging
import re

import pytest
from tests.server.platform_campaign import HTML, SUBMIT_TO, Doors
from tests.server.served_study import Visitor, make_body
from tests.workflows.campaign_studies import add_contains, get_clock
from tests.workflows.platform_visitors import ASSIGNMENT, DONE, OTHER_PID, PID, SESSION, WORKER

from regauge.server.guard import CONTENT_SECURITY_POLICY
from regauge.server.sessions import FRAME_MAX_AGE
from regauge.storage.people.annotators import list_annotators
from regauge.workflows.campaigns.openings import close_campaign

# Prolific.


def test_whom_prolific_sends_goes_on_to_an_address_that_says_nothing(doors):
    reply = doors.open_prolific(PROLIFIC_PID=PID, STUDY_ID="s", SESSION_ID=SESSION)
    assert reply.headers["location"] == f"/campaigns/{doors.campaign.id}"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert PID not in reply.headers["set-cookie"]
    assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "no Prolific ID"),
        ({"PROLIFIC_PID": ""}, "no Prolific ID"),
        ({"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}, "opened outside of Prolific"),
        ({"PROLIFIC_PID": PID[:-1]}, "has 24 digits"),
        ({"PROLIFIC_PID": PID + "0"}, "has 24 digits"),
        ({"PROLIFIC_PID": "<script>alert(1)</script>"}, "has 24 digits"),
        ({"PROLIFIC_PID": "é" * 24}, "has 24 digits"),
        ({"PROLIFIC_PID": PID, "SESSION_ID": "x" * 65}, "not one of Prolific"),
        ({"PROLIFIC_PID": PID, "SESSION_ID": "a b"}, "not one of Prolific"),
    ],
)
def test_an_address_that_prolific_does_not_make_lets_nobody_in(doors, parameters, words):
    reply = doors.open_prolific(**parameters)
    assert reply.status_code == 400
    assert words in reply.text
    assert "set-cookie" not in reply.headers
    assert "<script>alert" not in reply.text
    assert doors.count_visits() == 0


def test_a_campaign_that_is_not_for_prolific_lets_nobody_in(served):
    reply = served.nobody.get(f"/p/{served.campaign.id}", params={"PROLIFIC_PID": PID}, headers=HTML)
    assert reply.status_code == 400
    assert "set-cookie" not in reply.headers


def test_the_manager_is_not_turned_into_a_participant(doors):
    manager = doors.served.enter(doors.served.manager)
    reply = doors.open_prolific(manager, PROLIFIC_PID=PID)
    assert reply.status_code == 409
    assert "set-cookie" not in reply.headers
    assert doors.count_visits() == 0


def test_the_code_comes_after_the_share_and_not_before(doors):
    who = doors.come_from_prolific()
    before = doors.ask(who, "finish")
    assert before.json()["state"] == "started"
    assert DONE not in before.text + who.get(f"/campaigns/{doors.campaign.id}/thanks").text
    assert doors.work(who) == 2
    after = doors.ask(who, "finish").json()
    assert (after["state"], after["n_done"], after["code"]) == ("completed", 2, DONE)
    assert after["link"] == f"https://app.prolific.com/submissions/complete?cc={DONE}"


def test_a_second_device_is_the_same_person(doors):
    first, second = doors.come_from_prolific(), doors.come_from_prolific(PID.upper())
    assert first.get("/api/session").json()["name"] == second.get("/api/session").json()["name"]
    assert first.take(doors.campaign)[0]["id"] == second.take(doors.campaign)[0]["id"]
    assert doors.count_visits() == 1


def test_whoever_is_done_and_comes_again_is_thanked(doors):
    who = doors.come_from_prolific()
    doors.work(who)
    doors.ask(who, "finish")
    again = doors.open_prolific(PROLIFIC_PID=PID, SESSION_ID=SESSION)
    assert again.headers["location"] == f"/campaigns/{doors.campaign.id}/thanks"


def test_a_campaign_that_is_closed_under_somebody_sends_them_back_with_the_code(doors):
    who = doors.come_from_prolific()
    task = who.take(doors.campaign)[0]
    assert who.post("/api/answers", make_body(task)).status_code == 200
    with doors.served.study.begin() as begun:
        close_campaign(begun, doors.campaign.name)
    assert who.take(doors.campaign) == []
    assert doors.ask(who, "finish").json()["code"] == DONE
    again = doors.open_prolific(PROLIFIC_PID=PID, SESSION_ID=SESSION)
    assert again.headers["location"] == f"/campaigns/{doors.campaign.id}/thanks"
    assert who.get(again.headers["location"]).status_code == 200


def test_whoever_returns_gets_no_more_tasks_and_no_code(doors):
    who = doors.come_from_prolific()
    reply = doors.ask(who, "return").json()
    assert (reply["state"], reply["code"], reply["link"]) == ("returned", "", "")
    assert who.take(doors.campaign) == []
    assert doors.ask(who, "return").status_code == 409


def test_those_who_did_not_come_from_a_platform_have_no_code(doors):
    for who in (doors.served.enter(doors.served.people[0]), doors.served.enter_as_guest()):
        assert doors.ask(who, "finish").json()["state"] is None


def test_people_from_platforms_see_only_what_they_came_for(doors):
    other = add_contains(doors.served.study, "others")
    page = doors.come_from_prolific().get("/").text
    assert doors.campaign.name in page
    assert other.name not in page
    assert other.name in doors.served.enter(doors.served.people[0]).get("/").text


# Mechanical Turk.


def test_only_the_page_in_the_frame_may_be_framed_and_only_by_mechanical_turk(doors):
    policy = doors.open_frame().headers.get_list("content-security-policy")
    assert len(policy) == 1
    rules = dict(rule.partition(" ")[::2] for rule in policy[0].split("; "))
    assert rules["frame-ancestors"].split() == [
        "https://worker.mturk.com",
        "https://workersandbox.mturk.com",
        "https://www.mturk.com",
        "https://*.mturkcontent.com",
    ]
    assert "'self'" not in rules["form-action"]
    assert all(one.startswith("https://") and one.endswith(".mturk.com") for one in rules["form-action"].split())
    assert rules["img-src"] == "'self' blob:"
    assert rules["script-src"] == "'self'"
    for path in ("/", "/join", f"/p/{doors.campaign.id}", "/nowhere"):
        reply = doors.served.nobody.get(path, headers=HTML)
        assert reply.headers.get_list("content-security-policy") == [CONTENT_SECURITY_POLICY]


@pytest.mark.parametrize(
    "parameters",
    [
        {"turkSubmitTo": "https://evil.example"},
        {"turkSubmitTo": "https://www.mturk.com.evil.example"},
        {"turkSubmitTo": "https://www.mturk.com@evil.example"},
        {"turkSubmitTo": "http://www.mturk.com"},
        {"turkSubmitTo": "javascript:alert(1)//https://www.mturk.com"},
        {"turkSubmitTo": ""},
        {"assignmentId": ""},
        {"assignmentId": "lower"},
        {"assignmentId": 'A"><script>'},
        {"workerId": ""},
        {"workerId": "B123"},
        {"workerId": "A" * 65},
    ],
)
def test_an_address_that_mechanical_turk_does_not_make_opens_nothing(doors, parameters):
    reply = doors.open_frame(**parameters)
    assert reply.status_code == 400
    assert "data-token" not in reply.text
    assert "<script>" not in reply.text
    assert "evil" not in reply.text
    assert doors.count_visits() == 0


def test_a_worker_does_their_share_and_gets_a_receipt_without_personal_data(doors):
    who = doors.come_from_mturk()
    assert doors.work(who) == 2
    reply = doors.ask(who, "finish").json()
    assert reply["state"] == "completed"
    assert re.fullmatch(r"\d+\.2\.[0-9a-f]{32}", reply["code"])
    assert reply["link"] == ""


def test_the_form_goes_to_where_mechanical_turk_says(doors):
    page = doors.open_frame(turkSubmitTo=f"{SUBMIT_TO}/").text
    assert f'action="{SUBMIT_TO}/mturk/externalSubmit"' in page
    assert f'name="assignmentId" value="{ASSIGNMENT}"' in page
    assert WORKER not in page


def test_a_preview_keeps_nothing_and_cannot_be_handed_in(doors):
    reply = doors.open_frame(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", workerId="")
    assert "externalSubmit" not in reply.text
    assert "This is a preview" in reply.text
    (token,) = re.findall(r'data-token="([^"]+)"', reply.text)
    who = Visitor(doors.served.client, {"Authorization": f"Bearer {token}"})
    task = who.take(doors.campaign)[0]
    assert who.get(task["images"][0]).status_code == 200
    assert who.post("/api/answers", make_body(task)).json() == {"status": "guest"}
    assert doors.ask(who, "finish").json()["state"] is None
    with doors.served.study.read() as reading:
        assert len(list_annotators(reading)) == 4
    assert doors.count_visits() == 0


def test_the_token_of_one_worker_does_not_open_the_tasks_of_another(doors):
    one = doors.come_from_mturk()
    other = doors.come_from_mturk(workerId="A3OTHERWORKER", assignmentId="3OTHERASSIGNMENT")
    task = one.take(doors.campaign)[0]
    assert one.get(task["images"][0]).status_code == 200
    assert other.get(task["images"][0]).status_code == 404
    assert other.post("/api/answers", make_body(task)).status_code == 404


def test_a_token_is_good_for_its_campaign_only(doors):
    who = doors.come_from_mturk()
    other = doors.campaign.id + 1
    reply = who.post(f"/api/campaigns/{other}/tasks", {"n": 1})
    assert reply.status_code == 403
    for path in (f"campaigns/{other}/guide/1", f"campaigns/{other}/guide/cases/1", f"classes/1/card?campaign={other}"):
        assert who.get(f"/api/{path}").status_code == 403


def test_a_token_ends_after_a_day(doors):
    who = doors.come_from_mturk()
    get_clock(doors.served.study).jump(FRAME_MAX_AGE + 1)
    assert who.get("/api/session").status_code == 401


@pytest.mark.parametrize("change", ["cut", "flipped", "cookie", "empty"])
def test_a_token_of_which_anything_was_changed_is_no_good(doors, change):
    token = doors.come_from_mturk().headers["Authorization"].removeprefix("Bearer ")
    cookie = doors.served.enter(doors.served.people[0]).headers["Cookie"]
    last = "A" if token[-2] != "A" else "B"
    changed = {
        "cut": token[:-4],
        "flipped": token[:-2] + last + token[-1],
        # A cookie is signed by the same key, for another purpose.
        "cookie": cookie.partition("=")[2],
        "empty": "",
    }[change]
    # The cookie that a browser may add does not help either.
    who = Visitor(doors.served.client, {"Authorization": f"Bearer {changed}", "Cookie": cookie})
    assert who.get("/api/session").status_code == 401


def test_a_token_is_no_cookie(doors):
    token = doors.come_from_mturk().headers["Authorization"].removeprefix("Bearer ")
    who = Visitor(doors.served.client, {"Cookie": f"{doors.served.app.state.regauge.sessions.cookie}={token}"})
    assert who.get("/api/session").status_code == 401


def test_nothing_of_whom_platforms_send_is_logged_shown_or_stored_in_the_database(doors, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    shown = []
    for who in (doors.come_from_prolific(), doors.come_from_prolific(OTHER_PID), doors.come_from_mturk()):
        doors.work(who)
        shown += [doors.ask(who, "finish").text, who.get("/").text, who.get("/api/session").text]
    shown.append(doors.open_prolific(PROLIFIC_PID=PID + "x").text)
    manager = doors.served.enter(doors.served.manager)
    shown.append(manager.get("/manage").text)
    with doors.served.study.begin() as begun:
        database = b"".join(path.read_bytes() for path in begun.paths.folder.glob("study.db*"))
    output = capfd.readouterr()
    # The test's own client names addresses; the server does not.
    logged = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith("httpx"))
    everything = "".join([*shown, logged, output.out, output.err])
    for one in (PID, OTHER_PID, SESSION, WORKER, ASSIGNMENT):
        assert one not in everything
        assert one.encode() not in database


def test_the_manager_sees_how_many_came_and_went_and_nobodys_id(doors: Doors) -> None:
    doors.come_from_prolific()
    page = doors.served.enter(doors.served.manager).get(f"/manage/campaigns/{doors.campaign.id}", headers=HTML).text
    rows = re.findall(r"<li>([^<]+) <span class=\"quiet\">([\d,]+)</span>", page.partition('id="visits"')[2])
    assert [int(n) for _, n in rows[:4]] == [1, 0, 0, 0]
    assert PID not in page
