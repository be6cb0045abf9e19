"""The pool: images gathered as candidates for a test set, where each comes from, and why some cannot be taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from regauge.arrays import BoolArray, IdArray, freeze
from regauge.errors import InputError
from regauge.records.studies import LocatedTestSet
from regauge.records.testsets.sampling import SamplingPlan, Shortfall
from regauge.records.testsets.test_set import TestSet

FIELD_NAMES: Mapping[str, tuple[str, ...]] = {
    "image_id": ("image_id", "id_ours", "id"),
    "file": ("file", "file_name", "filename", "path"),
    "class": ("class", "label", "wnid"),
    "keyword": ("keyword", "query", "search_key"),
    "taken": ("taken", "taken_at", "taken_on", "datetaken", "date_taken"),
    "uploaded": (
        "uploaded",
        "uploaded_at",
        "uploaded_on",
        "dateupload",
        "date_upload",
        "date_upload_search_engine",
    ),
    "source": ("source", "search_engine", "owner"),
    "licence": ("licence", "license"),
    "url": ("url", "url_l", "url_o", "url_k", "url_h", "url_b", "url_c", "url_z", "url_m", "link"),
}
"""Field → the names under which it is found, the first that has something coming first; docs/formats.md lists them."""


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


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Where to find each field, and what holds where a row does not say.

    Attributes:
        names: field → the one name that it has in this file; others as in `FIELD_NAMES`.
        constants: field → what holds for every row that has none: the class of a search, say.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in (*self.names, *self.constants):
            if one not in FIELD_NAMES:
                raise InputError(f"{one!r} is not a field of a candidate; the fields are {', '.join(FIELD_NAMES)}.")

    def find(self, row: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - JSON can be anything
        """What the row says of a field; None where it says nothing."""
        known = (self.names[name],) if name in self.names else FIELD_NAMES[name]
        for one in known:
            found = row.get(one)
            if found is not None and found != "":
                return found
        return self.constants.get(name)


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

    def keep(self, is_kept: BoolArray) -> GatheredImages:
        """Some of the images."""
        located = self.located
        test_set = TestSet(located.test_set.name, located.test_set.image_ids[is_kept], located.test_set.labels[is_kept])
        places = tuple(place for place, kept in zip(located.places, is_kept.tolist(), strict=True) if kept)
        fewer = LocatedTestSet(test_set, located.kind, located.root, places, located.notes)
        return GatheredImages(fewer, PoolFacts(*(getattr(self.facts, name)[is_kept] for name in PoolFacts.__slots__)))


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


@dataclass(frozen=True, slots=True)
class ExclusionChange:
    """What a rule did to a batch.

    Attributes:
        pool: the batch.
        rule: the rule.
        n_images: images of the batch.
        n_excluded: images that the rule excludes now.
        n_new: those of them that it did not exclude before.
        n_back: images that it excluded before and no longer.
    """

    pool: str
    rule: ExclusionRule
    n_images: int
    n_excluded: int
    n_new: int
    n_back: int


class DrawAnnotators(StrEnum):
    """Whose votes a draw looks at."""

    ALL = "all"
    FIRST_HALF = "first-half"
    """One half chooses the images, so that the other can report on them without bias."""
    SECOND_HALF = "second-half"
    """The other way round."""

    @property
    def others(self) -> DrawAnnotators:
        """The half that had no part in the choice; everybody, where everybody had."""
        halves = {
            DrawAnnotators.FIRST_HALF: DrawAnnotators.SECOND_HALF,
            DrawAnnotators.SECOND_HALF: DrawAnnotators.FIRST_HALF,
        }
        return halves.get(self, DrawAnnotators.ALL)


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
    annotators: DrawAnnotators = DrawAnnotators.ALL
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
