"""The items of a campaign, each a class of an image that people judge: what was said of each, as columns, and lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray, divide


class ItemState(StrEnum):
    """How far an item is."""

    OPEN = "open"
    """Answers to its tasks are still to come."""
    SETTLED = "settled"
    """One verdict has the most votes."""
    SPLIT = "split"
    """Several verdicts share the first place."""
    SKIPPED = "skipped"
    """All answers are there, but some of them leave it out."""
    REFERRED = "referred"
    """It waits for an expert, to whom somebody referred it."""


STATES: tuple[ItemState, ...] = tuple(ItemState)


class ItemOrder(StrEnum):
    """What items can be sorted by."""

    CLASS = "class"
    KIND = "kind"
    """By the kinds above the class, so that what one expert knows stands together."""
    EXPERTISE = "expertise"
    """By what it was referred to."""
    REVIEWER = "reviewer"
    """By the names of those who have judged it."""
    DISAGREEMENT = "disagreement"
    VOTES = "votes"
    COMMENTS = "comments"
    """By the open threads of its image."""
    LAST = "last"

    @property
    def is_by_words(self) -> bool:
        """Whether it goes by the alphabet, or by the number of a class, rather than by how much there is of something."""
        return self in {ItemOrder.CLASS, ItemOrder.KIND, ItemOrder.EXPERTISE, ItemOrder.REVIEWER}


@dataclass(frozen=True, slots=True, eq=False)
class ItemTable:
    """The items of a campaign by image and class, one row each.

    Attributes:
        images: the image's number in the campaign.
        classes: the class.
        tasks: the number of the last task that asks about it.
        n_votes: votes that count for each verdict [n, 3], in the order of `Verdict`; of one person the last.
        states: the place of its state in `STATES`.
        last: when the last answer about it came, in milliseconds since 1970; 0 where none did.
        is_control: whether its verdict was known beforehand.
        vote_rows: per vote, the row that it is on.
        vote_people: per vote, the number of whoever gave it.
    """

    images: IntArray
    classes: IntArray
    tasks: CountArray
    n_votes: CountArray
    states: IntArray
    last: CountArray
    is_control: BoolArray
    vote_rows: CountArray
    vote_people: CountArray

    def __len__(self) -> int:
        return len(self.images)

    @property
    def disagreements(self) -> FloatArray:
        """The share of votes that are not for the most frequent verdict; NaN where there are none."""
        n = self.n_votes.sum(axis=1)
        return divide(n - self.n_votes.max(axis=1, initial=0), n)

    @property
    def is_disputed(self) -> BoolArray:
        """Whether those who judged it are not of one mind."""
        return np.asarray((self.n_votes > 0).sum(axis=1) > 1, np.bool_)


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items are wanted; what is not set leaves nothing out.

    Attributes:
        classes: of these classes.
        images: of these images, by their numbers.
        state: in this state.
        is_disputed: only those on which reviewers are not of one mind.
        reviewer: that somebody has judged or is assigned to, by their number.
        has_comments: only those whose image has an open thread.
        expertise: that were referred to this, or to a kind below it, in the one way to write it.
    """

    classes: frozenset[int] | None = None
    images: frozenset[int] | None = None
    state: ItemState | None = None
    is_disputed: bool = False
    reviewer: int | None = None
    has_comments: bool = False
    expertise: str | None = None


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item in a list.

    Attributes:
        number: the image's number in the campaign.
        image_id: its id.
        class_index: the class.
        kind: the kind of the hierarchy right above the class; empty where there is none.
        dataset_label: the class that the test set gives the image; −1 where none.
        task_id: the last task that asks about it.
        n_votes: votes for each verdict, in the order of `Verdict`.
        state: how far it is.
        expertise: what it was referred to; empty where it was not.
        reviewers: who has judged it.
        assigned: to whom the task goes alone; None where it goes to anybody.
        n_comments: open threads of the image.
        last_at: when the last answer about it came; empty where none did.
        is_control: whether its verdict was known beforehand.
    """

    number: int
    image_id: str
    class_index: int
    kind: str
    dataset_label: int
    task_id: int
    n_votes: tuple[int, ...]
    state: ItemState
    expertise: str
    reviewers: tuple[str, ...]
    assigned: tuple[str, ...] | None
    n_comments: int
    last_at: str
    is_control: bool


@dataclass(frozen=True, slots=True)
class ItemList:
    """A part of the items that a filter leaves, how many it leaves in all, and what items of the campaign were referred to."""

    rows: tuple[ItemRow, ...]
    n: int
    expertises: tuple[str, ...] = ()
