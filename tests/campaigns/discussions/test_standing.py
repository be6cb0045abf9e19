"""Who argues first, who is asked when, and which vote counts, on small discussions."""

from __future__ import annotations

import itertools

from regauge.campaigns.discussions.standing import (
    DiscussionInputs,
    find_minority,
    is_waiting_for,
    judge_discussion,
    show_discussion,
)
from regauge.records.campaigns.discussions import CastVote, DiscussionAct, DiscussionEntry, ItemStanding

CLOSED = DiscussionEntry(1, DiscussionAct.CLOSE, "ann", "", until=100)
PANEL = (1, 2, 3, 4, 5)


def cast(*votes: tuple[int, str], start: int = 1, revision: int = 0, argument: str = "") -> list[CastVote]:
    numbers = itertools.count(start)
    more = {"argument": argument} if argument else {}
    return [CastVote(next(numbers), 7, who, {"vote": vote, **more}, revision, True, "") for who, vote in votes]


def judge(votes: list[CastVote], *entries: DiscussionEntry, dropped: tuple[int, ...] = ()) -> ItemStanding:
    found = DiscussionInputs(PANEL, (1,), dropped, {7: {}}, votes, entries)
    return judge_discussion(found, lambda task, answer: {"q": answer["vote"]}).items[0]


def test_those_with_fewer_votes_argue_first_and_everybody_where_all_are_even() -> None:
    first = cast((1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "c"))
    assert find_minority(judge(first, CLOSED)) == {4, 5}
    even = cast((1, "a"), (2, "a"), (3, "b"), (4, "b"), (5, "c"))
    assert find_minority(judge(even, CLOSED)) == {5}
    alone = cast((1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"))
    assert find_minority(judge(alone, CLOSED)) == set(PANEL)
    assert find_minority(judge(cast(*((who, "a") for who in PANEL)), CLOSED)) == set()


def test_the_others_are_asked_once_all_of_the_minority_has_said_something() -> None:
    first = cast((1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "c"))
    one = first + cast((4, "b"), start=101, revision=1, argument="x")
    both = one + cast((5, "c"), start=102, revision=1)
    asked = [
        [who for who in PANEL if is_waiting_for(judge(votes, CLOSED), who, closed=CLOSED)]
        for votes in (first, one, both)
    ]
    assert asked == [[4, 5], [5], [1, 2, 3]]


def test_what_is_locked_waits_for_nobody_and_an_excused_panelist_neither_votes_nor_argues() -> None:
    first = cast((1, "a"), (2, "a"), (3, "a"), (4, "b"))
    left = DiscussionEntry(2, DiscussionAct.EXCUSE, "ann", "", subject_id=5, reason="left")
    assert judge(first, CLOSED).missing == (5,)
    item = judge(first, CLOSED, left, dropped=(5,))
    assert (item.missing, item.excused) == ((), (5,))
    # Whoever was taken back into the campaign is asked again.
    assert judge(first, CLOSED, left).missing == (5,)
    locked = judge(first, CLOSED, left, DiscussionEntry(3, DiscussionAct.LOCK, "ann", "", 7, until=100), dropped=(5,))
    assert not any(is_waiting_for(locked, who, closed=CLOSED) for who in PANEL)


def test_an_item_alone_can_do_without_somebody() -> None:
    first = cast((1, "a"), (2, "a"), (3, "a"), (4, "b"))
    away = DiscussionEntry(2, DiscussionAct.EXCUSE, "ann", "", 7, subject_id=5, reason="cannot see it")
    assert judge(first, CLOSED, away).missing == ()


def test_what_is_shown_names_nobody() -> None:
    item = judge(cast(*((who, "a" if who < 4 else "b") for who in PANEL)), CLOSED)
    shown = show_discussion(item, to=4, panel=PANEL, closed=CLOSED)
    assert [one.panelist for one in shown.stances] == [f"Panelist {who}" for who in PANEL]
    assert [one.is_own for one in shown.stances] == [False, False, False, True, False]
    assert shown.argues_first
    assert not show_discussion(item, to=1, panel=PANEL, closed=CLOSED).argues_first


def test_of_several_revisions_the_highest_counts_in_whatever_order_they_came() -> None:
    votes = [*cast((1, "b"), start=1, revision=1), *cast((1, "a"), start=2, revision=0)]
    assert judge(votes).stances[0].final == {"q": "b"}
