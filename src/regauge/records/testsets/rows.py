"""Rows of arrays without image ids: they meet each other by their position, and nothing that is keyed by id."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import IdArray, IntArray, freeze
from regauge.errors import InputError
from regauge.records.predictions import Logits, Predictions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelRows:
    """Dataset labels of images that have no ids, one per row.

    It has no column of ids on purpose: whatever joins by id cannot take it.

    Attributes:
        name: what outputs call the test set.
        labels: the class index of each row.
    """

    name: str
    labels: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", freeze(self.labels, np.int32))
        if self.labels.ndim != 1:
            raise InputError(f"Labels are one column, not an array of shape {list(self.labels.shape)}.")
        if self.labels.size and self.labels.min() < 0:
            row = int(np.argmin(self.labels))
            raise InputError(f"Row {row} has the label {self.labels[row]}; class indices start at 0.")

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"<LabelRows of {self.name}: {len(self):,} rows without ids>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnswerRows:
    """One participant's answers on images that have no ids, one row per image.

    Attributes:
        participant: the name of the model or person.
        classes: class indices [n, k], best first.
    """

    participant: str
    classes: IntArray

    def __len__(self) -> int:
        return len(self.classes)

    def __repr__(self) -> str:
        return f"<AnswerRows of {self.participant}: {len(self):,} rows without ids>"

    def key(self, image_ids: IdArray) -> Predictions:
        """The same with an id for every row."""
        return Predictions(self.participant, image_ids, self.classes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LogitRows:
    """One model's outputs for every class on images that have no ids, one row per image.

    Attributes:
        participant: the name of the model.
        values: outputs [n, classes]; larger means more likely.
    """

    participant: str
    values: NDArray[np.floating]

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<LogitRows of {self.participant}: {len(self):,} rows without ids>"

    def key(self, image_ids: IdArray) -> Logits:
        """The same with an id for every row."""
        return Logits(self.participant, image_ids, self.values)
