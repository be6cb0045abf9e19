"""What an answer is good for is the manager's to know: nothing that an annotator gets tells a repeat, surplus or a drop."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient
from tests.server.served_study import Reply, Served, Visitor, make_body, serve_pictured
from tests.workflows.campaign_studies import LEASE, SHAPE, add_people, get_clock, make_pictured
from tests.workflows.quiz_campaigns import add_known, add_quizzed

from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignTexts, Kind, ResponseStatus, Role
from regauge.records.campaigns.terms import Terms
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.storage.database.schema import responses
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.openings import close_campaign, open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.people.invitations import renew_link
from regauge.workflows.studies.study import Study

RECEIPT = '{"status":"stored"}'
VARYING = re.compile(r"[0-9a-f]{16,}|\d[\d,:.]*|\btasks?\b|under 1")
"""What differs between any two pages: ids, numbers, times."""


def add_repeating(study: Study, kind: Kind) -> CampaignEntry:
    """24 images to label, or as many grids."""
    if kind == Kind("classify"):
        return add_quizzed(study, Terms(repeats=0.5), kind=kind, quota=1, n=24)
    plan = CampaignPlan("quizzed", kind, 1, LEASE, CampaignTexts("Look.", "Agree?"), terms=Terms(repeats=0.5))
    pairs = [(f"i{number}", index) for number in range(24) for index in range(4)]
    with study.begin() as begun:
        create_contains(begun, plan, ContainsQuestions("pictures", pairs, "known", SHAPE, seed=0))
        return open_campaign(begun, "quizzed")


@contextmanager
def serve_repeating(folder: Path, kind: Kind) -> Iterator[Served]:
    """A server with a campaign in which every other task comes again and one answer is enough, and two people."""
    with make_pictured(folder) as study:
        add_known(study, folder)
        campaign = add_repeating(study, kind)
        people = add_people(study, campaign, 2)
        with study.begin() as begun:
            manager = renew_link(begun, "manager", role=Role.MANAGER)
        app = create_app(study, ServerSettings())
        with TestClient(app, raise_server_exceptions=False) as client:
            yield Served(study, app, client, campaign, people, manager)


@dataclass(slots=True, eq=False)
class Listener:
    """Somebody who works and writes down all that comes back, by what the answer before it was good for.

    Attributes:
        receipts: whole replies to answers, by status and whether it was a revision or sent again.
        pages: the outlines of all other replies after such an answer, by address.
        n_done: what the home page said after each first answer.
    """

    served: Served
    visitor: Visitor
    receipts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    pages: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    n_done: list[int] = field(default_factory=list)

    def take(self, n: int = 1) -> list[dict[str, Any]]:
        return self.visitor.take(self.served.campaign, n)

    def answer(self, task: dict[str, Any], *, revision: int = 0) -> str:
        """Hand in an answer, twice, and look at everything; gives what the manager knows of it."""
        get_clock(self.served.study).jump(5)
        client_id = f"client-{task['id'][:20]}-{revision}"
        answer: dict[str, Any] = {"mask": "1"}
        if "candidates" in task["view"]:
            chosen = task["view"]["candidates"][0]["class"]
            answer = {"selected": [chosen], "main": chosen}
        body = {"client_id": client_id, "assignment_id": task["id"], "answer": answer, "seconds": 3.0}
        first, again = (self.visitor.post("/api/answers", {**body, "revision": revision}) for _ in range(2))
        status = find_status(self.served, client_id)
        self.receipts[f"{status}, revision {revision}"].add(write_whole(first))
        self.receipts[f"{status}, revision {revision}, again"].add(write_whole(again))
        for path in self._list_paths():
            self.pages[path][status] = outline(self.visitor.get(path, headers={"Accept": "text/html"}))
        if not revision:
            self.n_done.append(int(re.findall(r"(\d+)(?: of [\d,]+| tasks?) done", self.visitor.get("/").text)[0]))
        return status

    def _list_paths(self) -> tuple[str, ...]:
        number = self.served.campaign.id
        of_campaign = (f"/campaigns/{number}", f"/campaigns/{number}/thanks", f"/api/campaigns/{number}/previous")
        return ("/", "/me", "/api/me", "/api/session", *of_campaign)


def write_whole(reply: Reply) -> str:
    """A reply as it goes over the wire, headers in their order."""
    return repr((reply.status_code, reply.headers.raw, reply.text))


def outline(reply: Reply) -> str:
    """A reply without what differs between any two."""
    headers = [name for name, _ in reply.headers.raw]
    is_json = reply.headers["content-type"] == "application/json"
    return repr((reply.status_code, headers, shape(reply.json()) if is_json else VARYING.sub("#", reply.text)))


def shape(value: Any) -> object:
    """Which keys there are, in which order, with what kind of value; of a list of objects the shapes that occur."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    is_of_objects = isinstance(value, list) and value and isinstance(value[0], dict)
    return sorted({repr(shape(one)) for one in value}) if is_of_objects else type(value).__name__


def find_status(served: Served, client_id: str) -> str:
    with served.study.read() as reading:
        query = select(responses.c.status).where(responses.c.client_id == client_id)
        return str(reading.connection.scalars(query).one())


@pytest.mark.parametrize("kind", [Kind("contains"), Kind("classify")])
def test_whatever_became_of_an_answer_everything_that_comes_back_is_the_same(tmp_path: Path, kind: Kind) -> None:
    with serve_repeating(tmp_path, kind) as served:
        late, steady = (Listener(served, served.enter(one)) for one in served.people)
        late.answer(late.take()[0])
        late.answer(late.take()[0])
        held = late.take(2)
        get_clock(served.study).jump(LEASE + 1)
        seen: set[str] = set()
        while {"counted", "repeat"} - seen and (tasks := steady.take()):
            seen.add(steady.answer(tasks[0]))
        steady.answer(tasks[0], revision=1)
        # Not all of what the one holds need have been given to the other, who has seen other images.
        assert "surplus" in {late.answer(task) for task in held}
        late.answer(held[0], revision=1)
        kept = steady.take(2)
        # What a person is told of a decision about them is the page with their own data, in so many words; nothing else.
        before = dict(steady.pages.pop("/me")), dict(steady.pages.pop("/api/me"))
        with served.study.begin() as begun:
            drop_annotator(begun, "quizzed", annotator=served.people[1].annotator.name, reason="to see")
        assert "dropped" in {steady.answer(task) for task in kept}
        assert "no longer count" in steady.visitor.get("/me").text
        del steady.pages["/me"], steady.pages["/api/me"]

    receipts = [one for who in (late, steady) for found in who.receipts.values() for one in found]
    # Whoever reports that nothing was shown knows it; what of a grid's cells nobody knows has a test of its own.
    others = {ResponseStatus.NOT_SHOWN, ResponseStatus.UNSEEN}
    assert {name.split(",")[0] for who in (late, steady) for name in who.receipts} == set(ResponseStatus) - others
    assert len(set(receipts)) == 1
    assert RECEIPT in receipts[0]
    for found in (*late.pages.values(), *steady.pages.values(), *before):
        assert len(found) > 1
        assert len(set(found.values())) == 1, found
    # Every task that was done is one more, whatever it is good for.
    for who in (late, steady):
        assert who.n_done == list(range(1, len(who.n_done) + 1))


def test_cells_that_are_said_not_to_have_been_shown_do_not_tell_which_are_controls(tmp_path: Path) -> None:
    """Whoever says that all but one were not shown learns nothing of that one: neither at first nor by changing it."""
    with serve_pictured(tmp_path) as served:
        visitor, statuses = served.enter(served.people[0]), set()
        exchanges: dict[int, list[str]] = defaultdict(list)
        for only in range(SHAPE.n_cells):
            (task,) = visitor.take(served.campaign)
            cells = range(len(task["images"]))
            masks = [f"{(1 << len(cells)) - 1 & ~(1 << cell):x}" for cell in (only % len(cells), *cells)]
            for revision, mask in enumerate(masks):
                name = f"client-{only}-{revision:04d}"
                answer = {"mask": "0", "not_shown": mask}
                sent = make_body(task, client_id=name, answer=answer, revision=revision)
                exchanges[revision].append(write_whole(visitor.post("/api/answers", sent)))
                exchanges[revision].append(outline(visitor.get(f"/api/campaigns/{served.campaign.id}/previous")))
                statuses.add(find_status(served, name))
            # Done and left together are the same, whether the answer was counted or not.
            n_left = SHAPE.n_cells - only - 1
            words = f"{only + 1} of {SHAPE.n_cells} done" if n_left else f"{only + 1} tasks done"
            assert words in visitor.get("/").text
    assert statuses == {"counted", "unseen"}
    for told in exchanges.values():
        assert len(set(told)) == 2, told


def test_one_who_was_dropped_is_told_of_tasks_what_one_is_told_for_whom_none_is_left(tmp_path: Path) -> None:
    with serve_repeating(tmp_path, Kind("classify")) as served:
        dropped, last = (Listener(served, served.enter(one)) for one in served.people)
        for _ in range(2):
            dropped.answer(dropped.take()[0])
        with served.study.begin() as begun:
            drop_annotator(begun, "quizzed", annotator=served.people[0].annotator.name, reason="to see")
        while tasks := last.take():
            last.answer(tasks[0])
        path = f"/api/campaigns/{served.campaign.id}/tasks"
        assert len({write_whole(one.visitor.post(path, {"n": 2})) for one in (dropped, last)}) == 1


def test_the_own_data_do_not_tell_what_became_of_an_answer_also_when_all_is_over(tmp_path: Path) -> None:
    with serve_repeating(tmp_path, Kind("classify")) as served:
        who = Listener(served, served.enter(served.people[0]))
        while who.answer(who.take()[0]) != "repeat":
            pass
        with served.study.begin() as begun:
            close_campaign(begun, "quizzed")
        answers = who.visitor.get("/api/me").json()["answers"]
    # An answer to a closed campaign can still be changed: whoever knew the repeats could make them agree.
    assert len({tuple(one) for one in answers}) == 1
    assert not any("status" in one for one in answers)
