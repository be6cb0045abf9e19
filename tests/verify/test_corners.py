"""What is easily forgotten of a kind: urgent tasks of a later round, hidden repeats, images that do not come, other programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.verify import KIND, WITH_VERIFY
from tests.verify.verify_study import Told, send, serve_told
from tests.workflows.answer_rows import read_repeats
from tests.workflows.campaign_studies import add_contains

from regauge.campaigns.eligibility import ONLY_AFTER, may_take
from regauge.cli.main import cli
from regauge.errors import InputError
from regauge.kinds.contract import KindOutput
from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import NOTHING_SHOWN
from regauge.records.labels.verdicts import Verdict
from regauge.server.app import create_app
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.workflows.annotation.admission import find_taker
from regauge.workflows.kinds import list_packages, load_kinds, with_kinds
from regauge.workflows.labels.campaign_labels import preview_labels
from regauge.workflows.live.campaigns import LiveCampaigns

N_PAIRS = 30
"""More than are looked at together when somebody wants a task."""


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    with serve_told(tmp_path) as made:
        yield made


def ask_many(told: Told, folder: Path, *options: str) -> None:
    """A campaign of many pairs: every class of the first three images."""
    pairs = [f"i{place // 10},{place % 10}" for place in range(N_PAIRS)]
    (folder / "many.csv").write_text("\n".join(["image_id,class", *pairs, ""]))
    told.run(
        "campaign", "create", "verify", "votes", "--pairs", str(folder / "many.csv"), "--annotators", "3", *options
    )
    told.run("campaign", "open", "votes")


def vote(told: Told, votes: tuple[str, ...], *, n: int = 1) -> list[list[str]]:
    """Everybody takes five tasks and votes, n times; returns the labels that each was asked about."""
    campaign = told.get("votes")
    asked: list[list[str]] = []
    for who, said in zip(told.panel, votes, strict=True):
        visitor = told.enter(who)
        visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
        asked.append([])
        for _ in range(n):
            for task in visitor.take(campaign, 5):
                assert send(visitor, task, said).status_code == 200
                asked[-1].append(task["view"]["target"]["name"])
    return asked


def test_urgent_tasks_of_a_later_round_come_before_all_that_is_left_of_the_first(told: Told, tmp_path: Path) -> None:
    ask_many(told, tmp_path)
    vote(told, ("correct", "wrong", "correct"))
    told.run("campaign", "extend", "votes")
    tasks = told.enter(told.panel[0]).take(told.get("votes"), 5)
    assert [len(one["view"]["others"]) for one in tasks] == [2] * 5


def test_who_was_given_a_task_and_has_not_answered_it_is_not_shown_what_others_said(told: Told, tmp_path: Path) -> None:
    ask_many(told, tmp_path)
    campaign, who = told.get("votes"), told.panel[0].annotator
    visitor = told.enter(told.panel[0])
    visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    first, *_ = visitor.take(campaign, 5)
    assert send(visitor, first, "correct").status_code == 200
    with told.study.read() as reading:
        taker = find_taker(reading, campaign, who.id)
    assert (len(taker.given), len(taker.answered)) == (5, 1)
    assert [may_take({ONLY_AFTER: [one]}, taker) for one in sorted(taker.given)].count(True) == 1


def test_hidden_repeats_are_no_round_of_their_own(told: Told, tmp_path: Path) -> None:
    ask_many(told, tmp_path, "--repeats", "0.3", "--seed", "1")
    vote(told, ("correct", "correct", "correct"), n=12)
    told.run("campaign", "labels", "votes", "--name", "voted")
    with told.study.read() as reading:
        assert list(load_label_set(reading, get_label_set(reading, "voted")).verdicts) == [Verdict.CORRECT] * N_PAIRS
        assert read_repeats(reading, "votes")
        images = LiveCampaigns().images(reading, told.get("votes"))
    assert [(one.frequency.k, one.frequency.n) for one in images.rows] == [(3, 3)] * N_PAIRS


def test_an_image_that_does_not_come_is_no_vote(told: Told, tmp_path: Path) -> None:
    ask_many(told, tmp_path)
    campaign, visitor = told.get("votes"), told.enter(told.panel[0])
    visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    (task,) = visitor.take(campaign, 1)
    body = {"client_id": "a-report", "assignment_id": task["id"], "answer": dict(NOTHING_SHOWN), "seconds": 1.0}
    assert visitor.post("/api/answers", {**body, "revision": 0}).status_code == 200
    vote(told, ("correct", "correct", "correct"))
    manager = told.enter(told.manager)
    for page in ("", "/annotators", "/images", "/images/0"):
        assert manager.get(f"/manage/campaigns/{campaign.id}{page}").status_code == 200
    told.run("campaign", "export", "votes", str(tmp_path / "votes.csv"))
    assert len((tmp_path / "votes.csv").read_text().splitlines()) == 1 + 15


def test_pages_of_a_program_without_the_kind_say_so(told: Told, tmp_path: Path) -> None:
    ask_many(told, tmp_path)
    campaign = told.get("votes")
    page = f"/manage/campaigns/{campaign.id}"
    with TestClient(create_app(told.study, kinds=KINDS), raise_server_exceptions=False) as client:
        plain = replace(told, client=client)
        replies = [plain.enter(told.manager).get(one) for one in (page, f"{page}/images", f"{page}/labels")]
    assert {one.status_code for one in replies} == {409}
    assert all("This program knows no kind of work 'verify'" in one.json()["detail"] for one in replies)


@pytest.mark.parametrize("words", [("labels", "votes"), ("export", "votes", "x.csv"), ("extend", "votes")])
def test_commands_of_a_program_without_the_kind_say_so(told: Told, tmp_path: Path, words: tuple[str, ...]) -> None:
    ask_many(told, tmp_path)
    with pytest.raises(InputError, match="knows no kind of work 'verify'; it has: contains, classify"):
        cli.main(["campaign", *words, "--study", str(told.study.paths.folder)], standalone_mode=False)
    cli.main(["campaign", "status", "--study", str(told.study.paths.folder)], standalone_mode=False)


def test_another_process_finds_the_kinds_by_where_they_live() -> None:
    assert dict(load_kinds(list_packages(WITH_VERIFY))) == WITH_VERIFY


def test_of_a_kind_that_gives_no_verdicts_no_labels_are_made(told: Told, tmp_path: Path) -> None:
    ask_many(told, tmp_path)
    vote(told, ("correct", "correct", "correct"))
    other = with_kinds(told.study, {KIND.name: replace(KIND, gives=frozenset({KindOutput.PREDICTIONS}))})
    with other.read() as reading, pytest.raises(InputError, match="of the kind verify, which gives no verdicts"):
        preview_labels(reading, "votes")


def test_a_program_without_the_kind_shows_everything_else_and_names_the_campaign(told: Told, tmp_path: Path) -> None:
    ask_many(told, tmp_path)
    vote(told, ("correct", "wrong", "correct"))
    grids = add_contains(told.study, quota=3)
    with TestClient(create_app(told.study, kinds=KINDS), raise_server_exceptions=False) as client:
        without = replace(told, client=client)
        manager, member = without.enter(told.manager), without.enter(told.panel[0])
        page = manager.get("/manage")
        assert page.status_code == manager.get("/api/manage/overview").status_code == 200
        assert "This installation cannot open it: its tasks are of the kind verify" in page.text
        assert f'href="/manage/campaigns/{grids.id}"' in page.text
        assert f'href="/manage/campaigns/{told.get("votes").id}"' not in page.text
        assert manager.get("/manage/campaigns/new").status_code == 200
        refused = manager.get(f"/manage/campaigns/{told.get('votes').id}")
        assert (refused.status_code, "knows no kind of work" in refused.text) == (409, True)
        home = member.get("/").text
        assert (f"/campaigns/{grids.id}" in home, f"/campaigns/{told.get('votes').id}" in home) == (True, False)
        member.post(f"/api/campaigns/{grids.id}/consent", {"version": 1})
        assert member.take(grids, 1)
        own = member.get("/api/me").json()
        assert {one["campaign"]: one["asked"] for one in own["answers"]} == {"votes": {}}
