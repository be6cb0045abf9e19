"""Complete labelling: reviewers look at every image until nobody finds anything more."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.review.reviewed_study import N_IMAGES, ask, send, told
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.kinds.review.task import COMPLETE, SAID, make_review_task, parse, view
from regauge.records.labels.verdicts import Verdict
from regauge.storage.labels.label_set import find_verdicts, get_label_set, load_label_set

__all__ = ["database", "postgres", "postgres_database", "told"]

LOOK = make_review_task([4], [], **{COMPLETE: 1})
NOTHING = {"nothing_more": True}


def answer(told: Told, say: Callable[[int, Mapping[str, Any]], Mapping[str, Any]]) -> list[list[dict[str, Any]]]:
    """Everybody answers all they get by their place and what a task shows."""
    campaign, taken = told.get("experts"), []
    for place, who in enumerate(told.panel):
        visitor = told.enter(who)
        visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
        mine = []
        while tasks := visitor.take(campaign, 5):
            for task in tasks:
                reply = send(visitor, task, say(place, task["view"]))
                assert reply.is_success, reply.text
            mine += tasks
        taken.append(mine)
    return taken


def say_first(place: int, view: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first reviewer finds a ship in the image whose airplane is known; the others find nothing."""
    return {"more": [8]} if place == 0 and view["known"] else NOTHING


def say_second(place: int, view: Mapping[str, Any]) -> Mapping[str, Any]:
    """All judge the ship; the second reviewer finds a frog besides."""
    verdicts = {one["key"]: "correct" for one in view["items"]}
    return {"verdicts": verdicts, **({"more": [6]} if place == 1 and "8" in verdicts else NOTHING)}


def test_every_image_is_looked_at_until_nobody_finds_anything_more(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(told, "--mode", "complete")
    assert told.get("experts").n_tasks == N_IMAGES
    (known,) = [task["view"] for task in answer(told, say_first)[1] if task["view"]["known"]]
    assert [(one["name"], one["verdict"]) for one in known["known"]] == [("airplane", "correct"), ("horse", "wrong")]
    assert (known["items"], known["is_complete"]) == ([], True)
    told.run("campaign", "extend", "experts")
    assert "asks about 1 of 1 pairs in 1 task" in capsys.readouterr().err
    told.run("campaign", "extend", "experts")
    assert "1 open ones wait for answers" in capsys.readouterr().err
    (again,), *_ = answer(told, say_second)
    assert [one["name"] for one in again["view"]["items"]] == ["ship"]
    told.run("campaign", "extend", "experts")
    (last,), *_ = answer(told, say_second)
    # What earlier tasks of the campaign decided is shown beside what was known before it.
    assert {one["name"]: one["verdict"] for one in last["view"]["known"]} == {
        "airplane": "correct",
        "horse": "wrong",
        "ship": "correct",
    }
    capsys.readouterr()
    told.run("campaign", "extend", "experts")
    assert "There is nothing to ask" in capsys.readouterr().err
    told.run("campaign", "labels", "experts", "--preview")
    assert f"{N_IMAGES} of {N_IMAGES} images complete" in capsys.readouterr().err
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.read() as begun:
        found = find_verdicts(begun, get_label_set(begun, "known"), image_ids=["i0"])["i0"]
    assert found == {0: Verdict.CORRECT, 6: Verdict.CORRECT, 7: Verdict.WRONG, 8: Verdict.CORRECT}
    told.run("campaign", "export", "experts", str(tmp_path / "votes.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sum("nothing_more" in line for line in lines) == 3 * N_IMAGES


def test_an_answer_that_others_were_shown_stays_as_it_is(told: Told) -> None:
    ask(told, "--mode", "complete")
    (first, *_), *_ = ([one for one in mine if one["view"]["known"]] for mine in answer(told, say_first))
    told.run("campaign", "extend", "experts")
    reply = send(told.enter(told.panel[0]), first, NOTHING, revision=1)
    assert "others have seen it" in reply.text


def test_an_image_in_which_something_was_found_is_not_complete_yet(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(told, "--mode", "complete")
    answer(told, say_first)
    told.run("campaign", "labels", "experts", "--preview")
    assert f"{N_IMAGES - 1} of {N_IMAGES} images complete" in capsys.readouterr().err


def test_nothing_that_is_missing_leaves_the_label_set_as_it_was(told: Told) -> None:
    ask(told, "--mode", "complete")
    answer(told, lambda place, shown: NOTHING)
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    with told.study.read() as begun:
        label_set = load_label_set(begun, get_label_set(begun, "reviewed"))
    assert (label_set.image_ids.tolist(), label_set.classes.tolist()) == (["i0"], [0, 7])


def test_managers_see_images_that_are_only_looked_at(told: Told) -> None:
    ask(told, "--mode", "complete")
    answer(told, say_first)
    manager, page = told.enter(told.manager), f"/manage/campaigns/{told.get('experts').id}"
    for part in ("", "/annotators", "/images", "/estimate"):
        assert manager.get(f"{page}{part}").status_code in {200, 404}, part
    assert "for what is missing" in manager.get(page).text
    told.run("campaign", "image", "experts", "i5")


def test_a_table_of_pairs_names_the_images_to_complete_and_labels_to_judge(told: Told, tmp_path: Path) -> None:
    (tmp_path / "some.csv").write_text("image_id,class\ni3,3\ni4,0\ni4,5\n", encoding="utf-8")
    ask(told, "--mode", "complete", "--pairs", str(tmp_path / "some.csv"))
    campaign = told.get("experts")
    assert (campaign.n_tasks, campaign.plan.settings["n_pairs"]) == (2, 3)


def test_what_cannot_be_completed_is_refused_in_a_sentence(told: Told) -> None:
    create = ("campaign", "create", "review", "all", "--mode", "complete")
    with pytest.raises(InputError, match="2 reviewers find nothing more, so 1 per task cannot tell"):
        told.run(*create, "--annotators", "1")
    with pytest.raises(InputError, match="one image at a time"):
        told.run(*create, "--by", "class-pair")
    with pytest.raises(InputError, match="no participant's answers"):
        told.run(*create, "--participant", "good")
    with pytest.raises(InputError, match="no gold items"):
        told.run(*create, "--gold", "known")


def test_an_answer_says_what_is_missing_or_that_nothing_is() -> None:
    assert parse(LOOK, NOTHING) == {"version": 1, "verdicts": {}, "nothing_more": True}
    assert parse(LOOK, {"more": [5]}) == {"version": 1, "verdicts": {}, "more": [5]}
    assert parse(LOOK, {"problems": ["inappropriate"]})["problems"] == ["inappropriate"]


@pytest.mark.parametrize(
    ("task", "said", "problem"),
    [
        (LOOK, {}, "Name what else is in the image, or say that there is nothing more"),
        (LOOK, {"nothing_more": True, "more": [5]}, "without naming anything"),
        (LOOK, {"nothing_more": 1}, "without naming anything"),
        (make_review_task([4], [3], **{COMPLETE: 1}), {"verdicts": {"3": "wrong"}}, "Name what else is in the image"),
        (make_review_task([4], [3]), {"nothing_more": True}, "where a task asks for it"),
    ],
)
def test_what_is_no_answer_about_what_is_missing_is_refused(
    task: Mapping[str, Any], said: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        parse(task, said)


def test_only_a_task_that_looks_for_what_is_missing_may_ask_about_no_class() -> None:
    with pytest.raises(InputError, match="A task asks about 1 to 21 labels"):
        make_review_task([1], [])
    with pytest.raises(InputError, match="A task asks about 1 to 21 labels"):
        make_review_task([1, 2], [], **{COMPLETE: 1})


def test_what_earlier_tasks_decided_is_shown_as_it_was_decided() -> None:
    task = make_review_task([4], [3], **{COMPLETE: 1, SAID: {"5": "unclear"}})
    shown = view(task, TaskContext(load_taxonomy("cifar-10")))
    assert [(one["class"], one["verdict"]) for one in shown["known"]] == [(5, "unclear")]
