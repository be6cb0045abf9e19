"""A disk that is full: what cannot be stored is refused and told, everything else goes on, and it ends by itself."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient
from tests.server.served_study import Served, Visitor, make_body
from tests.server.test_health import local, parse, scrape  # noqa: F401 - a fixture
from tests.workflows.campaign_studies import make_pictured
from tests.workflows.quiz_campaigns import add_known, add_quizzed

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.terms import Prolific, Terms
from regauge.server.app import create_app
from regauge.storage.testsets.test_set import list_test_sets
from regauge.workflows.campaigns.image_failures import describe_failures
from regauge.workflows.studies.study import Study


@contextmanager
def fill_disk() -> Iterator[None]:
    """No byte more can be written to any file, which looks to a program like a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def ask_health(served: Served) -> tuple[int, str]:
    reply = served.nobody.get("/healthz")
    return reply.status_code, reply.json()["status"]


def test_health_fails_with_the_writer_and_gets_well_by_itself(local: Served) -> None:  # noqa: F811 - the fixture
    served, annotator = local, local.enter(local.people[0])
    first, second = annotator.take(served.campaign, 2)
    assert annotator.post("/api/answers", make_body(first)).status_code == 200
    with fill_disk():
        assert ask_health(served) == (200, "ok")
        for _ in range(3):
            reply = annotator.post("/api/answers", make_body(second))
            assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
            assert ask_health(served) == (503, "failing")
        # What only reads goes on, and does not make it well.
        assert annotator.post(f"/api/campaigns/{served.campaign.id}/tasks", {"n": 1}).status_code == 503
        assert parse(scrape(served))["regauge_writer_failing{}"] == 1
        assert ask_health(served) == (503, "failing")
    # Nobody has sent an answer since.
    assert ask_health(served) == (200, "ok")
    assert parse(scrape(served))["regauge_writer_failing{}"] == 0
    assert annotator.post("/api/answers", make_body(second)).status_code == 200
    assert len(annotator.get("/api/me").json()["answers"]) == 2


def test_work_that_only_reads_does_not_make_a_failing_writer_well(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    is_full = True

    def refuse(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if is_full and statement.startswith(("INSERT", "UPDATE")):
            raise OperationalError(statement, None, OSError("database or disk is full"))

    event.listen(served.study.engine, "before_cursor_execute", refuse)
    assert annotator.post("/api/answers", make_body(task)).status_code == 503
    assert annotator.post(f"/api/campaigns/{served.campaign.id}/finish").status_code == 503
    assert ask_health(served)[0] == 503
    is_full = False
    assert annotator.post(f"/api/campaigns/{served.campaign.id}/finish").status_code == 200
    assert ask_health(served)[0] == 200


def test_images_and_pages_are_shown_on_a_full_disk(served: Served, annotator: Visitor) -> None:
    manager = served.enter(served.manager)
    (task,) = annotator.take(served.campaign)
    assert annotator.post("/api/answers", make_body(task)).status_code == 200
    number = served.campaign.id
    pages = ("/manage", f"/manage/campaigns/{number}", f"/manage/campaigns/{number}/annotators", "/manage/log")
    exports = (f"/api/manage/campaigns/{number}/answers", f"/api/manage/campaigns/{number}/annotators.csv")
    # The first look compiles what counts, and keeps that.
    assert all(manager.get(path).status_code == 200 for path in pages)
    with fill_disk():
        for path in task["images"]:
            reply = annotator.get(path)
            assert (reply.status_code, reply.content[:2], reply.content[-2:]) == (200, b"\xff\xd8", b"\xff\xd9")
        for path in (*pages, *exports, f"/manage/campaigns/{number}/images"):
            assert manager.get(path, headers={"Accept": "text/html"}).status_code == 200, path
        for path in ("/", "/me", f"/campaigns/{number}", f"/campaigns/{number}/thanks"):
            assert annotator.get(path).status_code == 200, path
    kept = served.study.paths.cache / "renditions"
    # Nothing half-written is left behind, and what could not be kept is kept the next time.
    assert [path for path in kept.rglob("*") if path.is_file()] == []
    assert annotator.get(task["images"][0]).status_code == 200
    assert len([path for path in kept.rglob("*") if path.is_file()]) == 1


def test_an_image_that_fails_on_a_full_disk_is_noted_once_there_is_room(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    with served.study.read() as reading:
        (entry,) = list_test_sets(reading)
    for path in Path(entry.root).rglob("*.png"):
        path.write_bytes(b"")
    with fill_disk():
        assert annotator.get(task["images"][0]).status_code == 404
    for _ in range(2):
        assert annotator.get(task["images"][0]).status_code == 404
    with served.study.read() as reading:
        (failing,) = describe_failures(reading, served.campaign).images
    assert failing.n_times == 1


@pytest.mark.parametrize("what", ["a file", "nothing that may be written to"])
def test_images_are_shown_with_a_cache_that_cannot_be_used(served: Served, annotator: Visitor, what: str) -> None:
    cache = served.study.paths.cache
    shutil.rmtree(cache)
    if what == "a file":
        cache.write_text("in the way")
    else:
        cache.symlink_to("/proc/version")
    (task,) = annotator.take(served.campaign)
    for path in task["images"]:
        assert annotator.get(path).status_code == 200


def test_a_file_beside_the_database_that_cannot_be_written_is_said_as_such(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        campaign = add_quizzed_for_prolific(study, tmp_path)
        with TestClient(create_app(study), raise_server_exceptions=False) as client:
            path = f"/p/{campaign.id}?PROLIFIC_PID={'5' * 24}&STUDY_ID={'6' * 24}&SESSION_ID={'7' * 24}"
            with fill_disk():
                assert client.get(path, follow_redirects=False).status_code == 503
            assert client.get(path, follow_redirects=False).status_code == 303


def add_quizzed_for_prolific(study: Study, folder: Path) -> CampaignEntry:
    add_known(study, folder)
    return add_quizzed(study, Terms(prolific=Prolific("DONE1234", "OUT12345", n_tasks=1)))
