"""What the pages of drawn test sets show: one record for each page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.draws import (
    ClassReview,
    DrawDescription,
    DrawDiff,
    ReviewedImage,
    RevisionForecast,
    describe_shortfalls,
)
from regauge.workflows.testsets.draw_reviews import Review

REASONS = (
    "wrong class",
    "object not visible",
    "drawing or rendering",
    "near-duplicate",
    "private or unsuitable",
)
"""Why images are mostly removed; anything else is typed."""
KEYS = "1234567890"
"""Keys of the first images of a class, and of the reasons."""


@dataclass(frozen=True, slots=True)
class RevisionForecastView:
    """What a revision would do, in words; or why nobody can tell."""

    found: RevisionForecast
    taxonomy: Taxonomy
    n_removed: int
    n_barred: int = 0
    problem: str = ""

    @property
    def lines(self) -> list[str]:
        """What it would lack, a line each."""
        return describe_shortfalls(self.found.shortfalls, [one.name for one in self.taxonomy.classes])


@dataclass(frozen=True, slots=True)
class DrawView:
    """A drawn test set: how far its review is, what it is made of, and what it changed."""

    review: Review
    description: DrawDescription
    taxonomy: Taxonomy
    foresight: RevisionForecastView | None
    diff: DrawDiff | None
    pictures: Mapping[str, tuple[int, int]]

    @property
    def address(self) -> str:
        """The address of the page."""
        return find_address(self.review.entry.name)

    @property
    def next_class(self) -> str:
        """The page of the first class that nobody has looked at; of the first one where all are reviewed."""
        classes = self.review.classes
        first = next((one for one in classes if not one.is_reviewed), classes[0])
        return f"{self.address}/{first.class_index}"

    def name(self, class_index: int) -> str:
        """What a class is called."""
        return self.taxonomy.classes[class_index].name

    def find_picture(self, image_id: str) -> str:
        """The address of an image."""
        return find_picture(*self.pictures[image_id])


@dataclass(frozen=True, slots=True)
class DrawClassView:
    """The images of a class of a drawn test set, to be looked at one by one."""

    review: Review
    standing: ClassReview
    target: Mapping[str, Any]
    images: tuple[ReviewedImage, ...]
    ahead: tuple[ReviewedImage, ...]
    """Those of the next class, which are fetched before anybody goes there."""

    keys = KEYS
    reasons = REASONS

    @property
    def place(self) -> int:
        """Which class of the test set it is, counted from 1."""
        return 1 + self.review.classes.index(self.standing)

    @property
    def address(self) -> str:
        """The page of the test set."""
        return find_address(self.review.entry.name)

    @property
    def previous(self) -> str:
        """The page of the class before; empty at the first."""
        return self._find(self.place - 2) if self.place > 1 else ""

    @property
    def next(self) -> str:
        """The page of the class after; at the last one that of the test set."""
        return self._find(self.place) if self.place < len(self.review.classes) else self.address

    @property
    def live(self) -> str:
        """Where the same is asked for again."""
        return f"/api/manage/draws/{self.review.entry.id}/classes/{self.standing.class_index}"

    def find_picture(self, image: ReviewedImage) -> str:
        """The address of an image."""
        return find_picture(image.pool_id, image.pool_row)

    def _find(self, place: int) -> str:
        return f"{self.address}/{self.review.classes[place].class_index}"


def find_address(name: str) -> str:
    """The page of a drawn test set.

    >>> find_address("my set")
    '/manage/testsets/my%20set'
    """
    return f"/manage/testsets/{quote(name, safe='')}"


def find_picture(pool_id: int, pool_row: int) -> str:
    """The address of a candidate's image: the same in every set that it is drawn into."""
    return f"/manage/pools/{pool_id}/pictures/{pool_row}"
