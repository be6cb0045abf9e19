"""Discussions: a panel votes alone first, then sees all votes and argues, until a chair locks what is decided."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from regauge.estimates import Share
from regauge.records.campaigns.campaign import Payload

CHAIRS = "chairs"
"""Where the settings of a campaign name those of its panel who chair it, by their numbers."""
DISCUSSED = "discussed"
"""Where a task says that its answers are votes of a discussion."""


class DiscussionAct(StrEnum):
    """What a chair can enter."""

    CLOSE = "close round 1"
    """From now on everybody sees all votes."""
    LOCK = "lock"
    """The votes on an item count as they stand; later ones are kept and do not count."""
    UNLOCK = "unlock"
    EXCUSE = "excuse"
    """Somebody left the panel: what the others say decides, on one item or on all."""


@dataclass(frozen=True, slots=True)
class DiscussionEntry:
    """What a chair entered; never changed, only followed by another entry.

    Attributes:
        id: entries are counted in the whole study, in the order in which they came.
        act: what was entered.
        who: the name of whoever entered it.
        at: when.
        task_id: the item that it is about; None for all of the campaign.
        subject_id: who is excused.
        reason: why; needed to unlock and to excuse.
        batch: the same for items that were locked together; empty for one by itself.
        until: the number of the last answer that was there then.
    """

    id: int
    act: DiscussionAct
    who: str
    at: str
    task_id: int | None = None
    subject_id: int | None = None
    reason: str = ""
    batch: str = ""
    until: int = 0


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that is to be stored; see `DiscussionEntry`."""

    act: DiscussionAct
    task_id: int | None = None
    subject_id: int | None = None
    reason: str = ""
    batch: str = ""
    until: int = 0


@dataclass(frozen=True, slots=True)
class CastVote:
    """One answer of a panelist, in the order in which they came; a later revision takes the place of an earlier one.

    Attributes:
        id: the number of the answer.
        task_id: which item.
        annotator_id: whose.
        answer: what it says, in the form of its kind.
        revision: which of their answers to the item.
        is_counted: whether the answers of its panelist count; not those of somebody who was dropped.
        at: when it came.
    """

    id: int
    task_id: int
    annotator_id: int
    answer: Payload
    revision: int
    is_counted: bool
    at: str


@dataclass(frozen=True, slots=True)
class VoteChange:
    """What a panelist said on an item at one time.

    Attributes:
        at: when.
        id: the number of the answer.
        votes: per question.
        argument: why.
        is_change: whether they voted otherwise before.
        is_late: whether it came after the item was locked, and does not count.
        answer: the whole answer, in the form of its kind.
    """

    at: str
    id: int
    votes: Mapping[str, str]
    argument: str
    is_change: bool
    is_late: bool
    answer: Payload


@dataclass(frozen=True, slots=True)
class Stance:
    """Where a panelist stands on an item.

    Attributes:
        annotator_id: who.
        first: per question their vote of round 1; empty where they gave none.
        final: per question the vote that counts: the last one, or that of the lock.
        said: everything that they handed in, the oldest first.
        answer: the whole answer that counts, in the form of its kind; None without one.
        first_answer: the same of round 1.
    """

    annotator_id: int
    first: Mapping[str, str]
    final: Mapping[str, str]
    said: tuple[VoteChange, ...] = ()
    answer: Payload | None = None
    first_answer: Payload | None = None

    @property
    def has_changed(self) -> bool:
        """Whether they vote otherwise than in round 1."""
        return dict(self.first) != dict(self.final)


@dataclass(frozen=True, slots=True)
class ItemStanding:
    """Where an item of a discussion stands.

    Attributes:
        task_id: the item.
        task: what it shows.
        is_open: whether round 1 is over, so that everybody may see this.
        stances: those of the panelists whose votes decide, in the order of the panel, whether they voted or not.
        excused: who was excused from it.
        lock: the entry that locks it; None where it is not locked.
        history: all entries about it, the oldest first.
        version: grows with every answer and every entry: whoever saw another one saw something else.
    """

    task_id: int
    task: Payload
    is_open: bool
    stances: tuple[Stance, ...]
    excused: tuple[int, ...] = ()
    lock: DiscussionEntry | None = None
    history: tuple[DiscussionEntry, ...] = ()
    version: int = 0

    @property
    def is_locked(self) -> bool:
        """Whether its votes count as they stood when it was locked."""
        return self.lock is not None

    @property
    def missing(self) -> tuple[int, ...]:
        """Who has not voted and was not excused: until then, nothing is decided."""
        return tuple(one.annotator_id for one in self.stances if not one.final)

    @property
    def is_disputed(self) -> bool:
        """Whether the votes of round 1 were not unanimous."""
        return not is_unanimous([one.first for one in self.stances if one.first])

    @property
    def is_unanimous(self) -> bool:
        """Whether all who voted say the same by now."""
        return is_unanimous([one.final for one in self.stances if one.final])


@dataclass(frozen=True, slots=True)
class DiscussionStanding:
    """A whole discussion.

    Attributes:
        panel: the panelists, by their numbers.
        chairs: those of them who are chairs.
        closed: the entry that closed round 1; None while it goes on.
        items: every item, in the order of the tasks.
        names: what the panelists are called, by their numbers; nothing where nobody needs to know.
    """

    panel: tuple[int, ...]
    chairs: tuple[int, ...]
    closed: DiscussionEntry | None
    items: tuple[ItemStanding, ...]
    names: Mapping[int, str] = field(default_factory=dict)


def is_unanimous(votes: Sequence[Mapping[str, str]]) -> bool:
    """Whether several say the same on every question; nobody and one alone do.

    >>> is_unanimous([{"a": "correct"}, {"a": "wrong"}]), is_unanimous([{"a": "correct"}])
    (False, True)
    """
    return all(dict(one) == dict(votes[0]) for one in votes[1:])


def list_questions(votes: Collection[Mapping[str, str]]) -> list[str]:
    """The questions that somebody answered, in the order in which they come."""
    return list(dict.fromkeys(question for one in votes for question in one))


@dataclass(frozen=True, slots=True)
class ShownStance:
    """Where a panelist stands, as another sees it once round 1 is over: by a number, not by name."""

    panelist: str
    is_own: bool
    first: Mapping[str, str]
    final: Mapping[str, str]
    said: tuple[VoteChange, ...]


@dataclass(frozen=True, slots=True)
class ShownDiscussion:
    """What a panelist sees of the discussion of an item; there is none before round 1 is over.

    Attributes:
        is_locked: whether what is said from now on does not count.
        is_disputed: whether the votes of round 1 were not unanimous.
        argues_first: whether the panelist is asked to argue before the others, and has not done so.
        stances: all panelists whose votes decide, in the order of the panel.
    """

    is_locked: bool
    is_disputed: bool
    argues_first: bool
    stances: tuple[ShownStance, ...]

    def to_json(self) -> dict[str, Any]:
        """As pages get it."""
        return {
            "is_locked": self.is_locked,
            "is_disputed": self.is_disputed,
            "argues_first": self.argues_first,
            "stances": [
                {
                    "panelist": one.panelist,
                    "is_own": one.is_own,
                    "first": dict(one.first),
                    "final": dict(one.final),
                    "said": [
                        {
                            "at": said.at,
                            "is_change": said.is_change,
                            "is_late": said.is_late,
                            "answer": dict(said.answer),
                        }
                        for said in one.said
                    ],
                }
                for one in self.stances
            ],
        }


@dataclass(frozen=True, slots=True)
class PluralityOutcome:
    """What votes on a question decide.

    Attributes:
        vote: the most frequent vote; unclear where several share the first place.
        n_for: how many gave the most frequent one.
        n_votes: how many voted.
        is_shared: whether several votes share the first place.
    """

    vote: str
    n_for: int
    n_votes: int
    is_shared: bool

    @property
    def has_majority(self) -> bool:
        """Whether more than half gave the vote."""
        return 2 * self.n_for > self.n_votes


@dataclass(frozen=True, slots=True)
class DiscussionEffects:
    """What a discussion changed, over the questions of items that are decided.

    Attributes:
        n_decided: questions that are decided.
        n_disputed: those on which the votes of round 1 were not unanimous.
        changed: the share of decided questions whose outcome is another than by the votes of round 1.
        single: of these, the share that one panelist turned: nobody else votes otherwise than in round 1.
        directions: from the outcome by round 1 to the outcome in the end, how often.
        without_majority: the share of questions decided without more than half of the votes.
    """

    n_decided: int
    n_disputed: int
    changed: Share[float | None]
    single: Share[float | None]
    directions: Mapping[tuple[str, str], int]
    without_majority: Share[float | None]
