"""Coders talk about what they disagree on: alone first, then knowing what the others say, until a chair locks it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from tests.kinds.code.coded_study import GONE, LINE, MAJOR, MINOR, N_MISTAKES, Said, ask, code_all, send, take, told
from tests.kinds.code.test_all_the_way import list_codes, load
from tests.verify.verify_study import Told
from tests.workflows.campaign_studies import draw_picture
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.fields import FieldError
from regauge.records.labels.verdicts import Verdict
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import find_verdicts, get_label_set

__all__ = ["database", "postgres", "postgres_database", "told"]

SAID = [(MAJOR, MAJOR, MAJOR), (MAJOR, MINOR, MINOR), (GONE, MAJOR, LINE), (LINE, LINE, LINE), (GONE, GONE, MAJOR)]


def say(place: int, number: int) -> Said:
    return SAID[number][place]


def look(told: Told, place: int) -> dict[str, Any]:
    reply = told.enter(told.panel[place]).get(f"/api/campaigns/{told.get('codes').id}/discussion")
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def enter(told: Told, act: str, body: object = None, *, place: int = 0) -> Any:
    return told.enter(told.panel[place]).post(f"/api/campaigns/{told.get('codes').id}/discussion/{act}", body)


def lock_all(told: Told) -> None:
    items = [{"task": one["task"], "version": one["version"]} for one in look(told, 0)["items"]]
    reply = enter(told, "lock", {"items": items})
    assert reply.status_code == 200, reply.text


def by_image(tasks: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    return {one["view"]["prediction"]["class"] - 1: one for one in tasks}


def revise(told: Told, place: int, number: int, answer: Said, *, revision: int = 1) -> Any:
    visitor, tasks = take(told, told.panel[place])
    return send(visitor, by_image(tasks)[number], answer, revision=revision)


def test_coders_work_alone_then_talk_and_a_chair_locks(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told, coders=3)
    taken = code_all(told, say, coders=3)
    assert look(told, 0)["round"] == 1
    with pytest.raises(InputError, match="Round 1 of codes goes on"):
        told.run("campaign", "coding", "codes", "--preview")
    assert enter(told, "close", place=1).status_code == 403
    assert enter(told, "close").status_code == 200
    with pytest.raises(InputError, match="Nothing of codes is locked yet"):
        told.run("campaign", "coding", "codes", "--preview")
    with pytest.raises(InputError, match="nothing is locked yet"):
        told.run("campaign", "labels", "codes", "--name", "truth")
    # Whoever is alone with a vote is asked first, as the first coder is about i1 and i2.
    _, mine = take(told, told.panel[0])
    assert sorted(by_image(mine)) == [1, 2]
    shown = by_image(mine)[1]["view"]["discussion"]
    assert shown["argues_first"] is True
    assert [one["final"]["severity"] for one in shown["stances"]] == ["major", "minor", "minor"]
    assert not {one.annotator.name for one in told.panel} & set(json.dumps(mine).split('"'))
    # A change needs its reason; with it, it takes the place of the first answer.
    assert revise(told, 0, 1, MINOR).status_code == 409
    assert revise(told, 0, 1, {**MINOR, "argument": "It is blurred."}).status_code == 200
    assert revise(told, 0, 2, {**GONE, "argument": "Look at the left."}).status_code == 200
    assert revise(told, 2, 2, {**GONE, "argument": "I see it now."}).status_code == 200
    lock_all(told)
    capsys.readouterr()
    told.run("campaign", "coding", "codes")
    printed = capsys.readouterr().err
    assert "The discussion changed what most coders say of 1 of 5 locked mistakes." in printed
    assert "A chair has locked 5 of 5 mistakes, and coders overturned" in printed
    assert "Coders looked at" not in printed
    coding = load(told)
    expected = [("i0", 1, "fine-grained", 0), ("i1", 2, "fine-grained", 1), ("i3", 4, "spurious-correlation", 2)]
    assert list_codes(coding) == expected
    assert coding.overturned.image_ids.tolist() == ["i2", "i4"]
    # The agreement is that of round 1.
    overturning = coding.provenance["agreement"][0]
    assert (overturning["n"], overturning["n_equal"]) == (5, 3)
    # What comes after the lock is kept and does not count.
    late = {**MINOR, "argument": "Late."}
    reply = send(told.enter(told.panel[1]), by_image(taken[1])[0], late, revision=1)
    assert reply.status_code == 200, reply.text
    told.run("campaign", "coding", "codes")
    assert list_codes(load(told)) == expected
    told.run("campaign", "labels", "codes", "--name", "truth")
    with told.study.read() as begun:
        found = find_verdicts(begun, get_label_set(begun, "truth"), image_ids=["i2", "i4", "i1"])
        evidence = find_evidence(begun, get_label_set(begun, "truth")).by_pair["i2", 3]
    assert (found["i2"][3], found["i4"][5], found["i1"][2]) == (Verdict.CORRECT, Verdict.CORRECT, Verdict.WRONG)
    # The verdict says what each coder said first and in the end, and what they argued.
    first, final = ([one.verdict for one in votes] for votes in (evidence.first_votes, evidence.votes))
    assert (first.count(Verdict.CORRECT), final.count(Verdict.CORRECT)) == (1, 2)
    assert [words for _, words in evidence.arguments] == ["Look at the left.", "I see it now."]


def test_in_round_one_nothing_of_others_is_told(told: Told) -> None:
    ask(told, coders=3)
    code_all(told, lambda _place, _number: GONE, coders=2)
    visitor, tasks = take(told, told.panel[2])
    assert all(one["view"]["discussion"] is None for one in tasks)
    page = f"/campaigns/{told.get('codes').id}"
    manager = told.enter(told.manager)
    texts = [json.dumps(tasks), visitor.get(page).text, visitor.get("/").text, json.dumps(look(told, 2))]
    texts += [manager.get(f"/manage{page}").text, manager.get("/manage").text]
    for text in texts:
        assert "There is one behind it." not in text
        assert 'missed object"' not in text
    for part in ("annotators", "images", "items", "labels"):
        assert manager.get(f"/manage{page}/{part}").status_code == 409
    assert manager.get(f"/api/manage{page}/answers").status_code == 409


def send_picture(told: Told, who: Any, task: dict[str, Any]) -> Any:
    content = base64.b64encode(draw_picture(1, size=(64, 48))).decode()
    return told.enter(who).post("/api/evidence", {"assignment_id": task["id"], "content": content})


def test_a_coder_gives_a_picture_that_the_others_see_once_round_one_is_over(told: Told) -> None:
    ask(told, coders=2)
    first, second = told.panel[:2]
    visitor, tasks = take(told, first)
    token = send_picture(told, first, tasks[0]).json()["picture"]
    seen = {**MAJOR, "evidence": {"picture": token}}
    assert send(visitor, tasks[0], {**MAJOR, "evidence": {"text": "words"}}).status_code == 409
    assert send(visitor, tasks[0], {**MAJOR, "evidence": {"picture": "../etc"}}).status_code == 409
    assert send(visitor, tasks[0], seen).status_code == 200
    for task in tasks[1:]:
        assert send(visitor, task, MAJOR).status_code == 200
    address = f"/api/evidence/{token}"
    assert [told.enter(one).get(address).status_code for one in (first, second, told.manager)] == [200, 404, 404]
    other, theirs = take(told, second)
    for task in theirs:
        assert send(other, task, MINOR).status_code == 200
    assert enter(told, "close").status_code == 200
    assert [told.enter(one).get(address).status_code for one in (second, told.manager, told.outsider)] == [
        200,
        200,
        404,
    ]
    _, again = take(told, second)
    stances = [one for task in again for one in task["view"]["discussion"]["stances"]]
    assert [
        one["answer"]["evidence"] for stance in stances for one in stance["said"] if "evidence" in one["answer"]
    ] == [{"picture": token}]
    lock_all(told)
    told.run("campaign", "labels", "codes", "--name", "truth")


def test_where_nobody_discusses_a_picture_is_for_the_manager_alone(told: Told) -> None:
    ask(told)
    first, second = told.panel[:2]
    visitor, tasks = take(told, first)
    token = send_picture(told, first, tasks[0]).json()["picture"]
    said = {"overturned": "missed object", "comment": "Here.", "evidence": {"picture": token}}
    assert send(visitor, tasks[0], said).status_code == 200
    statuses = [told.enter(one).get(f"/api/evidence/{token}").status_code for one in (first, second, told.manager)]
    assert statuses == [200, 404, 200]
    told.run("campaign", "coding", "codes")
    assert load(told).overturned.notes == ("Here. (with a picture)",)


def test_somebody_who_leaves_is_excused_and_the_others_decide(told: Told) -> None:
    ask(told, coders=3)
    code_all(told, lambda _place, _number: MAJOR, coders=2)
    reply = enter(told, "close")
    assert reply.status_code == 409 or "Not all" in reply.text
    assert enter(told, "excuse", {"panelist": told.panel[2].annotator.name, "reason": "left"}).status_code == 200
    assert enter(told, "close").status_code == 200
    lock_all(told)
    told.run("campaign", "coding", "codes")
    assert len(load(told).coded) == N_MISTAKES


def test_two_coders_can_be_told_apart_from_a_tie(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told, coders=2)
    assert "With 2 coders, as many can say one thing as another" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--coders", "nobody", "--coders", "noone"), "nobody"),
        (("--chair", "nobody"), "name two coders or more"),
    ],
)
def test_coders_that_cannot_be_are_a_sentence(told: Told, words: tuple[str, ...], problem: str) -> None:
    with pytest.raises(FieldError, match=problem) as caught:
        told.run("campaign", "create", "code", "x", "--participant", "bad", "--labels", "truth", *words)
    assert caught.value.field_name in {"coders", "chairs"}


def test_a_chair_is_one_of_the_coders(told: Told) -> None:
    names = [one.annotator.name for one in told.panel]
    words = ("--coders", names[0], "--coders", names[1], "--chair", names[2])
    with pytest.raises(FieldError, match="add them"):
        told.run("campaign", "create", "code", "x", "--participant", "bad", "--labels", "truth", *words)
