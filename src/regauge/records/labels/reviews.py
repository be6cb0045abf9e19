"""What people still have to judge before a label set says what every answer is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError

REVIEW_ITEM_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "class": pl.Int32,
    "is_dataset_label": pl.Boolean,
    "n_participants": pl.Int64,
}
"""The columns of open review items, in output order."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReviewItems:
    """Classes of images that nobody has judged yet and that some answer or label names; by image, then by class.

    Attributes:
        image_ids: all images, those without an open item too.
        images: per item, the position of its image.
        classes: per item, its class.
        n_participants: per item, how many participants answer it; 0 where it is a dataset label that nobody answers.
        is_dataset_label: per item, whether it is the dataset label of its image.
    """

    image_ids: IdArray
    images: IntArray
    classes: IntArray
    n_participants: IntArray
    is_dataset_label: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner="The review items"))
        for column in ("images", "classes", "n_participants"):
            object.__setattr__(self, column, freeze(getattr(self, column), np.int32))
        object.__setattr__(self, "is_dataset_label", freeze(self.is_dataset_label, np.bool_))
        shapes = {one.shape for one in (self.images, self.classes, self.n_participants, self.is_dataset_label)}
        if len(shapes) > 1 or self.images.ndim != 1:
            raise InputError("Review items have columns of one length: image, class, participants, dataset label.")

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"<ReviewItems: {len(self):,} on {self.n_images:,} of {len(self.image_ids):,} images>"

    @property
    def n_images(self) -> int:
        """Images with an open item."""
        return int(np.count_nonzero(np.diff(self.images, prepend=-1)))

    @property
    def starts(self) -> CountArray:
        """Where the items of each image start [n + 1]."""
        return np.searchsorted(self.images, np.arange(len(self.image_ids) + 1, dtype=np.int32)).astype(np.int64)

    def to_frame(self) -> pl.DataFrame:
        """One row per item."""
        columns = {
            "image_id": pl.Series(self.image_ids.tolist(), dtype=pl.String).gather(self.images),
            "class": self.classes,
            "is_dataset_label": self.is_dataset_label,
            "n_participants": self.n_participants,
        }
        return pl.DataFrame(columns, schema=dict(REVIEW_ITEM_COLUMNS))
