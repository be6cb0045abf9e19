"""Exposure: who was shown which image, when, and as what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from regauge.errors import InputError
from regauge.ranges import Range

WASHOUT_DAYS = Range(0, 36_500, is_whole=True)
"""Days that a washout may last; 0 for none."""
NO_CAMPAIGN_ID = 0
"""Where an image was shown in no campaign, as on a manager's page."""

ImageKey: TypeAlias = str
"""What exact copies of an image have in common: the checksum of its bytes, or else the file or the row that it is."""


class ExposureRole(StrEnum):
    """As what somebody was shown an image."""

    ANNOTATOR = "annotator"
    """In a task of a campaign."""
    REVIEWER = "reviewer"
    """In a task of a review, with labels to judge."""
    PANELIST = "panelist"
    """In a task of an expert panel."""
    TRAINEE = "trainee"
    """In an example, a question of a quiz or a task of a training, where the answer is told."""
    LABELER = "labeler"
    """In a task of an evaluation, where people are measured."""
    CARD = "class card"
    """On the card of a class."""
    GUIDE = "guide"
    """In the labeling guide."""
    MANAGER = "manager"
    """On a manager's page."""
    DECLARED = "declared"
    """Outside of the study, as somebody says."""


AT_WORK = frozenset({ExposureRole.ANNOTATOR, ExposureRole.REVIEWER, ExposureRole.PANELIST, ExposureRole.LABELER})
"""What a campaign itself shows to be judged. It does not keep anybody from other tasks of the same campaign."""


class NewExposure(NamedTuple):
    """That an image was sent to somebody."""

    annotator_id: int
    test_set_id: int
    row: int
    role: ExposureRole
    campaign_id: int
    at: str


class StoredExposure(NamedTuple):
    """That somebody was shown an image as something, the first and the last time."""

    annotator_id: int
    test_set_id: int
    row: int
    role: ExposureRole
    campaign_id: int
    first_at: str
    last_at: str


@dataclass(frozen=True, slots=True, order=True)
class NamedPerson:
    """Somebody by one of their names: an annotator of the study or, where answers came in a file, a participant.

    Attributes:
        name: what they are called.
        annotator_id: their number; None for a participant who is not an annotator.
    """

    name: str
    annotator_id: int | None = None


@dataclass(frozen=True, slots=True)
class DeclaredExposure:
    """That somebody knows the images of a set from outside of the study.

    Attributes:
        id: its number.
        person: who.
        test_set_id: which set.
        since: the first day, as 2026-01-31.
        until: the last one; None where it goes on.
        why: how they came to know them.
        who: who says so.
        at: when.
    """

    id: int
    person: NamedPerson
    test_set_id: int
    since: str
    until: str | None
    why: str
    who: str
    at: str


@dataclass(frozen=True, slots=True)
class ExposureRow:
    """How many images of a set somebody was shown as something in one campaign, and when.

    Attributes:
        person: who, by the first of their names.
        role: as what.
        campaign: in which campaign; empty for none.
        kind: its kind of task; empty for none.
        n_images: how many images of the set.
        first_at: the first time.
        last_at: the last time.
        why: how they came to know them, where that was declared.
    """

    person: str
    role: ExposureRole
    campaign: str
    kind: str
    n_images: int
    first_at: str
    last_at: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class ExposedPerson:
    """How many images of a set somebody has seen in whatever way, and when.

    Attributes:
        person: who, by the first of their names.
        also: their other names.
        n_images: how many images of the set; those shown in several ways count once.
        first_at: the first time.
        last_at: the last time.
    """

    person: str
    also: tuple[str, ...]
    n_images: int
    first_at: str
    last_at: str


@dataclass(frozen=True, slots=True)
class SetExposure:
    """Who has seen which images of a set.

    Attributes:
        test_set: which set.
        n_images: how many images it has.
        n_seen: how many of them anybody has seen.
        people: those who have seen any.
        rows: the same apart by role and campaign.
    """

    test_set: str
    n_images: int
    n_seen: int
    people: tuple[ExposedPerson, ...]
    rows: tuple[ExposureRow, ...]


def check_washout(days: int) -> None:
    """Refuse what no washout can last."""
    if days not in WASHOUT_DAYS:
        raise InputError(f"A washout lasts {WASHOUT_DAYS} days, not {days:,}.")
