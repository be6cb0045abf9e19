"""Seconds from an image being shown to its answer: kept over pages and restarts, flagged where clocks are odd, never dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kinds.label.label_study import Examined, send, serve_examined

from regauge.campaigns.credit import judge_shown
from regauge.records.campaigns.times import FLAGS, ShownTime, TimeFlag, code_flags, read_flags, write_flags
from regauge.server.app import create_app

ASLEEP, CLOCK, AGAIN = TimeFlag.ASLEEP, TimeFlag.CLOCK, TimeFlag.AGAIN
IMPOSSIBLE, UNREPORTED = TimeFlag.IMPOSSIBLE, TimeFlag.UNREPORTED
HOUR = 3_600_000


@pytest.fixture
def examined(tmp_path: Path) -> Iterator[Examined]:
    with serve_examined(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("claim", "elapsed", "seconds", "flags"),
    [
        # Both clocks agree, and the server knows of a little more: the report and the answer took their time.
        (ShownTime(12.0, 12.1), 12_400, 12.0, ()),
        # Forty minutes are a time like others.
        (ShownTime(2_400.0, 2_400.0), 2_400_500, 2_400.0, ()),
        # Eight hours of which the steady clock saw forty seconds, and the server all of them: the computer slept.
        (ShownTime(28_800.0, 40.0), 28_800_900, 28_800.0, (ASLEEP,)),
        # Both clocks went on, and the page stood still.
        (ShownTime(28_800.0, 28_800.0, 28_700.0), 28_800_900, 28_800.0, (ASLEEP,)),
        # An hour back or forward: the clock that cannot be set tells.
        (ShownTime(-3_588.0, 12.0), 12_100, 12.0, (CLOCK,)),
        (ShownTime(3_612.0, 12.0), 12_100, 12.0, (CLOCK,)),
        # More than there was: no page of ours says so.
        (ShownTime(500.0, 500.0), 12_000, 12.0, (IMPOSSIBLE,)),
        # An answer that waited for a connection for a day keeps its own time.
        (ShownTime(12.0, 12.0), 24 * HOUR, 12.0, ()),
        (ShownTime(90.0, 90.0, 0.0, is_again=True), 90_000, 90.0, (AGAIN,)),
        # The clock of the server was set back.
        (ShownTime(12.0, 12.0), -HOUR, 12.0, (CLOCK,)),
    ],
)
def test_what_two_clocks_and_the_server_say_is_put_together(
    claim: ShownTime, elapsed: int, seconds: float, flags: tuple[TimeFlag, ...]
) -> None:
    found = judge_shown(claim, shown_at=10 * HOUR, leased_at=9 * HOUR, now=10 * HOUR + elapsed)
    assert (found.seconds, found.flags) == (seconds, flags)


def test_without_a_report_the_lease_is_the_bound_and_a_long_time_is_flagged() -> None:
    short = judge_shown(ShownTime(3.0, 3.0), shown_at=None, leased_at=0, now=5_000)
    long = judge_shown(ShownTime(60.0, 60.0), shown_at=None, leased_at=0, now=61_000)
    assert (short.flags, long.flags, long.seconds) == ((), (UNREPORTED,), 60.0)


def test_flags_go_through_rows_and_bits() -> None:
    assert [read_flags(code_flags(write_flags([one]))) for one in FLAGS] == [(one,) for one in FLAGS]
    assert (write_flags([]), code_flags("of a later version,asleep")) == (None, 1)


def read(examined: Examined) -> list[dict[str, object]]:
    path = examined.folder / "answers.jsonl"
    path.unlink(missing_ok=True)
    examined.run("campaign", "export", "test", str(path))
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_clock_that_is_odd_flags_the_answer_and_keeps_it(examined: Examined) -> None:
    campaign = examined.test()
    visitor = examined.begin(examined.people[0], campaign)
    (task,) = visitor.take(campaign, 1)
    visitor.post("/api/shown", {"assignment_id": task["id"]})
    examined.clock.jump(8 * 3_600)
    send(visitor, task, 1, seconds=28_799.0, steady=30.0)
    (row,) = read(examined)
    assert (row["seconds"], row["time_flags"]) == (28_799.0, ["asleep"])
    quality = examined.enter(examined.manager).get(f"/manage/campaigns/{campaign.id}/annotators").text
    assert "The time of 1 of 1 answers is flagged" in quality


def test_active_seconds_are_exported_like_seconds_and_never_exceed_them(examined: Examined) -> None:
    campaign = examined.test()
    visitor = examined.begin(examined.people[0], campaign)
    # 2.7 s without pauses, as pages of earlier versions rounded them, of 2.678 s; then more digits than milliseconds.
    for shown, active in ((2.678, 2.7), (9.5, 4.123456)):
        (task,) = visitor.take(campaign, 1)
        visitor.post("/api/shown", {"assignment_id": task["id"]})
        examined.clock.jump(shown + 0.3)
        times = {"seconds": shown, "steady": shown, "asleep": 0.0, "is_again": False}
        body = {"client_id": f"c-{task['id']}"[:64], "assignment_id": task["id"], "answer": {"class": 1}}
        reply = visitor.post("/api/answers", {**body, "seconds": active, "revision": 0, "shown": times})
        assert reply.status_code == 200
    assert [(row["seconds"], row["active_seconds"]) for row in read(examined)] == [(2.678, 2.678), (9.5, 4.123)]


def test_another_browser_and_another_server_go_on_from_when_the_image_was_first_shown(examined: Examined) -> None:
    campaign = examined.test()
    visitor = examined.begin(examined.people[0], campaign)
    (task,) = visitor.take(campaign, 1)
    assert task["shown_seconds"] is None
    visitor.post("/api/shown", {"assignment_id": task["id"], "ago": 2.0})
    examined.clock.jump(100)
    # Another server on the same study stands for one that was killed and started again.
    from starlette.testclient import TestClient

    with TestClient(create_app(examined.study), raise_server_exceptions=False) as client:
        elsewhere = Examined(examined.study, examined.folder, client, examined.people, examined.manager)
        other = elsewhere.enter(examined.people[0])
        (again,) = other.take(campaign, 1)
        # It was given 0 s ago when it was said to be shown 2 s ago: before that it cannot have been.
        assert (again["id"], again["shown_seconds"]) == (task["id"], 100.0)
        other.post("/api/shown", {"assignment_id": task["id"]})
        examined.clock.jump(5)
        assert send(other, again, 1, seconds=105.0, is_again=True).status_code == 200
        assert send(other, again, 1, seconds=105.0, is_again=True).status_code == 200
    (row,) = read(examined)
    assert (row["seconds"], row["time_flags"]) == (105.0, ["again"])


def test_an_image_waits_for_weeks_for_whoever_was_shown_it(examined: Examined) -> None:
    campaign = examined.test()
    visitor = examined.begin(examined.people[0], campaign)
    (task,) = visitor.take(campaign, 1)
    examined.answer_all(examined.people[1], campaign)
    examined.clock.jump(28 * 24 * 3_600)
    later = examined.enter(examined.people[0])
    assert later.take(campaign, 1)[0]["id"] == task["id"]
    assert send(later, task, 1).status_code == 200
    assert len(read(examined)) == 9


def test_nobody_says_of_somebody_elses_image_that_it_is_shown(examined: Examined) -> None:
    campaign = examined.test()
    (task,) = examined.begin(examined.people[0], campaign).take(campaign, 1)
    other = examined.begin(examined.people[1], campaign)
    assert other.post("/api/shown", {"assignment_id": task["id"]}).status_code in {404, 409}
    assert other.post("/api/shown", {"assignment_id": task["id"], "ago": -1}).status_code == 422


@pytest.mark.parametrize(
    "shown", [{"seconds": 1.0}, {"seconds": "1", "steady": 1.0}, {"seconds": 1.0, "steady": -1.0}, []]
)
def test_what_is_no_time_is_refused(examined: Examined, shown: object) -> None:
    campaign = examined.test()
    visitor = examined.begin(examined.people[0], campaign)
    (task,) = visitor.take(campaign, 1)
    body = {
        "client_id": "client-1",
        "assignment_id": task["id"],
        "answer": {"class": 1},
        "seconds": 1.0,
        "shown": shown,
    }
    assert visitor.post("/api/answers", body).status_code == 422
