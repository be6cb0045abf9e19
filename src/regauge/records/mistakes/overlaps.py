"""What two participants get wrong on the same images: corrected, new, common."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from regauge.arrays import BoolArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.estimates import Estimate, Share
from regauge.records.mistakes.coded import CodeArray


class Overlap(StrEnum):
    """What becomes of a mistake from a first participant to a second (Vasudevan et al. 2022, section 4.3)."""

    CORRECTED = "corrected"
    """Only the first is mistaken."""
    NEW = "new"
    """Only the second is."""
    DIFFERENT = "common, different"
    """Both are, with different answers."""
    SAME = "common, same"
    """Both are, with the same answer."""


OVERLAPS = tuple(Overlap)
"""The order in which columns, tables and outputs list them."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MistakesOverlap:
    """The images on which at least one of two participants is mistaken, in the order of the test set.

    Attributes:
        first: one participant.
        second: the other one.
        test_set: what outputs call the images.
        labels: the label set, with its version where it has one.
        image_ids: the images.
        overlaps: the place of each in `OVERLAPS`.
        first_predictions: what the first answers.
        second_predictions: what the second answers.
        first_is_novel: whether nobody has judged the first's answer.
        second_is_novel: likewise for the second's.
        n_images: how many images both answered and the label set judges.
        first_wrong: the share of the first's mistakes among these.
        second_wrong: likewise for the second.
        difference: second minus first, with an interval for pairs.
        p: exact McNemar test of equal shares.
        is_strict: unclear answers are mistakes too.
        notes: what the reader should know, a sentence each.
    """

    first: str
    second: str
    test_set: str
    labels: str
    image_ids: IdArray
    overlaps: CodeArray
    first_predictions: IntArray
    second_predictions: IntArray
    first_is_novel: BoolArray
    second_is_novel: BoolArray
    n_images: int
    first_wrong: Share[float | None]
    second_wrong: Share[float | None]
    difference: Estimate[float | None]
    p: float
    is_strict: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        owner = f"{self.first} and {self.second}"
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=owner))
        for name, kind in (
            ("overlaps", np.int8),
            ("first_predictions", np.int32),
            ("second_predictions", np.int32),
            ("first_is_novel", np.bool_),
            ("second_is_novel", np.bool_),
        ):
            object.__setattr__(self, name, freeze(getattr(self, name), kind))
            if getattr(self, name).shape != self.image_ids.shape:
                raise InputError(f"Mistakes of {owner} are on {len(self):,} images, but {name} has another length.")

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(one):,} {one}" for one in OVERLAPS)
        return f"<MistakesOverlap of {self.first} and {self.second}: {counts}>"

    def count(self, overlap: Overlap) -> int:
        """On how many images."""
        return int(np.count_nonzero(self.overlaps == OVERLAPS.index(overlap)))

    def count_novel(self, overlap: Overlap) -> int:
        """On how many of them nobody has judged the second's answer; a corrected mistake has none."""
        is_here = self.overlaps == OVERLAPS.index(overlap)
        return int(np.count_nonzero(is_here & self.second_is_novel))
