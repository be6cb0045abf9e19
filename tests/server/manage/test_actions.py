"""What the manager sees and changes over HTTP: every change is in the log with who and why."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from tests.server.manager_forms import answer_all, fill_in, get_log
from tests.server.served_study import Served, Visitor, serve_pictured
from tests.workflows.campaign_studies import add_classify

from regauge.records.campaigns.campaign import ResponseStatus, Role
from regauge.storage.campaigns.campaign import get_campaign, set_settings
from regauge.storage.database.schema import events, responses
from regauge.workflows.people.invitations import invite

HOSTILE = '<script>alert("1")</script>'


@pytest.fixture
def manager(served: Served) -> Visitor:
    return served.enter(served.manager)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A campaign of eight grids that three people have worked on to the end."""
    with serve_pictured(tmp_path_factory.mktemp("worked")) as found:
        assert answer_all(found) == 24
        yield found


PAGES = [
    "/manage",
    "/manage/campaigns/new",
    "/manage/campaigns/1",
    "/manage/campaigns/1/annotators",
    "/manage/campaigns/1/images",
    "/manage/campaigns/1/images/0",
    "/manage/campaigns/1/labels",
    "/manage/log",
    "/manage/people",
]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_shown_before_the_first_answer_and_after_the_last(
    served: Served, worked: Served, path: str
) -> None:
    for where in (served, worked):
        reply = where.enter(where.manager).get(path, headers={"Accept": "text/html"})
        assert reply.status_code == 200, reply.text
        assert "<h1>" in reply.text
        # Nothing is written into the page that its policy would not run.
        assert not re.search(r"<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=", reply.text)


@pytest.mark.parametrize("path", PAGES)
def test_others_are_told_that_a_page_is_the_managers(served: Served, path: str) -> None:
    reply = served.enter(served.people[0]).get(path, headers={"Accept": "text/html"})
    assert reply.status_code == 403
    assert "Only the manager of the study can do this." in reply.text


def test_the_overview_says_what_is_there_and_what_comes_next(worked: Served) -> None:
    page = worked.enter(worked.manager).get("/manage").text
    assert "24 images" in page
    assert "<b>24</b> of 24 answers" in page
    assert "grids has all its answers: close it." in page
    assert "Make a label set of the answers to grids." in page
    assert "regauge predictions add" in page


def test_what_is_asked_for_again_and_again_is_what_the_page_shows(worked: Served) -> None:
    manager = worked.enter(worked.manager)
    news = manager.get("/api/manage/overview").json()
    assert set(news["parts"]) == {"steps", "campaigns", "answer-rows"}
    page = manager.get("/manage").text
    assert news["parts"]["campaigns"].strip() in page
    assert news["n_answers"] == 10
    pulse = manager.get("/api/manage/campaigns/1/pulse").json()
    assert (pulse["state"], pulse["n_counted"]) == ("open", 24)
    assert pulse["parts"]["hours"].strip() in manager.get("/manage/campaigns/1").text
    people = manager.get("/api/manage/campaigns/1/annotators").json()
    assert people["n"] == 3
    assert people["parts"]["rows"].strip() in manager.get("/manage/campaigns/1/annotators").text


@pytest.mark.parametrize(
    "path",
    [
        "/manage/log?page=0",
        "/manage/log?page=-1",
        "/manage/log?page=x",
        "/manage/log?page=9999999999999999999",
        "/manage/people?page=1000001",
        "/manage/campaigns/1/annotators?order=beauty",
        "/manage/campaigns/1/annotators?show=nobody",
        "/manage/campaigns/1/images?order=beauty",
        "/manage/campaigns/1?people=0",
        "/manage/campaigns/1?hours=nan",
        "/manage/campaigns/0",
        "/manage/campaigns/99999999999",
        "/manage/campaigns/1/images/-1",
        "/manage/log?what=" + "x" * 300,
    ],
)
def test_what_makes_no_sense_is_refused_in_words(worked: Served, path: str) -> None:
    reply = worked.enter(worked.manager).get(path, headers={"Accept": "text/html"})
    assert reply.status_code == 422
    assert "<h1>" in reply.text


@pytest.mark.parametrize(
    "path", ["/manage/campaigns/77", "/manage/campaigns/77/annotators", "/manage/campaigns/77/labels"]
)
def test_there_is_no_other_campaign(worked: Served, path: str) -> None:
    assert worked.enter(worked.manager).get(path).status_code == 409


@pytest.mark.parametrize("path", ["/manage/campaigns/1/images/24", "/manage/campaigns/1/images/24/picture"])
def test_there_is_no_other_image(worked: Served, path: str) -> None:
    assert worked.enter(worked.manager).get(path).status_code == 404


@pytest.mark.parametrize(
    "path", ["/manage/log", "/manage/people", "/manage/campaigns/1/annotators", "/manage/campaigns/1/images"]
)
def test_a_page_after_the_last_leads_to_the_last(worked: Served, path: str) -> None:
    reply = worked.enter(worked.manager).get(f"{path}?page=900")
    assert reply.status_code == 303
    assert "page=1" in reply.headers["location"]


def test_people_are_shown_page_by_page_and_found_by_name(served: Served, manager: Visitor) -> None:
    assert manager.post("/api/manage/links", {"n": 120}).status_code == 200
    first = manager.get("/manage/people").text
    assert "1 to 50 of 124 people" in first
    assert 'href="/manage/people?page=2"' in first
    last = manager.get("/manage/people?page=3").text
    assert "101 to 124 of 124 people" in last
    assert "annotator-0123" not in last
    found = manager.get("/manage/people?name=NNOTATOR-0123").text
    assert "1 to 1 of 1 people" in found
    # What stands for anything in a database stands for itself here.
    assert "Nobody has that name." in manager.get("/manage/people?name=%25").text
    assert "Nobody has that name." in manager.get("/manage/people?name=_").text


def test_a_picture_is_shown_to_the_manager_alone(worked: Served) -> None:
    path = "/manage/campaigns/1/images/0/picture"
    reply = worked.enter(worked.manager).get(path)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "image/jpeg")
    assert worked.enter(worked.people[0]).get(path).status_code == 403
    assert worked.nobody.get(path).status_code == 401


@pytest.mark.parametrize("side", [256, 512, 1024])
def test_a_picture_comes_in_sizes_that_are_the_same_for_all(worked: Served, side: int) -> None:
    manager = worked.enter(worked.manager)
    for number in range(3):
        reply = manager.get(f"/manage/campaigns/1/images/{number}/picture?side={side}")
        with Image.open(io.BytesIO(reply.content)) as picture:
            assert max(picture.size) == side


@pytest.mark.parametrize("side", ["255", "0", "-1", "99999", "256.5", "x", "../512"])
def test_a_picture_comes_in_no_other_size(worked: Served, side: str) -> None:
    reply = worked.enter(worked.manager).get(f"/manage/campaigns/1/images/0/picture?side={side}")
    assert reply.status_code == 422


def test_a_list_shows_small_pictures(worked: Served) -> None:
    page = worked.enter(worked.manager).get("/manage/campaigns/1/images").text
    assert re.findall(r'src="([^"]+/picture[^"]*)"', page)
    assert all(address.endswith("?side=256") for address in re.findall(r'src="([^"]+/picture[^"]*)"', page))


def test_an_image_shows_every_answer_about_it(worked: Served) -> None:
    page = worked.enter(worked.manager).get("/manage/campaigns/1/images/0").text
    assert "of 3</span>" in page
    for who in worked.people:
        assert who.annotator.name in page


def test_a_reason_is_kept_with_who_gave_it(served: Served, manager: Visitor) -> None:
    assert manager.post("/api/manage/campaigns/1/close", {"reason": f"enough {HOSTILE}"}).status_code == 200
    assert manager.post("/api/manage/campaigns/1/open").status_code == 200
    log = get_log(manager)
    assert "<td>manager</td><td><b>campaign closed</b>" in log
    assert "enough &lt;script&gt;" in log
    assert HOSTILE not in log
    only = manager.get("/manage/log?what=campaign+closed&who=manager").text
    assert "1 to 1 of 1 events" in only
    assert "Nothing like that has happened." in manager.get("/manage/log?what=campaign+closed&who=tester").text
    assert manager.post("/api/manage/campaigns/1/close", {"reason": "x" * 1_001}).status_code == 422


def test_the_page_of_a_campaign_names_all_its_sets_and_when_it_was_closed_only_while_it_is(
    served: Served, manager: Visitor
) -> None:
    with served.study.begin() as begun:
        entry = get_campaign(begun, 1)
        set_settings(begun, entry, {**entry.plan.settings, "also": ["old", "older"]})
    assert ", old, older</dd>" in manager.get("/manage/campaigns/1").text
    assert manager.post("/api/manage/campaigns/1/close", {"reason": "enough"}).status_code == 200
    assert "<dt>Closed</dt>" in manager.get("/manage/campaigns/1").text
    assert manager.post("/api/manage/campaigns/1/open").status_code == 200
    assert "<dt>Closed</dt>" not in manager.get("/manage/campaigns/1").text


def test_the_page_of_a_campaign_says_how_many_controls_come_again(served: Served, manager: Visitor) -> None:
    # Eight grids of four controls, all of which are asked about in other grids.
    words = "32 of 32 control cells show an image that stands in another task too"
    assert words in manager.get("/manage/campaigns/1").text
    with served.study.begin() as begun:
        entry = get_campaign(begun, 1)
        set_settings(begun, entry, {**entry.plan.settings, "n_controls_again": 0})
    assert "control cells" not in manager.get("/manage/campaigns/1").text


def test_links_and_their_tokens_are_not_in_the_log(served: Served, manager: Visitor) -> None:
    (made,) = manager.post("/api/manage/links", {"n": 1}).json()
    number = served.people[0].annotator.id
    renewed = manager.post(f"/api/manage/people/{number}/link", {"reason": "lost it"}).json()
    with served.study.read() as reading:
        kept = str(reading.connection.execute(events.select()).all())
    for link in (made["link"], renewed["link"]):
        assert link.split("#")[1] not in kept
    assert "lost it" in kept


def test_texts_are_changed_as_a_new_version(served: Served, manager: Visitor) -> None:
    texts = {"instructions": "Look twice.", "consent": "Agree?", "warning": "Spiders.", "training": "", "version": 1}
    assert manager.post("/api/manage/campaigns/1/texts", texts).json() == {"version": 2}
    page = manager.get("/manage/campaigns/1").text
    assert "Look twice." in page
    assert "version 2" in page
    assert manager.post("/api/manage/campaigns/1/texts", {**texts, "consent": "x" * 10_001}).status_code == 422


def test_whoever_saves_second_gets_both_texts(served: Served, manager: Visitor) -> None:
    path = "/api/manage/campaigns/1/texts"
    texts = {"instructions": "Look.", "consent": "First words.", "warning": "", "training": "", "version": 1}
    assert manager.post(path, texts).json() == {"version": 2}
    reply = manager.post(path, {**texts, "consent": "Second words."})
    assert (reply.status_code, reply.json()["version"]) == (409, 2)
    assert reply.json()["texts"]["consent"] == "First words."
    assert "made from version 1" in reply.json()["detail"]
    assert manager.post(path, {name: texts[name] for name in texts if name != "version"}).status_code == 422
    assert manager.post(path, {**texts, "consent": "Second words.", "version": 2}).json() == {"version": 3}


@pytest.mark.parametrize(
    "consent", ["", " \n\t", "\u200b\u2060", "\u3164", "\u2800\ufe0f", "\u202e\u00ad", "\u00a0\u3000"]
)
def test_a_consent_that_shows_nothing_is_refused(served: Served, manager: Visitor, consent: str) -> None:
    texts = {"instructions": "Look.", "consent": consent, "version": 1}
    reply = manager.post("/api/manage/campaigns/1/texts", texts)
    assert (reply.status_code, reply.json()["detail"]) == (
        409,
        "The consent shows no text; write what people agree to.",
    )
    if consent.strip():
        assert "consent" in fill_in(manager, consent=consent).json()["fields"]


def test_somebody_is_dropped_and_restored(served: Served, manager: Visitor) -> None:
    answer_all(served)
    number = served.people[1].annotator.id
    path = f"/api/manage/campaigns/1/annotators/{number}"
    effect = manager.get(f"{path}/effect").json()
    assert effect == {"name": served.people[1].annotator.name, "n_answers": 8, "n_reopened": 8}
    assert manager.post(f"{path}/drop", {"reason": " "}).status_code == 409
    assert manager.post(f"{path}/drop", {}).status_code == 409
    assert manager.post(f"{path}/drop", {"reason": f"guesses {HOSTILE}"}).json() == {"is_dropped": True}
    assert manager.post(f"{path}/drop", {"reason": "again"}).status_code == 409
    with served.study.read() as reading:
        mine = responses.c.annotator_id == number
        statuses = set(reading.connection.scalars(responses.select().with_only_columns(responses.c.status).where(mine)))
    assert statuses == {ResponseStatus.DROPPED.value}
    assert manager.get("/api/manage/campaigns/1/pulse").json()["n_counted"] == 16
    page = manager.get("/manage/campaigns/1/annotators?show=dropped").text
    assert "guesses &lt;script&gt;" in page
    assert HOSTILE not in page
    assert manager.post(f"{path}/restore", {"reason": "did not"}).json() == {"is_dropped": False}
    assert manager.get("/api/manage/campaigns/1/pulse").json()["n_counted"] == 24
    log = get_log(manager)
    assert "annotator drop" in log
    assert "did not" in log


def test_a_surplus_answer_takes_the_place_of_a_dropped_one(served: Served, manager: Visitor) -> None:
    number = served.people[0].annotator.id
    answer_all(served)
    with served.study.begin() as begun:
        mine = responses.c.annotator_id == served.people[2].annotator.id
        begun.connection.execute(responses.update().where(mine).values(status=ResponseStatus.SURPLUS.value))
    effect = manager.get(f"/api/manage/campaigns/1/annotators/{number}/effect").json()
    assert (effect["n_answers"], effect["n_reopened"]) == (8, 0)


def test_signing_somebody_out_ends_their_sessions_at_once(served: Served, manager: Visitor) -> None:
    one = served.enter(served.people[0])
    assert one.get("/").status_code == 200
    assert one.get("/api/session").status_code == 200
    served.study.around.clock.jump(60)  # type: ignore[attr-defined]
    number = served.people[0].annotator.id
    assert manager.post(f"/api/manage/people/{number}/sessions", {"reason": "left"}).status_code == 204
    assert one.get("/api/session").status_code == 401
    assert served.enter(served.people[0]).get("/api/session").status_code == 200
    link = manager.post(f"/api/manage/people/{number}/link").json()["link"]
    assert link.startswith(f"{served.app.state.regauge.settings.base_url}/join#")
    assert served.nobody.post("/api/session", {"token": served.people[0].token}).status_code == 403


def test_a_label_set_is_previewed_and_built(served: Served, manager: Visitor) -> None:
    answer_all(served)
    rule = {"screening": False, "correct": 0.5, "unclear": 0.25, "min_shown": 1}
    path = "/api/manage/campaigns/1/labels"
    shown = manager.post(f"{path}/preview", rule).json()["parts"]["preview"]
    assert "Images judged" in shown
    assert manager.post(f"{path}/preview", {**rule, "correct": 0.1}).status_code == 409
    assert manager.post(f"{path}/preview", {**rule, "correct": 2}).status_code == 422
    assert manager.post(path, {**rule, "name": "a@b"}).status_code == 409
    built = manager.post(path, {**rule, "name": "crowd"}).json()
    assert built["full_name"] == "crowd@1"
    assert manager.post(path, {**rule, "name": "crowd"}).json()["full_name"] == "crowd@2"
    page = manager.get("/manage/campaigns/1/labels?built=crowd%402").text
    assert "crowd@2 was built." in page
    # Only what was really built is said to be.
    assert "nonsense" not in manager.get("/manage/campaigns/1/labels?built=nonsense").text


def test_a_label_set_needs_answers(served: Served, manager: Visitor) -> None:
    reply = manager.post("/api/manage/campaigns/1/labels/preview", {})
    assert reply.status_code == 409
    assert "no answers that count yet" in reply.json()["detail"]


def test_annotators_are_downloaded_and_no_cell_is_a_formula(served: Served, manager: Visitor) -> None:
    answer_all(served)
    number = served.people[0].annotator.id
    manager.post(f"/api/manage/campaigns/1/annotators/{number}/drop", {"reason": "=HYPERLINK(1)"})
    address = "/api/manage/campaigns/1/annotators.csv"
    reply = manager.get(f"{address}?with_names=true")
    assert reply.headers["content-type"].startswith("text/csv")
    rows = {row["annotator"]: row for row in csv.DictReader(io.StringIO(reply.text))}
    assert set(rows) == {who.annotator.name for who in served.people}
    dropped = rows[served.people[0].annotator.name]
    assert (dropped["is_dropped"], dropped["n_answers"], dropped["n_counted"]) == ("1", "8", "0")
    assert dropped["reason"] == "'=HYPERLINK(1)"
    # Without names, the same under what other files call them.
    called = {row["annotator"]: row for row in csv.DictReader(io.StringIO(manager.get(address).text))}
    assert called == {row["pseudonym"]: {**row, "annotator": row["pseudonym"]} for row in rows.values()}
    assert set(called).isdisjoint(rows)


def test_names_with_markup_are_shown_as_they_are(served: Served, manager: Visitor) -> None:
    with served.study.begin() as begun:
        invite(begun, [HOSTILE], role=Role.ANNOTATOR)
    # No name of a campaign has a slash.
    assert fill_in(manager, name=HOSTILE.replace("/", "")).status_code == 201
    for path in ("/manage", "/manage/people", "/manage/log", "/manage/campaigns/2", "/manage/campaigns/2/labels"):
        page = manager.get(path).text
        assert HOSTILE not in page
        assert "&lt;script&gt;" in page
    parts = manager.get("/api/manage/overview").json()["parts"]
    assert HOSTILE not in "".join(parts.values())


def test_pages_of_a_campaign_of_single_images(tmp_path: Path) -> None:
    with serve_pictured(tmp_path) as served:
        campaign = add_classify(served.study)
        who = served.enter(served.people[0])
        assert who.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1}).status_code == 204
        while tasks := who.take(campaign):
            body = {"client_id": f"client-{tasks[0]['id']}", "assignment_id": tasks[0]["id"]}
            label = tasks[0]["view"]["candidates"][0]["class"]
            sent = who.post("/api/answers", {**body, "answer": {"selected": [label], "main": label}})
            assert sent.status_code == 200, sent.text
        manager = served.enter(served.manager)
        for path in PAGES[2:7]:
            assert manager.get(path.replace("/1", f"/{campaign.id}", 1)).status_code == 200
        preview = manager.post(f"/api/manage/campaigns/{campaign.id}/labels/preview", {"screening": False})
        assert "correct" in preview.json()["parts"]["preview"]
