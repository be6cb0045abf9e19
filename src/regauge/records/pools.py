"""The pool: images gathered as candidates for a test set, where each comes from, and why some cannot be taken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from regauge.errors import InputError
from regauge.records.arrays import IdArray, freeze
from regauge.records.sampling import SamplingPlan, Shortfall
from regauge.records.studies import LocatedTestSet


class ExclusionRule(StrEnum):
    """Which rule excludes a candidate; an image may be excluded by several."""

    WINDOW = "window"
    """It was taken or uploaded outside the window of time."""
    EXACT_DUPLICATE = "exact-duplicate"
    """Another image has the same bytes or the same pixels."""
    NEAR_DUPLICATE = "near-duplicate"
    """Another image shows the same, by a review of pairs."""
    REVIEW = "review"
    """A reviewer of a drawn test set removed it."""
    LIST = "list"
    """It is on a list of images not to take."""
    UNREADABLE = "unreadable"
    """It cannot be decoded, so nobody could look at it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PoolFacts:
    """Where the images of a batch come from, in row order; empty texts where that is not known.

    Attributes:
        keywords: what each image was searched by.
        taken_at: when it was taken, such as 2014-07-31 or 2014-07-31T12:00:00.000Z.
        uploaded_at: when it was uploaded.
        sources: which site or collection it is from.
        licences: under which licence.
        urls: its address there.
        pixels_sha256: checksum of its decoded pixels.
    """

    keywords: IdArray
    taken_at: IdArray
    uploaded_at: IdArray
    sources: IdArray
    licences: IdArray
    urls: IdArray
    pixels_sha256: IdArray

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, freeze(getattr(self, name), np.str_))
            if getattr(self, name).shape != self.keywords.shape:
                raise InputError(f"Every image of a pool needs each fact or an empty text; {name} has another length.")

    def __len__(self) -> int:
        return len(self.keywords)

    def __repr__(self) -> str:
        return f"<PoolFacts of {len(self):,} images>"


@dataclass(frozen=True, slots=True, eq=False)
class GatheredImages:
    """A batch of candidates as a reader gives it: the class that each image was gathered for, its place, and its facts."""

    located: LocatedTestSet
    facts: PoolFacts

    def __post_init__(self) -> None:
        if len(self.facts) != len(self.located.test_set):
            raise InputError(
                f"{len(self.located.test_set):,} candidates need as many facts, not {len(self.facts):,}; every image has its own."
            )


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A candidate is excluded by a rule, or no longer: the last one of a rule holds.

    Attributes:
        image_id: which image.
        rule: by which rule.
        is_excluded: false where an earlier exclusion is taken back.
        reason: why, in words.
        who: who did it.
        at: when.
        same_as: for a duplicate, the id of the image that stands for all that are the same; empty where that is not known.
    """

    image_id: str
    rule: ExclusionRule
    is_excluded: bool
    reason: str
    who: str = ""
    at: str = ""
    same_as: str = ""

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise InputError(f"Excluding image {self.image_id!r}, or taking it back, needs a reason.")


class Annotators(StrEnum):
    """Whose votes a draw looks at."""

    ALL = "all"
    FIRST_HALF = "first-half"
    """One half chooses the images, so that the other can report on them without bias."""
    SECOND_HALF = "second-half"
    """The other way round."""

    @property
    def others(self) -> Annotators:
        """The half that had no part in the choice; everybody, where everybody had."""
        halves = {Annotators.FIRST_HALF: Annotators.SECOND_HALF, Annotators.SECOND_HALF: Annotators.FIRST_HALF}
        return halves.get(self, Annotators.ALL)


@dataclass(frozen=True, slots=True)
class DrawSources:
    """What a test set was drawn from, by name.

    Attributes:
        pools: the batches of candidates.
        original: the test set that was imitated; empty for strategies that imitate none.
        frequencies: the label sets or files with the selection frequencies.
        annotators: whose votes choose.
        keywords: (class, keyword, how many original images have it), where keywords were imitated.
    """

    pools: tuple[str, ...] = ()
    original: str = ""
    frequencies: tuple[str, ...] = ()
    annotators: Annotators = Annotators.ALL
    keywords: tuple[tuple[int, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DrawEntry:
    """A stored draw: how and from what a test set of the study was drawn, and what was lacking.

    Attributes:
        test_set: its name.
        parent: the test set that it revises; empty for a first draw.
        plan: how it was drawn.
        sources: from what.
        shortfalls: what is lacking, and where.
        excluded: (class, bin, reason, how many images could not be taken for it).
    """

    test_set: str
    parent: str
    plan: SamplingPlan
    sources: DrawSources
    shortfalls: tuple[Shortfall, ...]
    excluded: tuple[tuple[int, str, str, int], ...]
