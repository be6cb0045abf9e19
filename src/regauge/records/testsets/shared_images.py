"""Which images two test sets have in common, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from regauge.arrays import BoolArray, CountArray, freeze
from regauge.errors import InputError
from regauge.estimates import count_things


class SharedBy(StrEnum):
    """What makes two images of different sets the same one."""

    DIGESTS = "digests"
    """Equal bytes, by their SHA-256."""
    IDS = "ids"
    """Equal bytes, or equal ids where a digest is not known."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SharedImages:
    """The images that are in both of two sets, each once: place i of both columns is the same image.

    Attributes:
        rows_original: their rows in the original set.
        rows_new: their rows in the new set.
        n_by_id: how many of them are known by their ids alone.
        n_open: further images with equal ids of which nothing says whether they are the same; they count as different ones.
    """

    rows_original: CountArray
    rows_new: CountArray
    n_by_id: int = 0
    n_open: int = 0

    def __post_init__(self) -> None:
        for name in ("rows_original", "rows_new"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int64))
        if self.rows_original.ndim != 1 or self.rows_original.shape != self.rows_new.shape:
            raise InputError(
                f"Shared images have one row in either set, not {self.rows_original.shape} and {self.rows_new.shape}."
            )

    def __len__(self) -> int:
        return len(self.rows_original)

    def __repr__(self) -> str:
        return f"<SharedImages: {len(self):,}, {self.n_by_id:,} of them by id, {self.n_open:,} open>"

    def keep(self, in_original: BoolArray, in_new: BoolArray) -> SharedImages:
        """What is left of them when each set keeps some of its images; rows are those among the kept."""
        is_left = in_original[self.rows_original] & in_new[self.rows_new]
        original = (np.cumsum(in_original) - 1)[self.rows_original[is_left]]
        return SharedImages(original, (np.cumsum(in_new) - 1)[self.rows_new[is_left]])

    def describe(self, original: str, new: str) -> tuple[str, ...]:
        """What a reader of a comparison of these two sets should know, a sentence each."""
        sentences = []
        if len(self):
            known = (
                "equal bytes" if not self.n_by_id else "equal ids" if self.n_by_id == len(self) else _name_both(self)
            )
            sentences.append(
                f"{original} and {new} share {count_things(len(self), 'image')} (by {known}); shared images are drawn together."
            )
        if self.n_open:
            are = "is" if self.n_open == 1 else "are"
            sentences.append(
                f"{count_things(self.n_open, 'image id')} {are} in both {original} and {new}, and no digest says "
                "whether the images "
                f'are the same. They are taken for different ones; if they are the same, say so with `shared="ids"`.'
            )
        return tuple(sentences)


NO_SHARED_IMAGES = SharedImages(np.zeros(0, np.int64), np.zeros(0, np.int64))


def _name_both(shared: SharedImages) -> str:
    return f"equal bytes, {shared.n_by_id:,} by equal ids"
