"""Lists on the manager's pages: people are found by name, and what cannot be stored or chosen is not taken."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.server.manager_forms import answer_all
from tests.server.served_study import Served, Visitor, make_body, serve_pictured
from tests.workflows.campaign_studies import get_clock
from tests.workflows.conftest import postgres, postgres_database  # noqa: F401 - fixtures

from regauge.server.manage.exports import COLUMNS
from regauge.storage.database.schema import assignments, tasks
from regauge.storage.events import add_event

ANNOTATORS = "/manage/campaigns/1/annotators"


@pytest.fixture
def manager(served: Served) -> Visitor:
    return served.enter(served.manager)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_pictured(tmp_path_factory.mktemp("worked")) as found:
        answer_all(found)
        yield found


def test_annotators_are_found_by_a_part_of_their_name(worked: Served) -> None:
    manager = worked.enter(worked.manager)
    names = [who.annotator.name for who in worked.people]
    page = manager.get(f"{ANNOTATORS}?name=%20NNOTATOR-0002%20").text
    assert [name in page for name in names] == [False, True, False]
    assert "1 to 1 of 1 annotators" in page
    # What else was asked for stays, here and in what the page asks for again and again.
    assert f'data-live="/api{ANNOTATORS}?name=NNOTATOR-0002&amp;order=flags' in page
    assert 'href="/manage/campaigns/1/annotators?name=NNOTATOR-0002&amp;order=answers' in page
    assert "All <span" in page
    assert '<span class="count">3</span>' in page
    news = manager.get(f"/api{ANNOTATORS}?name=0002").json()
    assert (news["n"], names[1] in news["parts"]["rows"], names[0] in news["parts"]["rows"]) == (1, True, False)


def test_found_annotators_are_shown_in_order_and_page_by_page(worked: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    # One row on a page and two at a time, so that what is found lies on several.
    monkeypatch.setattr("regauge.server.manage.lists.MAX_PAGE", 2)
    monkeypatch.setattr("regauge.server.manage.lists.ListQuery.find_rows.__defaults__", (1,))
    manager = worked.enter(worked.manager)
    order = "name=ANNOTATOR&order=name&descending=true"
    for page, who in enumerate(reversed(worked.people), 1):
        rows = manager.get(f"/api{ANNOTATORS}?{order}&page={page}").json()["parts"]["rows"]
        assert [one.annotator.name in rows for one in worked.people] == [one is who for one in worked.people]


def test_nobody_is_found_where_nobody_is_called_that(worked: Served) -> None:
    page = worked.enter(worked.manager).get(f"{ANNOTATORS}?name=%25").text
    assert "Nobody here has that name." in page
    assert 'id="table"' in page


def test_a_search_asks_for_what_it_showed(worked: Served) -> None:
    page = (
        worked.enter(worked.manager).get(f"{ANNOTATORS}?name=%3Cb%3E&order=answers&show=dropped&descending=true").text
    )
    assert 'value="&lt;b&gt;"' in page
    for name, value in (("order", "answers"), ("show", "dropped"), ("descending", "true")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in page


def test_what_python_did_without_a_name_is_under_everybody(served: Served, manager: Visitor) -> None:
    with served.study.begin() as begun:
        add_event(replace(begun, around=replace(begun.around, who="")), "campaign closed", {})
    page = manager.get("/manage/log").text
    assert "campaign closed" in page
    assert "selected" not in page.partition("<table>")[0]


def test_a_table_without_rows_still_has_its_columns(served: Served, manager: Visitor) -> None:
    text = manager.get("/api/manage/campaigns/1/annotators.csv").text
    assert list(csv.reader(io.StringIO(text))) == [list(COLUMNS)]


BODIES = {
    "campaigns/1/close": {"reason": "\x00"},
    "campaigns/1/texts": {"instructions": "a\x00", "consent": "b"},
    "campaigns/1/labels": {"name": "\x00", "min_shown": 1},
    "campaigns/1/annotators/1/drop": {"reason": "\x00"},
    "people/1/erase": {"reason": "\x00"},
}


def test_what_a_database_cannot_store_is_refused_in_words(
    tmp_path: Path,
    postgres_database: str,  # noqa: F811
) -> None:
    with serve_pictured(tmp_path, database=postgres_database) as served:
        answer_all(served)
        manager = served.enter(served.manager)
        for path, body in BODIES.items():
            reply = manager.post(f"/api/manage/{path}", body)
            assert (path, reply.status_code) == (path, 422)
            assert "a character that cannot be stored" in reply.json()["detail"]
        for path in (
            "/manage/people?name=%00",
            "/manage/log?who=%00",
            "/manage/log?what=%00",
            f"{ANNOTATORS}?name=%00",
        ):
            assert (path, manager.get(path).status_code) == (path, 422)


def test_the_manager_sees_who_asks_to_be_erased_until_it_is_done(served: Served, manager: Visitor) -> None:
    for page in ("/manage", "/manage/people"):
        assert "to be erased" not in manager.get(page).text
    for who, with_answers in zip(served.people[:2], (True, False), strict=True):
        assert served.enter(who).post("/api/me/erasure", {"with_answers": with_answers}).status_code == 204
    assert "2 people ask to be erased." in manager.get("/manage").text
    assert "2 people ask to be erased." in manager.get("/api/manage/overview").json()["parts"]["steps"]
    page = manager.get("/manage/people").text
    assert ">annotator-0001</a>, with their answers" in page
    assert ">annotator-0002</a></span>" in page
    number = served.people[0].annotator.id
    assert manager.post(f"/api/manage/people/{number}/erase", {"reason": "asked"}).status_code == 200
    assert "1 person asks to be erased." in manager.get("/manage").text


def test_the_overview_learns_of_flags_that_are_found_later(served: Served, manager: Visitor) -> None:
    words = "of grids should be looked at."
    visitor = served.enter(served.people[0])
    (task,) = visitor.take(served.campaign)
    get_clock(served.study).jump(60)
    assert visitor.post("/api/answers", make_body(task, answer={"mask": "ff"})).status_code == 200
    assert words not in manager.get("/manage").text
    # All of them select everything; flags are some seconds old at first.
    get_clock(served.study).jump(1)
    answer_all(served, masks=dict.fromkeys(range(len(served.people)), "ff"))
    assert words not in manager.get("/manage").text
    get_clock(served.study).jump(60)
    assert words in manager.get("/manage").text


def test_what_is_not_counted_names_reports_and_unseen_answers_too(served: Served, manager: Visitor) -> None:
    visitor = served.enter(served.people[0])
    page = manager.get(f"/manage/campaigns/{served.campaign.id}").text
    assert "Not counted" not in page
    reported, unseen = visitor.take(served.campaign, 2)
    assert visitor.post("/api/answers", make_body(reported, answer={"not_shown": True})).status_code == 200
    with served.study.read() as reading:
        is_given = assignments.c.id == unseen["id"]
        query = select(tasks.c.payload).join(assignments, assignments.c.task_id == tasks.c.id).where(is_given)
        cells = reading.connection.scalars(query).one()["cells"]
    asked = sum(1 << cell for cell, (_, control) in enumerate(cells) if not control)
    sent = make_body(unseen, answer={"mask": "0", "not_shown": f"{asked:x}"})
    assert visitor.post("/api/answers", sent).status_code == 200
    page = manager.get(f"/manage/campaigns/{served.campaign.id}").text
    assert "0 surplus, 0 dropped, 0 repeats, 1 unseen, 1 reported as not shown" in page
