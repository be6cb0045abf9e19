"""A coding: what coders said of a participant's mistakes, as a study keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regauge.arrays import IdArray, IntArray, freeze
from regauge.errors import InputError
from regauge.records.mistakes.coded import (
    STANDARD_CATEGORIES,
    CodedMistakes,
    DefinedCategory,
    find_repeated,
    name_categories,
)

OVERTURN_REASONS = ("missed object", "against the guide", "against the class's images", "label set")
"""Why a mistake turns out to be none: what is predicted was overlooked; the labeling guide, or the images of the class, count it
in; or the label set accepts it by now. Coders may use other words."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OverturnedMistakes:
    """Mistakes that turned out to be none while they were looked at again, or by another label set.

    Attributes:
        image_ids: the image of each.
        predictions: the class that was predicted.
        reasons: why, in the words of `OVERTURN_REASONS` or others.
        notes: what the coders added; empty where they added nothing.
    """

    image_ids: IdArray
    predictions: IntArray
    reasons: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze(self.image_ids, np.str_))
        object.__setattr__(self, "predictions", freeze(self.predictions, np.int32))
        object.__setattr__(self, "notes", self.notes or ("",) * len(self.reasons))
        n = len(self.reasons)
        if self.image_ids.shape != (n,) or self.predictions.shape != (n,) or len(self.notes) != n:
            raise InputError("Overturned mistakes have one image, one prediction, one reason and one note each.")
        if any(not reason.strip() for reason in self.reasons):
            raise InputError("A mistake is overturned for a reason; one of them is empty.")
        at = find_repeated(self.image_ids, self.predictions)
        if at is not None:
            raise InputError(
                f"Prediction {self.predictions[at]} for image {str(self.image_ids[at])!r} is overturned twice; once is enough."
            )

    def __len__(self) -> int:
        return len(self.reasons)

    def __repr__(self) -> str:
        return f"<OverturnedMistakes: {len(self):,}>"


def overturn_nothing() -> OverturnedMistakes:
    """No overturned mistakes."""
    return OverturnedMistakes(np.array([], np.str_), np.array([], np.int32), ())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MistakeCoding:
    """The coded mistakes of one participant on one test set under one label set.

    Attributes:
        name: what outputs call the coding; NAME@VERSION where it comes from a study.
        participant: whose mistakes they are.
        test_set: on which images.
        labels: the label set under which they are mistakes, as NAME@VERSION.
        source: where the codes came from: `file NAME`, or `campaign NAME`.
        coded: what remains, with category and severity.
        overturned: what turned out to be no mistake.
        categories: the list of categories with what they mean.
        who: who added them.
        at: when, in UTC.
        provenance: what else is known of how they were made.
        id: the row in the study; 0 where it is not stored.
        remarks: what the coders added to each mistake that remains; empty where they added nothing.
    """

    name: str
    participant: str
    test_set: str
    labels: str
    source: str
    coded: CodedMistakes
    overturned: OverturnedMistakes = field(default_factory=overturn_nothing)
    categories: tuple[DefinedCategory, ...] = STANDARD_CATEGORIES
    who: str = ""
    at: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    id: int = 0
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "remarks", self.remarks or ("",) * len(self.coded))
        if len(self.remarks) != len(self.coded):
            raise InputError(
                f"{self.name}: there are {len(self.coded):,} coded mistakes and {len(self.remarks):,} remarks."
            )
        if name_categories(self.categories) != self.coded.category_names:
            raise InputError(f"{self.name}: the codes are of another list of categories than the one that is defined.")
        image_ids = np.concatenate([self.coded.image_ids, self.overturned.image_ids])
        predictions = np.concatenate([self.coded.predictions, self.overturned.predictions])
        at = find_repeated(image_ids, predictions)
        if at is not None:
            raise InputError(
                f"{self.name}: prediction {predictions[at]} for image {str(image_ids[at])!r} is coded and overturned; it is one "
                "or the other."
            )

    def __len__(self) -> int:
        return len(self.coded) + len(self.overturned)

    def __repr__(self) -> str:
        counts = f"{len(self.coded):,} coded, {len(self.overturned):,} overturned"
        return f"<MistakeCoding {self.name} of {self.participant}: {counts}>"


@dataclass(frozen=True, slots=True)
class CodingEntry:
    """One version of a coding of a study, without its mistakes; versions never change, a correction is a new one.

    Attributes:
        id: its row.
        name: what it is called, as all its versions.
        participant: whose mistakes they are.
        test_set: on which images.
        labels: the label set, as NAME@VERSION.
        source: where the codes came from.
        n_coded: mistakes that remain.
        n_major: those among them that are major.
        n_overturned: those that turned out to be none.
        who: who added them.
        at: when, in UTC.
        version: the number of this version, from 1.
        provenance: what else is known of how they were made.
    """

    id: int
    name: str
    participant: str
    test_set: str
    labels: str
    source: str
    n_coded: int
    n_major: int
    n_overturned: int
    who: str
    at: str
    version: int = 1
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """Name and version, as commands and tables write them."""
        return f"{self.name}@{self.version}"
