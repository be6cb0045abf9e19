"""Pairs of images that somebody has looked at: whether both show the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from regauge.arrays import IdArray, freeze
from regauge.errors import InputError


class PairVerdict(StrEnum):
    """What a reviewer says of two images."""

    SAME = "same"
    """They are near-duplicates: the same picture, or two of one moment."""
    DIFFERENT = "different"
    """They are not."""
    UNSURE = "unsure"
    """The reviewer could not tell."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReviewedPairs:
    """Pairs of image ids with a verdict each; a pair may have been reviewed several times.

    Attributes:
        first: one image of each pair.
        second: the other.
        verdicts: a `PairVerdict` each.
    """

    first: IdArray
    second: IdArray
    verdicts: IdArray

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, freeze(getattr(self, name), np.str_))
        if not self.first.shape == self.second.shape == self.verdicts.shape:
            raise InputError("Every pair has two images and a verdict.")

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"<ReviewedPairs: {len(self):,}>"
