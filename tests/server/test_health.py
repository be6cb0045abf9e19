"""Whether the server is well, what it counts, and who may know."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.served_study import Served, Visitor, make_body, serve_pictured
from tests.waits import PATIENCE

from regauge.server.metrics import Histogram, Metrics
from regauge.server.state import ServerSettings

SAMPLE = re.compile(r'^([a-z_]+)\{((?:[a-z_]+="[^"\\\n]*",?)*)\} (\S+)$')
TOKEN = "a-token-of-some-length"  # noqa: S105 - of these tests


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Served]:
    """A server with a token for its metrics."""
    with serve_pictured(tmp_path, settings=ServerSettings(metrics_token=TOKEN)) as served:
        yield served


def scrape(served: Served) -> str:
    reply = served.nobody.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert reply.status_code == 200
    return str(reply.text)


def parse(text: str) -> dict[str, float]:
    """Every sample by name and labels, but for the process."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.match(r"# (HELP|TYPE) [a-z_]+ \S", line)
            continue
        match = SAMPLE.match(line)
        assert match, line
        labels = re.sub(r',?process="\d+"', "", match[2])
        found[f"{match[1]}{{{labels}}}"] = float(match[3])
    return found


def test_a_server_that_can_store_answers_is_well(served: Served) -> None:
    reply = served.nobody.get("/healthz")
    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


def test_a_server_whose_database_fails_is_not(served: Served) -> None:
    with served.study.begin() as begun:
        begun.connection.exec_driver_sql("ALTER TABLE studies RENAME TO elsewhere")
    reply = served.nobody.get("/healthz")
    assert (reply.status_code, reply.json()) == (503, {"status": "failing"})
    with served.study.begin() as begun:
        begun.connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO studies")
    assert served.nobody.get("/healthz").status_code == 200


def test_a_database_that_does_not_answer_in_time_is_not_waited_for(served: Served, monkeypatch) -> None:
    has_replied = threading.Event()
    monkeypatch.setattr("regauge.server.health.PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr("regauge.server.health.ping", lambda _study: has_replied.wait(PATIENCE))
    # Were the database waited for, it would answer in the end, and the server would be well.
    assert served.nobody.get("/healthz").status_code == 503
    has_replied.set()


def test_a_server_whose_writer_has_died_is_not_well(served: Served) -> None:
    served.app.state.regauge.writer.stop()
    assert served.nobody.get("/healthz").status_code == 503


def test_metrics_count_answers_batches_requests_and_leases(local: Served) -> None:
    served, annotator = local, local.enter(local.people[0])
    first, second = annotator.take(served.campaign, 2)
    assert annotator.post("/api/answers", make_body(first)).status_code == 200
    assert (
        annotator.post("/api/answers", make_body(first, answer={"mask": "none"}, client_id="c" * 8)).status_code == 409
    )
    annotator.get(f"/campaigns/{served.campaign.id}")
    served.nobody.get("/nowhere/annotator-0001")
    served.nobody.get("/static/regauge.css")
    found = parse(scrape(served))
    assert found['regauge_answers_total{outcome="counted"}'] == 1
    assert found['regauge_answers_total{outcome="refused"}'] == 1
    assert found["regauge_tasks_leased{}"] == 1
    assert found["regauge_sessions_active{}"] == 1
    assert found["regauge_batch_size_count{}"] == found["regauge_commit_seconds_count{}"] >= 3
    assert found['regauge_http_requests_total{method="POST",route="/api/answers",status="200"}'] == 1
    assert found['regauge_http_requests_total{method="GET",route="/campaigns/{campaign_id}",status="200"}'] == 1
    assert found['regauge_http_requests_total{method="GET",route="none",status="404"}'] == 1
    assert found['regauge_http_requests_total{method="GET",route="/static/{path}",status="200"}'] == 1
    assert found["process_resident_memory_bytes{}"] > 1e6
    assert second["id"] not in str(found)


def test_metrics_name_nobody_and_no_path_of_theirs(local: Served) -> None:
    annotator = local.enter(local.people[0])
    for path in ("/a?PROLIFIC_PID=5f0000000000000000000000", "/campaigns/77777", '/"%0A\\'):
        annotator.get(path)
    annotator.ask("BREW", "/")
    text = scrape(local)
    for word in ("annotator-0001", "77777", "PROLIFIC", "BREW", "grids"):
        assert word not in text
    assert 'method="OTHER"' in text
    parse(text)


@pytest.mark.parametrize("address", ["http://127.0.0.1:8765", "https://study.example"])
def test_without_a_token_nobody_reads_metrics(tmp_path: Path, address: str) -> None:
    """Behind a proxy on the same machine that adds no header, everybody seems to be on this machine."""
    with serve_pictured(tmp_path, settings=ServerSettings(address)) as served:
        local = Visitor(TestClient(served.app, client=("127.0.0.1", 50_000)), {})
        for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": ""}, {"Host": "127.0.0.1:8765"}):
            reply = local.get("/metrics", headers=headers)
            assert reply.status_code == 403
            assert "regauge_" not in reply.text


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        ("Bearer wrong", 401),
        (TOKEN, 401),
        ("", 401),
        ("Bearer ", 401),
    ],
)
def test_with_a_token_whoever_sends_it_may(tmp_path: Path, sent: str, status: int) -> None:
    settings = ServerSettings("https://study.example", metrics_token=TOKEN)
    with serve_pictured(tmp_path, settings=settings) as served:
        assert served.nobody.get("/metrics", headers={"Authorization": sent}).status_code == status
        assert TOKEN not in repr(settings)


def test_a_histogram_counts_up_to_each_bound() -> None:
    one = Histogram((1, 2, 4))
    for value in (0.5, 1, 1.5, 4, 9):
        one.observe(value)
    metrics = Metrics(batch_sizes=one)
    found = parse(metrics.write({}))
    counts = [found[f'regauge_batch_size_bucket{{le="{bound}"}}'] for bound in ("1", "2", "4", "+Inf")]
    # At most 1: 0.5 and 1; at most 2 also 1.5; at most 4 also 4 itself.
    assert counts == [2, 3, 4, 5]
    assert found["regauge_batch_size_sum{}"] == 16
