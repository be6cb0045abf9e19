"""People of a training look at everybody's answers together, one image at a time, and write notes into the guide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.label.label_study import Examined, send, serve_examined
from tests.server.served_study import Visitor
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.guide.entries import GuideTopic
from regauge.records.labels.verdicts import Verdict
from regauge.workflows.guide.cases import list_standing
from regauge.workflows.guide.entries import get_entry
from regauge.workflows.people.erasure import erase_annotator

__all__ = ["database", "postgres", "postgres_database"]

CAT, DOG, TRUCK = 3, 5, 9


@pytest.fixture
def examined(tmp_path: Path, database: str) -> Iterator[Examined]:
    with serve_examined(tmp_path, database=database) as made:
        yield made


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Examined]:
    with serve_examined(tmp_path) as made:
        yield made


def train(examined: Examined) -> CampaignEntry:
    """A training with five images of cats."""
    words = ("--mode", "training", "--from", "refs", "--classes", "cat", "--seed", "2")
    examined.run("campaign", "create", "label", "train", *words)
    examined.run("campaign", "open", "train")
    return examined.get("train")


def answer(examined: Examined, place: int, campaign: CampaignEntry, named: list[int]) -> Visitor:
    """Somebody answers the first images in their order."""
    visitor = examined.begin(examined.people[place], campaign)
    for one in named:
        (task,) = visitor.take(campaign, 1)
        assert send(visitor, task, one).status_code == 200
    return visitor


def list_group(visitor: Visitor, campaign: CampaignEntry) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = visitor.get(f"/api/campaigns/{campaign.id}/group").json()["images"]
    return found


def test_answers_are_opened_to_the_group_and_a_note_goes_into_the_guide(examined: Examined) -> None:
    campaign = train(examined)
    one = answer(examined, 0, campaign, [CAT, DOG, DOG, DOG, DOG])
    other = answer(examined, 1, campaign, [DOG, DOG])
    assert one.get(f"/api/campaigns/{campaign.id}/group").status_code == 409
    assert one.get(f"/campaigns/{campaign.id}/group").status_code == 404
    examined.run("campaign", "group-review", "train", "--open")
    assert "Group review of train" in one.get(f"/campaigns/{campaign.id}/group").text
    images = list_group(one, campaign)
    # Those that most people missed come first, and those that more people answered before others.
    assert [row["n_right"] / row["n"] for row in images] == sorted(row["n_right"] / row["n"] for row in images)
    assert sorted(row["n"] for row in images) == [1, 1, 1, 2, 2]
    # Whoever has not answered an image sees nothing of it.
    assert len(list_group(other, campaign)) == 2
    both = next(row for row in images if row["n"] == 2 and not row["n_right"])
    found = one.get(f"/api/group/{both['id']}").json()
    assert [row["name"] for row in found["accepted"]] == ["cat"]
    assert [(row["name"], row["n"], row["is_own"], row["is_right"]) for row in found["answers"]] == [
        ("dog", 2, True, False)
    ]
    assert examined.people[1].annotator.name not in str(found)
    saved = one.post(f"/api/group/{both['id']}/note", {"note": "Upright ears.", "other": DOG}).json()
    with examined.study.read() as reading:
        (case,) = get_entry(reading, GuideTopic(CAT, DOG)).cases
    assert (case.note, case.verdict, case.who, case.version) == (
        "Upright ears.",
        Verdict.CORRECT,
        examined.people[0].annotator.name,
        saved["version"],
    )
    # The guide of the training shows it to whoever has answered the image.
    guide = one.get(f"/api/campaigns/{campaign.id}/guide/{CAT}").json()
    assert "Upright ears." in str(guide)


def test_a_note_that_somebody_else_changed_is_not_written_over(quick: Examined) -> None:
    campaign = train(quick)
    one, other = (answer(quick, place, campaign, [DOG] * 5) for place in (0, 1))
    quick.run("campaign", "group-review", "train", "--open")
    (mine, *_), theirs = list_group(one, campaign), list_group(other, campaign)
    first = one.post(f"/api/group/{mine['id']}/note", {"note": "Ears.", "other": DOG})
    assert first.status_code == 200
    # The images are the same, in the same order; each is known by an id of its own to each of them.
    again = other.post(f"/api/group/{theirs[0]['id']}/note", {"note": "Tail.", "other": DOG})
    assert (again.status_code, "Somebody else has changed this note" in again.json()["detail"]) == (409, True)
    body = {"note": "Ears and tail.", "other": DOG, "edited": first.json()["version"]}
    assert other.post(f"/api/group/{theirs[0]['id']}/note", body).status_code == 200
    with quick.study.read() as reading:
        assert [case.note for case in list_standing(reading)] == ["Ears and tail."]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"note": "  "}, 409, "cannot be empty"),
        ({"note": "Wheels.", "other": TRUCK}, 409, "one that somebody named"),
        ({"note": "Cat.", "other": CAT}, 409, "one that somebody named"),
        ({"note": "x" * 1_001}, 422, ""),
        ({"note": "a\x00b"}, 422, ""),
    ],
)
def test_a_note_that_cannot_be_is_refused(quick: Examined, body: dict[str, Any], status: int, said: str) -> None:
    campaign = train(quick)
    visitor = answer(quick, 0, campaign, [DOG])
    quick.run("campaign", "group-review", "train", "--open")
    (image,) = list_group(visitor, campaign)
    reply = visitor.post(f"/api/group/{image['id']}/note", body)
    assert (reply.status_code, said in reply.text) == (status, True)


def test_nobody_looks_at_what_is_not_theirs_or_not_answered_or_closed(quick: Examined) -> None:
    campaign = train(quick)
    one = answer(quick, 0, campaign, [DOG])
    quick.run("campaign", "group-review", "train", "--open")
    (image,) = list_group(one, campaign)
    stranger = quick.begin(quick.people[1], campaign)
    assert list_group(stranger, campaign) == []
    assert stranger.get(f"/api/group/{image['id']}").status_code in {404, 409}
    assert stranger.post(f"/api/group/{image['id']}/note", {"note": "Ears."}).status_code in {404, 409}
    (task,) = one.take(campaign, 1)
    assert "Answer this image first" in one.get(f"/api/group/{task['id']}").text
    quick.run("campaign", "group-review", "train", "--close")
    assert one.get(f"/api/group/{image['id']}").status_code == 409


def test_a_test_is_never_opened_to_the_group(quick: Examined) -> None:
    campaign = quick.test()
    manager = quick.enter(quick.manager)
    reply = manager.post(f"/api/manage/campaigns/{campaign.id}/group-review", {"is_open": True})
    assert (reply.status_code, "trains nobody" in reply.text) == (409, True)


def test_the_manager_opens_the_answers_on_a_page_and_the_guide_says_what_it_lacks(quick: Examined) -> None:
    campaign = train(quick)
    manager, one = quick.enter(quick.manager), answer(quick, 0, campaign, [DOG] * 3)
    page = f"/manage/campaigns/{campaign.id}"
    assert "Open the answers to the group" in manager.get(page).text
    where = f"/api/manage/campaigns/{campaign.id}/group-review"
    assert manager.post(where, {"is_open": True, "reason": "the round is over"}).json() == {"is_open": True}
    assert f"/campaigns/{campaign.id}/group" in manager.get(page).text
    assert one.get(f"/api/campaigns/{campaign.id}/lessons").json()["has_group"] is True
    found = one.get(f"/api/campaigns/{campaign.id}/group").json()
    assert (found["n_written"], found["n_classes"]) == (0, 10)
    assert found["uncovered"] == [{"name": "cat", "n": 3}, {"name": "dog", "n": 3}]


def test_whoever_is_erased_with_their_answers_is_in_no_group(quick: Examined) -> None:
    campaign = train(quick)
    one, _ = (answer(quick, place, campaign, [DOG] * 5) for place in (0, 1))
    quick.run("campaign", "group-review", "train", "--open")
    with quick.study.begin() as begun:
        erase_annotator(begun, quick.people[1].annotator.id, reason="asked", with_answers=True)
    assert {row["n"] for row in list_group(one, campaign)} == {1}
