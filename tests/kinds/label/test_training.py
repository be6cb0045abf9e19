"""People are trained: told after each answer what is right, with images that nobody is tested with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.label.label_study import Examined, send, serve_examined
from tests.server.served_study import Visitor
from tests.workflows.campaign_studies import write_pictures
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.evaluations import REQUESTS
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.campaigns.campaign import load_campaign_images, set_settings
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.testsets.test_set import add_test_set

__all__ = ["database", "postgres", "postgres_database"]

CLASSES = ("airplane", "automobile", "bird", "cat")


@pytest.fixture
def examined(tmp_path: Path, database: str) -> Iterator[Examined]:
    with serve_examined(tmp_path, database=database) as made:
        yield made


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Examined]:
    with serve_examined(tmp_path) as made:
        yield made


def train(examined: Examined, *more: str, name: str = "train") -> CampaignEntry:
    examined.run("campaign", "create", "label", name, "--mode", "training", "--from", "refs", "--seed", "2", *more)
    examined.run("campaign", "open", name)
    return examined.get(name)


def answer(visitor: Visitor, campaign: CampaignEntry, named: int) -> dict[str, Any]:
    """The next image, answered; what is told of it."""
    (task,) = visitor.take(campaign, 1)
    assert send(visitor, task, named).status_code == 200
    found: dict[str, Any] = visitor.get(f"/api/feedback/{task['id']}").json()
    return found


def test_what_is_right_is_told_after_the_answer_and_not_before(examined: Examined) -> None:
    campaign = train(examined)
    visitor = examined.begin(examined.people[0], campaign)
    (task,) = visitor.take(campaign, 1)
    before = visitor.get(f"/api/feedback/{task['id']}")
    assert (before.status_code, before.json()["detail"]) == (409, "What is right is told after the answer.")
    assert set(task["view"]) == {"n_cells", "is_lesson"}
    send(visitor, task, 9)
    told = visitor.get(f"/api/feedback/{task['id']}").json()
    assert (told["is_right"], told["named"]["name"]) == (False, "truck")
    assert told["accepted"][0]["name"] in CLASSES
    refused = send(visitor, task, told["accepted"][0]["class"], revision=1)
    assert (refused.status_code, "you were told whether it is right" in refused.json()["detail"]) == (409, True)
    other = examined.begin(examined.people[1], campaign)
    assert other.get(f"/api/feedback/{task['id']}").status_code in {404, 409}


def test_a_label_set_says_what_else_is_right(quick: Examined) -> None:
    known = LabelSet.from_lists("known", ["r0"], correct=[[0, 7]], wrong=[[]])
    with quick.study.begin() as begun:
        add_labels(begun, Truth(label_sets=(known,)))
    campaign = train(quick, "--labels", "known", "--classes", "airplane")
    visitor = quick.begin(quick.people[0], campaign)
    told = [answer(visitor, campaign, 7) for _ in range(5)]
    assert sorted(one["is_right"] for one in told) == [False] * 4 + [True]
    (right,) = [one for one in told if one["is_right"]]
    assert [one["name"] for one in right["accepted"]] == ["airplane", "horse"]


def test_nobody_is_trained_with_what_somebody_is_tested_with_nor_the_other_way_round(quick: Examined) -> None:
    quick.test()
    with pytest.raises(InputError, match=r"8 images of|4 images of original, .* tests people in test"):
        quick.run("campaign", "create", "label", "bad", "--mode", "training", "--from", "original")
    with quick.study.begin() as begun:
        add_test_set(begun, write_pictures(quick.folder / "copied", n_images=12, prefix="c", first=100), name="copied")
    with pytest.raises(InputError, match="of copied, the first of them 'c"):
        quick.run("campaign", "create", "label", "bad", "--mode", "training", "--from", "copied")
    train(quick)
    with pytest.raises(InputError, match="trains people in train: nobody may be tested with"):
        quick.run("campaign", "create", "label", "bad", "--sets", "refs")


def test_nobody_is_trained_with_any_image_of_a_new_set_that_people_are_tested_on(quick: Examined) -> None:
    quick.test("test", "--classes", "airplane")
    # No cat is asked about. Of the original set they may be trained with; the new one is new as a whole, copies included.
    usual = ("campaign", "create", "label", "bad", "--mode", "training", "--classes", "cat", "--from")
    with pytest.raises(
        InputError, match=r"3 images of new, the first of them 'n.*', are in new, a new set that people"
    ):
        quick.run(*usual, "new")
    with quick.study.begin() as begun:
        add_test_set(begun, write_pictures(quick.folder / "copied", n_images=12, prefix="c", first=100), name="copied")
    with pytest.raises(
        InputError, match=r"3 images of copied, the first of them 'c.*', are in new, a new set that people"
    ):
        quick.run(*usual, "copied")
    with pytest.raises(InputError, match=r"12 images of new, .* name another set of references"):
        quick.run(*usual, "refs", "--references", "new")
    quick.run("campaign", "create", "label", "cats", "--mode", "training", "--classes", "cat", "--from", "original")
    # The other way round: with the rest of the set they may be tested where it is the original one.
    with pytest.raises(
        InputError, match="trains people in cats: nobody may be tested with a new set of which some images"
    ):
        quick.run("campaign", "create", "label", "later", "--classes", "bird", "--sets", "refs", "original")
    quick.run("campaign", "create", "label", "later", "--classes", "bird", "--sets", "original", "new")


def test_people_are_trained_with_the_part_of_a_set_that_no_test_uses(
    quick: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    quick.test()
    words = ("campaign", "create", "label", "train", "--mode", "training", "--from", "original", "--seed", "2")
    with pytest.raises(InputError, match="4 images of original"):
        quick.run(*words)
    quick.run(*words, "--leave-out-shared")
    assert "4 images left out: people are tested with them." in capsys.readouterr().err
    assert quick.get("train").n_tasks == 12
    # And later they are tested with the rest of what they were not trained with; of the new set nothing is left out.
    quick.run("campaign", "create", "label", "later", "--sets", "original", "new", "--seed", "9", "--leave-out-shared")
    assert "12 images left out: people are trained with them." in capsys.readouterr().err
    with quick.study.read() as reading:
        shown = [set(load_campaign_images(reading, quick.get(name).id)) for name in ("test", "train", "later")]
    assert not shown[1] & (shown[0] | shown[2])
    usual = ("campaign", "create", "label", "more", "--leave-out-shared")
    with pytest.raises(InputError, match=r"has 1 image in original, fewer than the 2 wanted"):
        quick.run(*usual, "--sets", "original", "new", "--per-class", "2")
    with pytest.raises(InputError, match=r"12 images of new, .* are in new, a new set"):
        quick.run(*usual, "--mode", "training", "--from", "new")


def test_images_are_of_the_classes_that_were_named(quick: Examined) -> None:
    assert train(quick, "--classes", "airplane", "--classes", "cat").n_tasks == 10
    with pytest.raises(InputError, match="No class that was named has an image in refs"):
        train(quick, "--classes", "truck", name="none")


def test_somebody_asks_for_more_of_a_class_and_is_told_what_they_confuse(quick: Examined) -> None:
    campaign = train(quick)
    visitor = quick.begin(quick.people[0], campaign)
    where = f"/api/campaigns/{campaign.id}"
    assert visitor.post(f"{where}/requests", {"names": ["cat"]}).json() == {"names": ["cat"]}
    told = [answer(visitor, campaign, 9) for _ in range(5)]
    assert {one["accepted"][0]["name"] for one in told} == {"cat"}
    lessons = visitor.get(f"{where}/lessons").json()
    assert (lessons["n"], lessons["n_right"], lessons["requests"]) == (5, 0, ["cat"])
    assert lessons["confusions"] == [{"accepted": "cat", "named": "truck", "n": 5}]
    assert [one["name"] for one in lessons["suggested"]] == ["truck"]
    assert visitor.post(f"{where}/requests", {"names": ["teapot"]}).status_code == 409
    # What was asked for is used up; the others come, and all are asked once.
    left = 0
    while visitor.take(campaign, 1):
        answer(visitor, campaign, 0)
        left += 1
    assert left == 15


def test_what_was_asked_for_in_a_study_of_an_earlier_version_still_holds(quick: Examined) -> None:
    campaign, person = train(quick), quick.people[0]
    number = str(person.annotator.id)
    with quick.study.begin() as begun:
        set_settings(begun, campaign, {**campaign.plan.settings, "wishes": {number: ["cat"]}})
    visitor = quick.begin(person, campaign)
    where = f"/api/campaigns/{campaign.id}"
    assert visitor.get(f"{where}/lessons").json()["requests"] == ["cat"]
    assert answer(visitor, campaign, 9)["accepted"][0]["name"] == "cat"
    assert visitor.post(f"{where}/requests", {"names": ["bird"]}).status_code == 200
    settings = quick.get("train").plan.settings
    assert (settings[REQUESTS], "wishes" in settings) == ({number: ["bird"]}, False)


def test_a_learning_curve_has_an_interval_at_every_point(quick: Examined, capsys: pytest.CaptureFixture[str]) -> None:
    campaign = train(quick)
    visitor = quick.begin(quick.people[0], campaign)
    while visitor.take(campaign, 1):
        answer(visitor, campaign, 3)
    capsys.readouterr()
    quick.run(
        "campaign", "learning", "train", "--classes", "cat", "--classes", "bird", "--block", "3", "--format", "json"
    )
    points = json.loads(capsys.readouterr().out)["points"]
    assert [(one["group"], one["first"], one["last"], one["n_right"], one["n"]) for one in points] == [
        *(("cat", 1, 3, 3, 3), ("cat", 4, 5, 2, 2)),
        *(("bird", 1, 3, 0, 3), ("bird", 4, 5, 0, 2)),
    ]
    assert list(points[0]) == ["annotator", "group", "first", "last", "n_right", "n", "value", "low", "high"]
    # Of 3 of 3 the lower limit is .025 to the power of 1/3.
    assert points[0]["low"] == pytest.approx(0.025 ** (1 / 3))
    quick.run("campaign", "learning", "train", "--uncovered", "--format", "json")
    rows = json.loads(capsys.readouterr().out)["classes"]
    # Fifteen images of other classes were called cats.
    assert [(one["name"], one["n_confused"]) for one in rows[:2]] == [("cat", 15), ("airplane", 5)]


def test_an_evaluation_tells_nothing_of_its_images(quick: Examined) -> None:
    campaign = quick.test()
    visitor = quick.begin(quick.people[0], campaign)
    (task,) = visitor.take(campaign, 1)
    send(visitor, task, 1)
    for address in (f"/api/feedback/{task['id']}", f"/api/campaigns/{campaign.id}/lessons"):
        assert (visitor.get(address).status_code, "trains nobody" in visitor.get(address).text) == (409, True)
