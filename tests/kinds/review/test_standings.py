"""What a review settles while people work: on the page, by the command, and from memory until answers change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kinds.review.planned_study import DIFFERING, answer_some, create, serve_planned
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.evaluation.reviews import ReviewField
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.study import Study
from regauge.workflows.live import standings
from regauge.workflows.live.standings import CampaignStandings, StandingMemory, measure_standings

__all__ = ["database", "postgres", "postgres_database"]

OPEN, SETTLED = "good against poor: open, about", "good against poor: settled, good is ahead"


@pytest.fixture
def told(tmp_path: Path, database: str) -> Iterator[Told]:
    with serve_planned(tmp_path, database=database) as made:
        yield made


def test_the_page_and_the_command_say_what_is_settled(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    create(told, tmp_path, files=("plan", "audit"))
    manager, campaign = told.enter(told.manager), told.get("experts")
    page, pulse = f"/manage/campaigns/{campaign.id}", f"/api/manage/campaigns/{campaign.id}/pulse"
    assert OPEN in manager.get(page).text
    assert "Bounds settle 0 of 1 pair of 2 participants" in manager.get(page).text
    # Verdicts of two of three reviewers may still change, and do not count.
    answer_some(told, 30, n_people=2)
    assert OPEN in manager.get(pulse).json()["parts"]["settled"]
    answer_some(told, 30)
    assert SETTLED in manager.get(pulse).json()["parts"]["settled"]
    text = manager.get(page).text
    assert SETTLED in text
    assert "Bounds settle 1 of 1 pair of 2 participants, whatever is still open." in text
    assert "have all their answers" not in text
    capsys.readouterr()
    told.run("campaign", "settled", "experts")
    assert SETTLED in capsys.readouterr().out.replace("\n", " ")
    told.run("campaign", "settled", "experts", "--format", "json")
    found = json.loads(capsys.readouterr().out)
    assert (found["n_pairs"], found["n_settled"], found["planned"][0]["ahead"]) == (1, 1, "good")
    told.run("campaign", "settled", "experts", "--format", "csv")
    assert capsys.readouterr().out.splitlines()[1].endswith("good")


def test_it_is_found_anew_only_when_answers_change(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create(told, tmp_path)
    memory, calls, measure = StandingMemory(), list[CampaignEntry](), standings._measure

    def count_and_measure(study: Study, campaign: CampaignEntry, field: ReviewField) -> CampaignStandings:
        calls.append(campaign)
        return measure(study, campaign, field)

    monkeypatch.setattr(standings, "_measure", count_and_measure)

    def look() -> tuple[int, str]:
        with told.study.read() as reading:
            found = memory.find(reading, get_campaign(reading, "experts"))
        assert found is not None
        return len(calls), found.sentences[0]

    assert look()[0] == 1
    assert look()[0] == 1
    answer_some(told, len(DIFFERING))
    n, sentence = look()
    assert (n, look()[0]) == (2, 2)
    assert sentence.startswith(SETTLED)


def test_a_review_without_a_plan_says_how_many_pairs_bounds_settle(tmp_path: Path) -> None:
    with serve_planned(tmp_path) as told:
        create(told, tmp_path, "--trust-dataset-labels", files=())
        with told.study.read() as reading:
            before = measure_standings(reading, "experts")
        answer_some(told, 30)
        with told.study.read() as reading:
            after = measure_standings(reading, "experts")
    assert before.followed is None
    assert before.sentences == ("Bounds settle 0 of 1 pair of 2 participants, whatever is still open.",)
    assert after.sentences == ("Bounds settle 1 of 1 pair of 2 participants, whatever is still open.",)
    assert after.notes == ()


def test_a_plan_that_does_not_hold_any_more_is_said_on_the_page(tmp_path: Path) -> None:
    with serve_planned(tmp_path) as told:
        create(told, tmp_path)
        told.run("campaign", "create", "verify", "grids", "--pairs", str(tmp_path / "pairs.csv"))
        with pytest.raises(InputError, match="does not judge answers of participants"):
            told.run("campaign", "settled", "grids")
        (tmp_path / "poor.csv").write_text("image_id,class\n" + "".join(f"i{n},9\n" for n in range(24)))
        told.run("predictions", "add", str(tmp_path / "poor.csv"), "--replace")
        manager, campaign = told.enter(told.manager), told.get("experts")
        reply = manager.get(f"/manage/campaigns/{campaign.id}")
        assert reply.status_code == 200
        assert "are not those that the plan was made with" in reply.text
