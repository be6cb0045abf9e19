"""A panel votes alone, then sees everything, argues, and a chair locks what is decided."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.workflows.discussions.debates import Debated, send, serve_debate

from regauge.errors import AccessError, ConflictError, InputError
from regauge.records.campaigns.discussions import ItemStanding
from regauge.workflows.campaigns.responses import load_answers
from regauge.workflows.discussions.acts import close_round, excuse_panelist, lock_items, unlock_item
from regauge.workflows.discussions.standing import load_standing
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.studies.bundles import export_bundle, import_study

FIRST = (
    {"airplane": "correct", "horse": "wrong", "automobile": "correct", "bird": "unclear"},
    {"airplane": "correct", "horse": "wrong", "automobile": "wrong", "bird": "unclear"},
    {"airplane": "correct", "horse": "correct", "automobile": "unclear", "bird": "unclear"},
)
"""Horse has a minority of one, automobile has none, of the others everybody says the same."""


@pytest.fixture
def debated(tmp_path: Path, database: str) -> Iterator[Debated]:
    with serve_debate(tmp_path, database=database) as made:
        yield made


def close(debated: Debated) -> list[dict[str, dict[str, Any]]]:
    taken = debated.vote_all(FIRST)
    assert debated.enter_act(0, "close").status_code == 200
    return taken


def find_item(debated: Debated, shown: dict[str, Any], place: int = 0) -> dict[str, Any]:
    """The item of a task that a panelist was given."""
    return next(one for one in debated.look(place)["items"] if one["shown_id"] == shown["id"])


def load_item(debated: Debated, task: int) -> ItemStanding:
    with debated.study.read() as reading:
        (item,) = load_standing(reading, debated.campaign, task_ids=[task]).items
    return item


def count_held(debated: Debated) -> dict[str, int]:
    """How many answers that count give which vote."""
    with debated.study.read() as reading:
        held = load_answers(reading, debated.campaign.name).held
    masks = held.columns.masks.tolist()
    return {vote: masks.count(1 << place) for place, vote in enumerate(("wrong", "unclear", "correct"))}


def test_only_panelists_are_let_in_and_all_of_them_get_everything(debated: Debated) -> None:
    assert debated.campaign.plan.n_annotators == 3
    outsider = debated.enter(debated.outsider)
    assert outsider.get(debated.address).status_code == 403
    assert outsider.post(f"/api/campaigns/{debated.campaign.id}/tasks", {"n": 5}).status_code == 409
    assert {len(debated.take_all(debated.enter(one))) for one in debated.panel} == {4}


def test_in_round_one_nobody_is_told_anything_of_others(debated: Debated) -> None:
    debated.vote_all(FIRST[:2])
    third = debated.enter(debated.panel[2])
    assert all(one["view"]["discussion"] is None for one in debated.take_all(third).values())
    assert debated.look(2) == {
        "round": 1,
        "n_items": 4,
        "n_own": 0,
        "is_chair": False,
        "can_close": None,
        "people": [],
        "items": [],
    }
    # The chair has voted on everything, and learns only that not everybody has.
    chair = debated.look(0)
    assert (chair["n_own"], chair["can_close"], chair["items"]) == (4, False, [])


def test_pages_of_managers_tell_nothing_in_round_one(debated: Debated) -> None:
    debated.vote_all(FIRST[:2])
    manager, number = debated.enter(debated.manager), debated.campaign.id
    page = f"/manage/campaigns/{number}"
    closed = ["annotators", "images", "images/0", "labels", "items"]
    assert {manager.get(f"{page}/{one}").status_code for one in closed} == {409}
    api = ["pulse", "annotators", "answers", "annotators.csv", f"annotators/{debated.panel[0].annotator.id}/effect"]
    assert {manager.get(f"/api{page}/{one}").status_code for one in api} == {409}
    assert manager.post(f"/api{page}/labels/preview", {"screening": True}).status_code == 409
    own = manager.get(page)
    assert own.status_code == 200
    assert "panelists vote alone" in own.text
    for one in (manager.get("/manage").text, manager.get("/api/manage/overview").text, own.text):
        assert "8 of 12" not in one
        assert "counted" not in one


def test_a_chair_closes_round_one_when_everybody_has_voted_and_nobody_else_does(debated: Debated) -> None:
    debated.vote_all(FIRST[:2])
    early = debated.enter_act(0, "close")
    assert (early.status_code, early.json()["detail"]) == (
        409,
        "Not all panelists have voted on everything in debate; close round 1 when they have, or excuse those who left.",
    )
    debated.vote(2, FIRST[2])
    assert debated.look(0)["can_close"] is True
    assert debated.enter_act(1, "close").status_code == 403
    assert debated.enter(debated.manager).post(f"{debated.address}/close").status_code == 409
    assert debated.enter_act(0, "close").json()["round"] == 2
    again = debated.enter_act(0, "close")
    assert again.status_code == 409
    assert "was closed by" in again.json()["detail"]


def test_then_everything_is_shown_by_numbers_and_the_minority_is_asked_first(debated: Debated) -> None:
    taken = close(debated)
    waiting = [set(debated.take_all(debated.enter(one))) for one in debated.panel]
    # Where all are even, everybody argues first.
    assert waiting == [{"automobile"}, {"automobile"}, {"automobile", "horse"}]
    horse = debated.take_all(debated.enter(debated.panel[2]))["horse"]
    said = horse["view"]["discussion"]
    assert said["argues_first"]
    assert [one["final"]["label"] for one in said["stances"]] == ["wrong", "wrong", "correct"]
    assert [one["panelist"] for one in said["stances"]] == ["Panelist 1", "Panelist 2", "Panelist 3"]
    assert [one["is_own"] for one in said["stances"]] == [False, False, True]
    assert send(debated.enter(debated.panel[2]), horse, "correct", revision=1, argument="Hooves.").status_code == 200
    # Now the others are asked, and they are shown the argument.
    first = debated.take_all(debated.enter(debated.panel[0]))
    assert set(first) == {"automobile", "horse"}
    assert first["horse"]["view"]["discussion"]["stances"][2]["said"][-1]["answer"]["argument"] == "Hooves."
    assert first["horse"]["id"] == taken[0]["horse"]["id"]
    # Whoever keeps a vote without a word is asked again only when somebody else says something.
    assert send(debated.enter(debated.panel[0]), first["horse"], "wrong", revision=1).status_code == 200
    assert set(debated.take_all(debated.enter(debated.panel[0]))) == {"automobile"}
    assert "horse" not in debated.take_all(debated.enter(debated.panel[2]))


def test_a_vote_changes_with_a_reason_and_every_change_is_kept(debated: Debated) -> None:
    taken = close(debated)
    second, horse = debated.enter(debated.panel[1]), taken[1]["horse"]
    silent = send(second, horse, "correct", revision=1)
    assert (silent.status_code, silent.json()["detail"]) == (
        409,
        "Say why you change your vote: the others read the reason.",
    )
    assert send(second, horse, "correct", revision=2, argument="I see it now.").status_code == 200
    assert send(second, horse, "unclear", revision=3, argument="Or not.").status_code == 200
    item = load_item(debated, find_item(debated, horse, 1)["task"])
    stance = item.stances[1]
    assert [(one.votes["label"], one.is_change, one.argument) for one in stance.said] == [
        ("wrong", False, ""),
        ("correct", True, "I see it now."),
        ("unclear", True, "Or not."),
    ]
    assert (stance.first, stance.final) == ({"label": "wrong"}, {"label": "unclear"})


def test_in_round_one_a_vote_changes_without_a_reason(debated: Debated) -> None:
    tasks = debated.vote(0, FIRST[0])
    assert send(debated.enter(debated.panel[0]), tasks["horse"], "correct", revision=1).status_code == 200


def test_votes_after_the_lock_are_kept_and_count_only_when_it_is_unlocked(debated: Debated) -> None:
    taken = close(debated)
    item = find_item(debated, taken[0]["horse"])
    before = count_held(debated)
    body = {"items": [{"task": item["task"], "version": item["version"]}]}
    locked = debated.enter_act(0, "lock", body)
    assert locked.status_code == 200, locked.text
    late = send(debated.enter(debated.panel[1]), taken[1]["horse"], "correct", revision=1, argument="Too late?")
    assert late.status_code == 200
    standing = load_item(debated, item["task"])
    assert standing.is_locked
    assert [one.final["label"] for one in standing.stances] == ["wrong", "wrong", "correct"]
    assert standing.stances[1].said[-1].is_late
    assert count_held(debated) == before
    assert "horse" not in debated.take_all(debated.enter(debated.panel[0]))
    assert debated.enter_act(0, "unlock", {"task": item["task"], "reason": " "}).status_code == 409
    assert debated.enter_act(1, "unlock", {"task": item["task"], "reason": "me too"}).status_code == 403
    opened = debated.enter_act(0, "unlock", {"task": item["task"], "reason": "A good point came late."})
    assert opened.status_code == 200
    standing = load_item(debated, item["task"])
    assert [one.act.value for one in standing.history] == ["lock", "unlock"]
    assert standing.history[1].reason == "A good point came late."
    assert standing.stances[1].final == {"label": "correct"}
    assert count_held(debated) == {**before, "wrong": before["wrong"] - 1, "correct": before["correct"] + 1}


def test_of_two_chairs_who_lock_at_once_one_wins_and_the_other_is_told(debated: Debated) -> None:
    close(debated)
    items = [{"task": one["task"], "version": one["version"]} for one in debated.look(0)["items"]]
    assert debated.enter_act(0, "lock", {"items": items[:2]}).status_code == 200
    other = debated.enter_act(0, "lock", {"items": items[1:]})
    assert other.status_code == 409
    assert "This item was locked before, by " in other.json()["detail"]
    states = [one["is_locked"] for one in debated.look(0)["items"]]
    assert states == [True, True, False, False]
    assert [one["history"][0]["is_batch"] for one in debated.look(0)["items"][:2]] == [True, True]


def test_a_chair_who_locks_what_has_changed_looks_again_first(debated: Debated) -> None:
    taken = close(debated)
    item = find_item(debated, taken[0]["horse"])
    send(debated.enter(debated.panel[2]), taken[2]["horse"], "wrong", revision=1, argument="You are right.")
    reply = debated.enter_act(0, "lock", {"items": [{"task": item["task"], "version": item["version"]}]})
    assert reply.status_code == 409
    assert "have voted on this item since you looked" in reply.json()["detail"]


def test_without_somebody_who_left_nothing_is_decided_before_a_chair_says_so(debated: Debated) -> None:
    debated.vote_all(FIRST[:2])
    debated.vote(2, {"horse": "correct"})
    gone = debated.panel[2].annotator.name
    assert debated.enter_act(1, "excuse", {"panelist": gone, "reason": "left"}).status_code == 403
    assert debated.enter_act(0, "excuse", {"panelist": "nobody", "reason": "left"}).status_code == 409
    assert debated.enter_act(0, "excuse", {"panelist": gone, "reason": "Left the group."}).status_code == 200
    assert debated.enter_act(0, "close").status_code == 200
    (horse,) = [one for one in debated.look(0)["items"] if one["counts"]["label"] == {"wrong": 2}]
    item = load_item(debated, horse["task"])
    # Theirs are kept, and do not decide; nor are they let in any more.
    assert [one.annotator_id for one in item.stances] == [one.annotator.id for one in debated.panel[:2]]
    assert item.excused == (debated.panel[2].annotator.id,)
    left = debated.enter(debated.panel[2])
    assert left.get(debated.address).status_code == 403
    assert left.get(f"{debated.address}/items/{horse['task']}").status_code == 409
    again = debated.enter_act(0, "excuse", {"panelist": gone, "reason": "Left the group."})
    assert (again.status_code, again.json()["detail"]) == (
        409,
        f"{gone} was excused before; nothing changes. Reload the page.",
    )
    with debated.study.begin() as begun:
        excuse_panelist(begun, "debate", panelist=debated.panel[1].annotator.name, reason="x", by=None)
        with pytest.raises(InputError, match="nobody would be left"):
            excuse_panelist(begun, "debate", panelist=debated.panel[0].annotator.name, reason="x", by=None)


def test_who_has_the_study_in_hand_may_enter_the_same(debated: Debated) -> None:
    debated.vote_all(FIRST)
    with debated.study.begin() as begun:
        with pytest.raises(InputError, match="nothing can be locked before"):
            lock_items(begun, "debate", seen={one.task_id: one.version for one in _items(debated)}, by=None)
        close_round(begun, "debate", by=None)
        with pytest.raises(ConflictError):
            close_round(begun, "debate", by=None)
        with pytest.raises(AccessError):
            close_round(begun, "debate", by=debated.panel[1].annotator.id)
    items = _items(debated)
    with debated.study.begin() as begun:
        lock_items(begun, "debate", seen={one.task_id: one.version for one in items}, by=None)
        with pytest.raises(InputError, match="Some of the items that were chosen do not belong"):
            lock_items(begun, "debate", seen={999_999: 0}, by=None)
        unlock_item(begun, "debate", task_id=items[0].task_id, reason="once more", by=None)
        with pytest.raises(InputError, match="not locked"):
            unlock_item(begun, "debate", task_id=items[0].task_id, reason="once more", by=None)
    assert [one.is_locked for one in _items(debated)] == [False, True, True, True]


def _items(debated: Debated) -> tuple[ItemStanding, ...]:
    with debated.study.read() as reading:
        return load_standing(reading, debated.campaign).items


def test_a_bundle_takes_all_of_it_along(debated: Debated, tmp_path: Path) -> None:
    close(debated)
    items = _items(debated)
    with debated.study.begin() as begun:
        lock_items(begun, "debate", seen={one.task_id: one.version for one in items}, by=None)
    before = _items(debated)
    with debated.study.read() as reading:
        export_bundle(reading, tmp_path / "whole.zip")
    made = import_study(tmp_path / "whole.zip", tmp_path / "there", around=debated.study.around)
    with made.study as there, there.read() as reading:
        assert load_standing(reading, debated.campaign).items == before


def test_whoever_is_erased_leaves_no_name_and_nothing_is_decided_without_a_word(debated: Debated) -> None:
    close(debated)
    items = _items(debated)
    chair = debated.panel[0].annotator.name
    assert (
        debated.enter_act(0, "lock", {"items": [{"task": items[0].task_id, "version": items[0].version}]}).status_code
        == 200
    )
    assert debated.enter_act(0, "unlock", {"task": items[0].task_id, "reason": f"says {chair}"}).status_code == 200
    with debated.study.begin() as begun:
        erase_annotator(begun, chair, reason="asked for it", with_answers=True)
    item = _items(debated)[0]
    assert item.missing == (debated.panel[0].annotator.id,)
    assert {one.who for one in item.history} == {"erased-0001"}
    assert item.history[1].reason == ""
