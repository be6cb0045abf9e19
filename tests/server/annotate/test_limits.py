"""What one person may send: far more than anybody works, and never so much that others wait."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.server.served_study import Served, Visitor, make_body, serve_pictured
from tests.workflows.campaign_studies import get_clock

from regauge.records.responses.submissions import MAX_REVISIONS
from regauge.responses.submissions import OTHER_CONTENT, TOO_MANY
from regauge.server.rate_limits import PER_MINUTE, RateLimit
from regauge.server.state import ServerSettings


def test_an_answer_cannot_be_changed_without_end(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    for revision in range(MAX_REVISIONS + 1):
        body = make_body(task, client_id=f"client-{revision:04d}", revision=revision)
        assert annotator.post("/api/answers", body).status_code == 200
    reply = annotator.post("/api/answers", make_body(task, client_id="client-more", revision=MAX_REVISIONS + 1))
    assert (reply.status_code, reply.json()["detail"]) == (409, TOO_MANY)
    assert len(annotator.get("/api/me").json()["answers"]) == MAX_REVISIONS + 1


def test_an_id_that_is_used_again_for_something_else_is_not_acknowledged(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    assert annotator.post("/api/answers", make_body(task)).status_code == 200
    reply = annotator.post("/api/answers", make_body(task, answer={"mask": "7"}))
    assert (reply.status_code, reply.json()["detail"]) == (409, OTHER_CONTENT)
    assert annotator.post("/api/answers", make_body(task)).status_code == 200
    (stored,) = annotator.get("/api/me").json()["answers"]
    assert stored["answer"]["mask"] == "5"


def test_grids_that_were_answered_in_no_time_are_credited_none_and_flagged(served: Served) -> None:
    hasty, honest = (served.enter(one) for one in served.people[:2])
    clock = get_clock(served.study)
    for visitor, seconds in ((honest, 45.0), (hasty, 0.05)):
        for task in visitor.take(served.campaign, 5):
            clock.jump(seconds)
            assert visitor.post("/api/answers", make_body(task, seconds=45.0)).status_code == 200
    manager = served.enter(served.manager)
    path = f"/manage/campaigns/{served.campaign.id}/annotators"
    table = manager.get(f"/api{path}.csv?with_names=true").text
    rows = {row["annotator"]: row for row in csv.DictReader(io.StringIO(table))}
    assert (rows["annotator-0001"]["n_impossible_times"], rows["annotator-0002"]["n_impossible_times"]) == ("5", "0")
    assert float(rows["annotator-0001"]["median_seconds"]) < 0.1
    assert float(rows["annotator-0002"]["median_seconds"]) == 45.0
    assert "impossible-times" in rows["annotator-0001"]["flags"]
    page = manager.get(path, headers={"Accept": "text/html"}).text
    assert page.count("Claims more time than had passed for 5 answers; only time that had passed is credited.") == 1
    # Their own data say what they are credited with, too.
    assert sum(one["seconds"] for one in hasty.get("/api/me").json()["answers"]) <= 0.26


def test_whoever_sends_faster_than_anybody_works_is_told_to_wait_and_others_are_not(tmp_path: Path) -> None:
    with serve_pictured(tmp_path, settings=ServerSettings(answers_per_minute=5)) as served:
        hasty, steady = (served.enter(one) for one in served.people[:2])
        (task,), (other,) = hasty.take(served.campaign), steady.take(served.campaign)
        replies = [hasty.post("/api/answers", make_body(task)) for _ in range(8)]
        # One of the five was the request for the task.
        assert [reply.status_code for reply in replies] == [200] * 4 + [429] * 4
        assert 1 <= int(replies[-1].headers["retry-after"]) <= 12
        assert hasty.post(f"/api/campaigns/{served.campaign.id}/tasks", {"n": 1}).status_code == 429
        assert steady.post("/api/answers", make_body(other)).status_code == 200


def test_whatever_is_written_down_for_somebody_has_the_same_limit(tmp_path: Path) -> None:
    with serve_pictured(tmp_path, settings=ServerSettings(answers_per_minute=3)) as served:
        visitor, number = served.enter(served.people[0]), served.campaign.id
        for with_answers in (True, False, True):
            reply = visitor.post("/api/me/erasure", {"with_answers": with_answers})
            assert reply.status_code == 204
        of_campaign = f"/api/campaigns/{number}"
        bodies: dict[str, object] = {
            "/api/me/erasure": {"with_answers": False},
            f"{of_campaign}/consent": {"version": 1},
            f"{of_campaign}/finish": None,
            f"{of_campaign}/return": None,
            f"{of_campaign}/quiz": {"attempt": 1},
            f"{of_campaign}/quiz/answers": {"question": "0" * 32, "answer": {}},
            f"{of_campaign}/quiz/reports": {"question": "0" * 32},
        }
        assert {path: visitor.post(path, body).status_code for path, body in bodies.items()} == dict.fromkeys(
            bodies, 429
        )
        # Everybody can go out at any time.
        assert visitor.ask("DELETE", "/api/session").status_code == 204


def test_the_pace_fills_up_again_at_a_steady_rate() -> None:
    now = [0.0]
    pace = RateLimit(60, clock=lambda: now[0])
    assert [pace.take(1) for _ in range(60)] == [0] * 60
    assert (pace.take(1), pace.take(2)) == (1, 0)
    now[0] = 2.0
    assert [pace.take(1) for _ in range(3)] == [0, 0, 1]
    now[0] = 10_000.0
    assert [pace.take(1) for _ in range(61)] == [0] * 60 + [1]
    # Ten a second, for as long as they like; without a limit, any number.
    assert PER_MINUTE == 600
    assert not any(RateLimit(0).take(1) for _ in range(10_000))
