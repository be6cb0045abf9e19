"""Comments about images of a review: who reads which, who resolves them, and what is handed back with one."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.kinds.review.reviewed_study import ask, send, told
from tests.server.served_study import Visitor
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.records.campaigns.comments import CommentThread, NewComment
from regauge.storage.campaigns.assignments import find_assignment
from regauge.storage.campaigns.comments import list_threads
from regauge.storage.database.schema import review_comments
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.comments import comment_as_manager
from regauge.workflows.campaigns.responses import load_answers, make_responses
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.people.own_data import take_own_data

__all__ = ["database", "postgres", "postgres_database", "told"]

MARK = "a-mark-that-nothing-else-has"
"""What another reviewer wrote: it must be in no byte that is sent to whoever has not judged the image."""
CORRECT = {"verdicts": {"1": "correct", "6": "correct"}}


def open_review(told: Told) -> None:
    """A review of five labels; the first image has two of them."""
    path = told.study.paths.folder.parent / "few.csv"
    path.write_text("image_id,class\ni1,1\ni1,6\ni2,2\ni3,3\ni4,0\n", encoding="utf-8")
    ask(told, "--pairs", str(path))


def begin(told: Told, place: int) -> tuple[Visitor, dict[str, Any]]:
    """A reviewer, and the task that has two labels."""
    campaign, visitor = told.get("experts"), told.enter(told.panel[place])
    visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    (task,) = [one for one in visitor.take(campaign, 5) if len(one["view"]["items"]) == 2]
    return visitor, task


def name(told: Told, task: Mapping[str, Any], what: str) -> str:
    return f"/api/campaigns/{told.get('experts').id}/tasks/{task['id']}/{what}"


def write(told: Told, visitor: Visitor, task: Mapping[str, Any], text: str, **more: Any) -> Any:
    body = {"client_id": f"client-{zlib.crc32(text.encode())}", "text": text, **more}
    return visitor.post(name(told, task, "comments"), body)


def read(told: Told, visitor: Visitor, task: Mapping[str, Any]) -> list[list[tuple[str, str]]]:
    reply = visitor.get(name(told, task, "threads"))
    assert reply.status_code == 200, reply.text
    return [[(one["who"], one["text"]) for one in thread["comments"]] for thread in reply.json()]


def list_all(told: Told) -> tuple[CommentThread, ...]:
    with told.study.read() as reading:
        return list_threads(reading, told.get("experts"))


def test_a_comment_is_read_by_managers_at_once_and_by_reviewers_once_they_have_judged_the_task(told: Told) -> None:
    open_review(told)
    campaign = told.get("experts")
    (ann, anns), (bob, bobs) = begin(told, 0), begin(told, 1)
    assert write(told, ann, anns, f"{MARK}: a <b>toy</b>", class_index=6).status_code == 200
    # Sent again, it is written once.
    assert write(told, ann, anns, f"{MARK}: a <b>toy</b>", class_index=6).status_code == 200
    assert read(told, ann, anns) == [[("You", f"{MARK}: a <b>toy</b>")]]
    (thread,) = list_all(told)
    manager = told.enter(told.manager)
    page = manager.get(f"/manage/campaigns/{campaign.id}/images/{thread.number}").text
    assert MARK in page
    assert "<b>toy</b>" not in page
    here = f"/api/campaigns/{campaign.id}"
    pages = (name(told, bobs, "threads"), f"/campaigns/{campaign.id}", "/", "/me", "/api/me", f"{here}/previous")
    seen = [bob.get(path) for path in pages]
    seen += [bob.post(f"/api/campaigns/{campaign.id}/tasks", {"n": 5})]
    # Nor does whoever guesses its number learn that it is there.
    seen += [write(told, bob, bobs, "me too", thread=one) for one in (thread.id, thread.id + 1_000)]
    assert [MARK in one.text for one in seen] == [False] * len(seen)
    assert seen[-1].status_code == seen[-2].status_code == 409
    assert seen[-1].text == seen[-2].text
    assert seen[0].json() == []
    send(bob, bobs, {"returned": True, "comment": "what is it?"})
    assert MARK not in bob.get(name(told, bobs, "threads")).text
    send(bob, bobs, CORRECT, revision=1)
    assert [[("A reviewer", f"{MARK}: a <b>toy</b>")], [("You", "what is it?")]] == read(told, bob, bobs)
    assert told.panel[0].annotator.name not in bob.get(name(told, bobs, "threads")).text
    assert write(told, bob, bobs, "so it is", thread=thread.id).status_code == 200
    # The first has not judged it yet, and so does not read what the other says in their own thread.
    assert read(told, ann, anns) == [[("You", f"{MARK}: a <b>toy</b>")]]
    send(ann, anns, CORRECT)
    assert read(told, ann, anns)[0][1] == ("A reviewer", "so it is")


def test_a_manager_answers_and_whoever_began_a_thread_or_a_manager_resolves_it(told: Told) -> None:
    open_review(told)
    campaign = told.get("experts")
    (ann, anns), (bob, bobs), manager = begin(told, 0), begin(told, 1), told.enter(told.manager)
    write(told, ann, anns, "Which edition of the guide holds?")
    (thread,) = list_all(told)
    said = {"client_id": "client-manager", "image": thread.number, "thread": thread.id, "text": "The second."}
    assert manager.post(f"/api/manage/campaigns/{campaign.id}/comments", said).status_code == 204
    assert read(told, ann, anns) == [[("You", "Which edition of the guide holds?"), ("Manager", "The second.")]]
    assert read(told, bob, bobs) == []
    send(bob, bobs, CORRECT)
    change = {"thread": thread.id, "is_resolved": True}
    refused = bob.post(name(told, bobs, "resolve"), change)
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "A thread is resolved by whoever began it, or by the manager.",
    )
    assert ann.post(name(told, anns, "resolve"), change).json()[0]["is_resolved"] is True
    # Whoever writes again opens it again.
    write(told, ann, anns, "And the third?", thread=thread.id)
    assert list_all(told)[0].resolved_at is None
    for is_resolved in (True, False):
        address = f"/api/manage/campaigns/{campaign.id}/threads/{thread.id}"
        assert manager.post(address, {"is_resolved": is_resolved}).status_code == 204
        assert (list_all(told)[0].resolved_at is not None) is is_resolved
    assert manager.post(f"/api/manage/campaigns/{campaign.id}/threads/999", {"is_resolved": True}).status_code == 409


def test_only_those_who_work_on_the_campaign_comment_and_only_managers_as_such(told: Told) -> None:
    open_review(told)
    campaign = told.get("experts")
    (ann, anns), (bob, _) = begin(told, 0), begin(told, 1)
    outsider = told.enter(told.outsider)
    for visitor in (bob, outsider):
        assert write(told, visitor, anns, "mine?").status_code == 409
        assert visitor.get(name(told, anns, "threads")).status_code == 409
    body = {"client_id": "client-1", "image": 0, "text": "?"}
    returned = {"annotator": 1, "image": 0, "text": "?"}
    for path, sent in (("comments", body), ("threads/1", {"is_resolved": True}), ("tasks/1/return", returned)):
        assert ann.post(f"/api/manage/campaigns/{campaign.id}/{path}", sent).status_code == 403
    # A request that none of our pages made.
    forged = Visitor(told.client, {**ann.headers, "X-CSRF-Token": "forged"})
    assert write(told, forged, anns, "forged").status_code == 403
    for text in (" \n ", "\u200b", "x" * 2_001, "\x07"):
        assert write(told, ann, anns, text).status_code in {409, 422}
    assert write(told, ann, anns, "no such class", class_index=10_000).status_code == 409
    assert write(told, ann, anns, "no such image", place=1).status_code == 409
    with told.study.begin() as begun:
        drop_annotator(begun, campaign.id, annotator=told.panel[0].annotator.id, reason="gone")
    assert write(told, ann, anns, "still here").status_code == 409
    assert list_all(told) == ()


def test_an_image_that_is_handed_back_leaves_the_queue_counts_as_skipped_and_has_a_thread(told: Told) -> None:
    open_review(told)
    campaign = told.get("experts")
    ann, anns = begin(told, 0)
    for answer in (
        {"returned": True},
        {"returned": True, "comment": " "},
        {"returned": True, "comment": "why", "verdicts": {"1": "correct"}},
        {"returned": True, "comment": "why", "problems": ["inappropriate"]},
    ):
        assert send(ann, anns, answer).status_code == 409
    assert send(ann, anns, {"returned": True, "comment": "I do not know snakes."}).status_code == 200
    assert send(ann, anns, {"returned": True, "comment": "I do not know snakes."}).status_code == 200
    assert anns["id"] not in [one["id"] for one in ann.take(campaign, 5)]
    assert read(told, ann, anns) == [[("You", "I do not know snakes.")]]
    with told.study.read() as reading:
        votes = make_responses(load_answers(reading, campaign.name))
    assert (len(votes.images), len(votes.seen_images)) == (0, 0)


def test_a_grid_is_handed_back_whole_and_its_thread_is_about_its_first_image(told: Told) -> None:
    ask(told, "--by", "class-pair")
    campaign, ann = told.get("experts"), told.enter(told.panel[0])
    ann.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    grid = next(one for one in ann.take(campaign, 5) if one["view"]["n_cells"] > 1)
    n = grid["view"]["n_cells"]
    assert send(ann, grid, {"returned": True, "comment": "why", "verdicts": {"0": "wrong"}}).status_code == 409
    assert send(ann, grid, {"returned": True, "comment": "I do not know cars."}).status_code == 200
    assert grid["id"] not in [one["id"] for one in ann.take(campaign, 5)]
    (thread,) = list_all(told)
    assert read(told, ann, grid) == [[("You", "I do not know cars.")]]
    with told.study.read() as reading:
        votes = make_responses(load_answers(reading, campaign.name))
        table = LiveCampaigns().items(reading, campaign)
    assert (len(votes.images), len(votes.seen_images)) == (0, 0)
    assert int(np.count_nonzero(table.last)) == n
    # The thread is about the first image, where the manager finds it, with all labels that are asked of it.
    (rows,) = (
        told.enter(told.manager).get(f"/manage/campaigns/{campaign.id}/items?comments=true").text.split("<tbody>")[1:]
    )
    assert 1 <= rows.count("<tr>") == rows.count(f'/manage/campaigns/{campaign.id}/images/{thread.number}"')
    page = told.enter(told.manager).get(f"/manage/campaigns/{campaign.id}/images/{thread.number}").text
    assert "I do not know cars." in page
    # It can be judged after all.
    assert send(ann, grid, {"verdicts": {"0": "wrong"}}, revision=1).status_code == 200
    with told.study.read() as reading:
        assert len(make_responses(load_answers(reading, campaign.name)).images) == 1


def test_an_answer_that_a_manager_returns_comes_back_to_be_revised_and_to_nobody_else(told: Told) -> None:
    open_review(told)
    campaign = told.get("experts")
    (ann, anns), (bob, bobs), manager = begin(told, 0), begin(told, 1), told.enter(told.manager)
    with told.study.read() as reading:
        given = find_assignment(reading, anns["id"])
    assert given is not None
    address = f"/api/manage/campaigns/{campaign.id}/tasks/{given.task_id}/return"
    who, number = told.panel[0].annotator, given.payload["images"][0]
    body = {"annotator": who.id, "image": number, "text": "Look at the tail again."}
    early = manager.post(address, body)
    assert "has not answered task" in early.json()["detail"]
    send(ann, anns, CORRECT)
    send(bob, bobs, CORRECT)
    assert manager.post(address, {**body, "image": number + 1}).status_code == 409
    assert manager.post(address, {**body, "text": " "}).status_code == 409
    assert manager.post(address, body).status_code == 204
    assert "to revise already" in manager.post(address, body).json()["detail"]
    first, *others = ann.take(campaign, 3)
    assert (first["id"], first["returned"], first["revision"]) == (anns["id"], "Look at the tail again.", 0)
    assert first["answer"]["verdicts"] == CORRECT["verdicts"]
    assert {one["returned"] for one in others} == {""}
    # It is between the two of them, although the other has judged the image.
    assert read(told, ann, anns) == [[("Manager", "Look at the tail again.")]]
    assert read(told, bob, bobs) == []
    assert "tail" not in bob.post(f"/api/campaigns/{campaign.id}/tasks", {"n": 5}).text
    assert send(ann, anns, {"verdicts": {"1": "wrong", "6": "correct"}}, revision=1).status_code == 200
    assert anns["id"] not in [one["id"] for one in ann.take(campaign, 3)]
    # The same can be returned once more.
    assert manager.post(address, body).status_code == 204
    assert ann.take(campaign, 1)[0]["revision"] == 1


def test_erasing_somebody_takes_their_comments_along_with_their_answers(told: Told) -> None:
    open_review(told)
    campaign = told.get("experts")
    (ann, anns), (bob, bobs) = begin(told, 0), begin(told, 1)
    who = told.panel[0].annotator
    write(told, ann, anns, f"{MARK} first")
    write(told, ann, anns, f"{MARK} alone")
    send(ann, anns, CORRECT)
    send(bob, bobs, CORRECT)
    first = list_all(told)[0]
    write(told, bob, bobs, f"As {who.name} says.", thread=first.id)
    with told.study.read() as reading:
        assert [one["text"] for one in take_own_data(reading, who.id)["comments"]] == [f"{MARK} first", f"{MARK} alone"]
    with told.study.begin() as begun:
        erase_annotator(begun, who.name, reason="asked", with_answers=True)
    with told.study.read() as reading:
        rows = reading.connection.execute(review_comments.select()).all()
    assert MARK not in str(rows)
    assert who.name not in str(rows)
    (kept,) = list_all(told)
    assert [one.text for one in kept.comments] == ["", "As erased-0001 says."]
    page = told.enter(told.manager).get(f"/manage/campaigns/{campaign.id}/images/{first.number}").text
    assert "erased" in page


def test_a_campaign_of_another_kind_has_no_threads(told: Told) -> None:
    told.run("campaign", "create", "verify", "grids", "--pairs", str(told.study.paths.folder.parent / "pairs.csv"))
    campaign = told.get("grids")
    with told.study.begin() as begun, pytest.raises(InputError, match="whose images have no threads"):
        comment_as_manager(begun, campaign.id, annotator_id=told.manager.annotator.id, new=NewComment(0, "?"))


def test_nobody_is_offered_to_resolve_a_thread_of_which_they_read_only_their_own_reply(told: Told) -> None:
    open_review(told)
    (ann, anns), (bob, bobs) = begin(told, 0), begin(told, 1)
    write(told, ann, anns, "Is it a toy?")
    send(bob, bobs, CORRECT)
    (thread,) = list_all(told)
    write(told, bob, bobs, "It is.", thread=thread.id)
    send(bob, bobs, {"returned": True, "comment": "on second thoughts"}, revision=1)
    shown = bob.get(name(told, bobs, "threads")).json()[0]
    assert ([one["text"] for one in shown["comments"]], shown["may_resolve"]) == (["It is."], False)


def test_what_was_erased_says_so_to_reviewers_too(told: Told) -> None:
    open_review(told)
    (ann, anns), (bob, bobs) = begin(told, 0), begin(told, 1)
    write(told, ann, anns, "Is it a toy?")
    send(bob, bobs, CORRECT)
    write(told, bob, bobs, "It is.", thread=list_all(told)[0].id)
    with told.study.begin() as begun:
        erase_annotator(begun, told.panel[0].annotator.name, reason="asked", with_answers=True)
    assert read(told, bob, bobs) == [[("A reviewer", "erased"), ("You", "It is.")]]


def test_an_answer_is_returned_only_while_it_can_be_revised(told: Told) -> None:
    open_review(told)
    campaign, (ann, anns), manager = told.get("experts"), begin(told, 0), told.enter(told.manager)
    send(ann, anns, CORRECT)
    with told.study.read() as reading:
        given = find_assignment(reading, anns["id"])
    assert given is not None
    address = f"/api/manage/campaigns/{campaign.id}/tasks/{given.task_id}/return"
    body = {"annotator": told.panel[0].annotator.id, "image": given.payload["images"][0], "text": "Look again."}
    told.run("campaign", "close", "experts")
    refused = manager.post(address, body)
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "Campaign experts is closed, so nobody could revise an answer; open it first.",
    )
    told.run("campaign", "open", "experts")
    assert manager.post(address, body).status_code == 204
    # Whoever manages sees whose answer it was, and that it is waited for.
    page = manager.get(f"/manage/campaigns/{campaign.id}/images/{body['image']}").text
    assert f"returned to {told.panel[0].annotator.name}" in page


def test_a_manager_who_comments_on_an_image_does_not_load_all_of_them(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_review(told)
    campaign, who = told.get("experts"), told.manager.annotator.id

    def load(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("regauge.workflows.campaigns.comments.load_campaign_images", load, raising=False)
    with told.study.begin() as begun:
        assert comment_as_manager(begun, campaign.id, annotator_id=who, new=NewComment(0, "?"))
        for number in (-1, 10_000):
            with pytest.raises(InputError, match="has no image"):
                comment_as_manager(begun, campaign.id, annotator_id=who, new=NewComment(number, "?"))
