"""A test set: images with one dataset label each, or without labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import NO_CLASS, BoolArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TestSet:
    """Images and the one label the dataset gives each of them, if it gives any.

    Attributes:
        name: what outputs call the test set.
        image_ids: one distinct id per image.
        labels: the class index of each image's dataset label; `NO_CLASS` where an image has none.
        digests: the SHA-256 of each image's bytes, empty where it is not known; None where no image has one.
    """

    # Told to pytest, which would otherwise take a class of this name for tests.
    __test__ = False

    name: str
    image_ids: IdArray
    labels: IntArray
    digests: IdArray | None = None

    if TYPE_CHECKING:
        # Columns are given as anything like an array, and kept as arrays.
        def __init__(
            self, name: str, image_ids: ArrayLike, labels: ArrayLike, digests: ArrayLike | None = None
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"Test set {self.name}"))
        object.__setattr__(self, "labels", freeze(self.labels, np.int32))
        if self.labels.shape != self.image_ids.shape:
            raise InputError(
                f"Test set {self.name} needs one label per image: it has {len(self.image_ids):,} image ids "
                f"and labels of shape {self.labels.shape}."
            )
        self._check_digests()
        if self.labels.size and self.labels.min() < NO_CLASS:
            first = str(self.image_ids[int(np.argmin(self.labels))])
            raise InputError(
                f"Test set {self.name}: image {first!r} has the label {self.labels.min()}; indices start at 0."
            )

    @property
    def is_labelled(self) -> BoolArray:
        """Which images have a dataset label."""
        return np.asarray(self.labels != NO_CLASS)

    @property
    def has_labels(self) -> bool:
        """Whether any image has a dataset label."""
        return bool(self.is_labelled.any())

    def _check_digests(self) -> None:
        if self.digests is None:
            return
        object.__setattr__(self, "digests", freeze(self.digests, np.str_))
        if self.digests.shape != self.image_ids.shape:
            raise InputError(
                f"Test set {self.name} needs one digest per image, empty where it is not known: it has {len(self.image_ids):,} "
                f"image ids and digests of shape {self.digests.shape}."
            )

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<TestSet {self.name}: {len(self):,} images, {len(np.unique(self.labels[self.is_labelled])):,} classes>"
