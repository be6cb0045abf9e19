"""Where a discussion stands, from what was handed in and what chairs entered: nothing of it is stored, so it cannot be wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from regauge.campaigns.discussions.words import ARGUMENT
from regauge.records.campaigns.campaign import Payload
from regauge.records.campaigns.discussions import (
    CastVote,
    DiscussionAct,
    DiscussionEntry,
    DiscussionStanding,
    ItemStanding,
    ShownDiscussion,
    ShownStance,
    Stance,
    VoteChange,
    list_questions,
)

ReadVotes = Callable[[Payload, Payload], Mapping[str, str]]
"""From a task and an answer to what it says on every question of the task, as the kind has it."""


@dataclass(frozen=True, slots=True)
class DiscussionInputs:
    """What the tables hold of a discussion.

    Attributes:
        panel: the panelists, by their numbers.
        chairs: those of them who are chairs.
        dropped: whose answers do not count.
        tasks: the items by their numbers, in order.
        cast: all that was handed in, the oldest first.
        entries: all that chairs entered, the oldest first.
    """

    panel: tuple[int, ...]
    chairs: tuple[int, ...]
    dropped: Collection[int]
    tasks: Mapping[int, Payload]
    cast: Sequence[CastVote]
    entries: Sequence[DiscussionEntry]


def find_closed(entries: Iterable[DiscussionEntry]) -> DiscussionEntry | None:
    """The entry that closed round 1; None while it goes on."""
    return next((one for one in entries if one.act is DiscussionAct.CLOSE), None)


def judge_discussion(found: DiscussionInputs, read_votes: ReadVotes) -> DiscussionStanding:
    """Where every item stands."""
    judge = _Judge(found, read_votes)
    items = tuple(judge.judge(task_id, task) for task_id, task in found.tasks.items())
    return DiscussionStanding(found.panel, found.chairs, judge.closed, items)


class _Judge:
    """What is the same for all items, sorted once."""

    def __init__(self, found: DiscussionInputs, read_votes: ReadVotes) -> None:
        self._found, self._read_votes = found, read_votes
        self.closed = find_closed(found.entries)
        self._cast: dict[tuple[int, int], list[CastVote]] = defaultdict(list)
        self._last: dict[int, int] = defaultdict(int)
        for one in found.cast:
            self._last[one.task_id] = max(self._last[one.task_id], one.id)
            if one.is_counted:
                self._cast[one.task_id, one.annotator_id].append(one)
        self._entries: dict[int | None, list[DiscussionEntry]] = defaultdict(list)
        for entry in found.entries:
            self._entries[entry.task_id].append(entry)
        excuses = [one for one in self._entries[None] if one.act is DiscussionAct.EXCUSE]
        # Whoever was taken back into the campaign votes on all of it again.
        self._gone = {one.subject_id for one in excuses if one.subject_id in found.dropped}
        self._base = sum(one.id for one in excuses)

    def judge(self, task_id: int, task: Payload) -> ItemStanding:
        """Where one item stands."""
        history = tuple(self._entries.get(task_id, ()))
        locks = [one for one in history if one.act in {DiscussionAct.LOCK, DiscussionAct.UNLOCK}]
        lock = locks[-1] if locks and locks[-1].act is DiscussionAct.LOCK else None
        away = {one.subject_id for one in history if one.act is DiscussionAct.EXCUSE}
        excused = tuple(who for who in self._found.panel if who in away or who in self._gone)
        stances = tuple(
            _find_stance(
                who,
                self._cast.get((task_id, who), ()),
                closed=self.closed,
                lock=lock,
                read=lambda answer: self._read_votes(task, answer),
            )
            for who in self._found.panel
            if who not in excused
        )
        version = self._last[task_id] + sum(one.id for one in history) + self._base
        return ItemStanding(task_id, task, self.closed is not None, stances, excused, lock, history, version)


def _find_stance(
    who: int,
    cast: Sequence[CastVote],
    *,
    closed: DiscussionEntry | None,
    lock: DiscussionEntry | None,
    read: Callable[[Payload], Mapping[str, str]],
) -> Stance:
    first = pick_last(cast, until=None if closed is None else closed.until)
    final = pick_last(cast, until=None if lock is None else lock.until)
    said, before = [], None
    for one in cast:
        votes = dict(read(one.answer))
        is_late = lock is not None and one.id > lock.until
        said.append(
            VoteChange(
                at=one.at,
                id=one.id,
                votes=votes,
                argument=one.answer.get(ARGUMENT, ""),
                is_change=before not in (None, votes),
                is_late=is_late,
                answer=one.answer,
            )
        )
        before = votes
    return Stance(
        who,
        {} if first is None else dict(read(first.answer)),
        {} if final is None else dict(read(final.answer)),
        tuple(said),
        None if final is None else final.answer,
        None if first is None else first.answer,
    )


def pick_last(cast: Iterable[CastVote], *, until: int | None = None) -> CastVote | None:
    """Of what one panelist handed in on an item the last, of what was there up to a number; None where there is nothing."""
    kept = [one for one in cast if until is None or one.id <= until]
    return max(kept, key=lambda one: (one.revision, one.id), default=None)


def count_votes(item: ItemStanding, *, is_first: bool = False) -> dict[str, Counter[str]]:
    """Per question how many gave which vote; those of round 1, or those that count by now."""
    votes = [one.first if is_first else one.final for one in item.stances]
    return {question: Counter(one[question] for one in votes if question in one) for question in list_questions(votes)}


def find_minority(item: ItemStanding) -> frozenset[int]:
    """Who argues first: whose vote of round 1 fewer gave than another, on any question; where all are even, everybody.

    Those who voted like most others have nothing to argue against until they know why somebody does not.
    """
    counts = count_votes(item, is_first=True)
    few = {
        one.annotator_id
        for one in item.stances
        for question, vote in one.first.items()
        if counts[question][vote] < max(counts[question].values())
    }
    everybody = {one.annotator_id for one in item.stances if one.first}
    return frozenset(few or (everybody if item.is_disputed else ()))


def is_waiting_for(item: ItemStanding, annotator_id: int, *, closed: DiscussionEntry) -> bool:
    """Whether somebody is asked about an item once round 1 is over.

    The minority is asked first. When all of it has said something, so are the others; after that, whoever has not looked since
    somebody else argued or changed a vote.
    """
    if item.is_locked or not item.is_disputed:
        return False
    since = {
        one.annotator_id: [said for said in one.said if said.id > closed.until] for one in item.stances if one.final
    }
    if annotator_id not in since:
        return False
    minority = find_minority(item)
    own = since[annotator_id]
    if not own:
        return annotator_id in minority or all(since.get(one) for one in minority)
    news = [
        said.id
        for who, all_said in since.items()
        for said in all_said
        if who != annotator_id and (said.is_change or said.argument)
    ]
    return max(news, default=0) > own[-1].id


def explain_waiting(item: ItemStanding, annotator_id: int, *, closed: DiscussionEntry) -> str:
    """Why an item waits for somebody, who is asked about it."""
    own = [said for one in item.stances if one.annotator_id == annotator_id for said in one.said]
    if own and own[-1].id > closed.until:
        return "Somebody has argued or changed a vote since you looked."
    if annotator_id in find_minority(item):
        return "You are in the minority, or nobody has a majority: please argue first. The others are asked after you."
    return "Those who vote otherwise have given their reasons; read them, and say what you think."


def find_refusal(before: Mapping[str, str], now: Mapping[str, str], *, argument: str) -> str:
    """Why an answer is not taken once round 1 is over; empty where it is.

    >>> find_refusal({"a": "wrong"}, {"a": "correct"}, argument="")
    'Say why you change your vote: the others read the reason.'
    """
    is_change = dict(before) != dict(now)
    return "Say why you change your vote: the others read the reason." if is_change and not argument else ""


def show_discussion(item: ItemStanding, *, to: int, panel: Sequence[int], closed: DiscussionEntry) -> ShownDiscussion:
    """What a panelist sees of an item once round 1 is over."""
    numbers = {who: place for place, who in enumerate(panel, 1)}
    has_argued = any(said.id > closed.until for one in item.stances if one.annotator_id == to for said in one.said)
    return ShownDiscussion(
        is_locked=item.is_locked,
        is_disputed=item.is_disputed,
        argues_first=item.is_disputed and not item.is_locked and to in find_minority(item) and not has_argued,
        stances=tuple(
            ShownStance(f"Panelist {numbers[one.annotator_id]}", one.annotator_id == to, one.first, one.final, one.said)
            for one in item.stances
        ),
    )
